#include "ui/memory.h"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "renderer/files.h"
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
        std::string error;
        Bookmarks marks;
        readBookmarks(ObjectReader(cameras, scene, error), Camera{}, marks);
        if (error.empty() && scene.size() <= kMaxText) memory.keep(scene, marks);
    }
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

std::string remember(const Memory& memory, const std::string& path) {
    if (path.empty()) return {};
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    json object{{"panels", memory.panels},
                {"light", memory.light},
                {"tab", memory.tab},
                {"recent", memory.recent},
                {"bookmarks", json::object()}};
    for (const auto& [scene, marks] : memory.bookmarks) object["bookmarks"][scene] = toJson(marks);
    return writeTextFile(path, object.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace rayscope
