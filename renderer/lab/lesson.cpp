#include "renderer/lab/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/code/patch.h"
#include "renderer/lab/lesson_check.h"
#include "renderer/scene/json.h"

namespace rayscope {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxFile = std::size_t{1} << 20;
constexpr std::size_t kMaxMoves = 12;
constexpr int kMaxNumber = 999;
constexpr const char *kMarker = "lesson.json", *kWeak = "weak.patch", *kSolution = "solution.patch";

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
        members.required("goal", "a number above 1");
        members.number("goal", {1, 1000, true}, lesson_.goal);
        members.choice("work", kWorks, lesson_.work);
        text(members, "file", 100, lesson_.file, "a kernel source, renderer/core/path.h");
        text(members, "at", 100, lesson_.at, "a text in that file");
        text(members, "task", 1200, lesson_.task, "what is to be done");
        text(members, "why", 800, lesson_.why, "one sentence");
        members.required("counters", "{figure: \"down\" or \"up\"}");
        readMoves(members, "counters", lesson_.counters);
        readMoves(members, "code", lesson_.code);
        members.finish();
        checkFigures(members);
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

    void checkFigures(ObjectReader& members) {
        const auto check = [&](const char* key, const std::vector<LessonMove>& moves,
                               bool (*known)(const std::string&)) {
            for (const LessonMove& move : moves) {
                if (!members.failed() && !known(move.id))
                    members.complain(key, fmt::format("\"{}\"", printable(shortened(move.id, 40))),
                                     "a figure that there is");
            }
        };
        check("counters", lesson_.counters, isFact);
        check("code", lesson_.code, isCodeFigure);
    }

    Lesson& lesson_;
    std::string& error_;
};

Failure missing(const fs::path& folder, const Failure& failure) {
    return {fmt::format("{} is no lesson: {}", folder.string(), failure.reason)};
}

Result<std::vector<KernelSource>> changed(std::vector<KernelSource> sources,
                                          const std::string& patch, const Lesson& lesson,
                                          const char* which) {
    auto made = patched(std::move(sources), patch, PatchLines::moved);
    if (made) return made;
    return Failure{fmt::format("{} does not fit this program's kernels: {} ({})", titleOf(lesson),
                               made.reason(), which)};
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
    const auto json = readJson((folder / kMarker).string(), kMaxFile);
    if (!json) return missing(folder, json.failure());
    Result<Lesson> lesson = lessonFromJson(*json, (folder / kMarker).string());
    if (!lesson) return lesson;
    const fs::path whole = fs::absolute(folder).lexically_normal();
    const fs::path name = whole.has_filename() ? whole : whole.parent_path();
    lesson->name = printable(shortened(name.filename().string(), 60));
    auto weak = readFile((folder / kWeak).string(), kMaxFile);
    if (!weak) return missing(folder, weak.failure());
    lesson->weak = *std::move(weak);
    std::error_code error;
    if (!fs::exists(folder / kSolution, error)) return lesson;
    auto solution = readFile((folder / kSolution).string(), kMaxFile);
    if (!solution) return missing(folder, solution.failure());
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

Result<std::vector<KernelSource>> weakSources(const Lesson& lesson) {
    if (embeddedKernelSources().empty())
        return Failure{"lessons are about CUDA kernels, and this program was built without CUDA"};
    return changed(embeddedKernelSources(), lesson.weak, lesson, kWeak);
}

Result<std::vector<KernelSource>> solvedSources(const Lesson& lesson) {
    if (lesson.solution.empty())
        return Failure{fmt::format("{} has no solution.patch", titleOf(lesson))};
    auto weak = weakSources(lesson);
    if (!weak) return weak;
    return changed(*std::move(weak), lesson.solution, lesson, kSolution);
}

int lineOf(const Lesson& lesson, const std::vector<KernelSource>& sources) {
    const auto file = std::ranges::find(sources, lesson.file, &KernelSource::name);
    const size_t at = file == sources.end() ? std::string::npos : file->text.find(lesson.at);
    if (at == std::string::npos) return 1;
    return 1 + static_cast<int>(std::count(file->text.begin(), file->text.begin() + at, '\n'));
}

Settings settingsOf(const Lesson& lesson, const Scene& scene) {
    Settings settings = defaultSettings(Backend::cuda, scene);
    assignAll(settings, wordsOf(lesson.settings));
    return settings;
}

Result<bool> beginLesson(const Lesson& lesson, const std::string& folder) {
    std::error_code error;
    const bool there = fs::exists(folder, error) &&
                       !(fs::is_directory(folder, error) && fs::is_empty(folder, error));
    if (there) {
        const auto name = lessonIn(folder);
        if (name && *name == lesson.name) return false;
        return Failure{
            fmt::format("{} is there already and is no work on {}: --to names another "
                        "folder",
                        folder, titleOf(lesson))};
    }
    const auto weak = weakSources(lesson);
    if (!weak) return weak.failure();
    if (const auto written = writeKernelSources(folder, *weak); !written) return written.failure();
    const nlohmann::ordered_json marker{
        {"lesson", lesson.name}, {"title", lesson.title}, {"task", lesson.task}};
    const auto written =
        writeTextFile((fs::path(folder) / kMarker).string(), marker.dump(2) + "\n", Existing::kept);
    if (!written) return written.failure();
    return true;
}

Result<std::string> lessonIn(const std::string& folder) {
    const auto json = readJson((fs::path(folder) / kMarker).string(), kMaxFile);
    if (!json)
        return Failure{fmt::format("{} is no folder of a lesson: {}", folder, json.reason())};
    const auto name = json->is_object() ? json->find("lesson") : json->end();
    if (name == json->end() || !name->is_string())
        return Failure{
            fmt::format("{} is no folder of a lesson: its {} names none", folder, kMarker)};
    return name->get<std::string>();
}

Result<void> checkFolder(const Lesson& lesson, const std::string& folder) {
    for (const std::string& name : filesOfPatch(lesson.weak)) {
        std::error_code error;
        if (!fs::is_regular_file(fs::path(folder) / name, error))
            return Failure{
                fmt::format("{} lacks {}, which {} is about", folder, name, titleOf(lesson))};
    }
    return {};
}

}  // namespace rayscope
