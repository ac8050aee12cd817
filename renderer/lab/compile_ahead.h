#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <string>
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
    ~CompileAhead() override;

    bool step(double budgetMs) override;
    double share() const override;
    std::string label() const override;
    /// Kernels that are being compiled will be finished; nobody waits for them.
    void cancel() override { work_->next = work_->wishes.size(); }

private:
    /// Of all threads, which may outlive the job.
    struct Work {
        std::vector<CodeWish> wishes;
        std::atomic<std::size_t> next{0}, done{0};
    };
    static void compile(Work& work);

    std::shared_ptr<Work> work_ = std::make_shared<Work>();
    std::vector<std::future<void>> threads_;
};

}  // namespace rayscope
