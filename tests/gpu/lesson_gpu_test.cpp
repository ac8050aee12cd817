// Lessons on a real device: the solutions solve them, and the weak sources do not. Skipped, with
// the reason, where there is none.

#include <gtest/gtest.h>

#include "renderer/devices/machine.h"
#include "tests/solve_lesson.h"

namespace rayscope {
namespace {

TEST(LessonGpu, SolutionsSolveThemAndWeakSourcesDoNot) {
    Machine machine = openMachine();
    if (!machine.cuda) GTEST_SKIP() << machine.noCuda;
    for (const auto& [name, lesson] : allLessons()) {
        SCOPED_TRACE(name);
        ASSERT_TRUE(lesson) << lesson.reason();
        if (backendOf(*lesson) == Backend::cpu) continue;
        const auto weak = weakSources(*lesson), solved = solvedSources(*lesson);
        ASSERT_TRUE(weak && solved);
        const LessonResult same = resultOf(*machine.cuda, *lesson, *weak, *weak, true);
        EXPECT_NE(same.missing.find("not surely"), std::string::npos) << same.missing;
        EXPECT_TRUE(same.counters.empty()) << "the answer is not told";
        const LessonResult result = resultOf(*machine.cuda, *lesson, *weak, *solved, true);
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
