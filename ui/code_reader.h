#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/code/code_verdict.h"
#include "renderer/code/read_code.h"

namespace rayscope {

/// The code of the present settings, and of A where they are compared with it.
struct CodePair {
    std::shared_ptr<const ReadCode> a, b;  ///< a: or nullptr
    CodeVerdict verdict;                   ///< of both
    std::vector<std::string> kernels;      ///< of both
    std::vector<KernelDiff> ptx, sass;     ///< as `kernels`; empty without a
    const std::vector<KernelDiff>& diffs(CodeForm form) const {
        return form == CodeForm::sass ? sass : ptx;
    }
};

/// Reads code on a thread of its own, since compiling and disassembling take up to seconds.
class CodeReader {
public:
    struct Wish {
        CodeWish b;
        std::optional<CodeWish> a;
        bool text = false;     ///< files, PTX, SASS and differences; else the verdict alone
        unsigned sources = 0;  ///< kernelSourcesVersion()
        bool operator==(const Wish&) const = default;
    };

    ~CodeReader() { stop_ = true; }

    /// Takes what has been read, and begins to read what is wished where that is something else.
    void step(const Wish& wish);
    bool busy() const { return work_.valid(); }
    /// What was read last; it may be of a wish before the present. nullptr: nothing yet.
    const CodePair* pair() const { return pair_.get(); }
    /// Another number: another pair.
    long number() const { return number_; }
    /// The pair is what is wished for.
    bool isFor(const Wish& wish) const { return pair_ && known_ == wish; }

private:
    std::shared_ptr<const ReadCode> kept(const std::optional<CodeWish>& side,
                                         const Wish& wish) const;
    void start(const Wish& wish);

    std::optional<Wish> known_, reading_;
    std::shared_ptr<const CodePair> pair_;
    long number_ = 0;
    std::atomic<bool> stop_ = false;
    std::future<std::shared_ptr<const CodePair>> work_;  ///< last: waits for the thread
};

}  // namespace rayscope
