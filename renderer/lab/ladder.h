#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/choices/settings.h"
#include "renderer/scene/json_reader.h"
#include "renderer/scene/shared_scene.h"

// Ladders: the published sequences of optimisations, assets/ladders/*.json.
// assets/ladders/README.md describes the format.

namespace rayscope {

/// Which time a rung is measured by. kernel: on the GPU between events around the kernels, on the
/// CPU wall time of the workers. loop: wall time of the loop of launches with copies and host work,
/// everything set up before. present: loop, with a copy of the film to the host after every
/// Settings::launches launches. total: a process of its own, from before the CUDA context is made
/// to the finished picture.
enum class ClockKind { kernel, loop, present, total };

/// rate: rays a second. time: of the ladder's picture. gap: what a launch takes beyond its kernel.
/// step: of the scene's simulation, its time. stepGap: what a step takes beyond its kernels, if
/// after every Settings::steps steps the bodies are copied to the host.
enum class Measures { rate, time, gap, step, stepGap };

inline bool ofSimulation(Measures measures) {
    return measures == Measures::step || measures == Measures::stepGap;
}

/// What a rung is compared with. first: the first rung. scene: the first rung of its scene.
enum class Compare { first, scene };

std::string_view nameOf(ClockKind clock);
std::string_view nameOf(Measures measures);

struct Unit {
    std::string_view id;  ///< "Mrays/s"
    bool rate;            ///< rays a second; else a time
    double scale;         ///< times this it is rays a second, or seconds
};

/// nullptr where there is no such unit.
const Unit* findUnit(std::string_view id);

/// The value, in rays a second or seconds, in the unit and with three or four digits: "16.3",
/// "46 288".
std::string inUnit(double value, const Unit& unit);

/// Axes and the values that they are given, in order.
using Assignments = std::vector<std::pair<std::string, std::string>>;

/// "axis=value" of each.
std::vector<std::string> wordsOf(const Assignments& assignments);

/// Those of a member {"axis": value}, which may be absent. An axis or value that there is not is a
/// complaint.
void readAssignments(ObjectReader& members, const char* key, Assignments& assignments);

/// Somebody else's figure.
struct Figure {
    double value = 0;
    const Unit* unit = nullptr;
    std::string device;
    std::string what;  ///< what was run there; empty: what the rung says
    /// In rays a second, or seconds.
    double base() const { return value * unit->scale; }
    /// In rays a second, or pictures (or gaps) a second.
    double speed() const { return unit->rate ? base() : 1 / base(); }
};

struct Rung {
    std::string name;
    std::string why;  ///< one sentence
    int from = -1;    ///< the rung that it changes; -1: the ladder's own settings
    Assignments changes;
    std::string scene;  ///< name or path
    int spp = 0;        ///< samples a pixel that a pass has at most; 0: no limit
    ClockKind clock = ClockKind::kernel;
    Measures measures = Measures::rate;
    std::optional<Figure> published;
    std::vector<Figure> references;
};

struct Ladder {
    std::string name, title, source;
    std::string scene;
    int width = 0, height = 0, spp = 0;  ///< of the picture; spp 0 where none is timed
    const Unit* unit = nullptr;          ///< of what has no published figure
    Compare compare = Compare::first;
    Assignments settings;  ///< that every rung begins with
    std::vector<Rung> rungs;
};

/// The ladder, or one sentence that names the file, the key and what was expected. Axes, values,
/// units and scenes that do not exist are errors. Scenes named by a path lie in `file`'s folder or
/// below, and nothing else is opened.
Result<Ladder> ladderFromJson(const nlohmann::json& json, const std::filesystem::path& file);

/// A name of ladderNames(), or the path of a file of at most 1 MiB: something with a slash or that
/// ends in ".json".
Result<Ladder> findLadder(const std::string& nameOrPath);

/// Scenes by name, each read once.
class Scenes {
public:
    Result<SharedScene> find(const std::string& name);

private:
    std::map<std::string, SharedScene> known_;
};

/// The ladders in the folder of assets, sorted.
std::vector<std::string> ladderNames();

/// The settings of a rung: the ladder's, then the changes of all rungs on the way to it. What
/// nobody mentions is the default of the backend and scene, what does not matter there the default
/// of Settings. A rung that names no backend has
/// `preferred`.
Settings settingsOf(const Ladder& ladder, int rung, const Scene& scene, Backend preferred);

/// The reason why a change of the rung means nothing on the backend of its settings, or an empty
/// string.
std::string meaningless(const Rung& rung, const Settings& settings);

}  // namespace rayscope
