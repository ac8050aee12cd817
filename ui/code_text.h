#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/code/code_verdict.h"
#include "renderer/code/read_code.h"
#include "renderer/lab/job.h"

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
    /// nullptr: A's program has no such file.
    const KernelSource* fileOfA(const std::string& name) const;
};

/// Reads code on a thread of its own, since compiling and disassembling take up to seconds.
class CodeReader {
public:
    struct Wish {
        CodeWish b;
        std::optional<CodeWish> a;
        bool text = false;  ///< files, PTX, SASS and differences; else the verdict alone
        bool operator==(const Wish&) const = default;
    };

    /// Takes what has been read, and begins to read what is wished where that is something else.
    void step(const Wish& wish);
    bool busy() const { return job_ != nullptr; }
    /// What was read last; it may be of a wish before the present. nullptr: nothing yet.
    const CodePair* pair() const { return pair_ ? &*pair_ : nullptr; }
    /// Another number: another pair.
    long number() const { return number_; }
    /// The pair is what is wished for.
    bool isFor(const Wish& wish) const { return pair_ && known_ == wish; }

private:
    std::shared_ptr<const ReadCode> kept(const std::optional<CodeWish>& side,
                                         const Wish& wish) const;
    void start(const Wish& wish);

    std::optional<Wish> known_, reading_;
    std::optional<CodePair> pair_;
    long number_ = 0;
    std::unique_ptr<ThreadJob<CodePair>> job_;  ///< last: waits for the thread
};

/// What of the code the user looks at.
struct CodeChoice {
    CodeForm form = CodeForm::source;
    bool diff = false;     ///< against A
    std::string file{};    ///< of the sources; empty: the first
    std::string kernel{};  ///< empty: the first
    std::string search{};
    std::string patch{};  ///< shown in place of all that, where it is not empty
    bool operator==(const CodeChoice&) const = default;
};

/// A line as it is shown.
struct CodeRow {
    DiffKind kind = DiffKind::same;
    int a = 0, b = 0;       ///< line numbers from 1; 0: not of that side
    std::string_view text;  ///< of the pair that is shown
    int folded = 0;         ///< so many unchanged lines are left out in its place
};

/// The rows of what is chosen, and where the searched text is. Made anew where the choice or the
/// pair is another.
class CodeText {
public:
    void show(const CodePair& pair, long number, const CodeChoice& choice);

    const std::vector<CodeRow>& rows() const { return rows_; }
    /// Rows that have the searched text.
    const std::vector<size_t>& found() const { return found_; }
    /// The next of these after the row, or the first.
    std::optional<size_t> next(size_t after) const;
    std::optional<size_t> rowOfLine(int line) const;
    /// Everything, for the clipboard: of a difference as diff -u marks it.
    std::string all() const;
    /// Rows that are removed or added.
    int changes() const { return changes_; }

private:
    void addLine(std::string_view line);
    void addFile(const CodePair& pair, const CodeChoice& choice);
    void addListing(const CodePair& pair, const CodeChoice& choice);
    void addPatch(const std::string& patch);
    void addDifference(const KernelDiff& diff);
    void search(const std::string& text);

    long number_ = -1;
    CodeChoice choice_;
    Listing fileOfA_, fileOfB_;  ///< whose difference is shown
    std::vector<CodeRow> rows_;
    std::vector<size_t> found_;
    int changes_ = 0;
};

/// The index of the chosen kernel, or of the first.
size_t kernelIndex(const CodePair& pair, const std::string& kernel);

/// How a part of a line is coloured.
enum class CodeColor { plain, operation, comment, label };
struct CodeSpan {
    std::string_view text;
    CodeColor color = CodeColor::plain;
};

/// The line in parts: comments and directives, labels, operations.
std::vector<CodeSpan> spansOf(std::string_view line, CodeForm form);

}  // namespace rayscope
