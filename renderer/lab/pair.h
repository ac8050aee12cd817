#pragma once

#include <memory>
#include <optional>
#include <string>

#include "renderer/code/code_verdict.h"
#include "renderer/lab/comparison.h"
#include "renderer/lab/equal_work.h"
#include "renderer/machine/conditions.h"

namespace rayscope {

struct PairWish {
    CompareWish speed;
    /// Nothing: the work is not compared.
    std::optional<EqualWorkWish> work;
};

/// All that is said about two settings: how fast B is against A, whether that is the same work, and
/// under which conditions it was measured.
struct PairResult {
    CompareResult speed;
    std::optional<EqualWorkResult> work;
    std::string noWork;             ///< why the work was not compared; empty where it was
    ConditionsSummary conditions;   ///< of B's processor
    ConditionsSummary conditionsA;  ///< of A's; the same where they share one
    bool oneProcessor = true;
    CodeVerdict code;  ///< for whoever knows the scene to find out

    /// Whether B's image differs from A's by more than chance.
    bool different() const { return work && work->verdict == Verdict::different; }
};

/// 1 / (MSE * time) of B over that of A, 95 %: what is gained where one side needs more samples for
/// the same noise. Nothing where the work is the same, or was not compared with a reference.
std::optional<Interval> efficiencyOf(const PairResult& result);

/// A job: the times of two settings, then their work. Of `watches` it takes those of its
/// processors.
class PairJob : public Job {
public:
    PairJob(const Contestant& a, const Contestant& b, const PairWish& wish, Watches& watches);

    bool step(double budgetMs) override;
    double share() const override;
    /// What is known so far; complete when step() has returned true.
    PairResult result() const;

private:
    Contestant a_, b_;
    PairWish wish_;
    Comparison comparison_;
    std::unique_ptr<EqualWork> work_;
    ConditionsWatch &watchA_, &watchB_;  ///< one, where they share a processor
    bool timed_ = false, done_ = false;
};

}  // namespace rayscope
