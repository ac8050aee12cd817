#include "ui/preferences.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "renderer/base/files.h"
#include "renderer/base/own_files.h"
#include "renderer/scene/json.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

using nlohmann::json;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPreferencesBytes = std::size_t{1} << 20, kMaxPreferenceText = 4096;
constexpr std::size_t kMostRecent = 8, kMostScenes = 64;
constexpr double kMostPanel = 1000;  ///< the layout knows what fits

bool isText(const json& value) {
    return value.is_string() && value.get_ref<const std::string&>().size() <= kMaxPreferenceText;
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

void read(const json& object, Preferences& preferences) {
    const auto member = [&](const char* key) { return object.value(key, json()); };
    const auto flag = [&](const char* key, bool& value) {
        if (const json found = member(key); found.is_boolean()) value = found.get<bool>();
    };
    flag("panels", preferences.panels);
    flag("light", preferences.light);
    const auto number = [&](const char* key, double least, double most, double& value) {
        if (const json found = member(key); found.is_number())
            value = std::clamp(found.get<double>(), least, most);
    };
    number("text_size", kLeastText, kMostText, preferences.text);
    number("left_panel", 0, kMostPanel, preferences.left);
    number("right_panel", 0, kMostPanel, preferences.right);
    if (isText(member("tab"))) preferences.tab = member("tab").get<std::string>();
    const json recent = member("recent");
    for (const json& path : recent.is_array() ? recent : json::array()) {
        if (isText(path) && preferences.recent.size() < kMostRecent)
            preferences.recent.push_back(path.get<std::string>());
    }
    const json bookmarks = member("bookmarks");
    if (!bookmarks.is_object()) return;
    for (const auto& [scene, cameras] : bookmarks.items()) {
        if (scene.size() <= kMaxPreferenceText && cameras.is_object())
            preferences.keep(scene, readable(cameras));
    }
}

/// What the file says, with what has changed from `before` to `now`.
Preferences merged(Preferences stored, const Preferences& before, const Preferences& now) {
    const auto take = [&](auto Preferences::*member) {
        if (now.*member != before.*member) stored.*member = now.*member;
    };
    take(&Preferences::panels);
    take(&Preferences::light);
    take(&Preferences::tab);
    take(&Preferences::text);
    take(&Preferences::left);
    take(&Preferences::right);
    for (auto path = now.recent.rbegin(); now.recent != before.recent && path != now.recent.rend();
         ++path)
        stored.opened(*path);
    const auto marksOf = [](const Preferences& preferences, const std::string& scene) {
        const auto found = preferences.bookmarks.find(scene);
        return found != preferences.bookmarks.end() ? found->second : Bookmarks{};
    };
    for (const Preferences* one : {&before, &now}) {
        for (const auto& [scene, ignored] : one->bookmarks) {
            const Bookmarks was = marksOf(before, scene), is = marksOf(now, scene);
            Bookmarks merged = marksOf(stored, scene);
            for (std::size_t i = 0; i < merged.size(); ++i) {
                if (was[i] != is[i]) merged[i] = is[i];
            }
            stored.keep(scene, merged);
        }
    }
    return stored;
}

/// One window at a time reads, merges and writes. One that hangs is not waited for.
class PreferencesLock {
public:
    explicit PreferencesLock(const std::string& path) {
        const std::string name = path + ".lock";
        file_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        using namespace std::chrono_literals;
        for (int i = 0; file_ >= 0 && i < 40 && flock(file_, LOCK_EX | LOCK_NB) != 0; ++i)
            std::this_thread::sleep_for(50ms);
    }
    ~PreferencesLock() {
        if (file_ >= 0) close(file_);
    }
    PreferencesLock(const PreferencesLock&) = delete;
    PreferencesLock& operator=(const PreferencesLock&) = delete;

private:
    int file_ = -1;
};

std::string write(const std::string& path, const json& object) {
    if (const auto made = makeOwnFolder(fs::path(path).parent_path()); !made) return made.reason();
    const std::string text = object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    return writeTextFile(path, text, Existing::replaced, Privacy::own).reason();
}

}  // namespace

void Preferences::opened(const std::string& path) {
    std::erase(recent, path);
    recent.insert(recent.begin(), path);
    if (recent.size() > kMostRecent) recent.pop_back();
}

void Preferences::keep(const std::string& scene, const Bookmarks& marks) {
    const bool any = std::any_of(marks.begin(), marks.end(), [](const auto& m) { return m; });
    if (!any)
        bookmarks.erase(scene);
    else if (bookmarks.size() < kMostScenes || bookmarks.contains(scene))
        bookmarks[scene] = marks;
}

std::string preferencesPath() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && state[0] == '/') return std::string(state) + "/rayscope/window.json";
    const char* home = std::getenv("HOME");
    if (home == nullptr || home[0] != '/') return {};
    return std::string(home) + "/.local/state/rayscope/window.json";
}

Preferences preferencesFrom(std::string_view text) {
    Preferences preferences;
    preferences.first = false;
    const auto parsed = parseJson(text, "window.json");
    if (!parsed)
        preferences.problem = parsed.reason();
    else if (!parsed->is_object())
        preferences.problem = "window.json is no JSON object";
    else
        read(*parsed, preferences);
    return preferences;
}

Preferences loadPreferences(const std::string& path) {
    std::error_code error;
    if (path.empty() || !fs::exists(path, error)) return {};
    if (const std::string unsafe = whyUnsafe(fs::path(path).parent_path()); !unsafe.empty()) {
        Preferences none;
        none.problem = fmt::format("what the window remembers is not used: {}", unsafe);
        return none;
    }
    const auto file = readOwnFile(path, kMaxPreferencesBytes);
    Preferences preferences = preferencesFrom(file ? *file : "");
    if (!file) preferences.problem = file.reason();
    if (preferences.problem.empty()) return preferences;
    const std::string kept = path + ".damaged";
    fs::rename(path, kept, error);
    if (!error) preferences.problem += "; it is kept as " + kept;
    return preferences;
}

std::string storePreferences(const Preferences& before, const Preferences& now,
                             const std::string& path) {
    if (path.empty()) return {};
    if (const auto made = makeOwnFolder(fs::path(path).parent_path()); !made) return made.reason();
    const PreferencesLock lock(path);
    const Preferences preferences = merged(loadPreferences(path), before, now);
    json object{{"panels", preferences.panels},   {"light", preferences.light},
                {"tab", preferences.tab},         {"text_size", preferences.text},
                {"left_panel", preferences.left}, {"right_panel", preferences.right},
                {"recent", preferences.recent},   {"bookmarks", json::object()}};
    for (const auto& [scene, marks] : preferences.bookmarks)
        object["bookmarks"][scene] = toJson(marks);
    return write(path, object);
}

std::string lastStatePath() {
    const std::string preferences = preferencesPath();
    return preferences.empty() ? preferences
                               : fs::path(preferences).replace_filename("last.json").string();
}

static std::string stateBeforePath() {
    const std::string last = lastStatePath();
    return last.empty() ? last : fs::path(last).replace_filename("before.json").string();
}

std::string keepStateBefore() {
    const std::string last = lastStatePath(), before = stateBeforePath();
    std::error_code error;
    if (last.empty()) return {};
    if (fs::exists(last, error)) fs::rename(last, before, error);
    return fs::exists(before, error) ? before : std::string();
}

bool isLastState(const std::string& path) {
    return !path.empty() && (path == lastStatePath() || path == stateBeforePath());
}

std::string storeLastState(const State& state) {
    const std::string path = lastStatePath();
    return path.empty() ? path : write(path, toJson(state));
}

}  // namespace rayscope
