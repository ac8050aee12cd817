#include "renderer/lab/compile_ahead.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>

#include "renderer/base/thread_pool.h"
#include "renderer/choices/axes.h"

namespace rayscope {

CompileAhead::CompileAhead(const std::vector<CodeWish>& wishes) {
    for (CodeWish wish : wishes) {
        wish.settings = canonical(wish.settings);
        if (std::ranges::find(wishes_, wish) == wishes_.end()) wishes_.push_back(std::move(wish));
    }
    const int threads = std::min(std::max(coreCount() - 1, 1), static_cast<int>(wishes_.size()));
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

void CompileAhead::work() {
    for (std::size_t i = next_++; i < wishes_.size(); i = next_++) {
        if (wishes_[i].settings.variant.code == Code::ptx)
            std::ignore = kernelPtx(wishes_[i]);
        else
            std::ignore = kernelCode(wishes_[i]);
        ++done_;
    }
}

bool CompileAhead::step(double budgetMs) {
    constexpr double kLookMs = 5;
    const Clock::time_point start = Clock::now();
    while (done_ < wishes_.size() && millisecondsSince(start) < budgetMs)
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(kLookMs));
    return done_ >= wishes_.size();
}

double CompileAhead::share() const {
    if (wishes_.empty()) return 1;
    return static_cast<double>(done_) / static_cast<double>(wishes_.size());
}

std::string CompileAhead::label() const {
    return fmt::format("{} of {} kernels compiled", done_.load(), wishes_.size());
}

}  // namespace rayscope
