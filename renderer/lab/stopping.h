#pragma once

#include <functional>

#include "renderer/lab/statistics.h"

// When a measurement has enough passes.

namespace rayscope {

/// What passes, or rounds of passes, have come to so far.
struct Evidence {
    int passes = 0;
    double seconds = 0;  ///< that they took
    /// Of what is measured, 95 %; takes some milliseconds to compute.
    std::function<Interval()> interval;
};

class StoppingCriterion {
public:
    virtual ~StoppingCriterion() = default;
    /// Asked once after every pass.
    virtual bool enough(const Evidence& evidence) = 0;
    /// The part of the passes that is played, 0 to 1; a guess.
    virtual double share(const Evidence& evidence) const = 0;
};

/// So many passes.
class FixedPasses : public StoppingCriterion {
public:
    explicit FixedPasses(int passes) : passes_(passes) {}
    bool enough(const Evidence& evidence) override { return evidence.passes >= passes_; }
    double share(const Evidence& evidence) const override;

private:
    int passes_;
};

/// At least so many seconds and passes, but no longer than about kPatience times the seconds.
class EnoughTime : public StoppingCriterion {
public:
    /// Slow settings get this many times what was wished, for their passes.
    static constexpr double kPatience = 4;

    EnoughTime(double seconds, int passes) : seconds_(seconds), passes_(passes) {}
    bool enough(const Evidence& evidence) override;
    double share(const Evidence& evidence) const override;

private:
    double seconds_;
    int passes_;
};

/// Half of the interval is at most `halfWidth` of its value; or so many seconds are over.
class NarrowInterval : public StoppingCriterion {
public:
    NarrowInterval(double halfWidth, double seconds) : halfWidth_(halfWidth), seconds_(seconds) {}
    bool enough(const Evidence& evidence) override;
    double share(const Evidence& evidence) const override;
    /// The last look found it narrow.
    bool narrow() const { return narrow_; }

private:
    /// Before the first look at the interval; the next comes when there are a quarter more.
    static constexpr int kFewestPasses = 12;

    double halfWidth_, seconds_;
    int nextLook_ = kFewestPasses;
    bool narrow_ = false;
};

}  // namespace rayscope
