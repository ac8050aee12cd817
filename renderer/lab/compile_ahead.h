#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "renderer/backend/kernel_code.h"
#include "renderer/lab/job.h"

namespace rayscope {

/// A job that compiles kernels on all cores but one, into the cache that renderers read: a renderer
/// compiles one at a time, each for 0.1 to 1 s. Of a failure the renderer says the reason that asks
/// for the kernel.
class CompileAhead : public Job {
public:
    /// Wishes of the CUDA backend; equal ones are compiled once.
    explicit CompileAhead(const std::vector<CodeWish>& wishes);

    bool step(double budgetMs) override;
    double share() const override;
    std::string label() const override;
    /// Kernels that are being compiled are finished.
    void cancel() override { next_ = wishes_.size(); }

private:
    void work();

    std::vector<CodeWish> wishes_;
    std::atomic<std::size_t> next_{0}, done_{0};
    std::vector<std::jthread> threads_;  ///< last: they use the rest
};

}  // namespace rayscope
