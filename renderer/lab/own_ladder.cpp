#include "renderer/lab/own_ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/ladder.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;  ///< keys stay where the user has them

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestName = 56;  ///< with a number behind it at most 60

Result<void> write(const std::string& file, const Json& json) {
    return writeTextFile(file, json.dump(2) + "\n");
}

Result<Json> read(const std::string& file) {
    const auto text = readFile(file, kMostBytes);
    if (!text) return text.failure();
    const Json json = Json::parse(*text, nullptr, false);
    if (json.is_discarded()) return Failure{fmt::format("{} is no JSON", file)};
    return json;
}

/// What a rung in this file calls the scene.
Result<std::string> nameOfScene(const fs::path& file, const Scene& scene) {
    if (!isPath(scene.name)) {
        if (const auto known = findScene(scene.name); known && *known == scene) return scene.name;
    }
    const std::string text = toJson(scene).dump(2) + "\n";
    constexpr int kMostNames = 100;
    for (int n = 1; n < kMostNames; ++n) {
        const std::string name = fmt::format("{}-{}{}.json", file.stem().string(), scene.name,
                                             n == 1 ? "" : fmt::format("-{}", n));
        const fs::path path = file.parent_path() / fs::path(name).filename();
        std::error_code error;
        if (fs::exists(path, error)) {
            const auto there = readScene(path.string());
            if (there && *there == scene) return path.filename().string();
            continue;
        }
        if (const auto written = writeTextFile(path.string(), text); !written)
            return written.failure();
        return path.filename().string();
    }
    return Failure{fmt::format("{} has too many scenes beside it", file.string())};
}

/// {axis: value}: where they differ from `before`, or all that matter. How a window shows the film
/// is no part of a rung.
Json changesOf(const Settings& settings, const Settings* before) {
    Json changes = Json::object();
    for (const Axis& axis : axes()) {
        if (!axis.matters(settings) || axis.id == "display") continue;
        if (before != nullptr && axis.get(*before) == axis.get(settings)) continue;
        if (axis.kind == AxisKind::number)
            changes[std::string(axis.id)] = axis.get(settings);
        else
            changes[std::string(axis.id)] = valueOf(axis, settings);
    }
    return changes;
}

/// "source=mine math=fast", shortened, and with a number where another rung has it.
std::string freshName(const Json& changes, const std::vector<Rung>& rungs) {
    std::string words;
    for (const auto& [axis, value] : changes.items()) {
        words += fmt::format("{}{}={}", words.empty() ? "" : " ", axis,
                             value.is_string() ? value.get<std::string>() : value.dump());
    }
    words = rungs.empty() ? "start" : shortened(words, kLongestName - 3);
    const auto taken = [&](const std::string& name) {
        return std::ranges::find(rungs, name, &Rung::name) != rungs.end();
    };
    std::string name = words;
    for (int n = 2; taken(name); ++n) name = fmt::format("{} {}", words, n);
    return name;
}

Json emptyLadder(const Scene& scene, const std::string& sceneName) {
    return {{"title", "Rungs of your own"},
            {"source", "added in the window, with what was measured then"},
            {"scene", sceneName},
            {"size", {scene.width, scene.height}},
            {"measures", "rate"},
            {"clock", "kernel"},
            {"unit", "Mrays/s"},
            {"rungs", Json::array()}};
}

/// Without what a rung does not say.
Settings comparableRung(const Settings& settings) {
    Settings result = canonical(settings);
    result.display = {};
    result.seed = 1;
    return result;
}

}  // namespace

Result<int> addRung(const std::string& file, const SharedScene& scene, const Settings& settings) {
    std::error_code error;
    const bool fresh = !fs::exists(file, error);
    Ladder ladder;
    if (!fresh) {
        auto known = findLadder(file);
        if (!known) return known.failure();
        ladder = *std::move(known);
    }
    const auto sceneName = nameOfScene(file, scene);
    if (!sceneName) return sceneName.failure();
    auto json = fresh ? Result<Json>(emptyLadder(scene, *sceneName)) : read(file);
    if (!json) return json.failure();
    const int index = static_cast<int>(ladder.rungs.size());
    std::optional<Settings> before;
    if (index > 0) before = settingsOf(ladder, index - 1, scene, settings.backend);
    const bool otherScene =
        index > 0 && fs::path(ladder.rungs.back().scene).filename() != *sceneName;
    if (before && !otherScene && comparableRung(*before) == comparableRung(settings))
        return Failure{"The last rung of your ladder has these settings already"};
    // The shorter way may leave something out: an axis that the rung before did not have.
    for (const Settings* from : {before ? &*before : nullptr, static_cast<Settings*>(nullptr)}) {
        Json rung{{"name", ""}, {"why", ""}, {"settings", changesOf(settings, from)}};
        rung["name"] = freshName(rung["settings"], ladder.rungs);
        rung["why"] = index == 0
                          ? "Where this ladder begins."
                          : fmt::format("Added in the window to {}.", ladder.rungs.back().name);
        if (otherScene) rung["scene"] = *sceneName;
        Json longer = *json;
        longer["rungs"].push_back(std::move(rung));
        const auto made = ladderFromJson(nlohmann::json::parse(longer.dump()), file);
        if (!made) return made.failure();
        const Settings becomes = settingsOf(*made, index, scene, settings.backend);
        if (comparableRung(becomes) != comparableRung(settings)) continue;
        if (const auto written = write(file, longer); !written) return written.failure();
        return index;
    }
    return Failure{"A rung cannot say what these settings are"};
}

Result<void> keepFigure(const std::string& file, const RungResult& result) {
    auto json = read(file);
    if (!json) return json.failure();
    const auto ladder = ladderFromJson(nlohmann::json::parse(json->dump()), file);
    if (!ladder) return ladder.failure();
    const Rung& rung = ladder->rungs.at(static_cast<size_t>(result.rung));
    const Unit& unit = unitOf(*ladder, rung);
    const std::string figure = inUnit(result.value.median, unit);
    (*json)["rungs"].at(static_cast<size_t>(result.rung))["published"] = {
        {"value", std::stod(figure)},
        {"unit", std::string(unit.id)},
        {"device", printable(shortened(result.measured.device.name, 50))}};
    return write(file, *json);
}

}  // namespace rayscope
