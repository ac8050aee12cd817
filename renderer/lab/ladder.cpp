#include "renderer/lab/ladder.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"

namespace rayscope {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxLadderBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxRungs = 100, kMaxReferences = 10;
constexpr std::size_t kShownBytes = 40;  ///< bytes of a key in a sentence
constexpr int kMaxSize = 16384;
constexpr int kMaxSamples = 1'000'000;

// in the order of the enums
constexpr std::array<std::string_view, 4> kClocks{"kernel", "loop", "present", "total"};
constexpr std::array<std::string_view, 5> kMeasures{"rate", "time", "gap", "step", "step_gap"};
constexpr std::array<std::string_view, 2> kCompares{"first", "scene"};

constexpr std::array<Unit, 5> kUnits{{{"rays/s", true, 1},
                                      {"Mrays/s", true, 1e6},
                                      {"Grays/s", true, 1e9},
                                      {"ms", false, 1e-3},
                                      {"s", false, 1}}};

constexpr const char* kUnitList = "one of rays/s, Mrays/s, Grays/s, ms, s";

/// Whether the path leads to something in the folder, links followed.
bool below(const fs::path& folder, const fs::path& path) {
    std::error_code error;
    if (path.is_absolute()) return false;
    const fs::path root = fs::weakly_canonical(folder, error);
    const fs::path full = fs::weakly_canonical(root / path, error);
    if (error) return false;
    return std::mismatch(root.begin(), root.end(), full.begin(), full.end()).first == root.end();
}

void requiredText(ObjectReader& members, const char* key, size_t limit, std::string& value,
                  const char* expected) {
    members.required(key, expected);
    members.text(key, limit, value);
}

/// Reads one file; the first complaint stays in error.
class LadderReader {
public:
    LadderReader(Ladder& ladder, fs::path folder, std::string& error)
        : ladder_(ladder), folder_(folder.empty() ? "." : std::move(folder)), error_(error) {}

    void read(const json& json) {
        ObjectReader members(json, "", error_);
        members.text("name", 60, ladder_.name);
        requiredText(members, "title", 200, ladder_.title, "one line");
        members.text("source", 400, ladder_.source);
        members.required("scene", "the name of a scene");
        readScene(members, ladder_.scene);
        readSize(members);
        members.whole("spp", 1, kMaxSamples, ladder_.spp);
        members.choice("clock", kClocks, usual_.clock);
        members.choice("measures", kMeasures, usual_.measures);
        members.choice("compare", kCompares, ladder_.compare);
        readUnit(members, ladder_.unit);
        if (!members.failed() && ladder_.unit->rate != (usual_.measures == Measures::rate))
            members.complain("unit", fmt::format("\"{}\"", ladder_.unit->id),
                             "a unit of what is measured");
        readAssignments(members, "settings", ladder_.settings);
        usual_.scene = ladder_.scene;
        usual_.spp = ladder_.spp;
        readRungs(members);
        members.finish();
    }

private:
    void readUnit(ObjectReader& members, const Unit*& unit) {
        std::string id;
        requiredText(members, "unit", 20, id, kUnitList);
        if (members.failed()) return;
        unit = findUnit(id);
        if (unit == nullptr)
            members.complain(members.pathOf("unit"), fmt::format("\"{}\"", id), kUnitList);
    }

    void readFigure(ObjectReader members, Measures measures, Figure& figure) {
        members.required("value", "a number above 0");
        members.number("value", {0, 1e12, true}, figure.value);
        readUnit(members, figure.unit);
        if (!members.failed() && figure.unit->rate != (measures == Measures::rate)) {
            members.complain(members.pathOf("unit"), fmt::format("\"{}\"", figure.unit->id),
                             measures == Measures::rate
                                 ? "a rate, because the rung measures one"
                                 : "ms or s, because the rung measures time");
        }
        requiredText(members, "device", 60, figure.device, "the processor of the figure");
        members.text("what", 200, figure.what);
        members.finish();
    }

    void readReferences(ObjectReader& members, Rung& rung) {
        const json* list = members.member("references");
        if (list == nullptr) return;
        const std::string expected = fmt::format("an array of at most {} figures", kMaxReferences);
        if (!list->is_array() || list->size() > kMaxReferences)
            return members.complain(members.pathOf("references"), briefly(*list), expected);
        rung.references.resize(list->size());
        for (std::size_t i = 0; i < list->size() && error_.empty(); ++i) {
            const std::string path = fmt::format("{}[{}]", members.pathOf("references"), i);
            readFigure({(*list)[i], path, error_}, rung.measures, rung.references[i]);
        }
    }

    void readScene(ObjectReader& members, std::string& scene) {
        members.text("scene", 300, scene);
        if (members.failed()) return;
        const bool path = isPath(scene);
        if (path && !below(folder_, scene)) {
            return members.complain(members.pathOf("scene"), fmt::format("\"{}\"", scene),
                                    "the name of a scene, or a file in the ladder's folder");
        }
        if (path) scene = (folder_ / scene).string();
        const auto found = scenes_.find(scene);
        if (!found) members.fail(fmt::format("{}: {}", members.pathOf("scene"), found.reason()));
    }

    void readSize(ObjectReader& members) {
        const json* size = members.required("size", "[width, height]");
        if (size == nullptr) return;
        const auto inRange = [](const json& n) {
            return n.is_number_integer() && n.get<double>() >= 1 && n.get<double>() <= kMaxSize;
        };
        if (!size->is_array() || size->size() != 2 || !inRange((*size)[0]) ||
            !inRange((*size)[1])) {
            return members.complain(
                "size", briefly(*size),
                fmt::format("[width, height], whole numbers from 1 to {}", kMaxSize));
        }
        ladder_.width = (*size)[0].get<int>();
        ladder_.height = (*size)[1].get<int>();
    }

    /// Without a word it is the rung before.
    void readFrom(ObjectReader& members, Rung& rung) {
        rung.from = static_cast<int>(ladder_.rungs.size()) - 1;
        std::string from;
        members.text("from", 60, from);
        if (members.failed() || from.empty()) return;
        for (std::size_t i = 0; i < ladder_.rungs.size(); ++i) {
            if (ladder_.rungs[i].name != from) continue;
            rung.from = static_cast<int>(i);
            return;
        }
        members.complain(members.pathOf("from"), fmt::format("\"{}\"", from),
                         "the name of a rung before this one");
    }

    void readRung(ObjectReader members, Rung& rung) {
        requiredText(members, "name", 60, rung.name, "a name");
        for (const Rung& other : ladder_.rungs) {
            if (members.failed() || other.name != rung.name) continue;
            members.complain(members.pathOf("name"), fmt::format("\"{}\"", rung.name),
                             "a name that no rung before has");
        }
        requiredText(members, "why", 600, rung.why, "one sentence");
        readFrom(members, rung);
        readAssignments(members, "settings", rung.changes);
        if (rung.from >= 0) rung.scene = ladder_.rungs[static_cast<std::size_t>(rung.from)].scene;
        if (members.member("scene") != nullptr) readScene(members, rung.scene);
        members.whole("spp", 1, kMaxSamples, rung.spp);
        members.choice("clock", kClocks, rung.clock);
        members.choice("measures", kMeasures, rung.measures);
        if (rung.measures == Measures::time && ladder_.spp == 0)
            members.complain("spp", "missing", "the samples of the picture that is timed");
        checkMoves(members, rung);
        if (members.member("published") != nullptr) {
            rung.published.emplace();
            readFigure(members.object("published", false), rung.measures, *rung.published);
        }
        readReferences(members, rung);
        members.finish();
    }

    void checkMoves(ObjectReader& members, const Rung& rung) {
        if (members.failed() || !ofSimulation(rung.measures)) return;
        if (!(*scenes_.find(rung.scene))->simulation)
            members.complain(members.pathOf("scene"), fmt::format("\"{}\"", rung.scene),
                             "a scene that moves, whose steps are measured");
        if (rung.clock == ClockKind::total)
            members.complain(members.pathOf("clock"), "\"total\"",
                             "kernel, loop or present, as a step has no picture");
    }

    void readRungs(ObjectReader& members) {
        const std::string expected = fmt::format("an array of 1 to {} rungs", kMaxRungs);
        const json* rungs = members.required("rungs", expected);
        if (rungs == nullptr) return;
        if (!rungs->is_array() || rungs->empty() || rungs->size() > kMaxRungs)
            return members.complain(
                "rungs",
                rungs->is_array() ? fmt::format("{} rungs", rungs->size()) : briefly(*rungs),
                expected);
        for (std::size_t i = 0; i < rungs->size() && error_.empty(); ++i) {
            Rung rung = usual_;
            readRung({(*rungs)[i], fmt::format("rungs[{}]", i), error_}, rung);
            ladder_.rungs.push_back(std::move(rung));
        }
    }

    Ladder& ladder_;
    Rung usual_;  ///< what rungs have unless they say otherwise
    fs::path folder_;
    std::string& error_;
    Scenes scenes_;
};

Result<Ladder> readLadder(const std::string& path) {
    const auto json = readJson(path, kMaxLadderBytes);
    return json ? ladderFromJson(*json, path) : json.failure();
}

/// The ladder's own settings, then the changes of all rungs on the way to this one; -1: none.
void apply(const Ladder& ladder, int rung, Settings& settings) {
    if (rung >= 0) apply(ladder, ladder.rungs[rung].from, settings);
    assignAll(settings, wordsOf(rung < 0 ? ladder.settings : ladder.rungs[rung].changes));
}

}  // namespace

void readAssignments(ObjectReader& members, const char* key, Assignments& assignments) {
    const json* object = members.member(key);
    if (object == nullptr) return;
    const std::string path = members.pathOf(key);
    if (!object->is_object()) return members.complain(path, briefly(*object), "an object");
    Settings scratch;
    for (const auto& [axis, value] : object->items()) {
        const bool word = value.is_string(), number = value.is_number_integer();
        if (!word && !number) {
            return members.complain(path + "." + printable(shortened(axis, kShownBytes)),
                                    briefly(value),
                                    "one of its values as a text, or a whole number");
        }
        const std::string spelled = word ? value.get<std::string>() : value.dump();
        if (const auto assigned = assignRead(scratch, axis + "=" + spelled); !assigned)
            return members.fail(fmt::format("{}: {}", path, assigned.reason()));
        assignments.emplace_back(axis, spelled);
    }
}

std::vector<std::string> wordsOf(const Assignments& assignments) {
    std::vector<std::string> words;
    for (const auto& [axis, value] : assignments) words.push_back(axis + "=" + value);
    return words;
}

std::string_view nameOf(ClockKind clock) {
    return kClocks[static_cast<size_t>(clock)];
}

std::string_view nameOf(Measures measures) {
    return kMeasures[static_cast<size_t>(measures)];
}

const Unit* findUnit(std::string_view id) {
    const auto found =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return unit.id == id; });
    return found == kUnits.end() ? nullptr : &*found;
}

std::string inUnit(double value, const Unit& unit) {
    const double shown = value / unit.scale;
    const double size = std::fabs(shown);
    const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= .1 ? 3 : 4;
    return fmt::format("{:.{}f}", shown, decimals);
}

Result<Ladder> ladderFromJson(const json& json, const fs::path& file) {
    Ladder ladder;
    ladder.name = printable(file.stem().string());
    std::string error;
    LadderReader(ladder, file.parent_path(), error).read(json);
    if (!error.empty()) return Failure{fmt::format("{}: {}", file.string(), error)};
    return ladder;
}

Result<SharedScene> Scenes::find(const std::string& name) {
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    auto scene = findScene(name);
    if (!scene) return scene.failure();
    return known_[name] = *std::move(scene);
}

std::vector<std::string> ladderNames() {
    const auto assets = findAssets();
    return assets ? namesIn(*assets / "ladders") : std::vector<std::string>{};
}

Result<Ladder> findLadder(const std::string& nameOrPath) {
    if (isPath(nameOrPath)) return readLadder(nameOrPath);
    const auto assets = findAssets();
    if (!assets) return assets.failure();
    const fs::path folder = *assets / "ladders";
    const std::vector<std::string> known = namesIn(folder);
    if (std::find(known.begin(), known.end(), nameOrPath) != known.end())
        return readLadder((folder / (nameOrPath + ".json")).string());
    return Failure{
        fmt::format("unknown ladder '{}': the ladders are {}, or name a file that ends in .json",
                    nameOrPath, fmt::join(known, ", "))};
}

Settings settingsOf(const Ladder& ladder, int rung, const Scene& scene, Backend preferred) {
    // First the backend, whose defaults are the rest.
    Settings chosen;
    chosen.backend = preferred;
    apply(ladder, rung, chosen);
    Settings settings = defaultSettings(chosen.backend, scene);
    apply(ladder, rung, settings);
    settings.backend = chosen.backend;
    return canonical(settings);
}

std::string meaningless(const Rung& rung, const Settings& settings) {
    for (const auto& [id, value] : rung.changes) {
        if (findAxis(id)->appliesTo(settings.backend)) continue;
        return meaningless(*findAxis(id), value);
    }
    return {};
}

}  // namespace rayscope
