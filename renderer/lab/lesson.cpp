#include "renderer/lab/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"

namespace rayscope {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxMoves = 12;
constexpr int kMaxNumber = 999;

// in the order of Verdict; DIFFERENT solves nothing
constexpr std::array<std::string_view, 3> kWorks{"identical", "same rays", "same expectation"};

/// Reads lesson.json; the first complaint stays in error.
class LessonReader {
public:
    LessonReader(Lesson& lesson, std::string& error) : lesson_(lesson), error_(error) {}

    void read(const json& json) {
        ObjectReader members(json, "", error_);
        members.required("number", "a whole number");
        members.whole("number", 1, kMaxNumber, lesson_.number);
        text(members, "title", 80, lesson_.title, "one line");
        readScene(members);
        members.required("settings", "{axis: value}");
        readAssignments(members, "settings", lesson_.settings);
        members.required("goal", "a number from 1.01 to 1000");
        members.number("goal", {1.01, 1000}, lesson_.goal);
        members.choice("work", kWorks, lesson_.work);
        text(members, "file", 100, lesson_.file, "a kernel source, renderer/core/path.h");
        text(members, "at", 100, lesson_.at, "a text in that file");
        text(members, "task", 1200, lesson_.task, "what is to be done");
        text(members, "why", 800, lesson_.why, "one sentence");
        members.required("counters", "{figure: \"down\" or \"up\"}");
        readMoves(members, "counters", lesson_.counters);
        readMoves(members, "code", lesson_.code);
        members.finish();
    }

private:
    static void text(ObjectReader& members, const char* key, std::size_t limit, std::string& value,
                     const char* expected) {
        members.required(key, expected);
        members.text(key, limit, value);
    }

    /// By name: nothing but the lesson's own files is opened.
    void readScene(ObjectReader& members) {
        text(members, "scene", 60, lesson_.scene, "the name of a scene");
        if (!members.failed() && (isPath(lesson_.scene) || !findScene(lesson_.scene)))
            members.complain("scene", fmt::format("\"{}\"", lesson_.scene), "the name of a scene");
    }

    void readMoves(ObjectReader& members, const char* key, std::vector<LessonMove>& moves) {
        const json* object = members.member(key);
        if (object == nullptr) return;
        const std::string path = members.pathOf(key);
        if (!object->is_object() || object->empty() || object->size() > kMaxMoves)
            return members.complain(path, briefly(*object),
                                    fmt::format("an object of 1 to {} figures", kMaxMoves));
        for (const auto& [id, way] : object->items()) {
            if (way != "down" && way != "up")
                return members.complain(path + "." + printable(shortened(id, 40)), briefly(way),
                                        "\"down\" or \"up\"");
            moves.push_back({id, way == "up"});
        }
    }

    Lesson& lesson_;
    std::string& error_;
};

Failure noLesson(const fs::path& folder, const Failure& failure) {
    return {fmt::format("{} is no lesson: {}", folder.string(), failure.reason)};
}

}  // namespace

Result<Lesson> lessonFromJson(const json& json, const std::string& file) {
    Lesson lesson;
    std::string error;
    LessonReader(lesson, error).read(json);
    if (!error.empty()) return Failure{fmt::format("{}: {}", file, error)};
    return lesson;
}

Result<Lesson> readLesson(const fs::path& folder) {
    const auto json = readJson((folder / kLessonFile).string(), kMaxLessonFile);
    if (!json) return noLesson(folder, json.failure());
    Result<Lesson> lesson = lessonFromJson(*json, (folder / kLessonFile).string());
    if (!lesson) return lesson;
    const fs::path whole = fs::absolute(folder).lexically_normal();
    const fs::path name = whole.has_filename() ? whole : whole.parent_path();
    lesson->name = printable(shortened(name.filename().string(), 60));
    auto weak = readFile((folder / kWeakPatch).string(), kMaxLessonFile);
    if (!weak) return noLesson(folder, weak.failure());
    lesson->weak = *std::move(weak);
    std::error_code error;
    if (!fs::exists(folder / kSolutionPatch, error)) return lesson;
    auto solution = readFile((folder / kSolutionPatch).string(), kMaxLessonFile);
    if (!solution) return noLesson(folder, solution.failure());
    lesson->solution = *std::move(solution);
    return lesson;
}

std::vector<std::pair<std::string, Result<Lesson>>> allLessons() {
    std::vector<std::pair<std::string, Result<Lesson>>> lessons;
    const auto assets = findAssets();
    std::error_code error;
    if (!assets) return lessons;
    for (fs::directory_iterator entry(*assets / "lessons", error), end; !error && entry != end;
         entry.increment(error)) {
        if (!entry->is_directory(error)) continue;
        lessons.emplace_back(entry->path().filename().string(), readLesson(entry->path()));
    }
    const auto key = [](const auto& lesson) {
        return std::pair(lesson.second ? lesson.second->number : kMaxNumber + 1, lesson.first);
    };
    std::ranges::sort(lessons, {}, key);
    return lessons;
}

std::vector<std::string> lessonNames() {
    std::vector<std::string> names;
    for (const auto& [name, lesson] : allLessons()) names.push_back(name);
    return names;
}

Result<Lesson> findLesson(const std::string& wanted) {
    if (wanted.find('/') != std::string::npos) return readLesson(wanted);
    std::string known;
    for (const auto& [name, lesson] : allLessons()) {
        const bool number = lesson && std::to_string(lesson->number) == wanted;
        if (number || name == wanted) return lesson;
        known += (known.empty() ? "" : ", ") + name;
    }
    return Failure{fmt::format("there is no lesson '{}': {}, or name the folder of one, ./NAME",
                               printable(shortened(wanted, 40)),
                               known.empty() ? "the program's own are missing"
                                             : fmt::format("the lessons are {}", known))};
}

std::string titleOf(const Lesson& lesson) {
    return fmt::format("Lesson {}, {}", lesson.number, lesson.name);
}

Backend backendOf(const Lesson& lesson) {
    const bool cpu = std::ranges::any_of(lesson.settings, [](const auto& assignment) {
        return assignment.first == "backend" && assignment.second == "cpu";
    });
    return cpu ? Backend::cpu : Backend::cuda;
}

Settings settingsOf(const Lesson& lesson, const Scene& scene) {
    Settings settings = defaultSettings(backendOf(lesson), scene);
    assignAll(settings, wordsOf(lesson.settings));
    return settings;
}

}  // namespace rayscope
