#pragma once

#include <functional>

#include "renderer/lab/statistics.h"

// When a measurement has enough passes.

namespace rayscope {

/// What is known after the passes so far, or rounds of passes.
struct Evidence {
    int passes = 0;
    double seconds = 0;  ///< that they took
    /// The 95 % interval of the measured value; takes some milliseconds to compute.
    std::function<Interval()> interval;
};

class StoppingCriterion {
public:
    virtual ~StoppingCriterion() = default;
    /// Asked once after every pass.
    virtual bool enough(const Evidence& evidence) = 0;
    /// The part of the passes that has been played, 0 to 1; an estimate.
    virtual double share(const Evidence& evidence) const = 0;
};

/// A fixed number of passes.
class FixedPasses : public StoppingCriterion {
public:
    explicit FixedPasses(int passes) : passes_(passes) {}
    bool enough(const Evidence& evidence) override { return evidence.passes >= passes_; }
    double share(const Evidence& evidence) const override;

private:
    int passes_;
};

/// At least `seconds` and `passes`, but no longer than about kPatience times `seconds`.
class EnoughTime : public StoppingCriterion {
public:
    /// Slow settings may take this many times the seconds to complete their passes.
    static constexpr double kPatience = 4;

    EnoughTime(double seconds, int passes) : seconds_(seconds), passes_(passes) {}
    bool enough(const Evidence& evidence) override;
    double share(const Evidence& evidence) const override;

private:
    double seconds_;
    int passes_;
};

/// Half of the interval is at most `halfWidth` times its value, or `seconds` are over.
class NarrowInterval : public StoppingCriterion {
public:
    NarrowInterval(double halfWidth, double seconds) : halfWidth_(halfWidth), seconds_(seconds) {}
    bool enough(const Evidence& evidence) override;
    double share(const Evidence& evidence) const override;
    /// Whether the interval was narrow enough when last computed.
    bool narrow() const { return narrow_; }

private:
    /// Passes before the interval is first computed; then again after each quarter more.
    static constexpr int kFewestPasses = 12;

    double halfWidth_, seconds_;
    int nextLook_ = kFewestPasses;
    bool narrow_ = false;
};

}  // namespace rayscope
