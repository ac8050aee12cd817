#include "renderer/lab/compile_ahead.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>

#include "renderer/base/leftovers.h"
#include "renderer/base/thread_pool.h"
#include "renderer/choices/axes.h"

namespace rayscope {

CompileAhead::CompileAhead(const std::vector<CodeWish>& wishes) {
    std::vector<CodeWish>& all = work_->wishes;
    for (CodeWish wish : wishes) {
        wish.settings = canonical(wish.settings);
        if (std::ranges::find(all, wish) == all.end()) all.push_back(std::move(wish));
    }
    const int threads = std::min(std::max(coreCount() - 1, 1), static_cast<int>(all.size()));
    for (int i = 0; i < threads; ++i)
        threads_.push_back(std::async(std::launch::async, [work = work_] { compile(*work); }));
}

CompileAhead::~CompileAhead() {
    cancel();
    for (std::future<void>& thread : threads_) leave(std::move(thread));
}

void CompileAhead::compile(Work& work) {
    for (std::size_t i = work.next++; i < work.wishes.size(); i = work.next++) {
        if (work.wishes[i].settings.variant.code == Code::ptx)
            std::ignore = kernelPtx(work.wishes[i]);
        else
            std::ignore = kernelCode(work.wishes[i]);
        ++work.done;
    }
}

bool CompileAhead::step(double budgetMs) {
    constexpr double kLookMs = 5;
    const Clock::time_point start = Clock::now();
    const auto ended = [this] { return work_->done >= work_->wishes.size(); };
    while (!ended() && millisecondsSince(start) < budgetMs)
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(kLookMs));
    return ended();
}

double CompileAhead::share() const {
    if (work_->wishes.empty()) return 1;
    return static_cast<double>(work_->done) / static_cast<double>(work_->wishes.size());
}

std::string CompileAhead::label() const {
    return fmt::format("{} of {} kernels compiled", work_->done.load(), work_->wishes.size());
}

}  // namespace rayscope
