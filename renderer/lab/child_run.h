#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/base/run_program.h"
#include "renderer/lab/job.h"
#include "renderer/lab/trial.h"

namespace rayscope {

/// Renders in processes of their own with context=inside: `program render --json -`, whose report
/// says under "wall_ms" how long it took from before the context was made to the finished picture,
/// and under "context_ms" what of that was the context. Pass::loopMs is the former, of wish.passes
/// runs after one that fills the cache of kernels. A step waits for them.
class ChildRuns : public MeasuringJob {
public:
    /// `scene` is a name or a path, `gpu` CUDA's number of the one that renders.
    ChildRuns(const std::string& program, const std::string& scene, const MeasureWish& wish,
              int gpu = 0);

    bool step(double budgetMs) override;
    double share() const override;
    void cancel() override { run_.reset(); }
    Measurement measurement() const override;

private:
    using Ran = Result<ProgramOutput>;
    std::string read(const std::string& text);

    std::vector<std::string> words_;
    int wanted_;
    int runs_ = 0;
    Measurement facts_;  ///< that are the same in all runs
    std::vector<Pass> passes_;
    std::optional<ThreadJob<Ran>> run_;  ///< under way
};

}  // namespace rayscope
