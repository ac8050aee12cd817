// Lessons: their folders, what a student is given, and when one is solved.

#include "renderer/lab/lesson.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "renderer/backend/kernel_isolation.h"
#include "renderer/base/files.h"
#include "renderer/base/temporary_folder.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/lab/lesson_check.h"
#include "tests/render_helper.h"
#include "tests/solve_lesson.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// All shipped ones; a bad one is a failure.
std::vector<Lesson> shipped() {
    std::vector<Lesson> lessons;
    for (const auto& [name, lesson] : allLessons()) {
        EXPECT_TRUE(lesson) << lesson.reason();
        if (lesson) lessons.push_back(*lesson);
    }
    return lessons;
}

TEST(Lesson, OfTheProgramAreNumbered) {
    const std::vector<Lesson> lessons = shipped();
    ASSERT_GE(lessons.size(), 5u);
    for (size_t i = 0; i < lessons.size(); ++i) {
        EXPECT_EQ(lessons[i].number, static_cast<int>(i) + 1);
        EXPECT_FALSE(lessons[i].solution.empty()) << lessons[i].name;
        for (const std::string& wanted : {lessons[i].name, std::to_string(i + 1)}) {
            const auto found = findLesson(wanted);
            ASSERT_TRUE(found) << found.reason();
            EXPECT_EQ(found->name, lessons[i].name);
        }
    }
    EXPECT_NE(findLesson("nothing").reason().find("the lessons are " + lessons[0].name),
              std::string::npos);
    EXPECT_FALSE(findLesson("0"));
    EXPECT_FALSE(findLesson(""));
}

json good() {
    return {{"number", 7},
            {"title", "A title"},
            {"scene", "vt9"},
            {"settings", {{"math", "precise"}, {"samples", 4}}},
            {"goal", 1.5},
            {"work", "same expectation"},
            {"file", "renderer/core/path.h"},
            {"at", "followLoop"},
            {"task", "Do it."},
            {"why", "Because."},
            {"counters", {{"lanes", "up"}, {"registers", "down"}}},
            {"code", {{"fp64", "down"}}}};
}

TEST(Lesson, IsReadAndWrongOnesSayWhere) {
    const auto lesson = lessonFromJson(good(), "l.json");
    ASSERT_TRUE(lesson) << lesson.reason();
    EXPECT_EQ(lesson->work, Verdict::sameExpectation);
    EXPECT_EQ(lesson->goal, 1.5);
    EXPECT_EQ(lesson->counters, (std::vector<LessonMove>{{"lanes", true}, {"registers", false}}));
    const Settings settings = settingsOf(*lesson, sceneNamed("vt9"));
    EXPECT_EQ(settings.backend, Backend::cuda);
    EXPECT_EQ(settings.variant.math, Math::precise);
    EXPECT_EQ(settings.samples, 4);

    const auto wrong = [](const char* key, const json& value, const std::string& words) {
        json changed = good();
        if (value.is_discarded())
            changed.erase(key);
        else
            changed[key] = value;
        const auto read = lessonFromJson(changed, "l.json");
        ASSERT_FALSE(read) << key;
        EXPECT_EQ(read.reason().rfind("l.json: ", 0), 0u) << read.reason();
        EXPECT_NE(read.reason().find(words), std::string::npos) << read.reason();
    };
    const json missing(json::value_t::discarded);
    for (const char* key :
         {"number", "title", "scene", "settings", "goal", "file", "at", "task", "why", "counters"})
        wrong(key, missing, std::string(key) + " is missing");
    wrong("goal", 1, "from 1.01");
    wrong("goal", "fast", "goal");
    wrong("work", "DIFFERENT", "same rays");
    wrong("number", 0, "number");
    wrong("scene", "nowhere", "the name of a scene");
    wrong("scene", "../vt9.json", "the name of a scene");
    wrong("settings", {{"maths", "fast"}}, "maths");
    wrong("settings", {{"math", "faster"}}, "faster");
    wrong("counters", {{"lanes", "sideways"}}, "\"down\" or \"up\"");
    wrong("counters", json::object(), "counters");
    wrong("code", {{"lanes", 3}}, "lanes");
    wrong("extra", 1, "extra");
}

TEST(Lesson, NamesOnlyFiguresThatThereAre) {
    for (const Lesson& lesson : shipped()) EXPECT_EQ(checkFigures(lesson).reason(), "");
    Lesson lesson = *lessonFromJson(good(), "l.json");
    EXPECT_TRUE(checkFigures(lesson));
    lesson.counters.push_back({"fp64", false});
    EXPECT_NE(checkFigures(lesson).reason().find("counters names \"fp64\""), std::string::npos);
    lesson.counters.pop_back();
    lesson.code.push_back({"lanes", true});
    EXPECT_NE(checkFigures(lesson).reason().find("code names \"lanes\""), std::string::npos);
}

TEST(Lesson, FolderWithoutItsFilesIsASentence) {
    const TemporaryFolder folder;
    ASSERT_EQ(folder.problem(), "");
    const fs::path path = folder.path();
    EXPECT_NE(readLesson(path).reason().find("is no lesson: "), std::string::npos);
    ASSERT_TRUE(writeTextFile((path / "lesson.json").string(), good().dump()));
    EXPECT_NE(readLesson(path).reason().find("weak.patch"), std::string::npos);
    ASSERT_TRUE(writeTextFile((path / "weak.patch").string(), "nonsense\n"));
    const auto lesson = findLesson(path.string());
    ASSERT_TRUE(lesson) << lesson.reason();
    EXPECT_EQ(lesson->name, path.filename().string());
    EXPECT_EQ(readLesson(path.string() + "/")->name, lesson->name);
    EXPECT_FALSE(solvedSources(*lesson));
    if (embeddedKernelSources().empty()) GTEST_SKIP() << "built without the CUDA toolkit";
    EXPECT_NE(weakSources(*lesson).reason().find("does not fit this program's kernels"),
              std::string::npos)
        << weakSources(*lesson).reason();
    EXPECT_FALSE(beginLesson(*lesson, (path / "work").string()));
    EXPECT_FALSE(fs::exists(path / "work"));
}

/// Kernels change: then the patches have to be made anew (docs/lessons.md).
TEST(Lesson, PatchesFitTheKernelsOfToday) {
    if (embeddedKernelSources().empty()) GTEST_SKIP() << "built without the CUDA toolkit";
    for (const Lesson& lesson : shipped()) {
        const auto weak = weakSources(lesson), solved = solvedSources(lesson);
        ASSERT_TRUE(weak) << weak.reason();
        ASSERT_TRUE(solved) << solved.reason();
        EXPECT_NE(*weak, embeddedKernelSources());
        EXPECT_NE(*weak, *solved);
        EXPECT_EQ(
            unsupported(settingsOf(lesson, sceneNamed(lesson.scene)), sceneNamed(lesson.scene)), "")
            << lesson.name;
        const auto file = std::ranges::find(*weak, lesson.file, &KernelSource::name);
        ASSERT_NE(file, weak->end()) << lesson.name;
        EXPECT_NE(file->text.find(lesson.at), std::string::npos) << lesson.name;
        const int line = lineOf(lesson, *weak);
        EXPECT_GT(line, 1) << lesson.name;
        EXPECT_LE(line, std::count(file->text.begin(), file->text.end(), '\n')) << lesson.name;
    }
}

TEST(Lesson, NeverOverwritesWork) {
    if (embeddedKernelSources().empty()) GTEST_SKIP() << "built without the CUDA toolkit";
    const TemporaryFolder folder;
    const std::string work = folder.path() + "/a/work";
    const std::vector<Lesson> lessons = shipped();
    const Lesson& lesson = lessons.at(0);
    const auto begun = beginLesson(lesson, work);
    ASSERT_TRUE(begun) << begun.reason();
    EXPECT_TRUE(*begun) << "it is fresh";
    EXPECT_EQ(*lessonIn(work), lesson.name);
    EXPECT_EQ(checkFolder(lesson, work).reason(), "");
    const std::string file = work + "/" + lesson.file;
    ASSERT_TRUE(writeTextFile(file, "// mine\n"));
    const auto again = beginLesson(lesson, work);
    ASSERT_TRUE(again) << again.reason();
    EXPECT_FALSE(*again);
    EXPECT_EQ(*readFile(file, 100), "// mine\n");

    const auto other = beginLesson(lessons.at(1), work);
    ASSERT_FALSE(other);
    EXPECT_NE(other.reason().find("is no work on Lesson 2"), std::string::npos) << other.reason();
    ASSERT_TRUE(writeTextFile(folder.path() + "/thesis.txt", "x"));
    EXPECT_FALSE(beginLesson(lesson, folder.path()));
    EXPECT_FALSE(beginLesson(lesson, folder.path() + "/thesis.txt"));
    EXPECT_EQ(*readFile(file, 100), "// mine\n");
    EXPECT_FALSE(lessonIn(folder.path()));
    ASSERT_TRUE(writeTextFile(folder.path() + "/lesson.json", "{\"lesson\": 3}"));
    EXPECT_FALSE(lessonIn(folder.path()));

    fs::remove(file);
    EXPECT_NE(checkFolder(lesson, work).reason().find(lesson.file), std::string::npos)
        << "what is built in would solve it";
}

TEST(Lesson, ACopyThatWasCutOffIsCompleted) {
    if (embeddedKernelSources().empty()) GTEST_SKIP() << "built without the CUDA toolkit";
    const TemporaryFolder folder;
    const std::string work = folder.path() + "/work";
    const std::vector<Lesson> lessons = shipped();
    const Lesson& lesson = lessons.at(0);
    ASSERT_TRUE(beginLesson(lesson, work));
    // as after a kill in the middle: the marker is there, some sources are not
    fs::remove(work + "/" + lesson.file);
    const auto again = beginLesson(lesson, work);
    ASSERT_TRUE(again) << again.reason();
    EXPECT_EQ(checkFolder(lesson, work).reason(), "");
}

PairResult pairOf(double ratio, double half, Verdict verdict) {
    PairResult pair;
    pair.speed.samples = pair.speed.rays = {ratio, ratio - half, ratio + half};
    pair.speed.measurable = true;
    pair.speed.rounds = 20;
    for (Measurement& side : pair.speed.sides) side.device.name = "a GPU";
    pair.work.emplace();
    pair.work->verdict = verdict;
    pair.work->sentence = "B is 9.9 % brighter";
    return pair;
}

TEST(Lesson, IsSolvedOnlyByTheWholeIntervalAndEqualWork) {
    Lesson lesson;
    lesson.goal = 1.5;
    lesson.work = Verdict::sameRays;
    EXPECT_EQ(missingIn(lesson, pairOf(1.6, .05, Verdict::sameRays)), "");
    EXPECT_EQ(missingIn(lesson, pairOf(1.55, .05, Verdict::identical)), "");
    EXPECT_NE(missingIn(lesson, pairOf(1.52, .05, Verdict::identical)).find("1.5x"),
              std::string::npos);
    EXPECT_NE(missingIn(lesson, pairOf(9, .05, Verdict::different)).find("9.9 % brighter"),
              std::string::npos);
    EXPECT_NE(missingIn(lesson, pairOf(9, .05, Verdict::sameExpectation)).find("same rays"),
              std::string::npos);
    PairResult pair = pairOf(9, .05, Verdict::identical);
    pair.work.reset();
    pair.noWork = "interrupted";
    EXPECT_NE(missingIn(lesson, pair).find("interrupted"), std::string::npos);
    pair = pairOf(std::nan(""), .05, Verdict::identical);
    EXPECT_NE(missingIn(lesson, pair), "");
    lesson.work = Verdict::identical;
    EXPECT_NE(missingIn(lesson, pairOf(9, .05, Verdict::sameRays)), "");
    lesson.work = Verdict::sameExpectation;
    EXPECT_EQ(missingIn(lesson, pairOf(9, .05, Verdict::sameExpectation)), "");
}

TEST(Lesson, SaysWhatMoved) {
    const auto figure = [](double before, double after, bool up) {
        return MovedFigure{{"lanes", "Instructions", "lanes", "", Better::more, after}, before, up};
    };
    EXPECT_TRUE(figure(10, 20, true).moved());
    EXPECT_FALSE(figure(10, 20, false).moved());
    EXPECT_TRUE(figure(10, 0, false).moved());
    EXPECT_FALSE(figure(10, 10.001, true).moved());
    EXPECT_FALSE(figure(std::nan(""), 1, true).moved());

    LessonWish wish;
    const auto lesson = lessonFromJson(good(), "l.json");
    ASSERT_TRUE(lesson);
    wish = lessonWish(*lesson, sceneNamed("vt9"), kBuiltIn, kMine);
    EXPECT_EQ(wish.b.source, kMine);
    LessonResult result;
    result.pair = pairOf(1.6, .05, Verdict::sameRays);
    result.counters = {figure(10, 20, true), figure(std::nan(""), 1, true)};
    const std::string solved = textOf(wish, result);
    EXPECT_NE(solved.find("): solved\n"), std::string::npos) << solved;
    EXPECT_NE(solved.find("x 2"), std::string::npos) << solved;
    EXPECT_NE(solved.find("Because."), std::string::npos);
    result.missing = "something";
    const std::string not_ = textOf(wish, result);
    EXPECT_NE(not_.find("not solved\nsomething"), std::string::npos) << not_;
    EXPECT_EQ(not_.find("Because."), std::string::npos) << "the answer is not told";
}

/// Each by its own solution, and not by what it began with.
TEST(Lesson, SolutionsSolveThoseOfACpu_alone_nightly) {
    runEditedKernelsBy(RAYSCOPE_PROGRAM);
    int solved = 0;
    for (const Lesson& lesson : shipped()) {
        if (backendOf(lesson) != Backend::cpu) continue;
        SCOPED_TRACE(lesson.name);
        const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
        const auto weak = weakSources(lesson), own = solvedSources(lesson);
        ASSERT_TRUE(weak && own);
        const LessonResult same = resultOf(*renderer, lesson, *weak, *weak, true);
        EXPECT_NE(same.missing.find("not surely"), std::string::npos) << same.missing;
        EXPECT_EQ(resultOf(*renderer, lesson, *weak, *own, true).missing, "");
        ++solved;
    }
    EXPECT_GE(solved, 5);
    runEditedKernelsBy("");
}

/// Without a GPU: what a solution does to the machine code, of the figures that show it there.
TEST(Lesson, SolutionsMendTheMachineCode_long) {
    const SharedScene vt9 = sceneNamed("vt9");
    const ReadCode own = readFacts({defaultSettings(Backend::cuda, vt9), vt9, kUsualArchitecture});
    if (own.code.kernels.empty()) GTEST_SKIP() << own.problem;
    const std::set<std::string> gone{"fp64", "spill_bytes", "stack_bytes"};
    std::set<std::string> seen;
    for (const Lesson& lesson : shipped()) {
        if (backendOf(lesson) == Backend::cpu) continue;  // judged by their speed alone
        const auto weak = weakSources(lesson), solved = solvedSources(lesson);
        ASSERT_TRUE(weak && solved) << lesson.name;
        const TemporaryFolder a, b;
        const int sourceA = *sourceNamed("weak_" + lesson.name),
                  sourceB = *sourceNamed("own_" + lesson.name);
        ASSERT_TRUE(writeKernelSources(a.path(), *weak) && writeKernelSources(b.path(), *solved));
        ASSERT_TRUE(setKernelSourceDirectory(sourceA, a.path()) &&
                    setKernelSourceDirectory(sourceB, b.path()));
        const LessonWish wish = lessonWish(lesson, sceneNamed(lesson.scene), sourceA, sourceB);
        const CodeMoves moves = codeMoves(wish, kUsualArchitecture, {});
        ASSERT_EQ(moves.problem, "") << lesson.name;
        for (const MovedFigure& figure : moves.figures) {
            EXPECT_TRUE(figure.moved()) << lesson.name << " " << figure.fact.id << ": "
                                        << figure.before << " -> " << figure.fact.value;
            if (gone.contains(figure.fact.id)) {
                EXPECT_EQ(figure.fact.value, 0) << lesson.name;
            }
            seen.insert(figure.fact.id);
        }
        EXPECT_TRUE(setKernelSourceDirectory(sourceA, "") && setKernelSourceDirectory(sourceB, ""));
    }
    for (const std::string& id : gone) EXPECT_TRUE(seen.contains(id)) << id;
}

}  // namespace
}  // namespace rayscope
