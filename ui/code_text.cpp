#include "ui/code_text.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "renderer/code/sass.h"
#include "renderer/code/words.h"

namespace rayscope {

namespace {

/// Unchanged lines around a difference.
constexpr size_t kContext = 4;

bool sameLetter(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
}

bool contains(std::string_view text, const std::string& word) {
    return std::search(text.begin(), text.end(), word.begin(), word.end(), sameLetter) !=
           text.end();
}

std::vector<CodeSpan> sourceSpans(std::string_view line) {
    const size_t comment = line.find("//");
    std::vector<CodeSpan> spans;
    const std::string_view code = line.substr(0, comment);
    if (!code.empty())
        spans.push_back(
            {code, trimmed(code).starts_with('#') ? CodeColor::label : CodeColor::plain});
    if (comment != line.npos) spans.push_back({line.substr(comment), CodeColor::comment});
    return spans;
}

/// The operation comes first, after blanks and a predicate.
void addInstruction(std::string_view text, std::vector<CodeSpan>& spans) {
    size_t begin = text.find_first_not_of(" \t");
    if (begin != text.npos && text[begin] == '@') {
        begin = text.find_first_of(" \t", begin);
        begin = text.find_first_not_of(" \t", begin);
    }
    if (begin == text.npos) {
        spans.push_back({text});
        return;
    }
    const size_t end = std::min(text.find_first_of(" \t;", begin), text.size());
    spans.push_back({text.substr(0, begin)});
    spans.push_back({text.substr(begin, end - begin), CodeColor::operation});
    spans.push_back({text.substr(end)});
}

std::vector<CodeSpan> ptxSpans(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.starts_with("//") || text.starts_with('.')) return {{line, CodeColor::comment}};
    if (text.ends_with(':')) return {{line, CodeColor::label}};
    std::vector<CodeSpan> spans;
    addInstruction(line, spans);
    return spans;
}

std::vector<CodeSpan> sassSpans(std::string_view line) {
    const std::string_view instruction = instructionOf(line);
    if (instruction.empty()) return {{line, CodeColor::label}};
    const size_t address = line.size() - instruction.size();
    std::vector<CodeSpan> spans{{line.substr(0, address), CodeColor::comment}};
    const size_t place = instruction.find(" ;");  // of a CPU: the source line
    addInstruction(instruction.substr(0, place), spans);
    if (place != instruction.npos) spans.push_back({instruction.substr(place), CodeColor::comment});
    return spans;
}

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
    if (!side || !pair_ || (wish.text && !known_->text)) return nullptr;
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
    job_ = std::make_unique<ThreadJob<CodePair>>([wish, have](const std::stop_token& stop) mutable {
        const auto goOn = [&] { return !stop.stop_requested(); };
        if (!have.b) have.b = read(wish.b, wish.text, goOn);
        if (wish.a && !have.a) have.a = read(*wish.a, wish.text, goOn);
        have.kernels = kernelNames(have.a.get(), *have.b);
        if (have.a) compare(have);
        return std::move(have);
    });
}

void CodeReader::step(const Wish& wish) {
    if (busy()) {
        if (!job_->step(0)) return;
        pair_ = std::move(job_->result());
        job_.reset();
        known_ = std::exchange(reading_, std::nullopt);
        ++number_;
    }
    const bool enough =
        known_ && known_->text && !wish.text && known_->a == wish.a && known_->b == wish.b;
    if (!enough && !(known_ == wish)) start(wish);
}

const KernelSource* CodePair::fileOfA(const std::string& name) const {
    if (!a) return nullptr;
    const auto found = std::ranges::find(a->files, name, &KernelSource::name);
    return found == a->files.end() ? nullptr : &*found;
}

size_t kernelIndex(const CodePair& pair, const std::string& kernel) {
    const auto found = std::find(pair.kernels.begin(), pair.kernels.end(), kernel);
    return found == pair.kernels.end() ? 0 : static_cast<size_t>(found - pair.kernels.begin());
}

void CodeText::show(const CodePair& pair, long number, const CodeChoice& choice) {
    if (number_ == number && choice_ == choice) return;
    number_ = number;
    choice_ = choice;
    rows_.clear();
    changes_ = 0;
    const std::vector<KernelDiff>& diffs = pair.diffs(choice.form);
    if (!choice_.patch.empty())
        addPatch(choice_.patch);
    else if (choice.form == CodeForm::source)
        addFile(pair, choice);
    else if (choice.diff && !diffs.empty())
        addDifference(diffs[kernelIndex(pair, choice.kernel)]);
    else
        addListing(pair, choice);
    search(choice.search);
}

void CodeText::addFile(const CodePair& pair, const CodeChoice& choice) {
    const std::vector<KernelSource>& files = pair.b->files;
    if (files.empty()) return;
    auto file = std::ranges::find(files, choice.file, &KernelSource::name);
    if (file == files.end()) file = files.begin();
    if (const KernelSource* ofA = choice.diff ? pair.fileOfA(file->name) : nullptr) {
        for (const auto& [listing, text] :
             {std::pair(&fileOfA_, &ofA->text), std::pair(&fileOfB_, &file->text)}) {
            const std::vector<std::string_view> lines = linesOf(*text);
            listing->lines.assign(lines.begin(), lines.end());
        }
        return addDifference({&fileOfA_, &fileOfB_, diffLines(fileOfA_.lines, fileOfB_.lines)});
    }
    for (const std::string_view line : linesOf(file->text)) addLine(line);
}

/// Of diff -u.
void CodeText::addPatch(const std::string& patch) {
    for (const std::string_view line : linesOf(patch)) {
        const bool head = line.starts_with("---") || line.starts_with("+++");
        addLine(line);
        if (!head && line.starts_with('-')) rows_.back().kind = DiffKind::removed;
        if (!head && line.starts_with('+')) rows_.back().kind = DiffKind::added;
    }
}

void CodeText::addListing(const CodePair& pair, const CodeChoice& choice) {
    const std::vector<Listing>& listings = pair.b->listings(choice.form);
    const size_t index = kernelIndex(pair, choice.kernel);  // B's kernels come first
    if (index >= listings.size()) return;
    for (const std::string& line : listings[index].lines) addLine(line);
}

void CodeText::addLine(std::string_view line) {
    const int n = static_cast<int>(rows_.size()) + 1;
    rows_.push_back({DiffKind::same, n, n, line});
}

void CodeText::addDifference(const KernelDiff& diff) {
    const auto fold = [&](size_t lines) {
        if (lines > 0) rows_.push_back({DiffKind::same, 0, 0, {}, static_cast<int>(lines)});
    };
    size_t done = 0;
    for (const DiffHunk& hunk : hunksOf(diff.lines, kContext)) {
        fold(hunk.begin - done);
        for (size_t i = hunk.begin; i < hunk.end; ++i) {
            const DiffLine& line = diff.lines[i];
            const bool ofB = line.kind != DiffKind::removed;
            const std::string& text = ofB ? diff.b->lines[static_cast<size_t>(line.b)]
                                          : diff.a->lines[static_cast<size_t>(line.a)];
            rows_.push_back({line.kind, line.a + 1, line.b + 1, text});
            changes_ += line.kind != DiffKind::same;
        }
        done = hunk.end;
    }
    fold(diff.lines.size() - done);
}

void CodeText::search(const std::string& text) {
    found_.clear();
    if (text.empty()) return;
    for (size_t i = 0; i < rows_.size(); ++i) {
        if (contains(rows_[i].text, text)) found_.push_back(i);
    }
}

std::optional<size_t> CodeText::next(size_t after) const {
    if (found_.empty()) return {};
    const auto at = std::upper_bound(found_.begin(), found_.end(), after);
    return at == found_.end() ? found_.front() : *at;
}

std::optional<size_t> CodeText::rowOfLine(int line) const {
    const auto found = std::ranges::find(rows_, line, &CodeRow::b);
    if (found == rows_.end()) return {};
    return static_cast<size_t>(found - rows_.begin());
}

std::string CodeText::all() const {
    std::string text;
    for (const CodeRow& row : rows_) {
        if (row.folded > 0) {
            text += "@@\n";
            continue;
        }
        if (choice_.diff && choice_.patch.empty())
            text += row.kind == DiffKind::removed ? '-' : row.kind == DiffKind::added ? '+' : ' ';
        text.append(row.text).append("\n");
    }
    return text;
}

std::vector<CodeSpan> spansOf(std::string_view line, CodeForm form) {
    if (form == CodeForm::source) return sourceSpans(line);
    return form == CodeForm::ptx ? ptxSpans(line) : sassSpans(line);
}

}  // namespace rayscope
