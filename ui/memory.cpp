#include "ui/memory.h"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "renderer/base/files.h"
#include "renderer/scene/json.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

using nlohmann::json;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{1} << 20, kMaxText = 4096;
constexpr std::size_t kMostRecent = 8, kMostScenes = 64;

bool isText(const json& value) {
    return value.is_string() && value.get_ref<const std::string&>().size() <= kMaxText;
}

/// One that cannot be read costs only itself.
Bookmarks readable(const json& cameras) {
    Bookmarks marks;
    for (const auto& [digit, camera] : cameras.items()) {
        std::string error;
        const json alone{{digit, camera}};
        Bookmarks one;
        readBookmarks(ObjectReader(alone, "", error), Camera{}, one);
        for (std::size_t i = 0; i < one.size() && error.empty(); ++i) {
            if (one[i]) marks[i] = one[i];
        }
    }
    return marks;
}

void read(const json& object, Memory& memory) {
    const auto member = [&](const char* key) { return object.value(key, json()); };
    const auto flag = [&](const char* key, bool& value) {
        if (const json found = member(key); found.is_boolean()) value = found.get<bool>();
    };
    flag("panels", memory.panels);
    flag("light", memory.light);
    if (isText(member("tab"))) memory.tab = member("tab").get<std::string>();
    const json recent = member("recent");
    for (const json& path : recent.is_array() ? recent : json::array()) {
        if (isText(path) && memory.recent.size() < kMostRecent)
            memory.recent.push_back(path.get<std::string>());
    }
    const json bookmarks = member("bookmarks");
    if (!bookmarks.is_object()) return;
    for (const auto& [scene, cameras] : bookmarks.items()) {
        if (scene.size() <= kMaxText && cameras.is_object()) memory.keep(scene, readable(cameras));
    }
}

/// What the file says, with what has changed from `before` to `now`.
Memory merged(Memory stored, const Memory& before, const Memory& now) {
    const auto take = [&](auto Memory::*member) {
        if (now.*member != before.*member) stored.*member = now.*member;
    };
    take(&Memory::panels);
    take(&Memory::light);
    take(&Memory::tab);
    for (auto path = now.recent.rbegin(); now.recent != before.recent && path != now.recent.rend();
         ++path)
        stored.opened(*path);
    const auto marksOf = [](const Memory& memory, const std::string& scene) {
        const auto found = memory.bookmarks.find(scene);
        return found != memory.bookmarks.end() ? found->second : Bookmarks{};
    };
    for (const Memory* one : {&before, &now}) {
        for (const auto& [scene, marks] : one->bookmarks) {
            if (marksOf(before, scene) != marksOf(now, scene))
                stored.keep(scene, marksOf(now, scene));
        }
    }
    return stored;
}

std::string write(const std::string& path, const json& object) {
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    return writeTextFile(path, object.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace

void Memory::opened(const std::string& path) {
    std::erase(recent, path);
    recent.insert(recent.begin(), path);
    if (recent.size() > kMostRecent) recent.pop_back();
}

void Memory::keep(const std::string& scene, const Bookmarks& marks) {
    const bool any = std::any_of(marks.begin(), marks.end(), [](const auto& m) { return m; });
    if (!any)
        bookmarks.erase(scene);
    else if (bookmarks.size() < kMostScenes || bookmarks.contains(scene))
        bookmarks[scene] = marks;
}

std::string memoryPath() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && state[0] == '/') return std::string(state) + "/rayscope/window.json";
    const char* home = std::getenv("HOME");
    if (home == nullptr || home[0] != '/') return {};
    return std::string(home) + "/.local/state/rayscope/window.json";
}

Memory memoryFrom(std::string_view text) {
    Memory memory;
    memory.first = false;
    const auto parsed = parseJson(text, "window.json");
    const json* object = std::get_if<json>(&parsed);
    if (object == nullptr)
        memory.problem = std::get<std::string>(parsed);
    else if (!object->is_object())
        memory.problem = "window.json is no JSON object";
    else
        read(*object, memory);
    return memory;
}

Memory recalled(const std::string& path) {
    std::error_code error;
    if (path.empty() || !fs::exists(path, error)) return {};
    const auto file = readFile(path, kMaxBytes);
    const auto* bytes = std::get_if<FileBytes>(&file);
    Memory memory = memoryFrom(bytes != nullptr ? bytes->bytes : "");
    if (bytes == nullptr) memory.problem = std::get<std::string>(file);
    if (memory.problem.empty()) return memory;
    const std::string kept = path + ".damaged";
    fs::rename(path, kept, error);
    if (!error) memory.problem += "; it is kept as " + kept;
    return memory;
}

std::string remember(const Memory& before, const Memory& now, const std::string& path) {
    if (path.empty()) return {};
    const Memory memory = merged(recalled(path), before, now);
    json object{{"panels", memory.panels},
                {"light", memory.light},
                {"tab", memory.tab},
                {"recent", memory.recent},
                {"bookmarks", json::object()}};
    for (const auto& [scene, marks] : memory.bookmarks) object["bookmarks"][scene] = toJson(marks);
    return write(path, object);
}

std::string lastStatePath() {
    const std::string memory = memoryPath();
    return memory.empty() ? memory : fs::path(memory).replace_filename("last.json").string();
}

std::string rememberState(const State& state) {
    const std::string path = lastStatePath();
    return path.empty() ? path : write(path, toJson(state));
}

}  // namespace rayscope
