// Lessons on a real device: the solutions solve them, and the weak sources do not. Skipped, with
// the reason, where there is none.

#include <gtest/gtest.h>

#include "renderer/base/temporary_folder.h"
#include "renderer/choices/sources.h"
#include "renderer/devices/machine.h"
#include "renderer/lab/lesson_check.h"
#include "renderer/scene/json.h"

namespace rayscope {
namespace {

constexpr double kSeconds = 4;

/// Somebody's sources of the lesson against its own.
LessonResult resultOf(Machine& machine, const Lesson& lesson, const std::vector<KernelSource>& weak,
                      const std::vector<KernelSource>& own, bool explains) {
    const TemporaryFolder a, b;
    const auto use = [](const char* name, const std::string& folder,
                        const std::vector<KernelSource>& sources) {
        EXPECT_EQ(writeKernelSources(folder, sources).reason(), "");
        const int source = *sourceNamed(name);
        EXPECT_EQ(setKernelSourceDirectory(source, folder).reason(), "");
        return source;
    };
    LessonWish wish = lessonWish(lesson, *findScene(lesson.scene), use("weak", a.path(), weak),
                                 use("own", b.path(), own));
    wish.seconds = kSeconds;
    wish.explains = explains;
    wish.program = RAYSCOPE_PROGRAM;
    machine.cuda->setScene(wish.state.scene);
    Watches watches;
    LessonJob job(*machine.cuda, wish, watches);
    playToEnd(job);
    EXPECT_EQ(job.problem(), "");
    const LessonResult result = job.result();
    std::printf("%s", textOf(wish, result).c_str());
    for (const int source : {wish.state.settings.source, wish.b.source})
        EXPECT_TRUE(setKernelSourceDirectory(source, ""));
    return result;
}

TEST(LessonGpu, SolutionsSolveThemAndWeakSourcesDoNot) {
    Machine machine = openMachine();
    if (!machine.cuda) GTEST_SKIP() << machine.noCuda;
    for (const auto& [name, lesson] : allLessons()) {
        SCOPED_TRACE(name);
        ASSERT_TRUE(lesson) << lesson.reason();
        const auto weak = weakSources(*lesson), solved = solvedSources(*lesson);
        ASSERT_TRUE(weak && solved);
        const LessonResult same = resultOf(machine, *lesson, *weak, *weak, true);
        EXPECT_NE(same.missing.find("not surely"), std::string::npos) << same.missing;
        EXPECT_TRUE(same.counters.empty()) << "the answer is not told";
        const LessonResult result = resultOf(machine, *lesson, *weak, *solved, true);
        EXPECT_EQ(result.missing, "");
        EXPECT_FALSE(result.counters.empty());
        for (const std::vector<MovedFigure>* figures : {&result.counters, &result.code.figures}) {
            for (const MovedFigure& figure : *figures) {
                if (!figure.known()) continue;  // nobody may count
                EXPECT_TRUE(figure.moved())
                    << figure.fact.id << ": " << figure.before << " -> " << figure.fact.value;
            }
        }
    }
}

}  // namespace
}  // namespace rayscope
