#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/compile/kernel_sources.h"
#include "renderer/lab/ladder.h"
#include "renderer/lab/verdict.h"

// Lessons: kernels that somebody has made slow on purpose, to be made fast again. One is a folder,
// assets/lessons/NAME. assets/lessons/README.md describes the format.

namespace rayscope {

inline constexpr const char *kLessonFile = "lesson.json", *kWeakPatch = "weak.patch",
                            *kSolutionPatch = "solution.patch";
inline constexpr std::size_t kMaxLessonFile = std::size_t{1} << 20;

/// A figure that a solution moves.
struct LessonMove {
    std::string id;
    bool up = false;  ///< else down
    bool operator==(const LessonMove&) const = default;
};

struct Lesson {
    std::string name;  ///< its folder's
    int number = 0;
    std::string title, task, why, scene;
    std::string file;                  ///< where to begin to read, of the kernel sources, ...
    std::string at;                    ///< ... at the line that has this text
    Assignments settings;              ///< of what is timed
    double goal = 0;                   ///< times as fast as the weak sources
    Verdict work = Verdict::sameRays;  ///< that the solution has at least
    std::vector<LessonMove> counters;  ///< by factsOf()
    std::vector<LessonMove> code;      ///< by codeFigure(): what the machine code shows
    std::string weak;                  ///< how the weak sources differ from those built in
    std::string solution;              ///< how a solution differs from these; empty: there is none
};

/// What its lesson.json says, without the patches and the name.
Result<Lesson> lessonFromJson(const nlohmann::json& json, const std::string& file);

/// A lesson in this folder, or one sentence that names the file, the key and what was expected.
Result<Lesson> readLesson(const std::filesystem::path& folder);

/// All in the folder of assets, by number, with their names; or the names alone.
std::vector<std::pair<std::string, Result<Lesson>>> allLessons();
std::vector<std::string> lessonNames();

/// By name or number; something with a slash is a folder.
Result<Lesson> findLesson(const std::string& wanted);

/// "Lesson 3, doubles"
std::string titleOf(const Lesson& lesson);

/// The sources that the lesson begins with, and those of its solution. Fail if the kernels have
/// changed so much that a difference does not fit any more.
Result<std::vector<KernelSource>> weakSources(const Lesson& lesson);
Result<std::vector<KernelSource>> solvedSources(const Lesson& lesson);

/// The line of Lesson::file that has Lesson::at, from 1.
int lineOf(const Lesson& lesson, const std::vector<KernelSource>& sources);

/// What the lesson is about: a GPU's kernels, unless its settings say backend=cpu.
Backend backendOf(const Lesson& lesson);

/// The settings of what is timed, but for their source.
Settings settingsOf(const Lesson& lesson, const Scene& scene);

/// Writes the weak sources into a folder, with a file that says which lesson they are of. Returns
/// false if the folder holds somebody's work on this lesson: that stays as it is, but files that it
/// lacks are written. Fails if anything else is there.
Result<bool> beginLesson(const Lesson& lesson, const std::string& folder);

/// The name of the lesson that a folder is of: beginLesson().
Result<std::string> lessonIn(const std::string& folder);

/// Fails if the folder lacks a file that the lesson is about: what is built in would stand in for
/// it.
Result<void> checkFolder(const Lesson& lesson, const std::string& folder);

}  // namespace rayscope
