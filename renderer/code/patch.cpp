#include "renderer/code/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "renderer/code/line_diff.h"

namespace rayscope {

namespace {

constexpr size_t kContextLines = 3;
constexpr std::string_view kBefore = "--- a/", kAfter = "+++ b/", kCommand = "diff ";
constexpr std::string_view kNoNewline = "\\ No newline at end of file\n";

/// With their ends, which the last may lack.
std::vector<std::string> wholeLines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.emplace_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return lines;
}

std::string marked(char mark, const std::string& line) {
    const bool ends = line.ends_with('\n');
    return fmt::format("{}{}{}", mark, line, ends ? "" : fmt::format("\n{}", kNoNewline));
}

/// "12,7" as diff -u counts: of no lines, the one before.
std::string range(int first, int count) {
    return fmt::format("{},{}", count > 0 ? first + 1 : first, count);
}

/// The changes of a file.
std::string hunksOfFile(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    const std::vector<DiffLine> diff = diffLines(a, b);
    std::string text;
    int seenA = 0, seenB = 0;
    size_t done = 0;
    const auto count = [&](size_t begin, size_t end) {
        std::pair<int, int> lines{0, 0};
        for (size_t i = begin; i < end; ++i) {
            lines.first += diff[i].a >= 0;
            lines.second += diff[i].b >= 0;
        }
        return lines;
    };
    for (const DiffHunk& hunk : hunksOf(diff, kContextLines)) {
        const auto before = count(done, hunk.begin), own = count(hunk.begin, hunk.end);
        seenA += before.first;
        seenB += before.second;
        text += fmt::format("@@ -{} +{} @@\n", range(seenA, own.first), range(seenB, own.second));
        for (size_t i = hunk.begin; i < hunk.end; ++i) {
            const DiffLine& line = diff[i];
            if (line.kind == DiffKind::removed)
                text += marked('-', a[static_cast<size_t>(line.a)]);
            else
                text += marked(line.kind == DiffKind::added ? '+' : ' ',
                               b[static_cast<size_t>(line.b)]);
        }
        seenA += own.first;
        seenB += own.second;
        done = hunk.end;
    }
    return text;
}

/// A hunk's head, "@@ -12,7 +12,8 @@": the first line, from 0, and the number of lines that it
/// takes, and how many it puts there. A number that is missing is 1.
struct HunkHead {
    int first = 0, taken = 1, put = 1;
};

std::optional<HunkHead> headOfHunk(std::string_view line) {
    HunkHead head;
    const auto number = [&](std::string_view before, int& value) {
        if (!line.starts_with(before)) return false;
        line.remove_prefix(before.size());
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
        line.remove_prefix(static_cast<size_t>(end - line.data()));
        return error == std::errc() && value >= 0;
    };
    const auto range = [&](std::string_view before, int& first, int& count) {
        return number(before, first) && (!line.starts_with(',') || number(",", count));
    };
    int ignored = 0;
    if (!range("@@ -", head.first, head.taken) || !range(" +", ignored, head.put) ||
        !line.starts_with(" @@"))
        return {};
    if (head.taken > 0 && --head.first < 0) return {};
    return head;
}

/// A line of a hunk: ' ' stays, '-' is taken, '+' is put there.
struct HunkLine {
    char mark;
    std::string text;
    size_t number;  ///< of the patch's line
    bool takes() const { return mark != '+'; }
    bool puts() const { return mark != '-'; }
};

struct Hunk {
    size_t first = 0;  ///< where it says that it is
    std::vector<HunkLine> lines;

    /// Its first line that the file does not have from there on; none: it fits.
    const HunkLine* misfit(const std::vector<std::string>& file, size_t from) const {
        for (const HunkLine& line : lines) {
            if (line.takes() && (from >= file.size() || file[from++] != line.text)) return &line;
        }
        return nullptr;
    }
};

/// Applies a patch, whose lines it reads one after the other.
class Patcher {
public:
    Patcher(std::string_view patch, PatchLines where) : lines_(wholeLines(patch)), where_(where) {}

    Result<void> apply(std::vector<KernelSource>& files) {
        while (at_ < lines_.size()) {
            if (lines_[at_].starts_with(kCommand)) {  // of diff -r
                ++at_;
                continue;
            }
            if (!lines_[at_].starts_with(kBefore)) return fail("no file is named");
            const std::string name = nameIn(kBefore);
            if (at_ == lines_.size() || nameIn(kAfter) != name) return fail("a file has two names");
            const auto file = std::ranges::find(files, name, &KernelSource::name);
            if (file == files.end() || name == kBakedSource)
                return fail("there is no file of this name");
            if (const auto done = changeFile(*file); !done) return done;
        }
        return {};
    }

private:
    Failure fail(const char* why) const { return fail(why, at_); }
    static Failure fail(const char* why, size_t line) {
        return {fmt::format("line {} of the difference does not fit these kernel sources: {}",
                            line + 1, why)};
    }

    /// And goes on to the next line; empty where the line does not begin so.
    std::string nameIn(std::string_view begin) {
        std::string name = lines_[at_].starts_with(begin) ? lines_[at_].substr(begin.size()) : "";
        if (name.ends_with('\n')) name.pop_back();
        name.resize(std::min(name.find('\t'), name.size()));  // diff puts a date there
        ++at_;
        return name;
    }

    Result<void> changeFile(KernelSource& file) {
        const std::vector<std::string> old = wholeLines(file.text);
        size_t used = 0;
        std::string text;
        while (at_ < lines_.size() && lines_[at_].starts_with("@@")) {
            const Result<Hunk> hunk = readHunk();
            if (!hunk) return hunk.failure();
            const Result<size_t> place = placeOf(*hunk, old, used);
            if (!place) return place.failure();
            for (; used < *place; ++used) text += old[used];
            for (const HunkLine& line : hunk->lines) {
                if (line.puts()) text += line.text;
                used += line.takes();
            }
        }
        for (; used < old.size(); ++used) text += old[used];
        file.text = std::move(text);
        return {};
    }

    Result<Hunk> readHunk() {
        const auto head = headOfHunk(lines_[at_]);
        if (!head) return fail("it names lines that are not there");
        ++at_;
        Hunk hunk{static_cast<size_t>(head->first), {}};
        for (int taken = head->taken, put = head->put; taken > 0 || put > 0;) {
            if (at_ == lines_.size()) return fail("it ends too early");
            HunkLine line{lines_[at_][0], lines_[at_].substr(1), at_};
            if (at_ + 1 < lines_.size() && lines_[at_ + 1] == kNoNewline && !line.text.empty())
                line.text.pop_back();
            const bool known = line.mark == ' ' || line.mark == '+' || line.mark == '-';
            if (!known || taken < line.takes() || put < line.puts())
                return fail("it is no line of a change");
            taken -= line.takes();
            put -= line.puts();
            hunk.lines.push_back(std::move(line));
            ++at_;
            if (at_ < lines_.size() && lines_[at_] == kNoNewline) ++at_;
        }
        return hunk;
    }

    /// Behind the lines that are used already.
    Result<size_t> placeOf(const Hunk& hunk, const std::vector<std::string>& old,
                           size_t used) const {
        const size_t lines = hunk.lines.empty() ? at_ - 1 : hunk.lines.front().number - 1;
        const bool there = hunk.first >= used && hunk.first <= old.size();
        const HunkLine* const misfit = there ? hunk.misfit(old, hunk.first) : nullptr;
        if (there && misfit == nullptr) return hunk.first;
        if (where_ == PatchLines::exact) {
            return there ? fail("the line is another one", misfit->number)
                         : fail("it names lines that are not there", lines);
        }
        std::optional<size_t> only;
        for (size_t at = used; at < old.size(); ++at) {
            if (hunk.misfit(old, at) != nullptr) continue;
            if (only) return fail("its lines are there twice", lines);
            only = at;
        }
        if (!only) return fail("its lines are no longer there", lines);
        return *only;
    }

    std::vector<std::string> lines_;
    PatchLines where_;
    size_t at_ = 0;
};

}  // namespace

std::string patchOf(const std::vector<KernelSource>& before,
                    const std::vector<KernelSource>& after) {
    std::string patch;
    for (const KernelSource& b : after) {
        const auto a = std::ranges::find(before, b.name, &KernelSource::name);
        if (a == before.end() || *a == b || b.name == kBakedSource) continue;
        patch += fmt::format("{}{}\n{}{}\n", kBefore, b.name, kAfter, b.name);
        patch += hunksOfFile(wholeLines(a->text), wholeLines(b.text));
    }
    return patch;
}

Result<std::vector<KernelSource>> patched(std::vector<KernelSource> files, std::string_view patch,
                                          PatchLines where) {
    if (const Result<void> done = Patcher(patch, where).apply(files); !done) return done.failure();
    return files;
}

std::vector<std::string> filesOfPatch(std::string_view patch) {
    std::vector<std::string> names;
    for (const std::string& line : wholeLines(patch)) {
        if (line.starts_with(kAfter) && line.ends_with('\n'))
            names.push_back(line.substr(kAfter.size(), line.find_first_of("\t\n") - kAfter.size()));
    }
    return names;
}

}  // namespace rayscope
