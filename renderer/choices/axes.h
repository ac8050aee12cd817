#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/choices/settings.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// choice: one of `values`; toggle: off or on; number: minimum..maximum.
enum class AxisKind { choice, toggle, number };

/// Where a panel shows the axis, in this order.
enum class AxisGroup { backend, kernel, wavefront, scene, launch, path };

/// Who reads a choice. compiler: it is compiled into a kernel, and nothing else depends on it.
/// launch: what is launched depends on it, or where, in which shape or on which data. host: only
/// whoever starts kernels or shows the picture; no kernel's time depends on it.
enum class Reader { compiler = 1, launch, host };

/// The most that another value changes in the picture. nothing: rounding in the last place.
/// machine: the same, but other processors trace. numbers: the same paths in another precision.
/// paths: other random numbers or other rays, the same expectation. picture: another expectation;
/// the film begins anew.
enum class Effect { nothing = 1, machine, numbers, paths, picture };

struct AxisValue {
    std::string id;     ///< the spelling in JSON, on the command line, in test names
    std::string label;  ///< what a panel shows
};

/// The member of the settings that holds the value, as an index into the values or as a number.
struct AxisMember {
    int (*get)(const Settings&) = nullptr;
    void (*set)(Settings&, int) = nullptr;
};

bool always(const Settings&);

/// Where an axis has a meaning, in code and in words: "engine=wavefront". Elsewhere no panel shows
/// it and canonical() gives it its default.
struct Belonging {
    bool (*holds)(const Settings&) = always;
    std::string_view words;  ///< empty: everywhere
};

struct Axis;

/// Some values of an axis: "scene_memory=shared", "access=reference|copy_state".
struct AxisValues {
    const Axis* axis = nullptr;  ///< nullptr: no condition
    std::vector<int> values;     ///< empty: all
};

/// What values of an axis cannot be combined with. The refusal and its cure are both made of this:
/// "scene_memory=shared: tiles are read in order, which a BVH is not (accel=brute)".
struct Rule {
    std::string_view values = {};  ///< of its axis, "shared" or "reference|copy_state"; empty: all
    std::string_view clash = {};   ///< values of another axis, "accel=bvh"; empty: see the reasons
    std::string_view why = {};     ///< "tiles are read in order, which a BVH is not"
    /// The same, where it depends on more: on other settings, or on the scene. Empty: no clash.
    std::string (*reason)(const Settings&) = nullptr;
    std::string (*reasonInScene)(const Settings&, const Scene&) = nullptr;
    /// Assignments, each of which ends the clash: "accel=brute". A choice brings along the first
    /// that leaves the choice alone. The sentence names the first.
    std::vector<std::string_view> remedies = {};
    AxisValues own = {}, other = {};  ///< `values` and `clash`; axes() sets them
};

/// One thing that can be chosen. The panels, the command line, JSON, the sweeps, the laboratory and
/// the tests all read the table axes(), in which a row says everything about an axis.
struct Axis {
    std::string_view id;     ///< "scene_layout"
    std::string_view label;  ///< "Scene layout"
    std::string_view help;   ///< one sentence
    std::string_view story;  ///< which published story it comes from
    AxisKind kind = AxisKind::choice;
    bool onCpu = false, onCuda = false;  ///< the backends where it means something
    Reader reader = {};
    Effect effect = {};
    Belonging belongsTo = {};
    AxisMember member = {};
    std::vector<AxisValue> values = {};  ///< empty for numbers
    int minimum = 0, maximum = 0;        ///< of get(); axes() sets them where there are values
    std::vector<Rule> rules = {};
    AxisGroup group = {};  ///< axes() sets it

    int get(const Settings& settings) const { return member.get(settings); }
    void set(Settings& settings, int value) const { member.set(settings, value); }
    bool appliesTo(Backend backend) const { return backend == Backend::cpu ? onCpu : onCuda; }
    bool matters(const Settings& settings) const {
        return appliesTo(settings.backend) && belongsTo.holds(settings);
    }
};

const std::vector<Axis>& axes();

/// nullptr where there is no such axis.
const Axis* findAxis(std::string_view id);

/// "compiler", "launch", "host"; "nothing", "machine", ...
std::string_view nameOf(Reader reader);
std::string_view nameOf(Effect effect);

/// The axis' present value as it is spelled: "soa", "10".
std::string valueOf(const Axis& axis, const Settings& settings);

/// Applies "axis=value"; returns an empty string, or a sentence that lists what is valid.
std::string assign(Settings& settings, std::string_view assignment);

/// The settings with every axis that does not matter at its default: two settings that render alike
/// become equal.
Settings canonical(const Settings& settings);

/// "path=loop precision=float ...": every axis that matters.
std::string describe(const Settings& settings);

/// What changed, "math=fast scene_memory=constant"; empty where nothing did.
std::string difference(const Settings& before, const Settings& after);

/// A rule that settings break, and the sentence for the user.
struct Clash {
    const Axis* axis;
    const Rule* rule;
    std::string sentence;
};

/// Every rule that the settings break, in the order of the table.
std::vector<Clash> clashes(const Settings& settings, const Scene& scene);

/// The reason why the combination cannot be had on any device, or an empty string: the first clash.
/// Renderers add what their device cannot do.
std::string unsupported(const Settings& settings, const Scene& scene);

/// Sets the axis, and other axes where they would rule the value out: engine=hybrid brings
/// compaction=host in place of compaction=device. For choices made one at a time.
void choose(Settings& settings, const Axis& axis, int value);

/// Applies assignments that are valid; what none of them names gives way to them as in choose().
void assignAll(Settings& settings, const std::vector<std::string>& assignments);

/// The settings as they would be with the other backend: what means something on both is kept, and
/// what the new one cannot do becomes its default.
Settings withBackend(const Settings& settings, Backend backend, const Scene& scene);

/// The settings without what the scene cannot have, of which `reason` then receives the sentence.
/// What is at the scene's default stays.
Settings possible(const Settings& settings, const Scene& scene, std::string* reason);

/// The settings for another scene: its depth; what was left at the default of the scene before
/// gets its own default, and the rest as far as possible().
Settings forScene(const Settings& settings, const Scene& before, const Scene& after,
                  std::string* reason);

}  // namespace rayscope
