#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "renderer/base/temporary_folder.h"
#include "renderer/choices/sources.h"
#include "renderer/lab/job.h"
#include "renderer/lab/lesson_check.h"
#include "renderer/scene/json.h"

namespace rayscope {

/// Somebody's sources of the lesson against its own.
inline LessonResult resultOf(Renderer& renderer, const Lesson& lesson,
                             const std::vector<KernelSource>& weak,
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
    wish.seconds = 4;
    wish.explains = explains;
    wish.program = RAYSCOPE_PROGRAM;
    renderer.setScene(wish.state.scene);
    Watches watches;
    LessonJob job(renderer, wish, watches);
    playToEnd(job);
    EXPECT_EQ(job.problem(), "");
    const LessonResult result = job.result();
    std::printf("%s", textOf(wish, result).c_str());
    for (const int source : {wish.state.settings.source, wish.b.source})
        EXPECT_TRUE(setKernelSourceDirectory(source, ""));
    return result;
}

}  // namespace rayscope
