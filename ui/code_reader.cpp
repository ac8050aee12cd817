#include "ui/code_reader.h"

#include <chrono>
#include <exception>
#include <utility>

namespace rayscope {

namespace {

std::shared_ptr<const ReadCode> read(const CodeWish& wish, bool text,
                                     const std::function<bool()>& goOn) {
    try {
        return std::make_shared<const ReadCode>(text ? readCode(wish, goOn) : readFacts(wish));
    } catch (const std::exception& error) {
        ReadCode failed;
        failed.wish = wish;
        failed.problem = error.what();
        return std::make_shared<const ReadCode>(std::move(failed));
    }
}

void compare(CodePair& pair) {
    const ReadCode &a = *pair.a, &b = *pair.b;
    if (!a.problem.empty() || !b.problem.empty()) return;
    pair.verdict = compareCode(a.wish.settings, a.code, b.wish.settings, b.code);
    for (const std::string& kernel : pair.kernels) {
        if (!b.ptx.empty()) pair.ptx.push_back(diffKernel(a, b, kernel, CodeForm::ptx));
        if (!b.sass.empty()) pair.sass.push_back(diffKernel(a, b, kernel, CodeForm::sass));
    }
}

}  // namespace

/// What has been read of a side already, or nullptr.
std::shared_ptr<const ReadCode> CodeReader::kept(const std::optional<CodeWish>& side,
                                                 const Wish& wish) const {
    if (!side || !pair_ || known_->sources != wish.sources || (wish.text && !known_->text))
        return nullptr;
    for (const auto& have : {pair_->a, pair_->b}) {
        if (have && have->wish == *side) return have;
    }
    return nullptr;
}

void CodeReader::start(const Wish& wish) {
    reading_ = wish;
    CodePair have;
    have.a = kept(wish.a, wish);
    have.b = kept(wish.b, wish);
    work_ = std::async(std::launch::async, [this, wish, have]() mutable {
        const auto goOn = [this] { return !stop_; };
        if (!have.b) have.b = read(wish.b, wish.text, goOn);
        if (wish.a && !have.a) have.a = read(*wish.a, wish.text, goOn);
        have.kernels = kernelNames(have.a.get(), *have.b);
        if (have.a) compare(have);
        return std::make_shared<const CodePair>(std::move(have));
    });
}

void CodeReader::step(const Wish& wish) {
    if (busy()) {
        if (work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
        pair_ = work_.get();
        known_ = std::exchange(reading_, std::nullopt);
        ++number_;
    }
    const bool enough = known_ && known_->text && !wish.text && known_->a == wish.a &&
                        known_->b == wish.b && known_->sources == wish.sources;
    if (!enough && !(known_ == wish)) start(wish);
}

}  // namespace rayscope
