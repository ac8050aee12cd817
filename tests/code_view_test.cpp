// What the Code tab shows, without a window: rows, search, colours, the editor's words, news.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/backend/host_object.h"
#include "renderer/choices/sources.h"
#include "renderer/lab/instructions.h"
#include "tests/host_compiler.h"
#include "ui/code_panel.h"
#include "ui/code_text.h"
#include "ui/hot_text.h"

namespace rayscope {
namespace {

using Words = std::vector<std::string>;

ReadCode codeOf(const Words& lines, const std::string& kernel = "megakernel") {
    ReadCode code;
    code.code.kernels.push_back({});
    code.code.kernels[0].name = kernel;
    code.ptx.push_back({lines, lines, {}});
    code.files = {{"a.h", "one\n// two\nthree\n"}, {"b.h", "four\n"}};
    return code;
}

CodePair pairOf(const ReadCode* a, const ReadCode& b) {
    CodePair pair;
    pair.b = std::make_shared<const ReadCode>(b);
    if (a != nullptr) pair.a = std::make_shared<const ReadCode>(*a);
    pair.kernels = kernelNames(a, b);
    for (const std::string& kernel : pair.kernels) {
        if (pair.a) pair.ptx.push_back(diffKernel(*pair.a, *pair.b, kernel, CodeForm::ptx));
    }
    return pair;
}

Words textOf(const CodeText& text) {
    Words lines;
    for (const CodeRow& row : text.rows()) lines.emplace_back(row.text);
    return lines;
}

TEST(CodeText, ShowsTheFileThatIsChosen) {
    const CodePair pair = pairOf(nullptr, codeOf({}));
    CodeText text;
    text.show(pair, 1, {});
    EXPECT_EQ(textOf(text), (Words{"one", "// two", "three"}));
    EXPECT_EQ(text.rowOfLine(3), 2u);
    EXPECT_FALSE(text.rowOfLine(4));
    EXPECT_EQ(text.all(), "one\n// two\nthree\n");
    text.show(pair, 1, {.file = "b.h"});
    EXPECT_EQ(textOf(text), Words{"four"});
    text.show(pair, 1, {.file = "gone.h"});
    EXPECT_EQ(textOf(text).size(), 3u);
}

TEST(CodeText, SearchFindsInAnyCaseAndGoesRound) {
    const CodePair pair = pairOf(nullptr, codeOf({"FADD", "mul", "fadd", "mul"}));
    CodeText text;
    text.show(pair, 1, {.form = CodeForm::ptx, .search = "Add"});
    EXPECT_EQ(text.found(), (std::vector<size_t>{0, 2}));
    EXPECT_EQ(text.next(0), 2u);
    EXPECT_EQ(text.next(2), 0u);
    text.show(pair, 1, {.form = CodeForm::ptx, .search = "sub"});
    EXPECT_FALSE(text.next(0));
}

/// A kernel of three instructions and 20 of other lines.
HotWork countedWork() {
    HotWork work;
    work.counts = {{"symbol", {{0, 30, 960, 960}, {16, 60, 480, 400}}}};
    work.hot.all = {100, 2000, 2000};
    work.stalls = {{"selected", "wait"}, {{"symbol", {{16, {1, 4}}}}}, 0};
    work.hot.sampled.byReason = {3, 7};
    work.hot.lines = {{"a.h", 3, "", Part::search, {60, 480, 400}, {{1, 4}}},
                      {"b.h", 1, "", Part::loop, {30, 960, 960}},
                      {"gone.h", 1, "", Part::loop, {10, 1, 1}}};
    return work;
}

TEST(HotText, LinesOfTheFileHaveTheirs) {
    const CodePair pair = pairOf(nullptr, codeOf({}));
    const HotWork work = countedWork();
    CodeText text;
    HotText hot;
    CodeChoice choice{.file = "a.h"};
    text.show(pair, 1, choice);
    hot.show(&work, 1, pair, 1, text, choice);
    ASSERT_TRUE(hot.any());
    EXPECT_EQ(hot.of(0), nullptr);
    ASSERT_NE(hot.of(2), nullptr);
    EXPECT_EQ(hot.of(2)->executed.perWarp(), 8);
    EXPECT_DOUBLE_EQ(hot.share(hot.of(2)->executed), .6);
    EXPECT_DOUBLE_EQ(hot.height(hot.of(2)->executed), 1);
    ASSERT_TRUE(hot.timed());
    EXPECT_DOUBLE_EQ(hot.time(hot.of(2)->sampled), .5);
    EXPECT_EQ(mainStall(hot.of(2)->sampled, hot.reasons()), "wait");
    EXPECT_EQ(hot.of(9), nullptr);
    choice.file = "b.h";
    text.show(pair, 1, choice);
    hot.show(&work, 1, pair, 1, text, choice);
    EXPECT_DOUBLE_EQ(hot.share(hot.of(0)->executed), .3);
    EXPECT_EQ(hot.time(hot.of(0)->sampled), 0) << "never seen there";
    hot.show(nullptr, 1, pair, 1, text, choice);
    EXPECT_FALSE(hot.any() || hot.timed());
}

/// The functions that kernels share follow them, with addresses of their own.
TEST(HotText, InstructionsHaveTheirs) {
    ReadCode code;
    code.code.kernels.push_back({});
    code.code.kernels[0].name = "megakernel";
    code.code.kernels[0].symbol = "symbol";
    const Words lines{"0000  MOV R1, R2 ;", ".L_x_1:", "0010  BRA `(.L_x_1) ;",
                      "0020  EXIT ;",       "shared:", "0000  RET ;"};
    code.sass.push_back({lines, lines, {}});
    const CodePair pair = pairOf(nullptr, code);
    const HotWork work = countedWork();
    CodeText text;
    HotText hot;
    const CodeChoice choice{.form = CodeForm::sass};
    text.show(pair, 1, choice);
    hot.show(&work, 1, pair, 1, text, choice);
    ASSERT_NE(hot.of(0), nullptr);
    EXPECT_EQ(hot.of(0)->executed.warps, 30u);
    EXPECT_EQ(hot.of(0)->sampled.all(), 0u);
    EXPECT_EQ(hot.of(1), nullptr);
    ASSERT_NE(hot.of(2), nullptr);
    EXPECT_DOUBLE_EQ(hot.height(hot.of(2)->executed), 1);
    EXPECT_DOUBLE_EQ(hot.time(hot.of(2)->sampled), .5);
    EXPECT_EQ(hot.of(3), nullptr);
    EXPECT_EQ(hot.of(5), nullptr) << "of another function";
}

/// Functions of a CPU's kernel stand in the order of their calls, at the object's addresses.
TEST(HotText, SamplesOfACpuAreOfAllFunctions) {
    const std::string object = compiledForHost(R"(
        extern "C" __attribute__((noinline)) int called(int x) { asm(""); return x + 1; }
        extern "C" int kernel(int x) { return called(x) * 3; })");
    const auto read = readHostObject(object);
    ASSERT_TRUE(read) << read.reason();
    ReadCode code;
    code.code = *hostKernelCode(object, "g++", {{"megakernel", "kernel"}});
    const std::uint64_t kernel = read->named("kernel")->address,
                        called = read->named("called")->address;
    ASSERT_LT(called, kernel) << "so that addresses do not ascend in the listing";
    const Words lines{"kernel:", fmt::format("{:x}  call called   ; a.cpp:3", kernel),
                      "called:", fmt::format("{:x}  lea eax,[rdi+0x1]   ; a.cpp:2", called)};
    code.sass.push_back({lines, lines, {}});
    const CodePair pair = pairOf(nullptr, code);
    HotWork work;
    work.seen = {{{called, 3}, {kernel, 1}}, 0, 0};
    CountedInstructions counted;
    counted.code = code.code;
    counted.lines = *readLineTable(object);
    counted.counts = countsOf(work.seen, *read);
    work.take(std::move(counted));
    CodeText text;
    HotText hot;
    const CodeChoice choice{.form = CodeForm::sass};
    text.show(pair, 1, choice);
    hot.show(&work, 1, pair, 1, text, choice);
    EXPECT_TRUE(hot.sampled());
    ASSERT_TRUE(hot.of(1) != nullptr && hot.of(3) != nullptr);
    EXPECT_DOUBLE_EQ(hot.share(hot.of(1)->executed), .25);
    EXPECT_DOUBLE_EQ(hot.share(hot.of(3)->executed), .75);
    EXPECT_NEAR(hot.error(hot.of(1)->executed), .2165, 1e-4) << "sqrt(0.25 * 0.75 / 4)";
    const std::vector<CodeSpan> spans = spansOf(lines[1], CodeForm::sass);
    EXPECT_EQ(spans.back().color, CodeColor::comment) << "the source line";
}

TEST(CodeText, DifferenceFoldsWhatIsTheSame) {
    Words lines(30);
    for (size_t i = 0; i < lines.size(); ++i) lines[i] = std::to_string(i);
    Words other = lines;
    other[15] = "x";
    const ReadCode a = codeOf(lines), b = codeOf(other);
    const CodePair pair = pairOf(&a, b);
    CodeText text;
    text.show(pair, 1, {.form = CodeForm::ptx, .diff = true});
    ASSERT_EQ(text.rows().size(), 12u);  // 4 + 2 + 4 lines between two folds
    EXPECT_EQ(text.rows().front().folded, 11);
    EXPECT_EQ(text.rows()[5].kind, DiffKind::removed);
    EXPECT_EQ(text.rows()[5].text, "15");
    EXPECT_EQ(text.rows()[6].kind, DiffKind::added);
    EXPECT_EQ(text.rows()[6].b, 16);
    EXPECT_EQ(text.rows().back().folded, 10);
    EXPECT_EQ(text.changes(), 2);
    EXPECT_NE(text.all().find("-15\n+x\n 16\n"), std::string::npos);
    text.show(pair, 1, {.form = CodeForm::ptx});
    EXPECT_EQ(text.rows().size(), 30u);
    EXPECT_EQ(text.changes(), 0);
}

/// Engines have kernels of their own: what only one side has is all removed or all added.
TEST(CodeText, KernelsOfOneSideAlone) {
    const ReadCode a = codeOf({"one", "two"}, "extend"), b = codeOf({"three"});
    const CodePair pair = pairOf(&a, b);
    EXPECT_EQ(pair.kernels, (Words{"megakernel", "extend"}));
    CodeText text;
    text.show(pair, 1, {.form = CodeForm::ptx, .diff = true, .kernel = "extend"});
    ASSERT_EQ(text.rows().size(), 2u);
    EXPECT_EQ(text.rows()[0].kind, DiffKind::removed);
    text.show(pair, 1, {.form = CodeForm::ptx, .kernel = "extend"});
    EXPECT_TRUE(text.rows().empty());
}

std::string joined(const std::vector<CodeSpan>& spans) {
    std::string text;
    for (const CodeSpan& span : spans) text += span.text;
    return text;
}

TEST(CodeText, SpansAreTheWholeLine) {
    const auto operationIn = [](const char* line, CodeForm form) -> std::string {
        const std::vector<CodeSpan> spans = spansOf(line, form);
        EXPECT_EQ(joined(spans), line);
        for (const CodeSpan& span : spans) {
            if (span.color == CodeColor::operation) return std::string(span.text);
        }
        return "";
    };
    EXPECT_EQ(operationIn("\t@%p1 bra \t$L__BB0_2;", CodeForm::ptx), "bra");
    EXPECT_EQ(operationIn("\tret;", CodeForm::ptx), "ret");
    EXPECT_EQ(operationIn("\t.reg .pred \t%p<3>;", CodeForm::ptx), "");
    EXPECT_EQ(operationIn("$L__BB0_2:", CodeForm::ptx), "");
    EXPECT_EQ(operationIn("0080  @!P0 BRA `(.L_x_0)", CodeForm::sass), "BRA");
    EXPECT_EQ(operationIn(".L_x_0:", CodeForm::sass), "");
    EXPECT_EQ(operationIn("    return x;  // why", CodeForm::source), "");
    EXPECT_EQ(operationIn("", CodeForm::ptx), "");
    EXPECT_EQ(operationIn("@%p1", CodeForm::ptx), "");
}

TEST(Editor, WordsNameTheFileAndTheLine) {
    EXPECT_EQ(editorWords("", "/a b/c.h", 7), (Words{"xdg-open", "/a b/c.h"}));
    EXPECT_EQ(editorWords("kate", "/c.h", 7), (Words{"kate", "/c.h"}));
    EXPECT_EQ(editorWords("code -g {file}:{line}", "/a b/c.h", 7),
              (Words{"code", "-g", "/a b/c.h:7"}));
    EXPECT_EQ(editorWords("vi +{line}", "/c.h", 7), (Words{"vi", "+7", "/c.h"}));
}

TEST(SourceWatch, TellsOnceWhatCameOfAChange) {
    SourceWatch watch;
    KernelInfo kernel;
    kernel.name = "megakernel";
    kernel.source = kMine;
    kernel.ready = true;
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(watch.look(kMine, 1, kernel));
    EXPECT_FALSE(watch.look(kMine, 2, kernel));  // the renderer has not seen it yet
    kernel.ready = false;
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(watch.look(kMine, 2, kernel));
    kernel.ready = true;
    kernel.compileMs = 640;
    const auto good = watch.look(kMine, 2, kernel);
    ASSERT_TRUE(good);
    EXPECT_FALSE(good->bad);
    EXPECT_NE(good->text.find("0.64 s"), std::string::npos);
    EXPECT_FALSE(watch.look(kMine, 2, kernel));

    EXPECT_FALSE(watch.look(kMine, 3, kernel));
    kernel.ready = false;
    kernel.compileLog = "renderer/core/path.h(3): error: expected an expression\n";
    std::optional<SourceWatch::News> bad;
    for (int i = 0; i < 3 && !bad; ++i) bad = watch.look(kMine, 3, kernel);
    ASSERT_TRUE(bad);
    EXPECT_TRUE(bad->bad);
    EXPECT_EQ(bad->text,
              "renderer/core/path.h:3: expected an expression: the last good kernel goes on");

    EXPECT_FALSE(watch.look(kBuiltIn, 0, kernel)) << "another source is no change of one";
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(watch.look(kBuiltIn, 0, kernel));
    watch.look(kMine, 3, kernel);
    EXPECT_FALSE(watch.look(kMine, 4, kernel));
    kernel.source = kBuiltIn;  // nothing of the source has compiled yet
    for (bad.reset(); !bad;) bad = watch.look(kMine, 4, kernel);
    EXPECT_EQ(bad->text, "renderer/core/path.h:3: expected an expression");
}

}  // namespace
}  // namespace rayscope
