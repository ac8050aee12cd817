#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/choices/settings.h"
#include "renderer/choices/value_list.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// choice: one of `values`; toggle: off or on; number: minimum..maximum.
enum class AxisKind { choice, toggle, number };

/// Where a panel shows the axis, in this order.
enum class AxisGroup { backend, kernel, wavefront, scene, launch, path, simulation };

/// Who reads a choice. compiler: it is compiled into a kernel, and nothing else depends on it.
/// launch: it decides what is launched, where, in which shape or on which data. host: only the code
/// that starts kernels or shows the picture; no kernel's time depends on it. simulation: it moves
/// the bodies of a scene; no kernel that traces depends on it.
enum class Reader { compiler = 1, launch, host, simulation };

/// The most that another value can change in the picture. nothing: rounding in the last place.
/// machine: the same, but another processor traces. numbers: the same paths in another precision.
/// paths: other random numbers or other rays, the same expectation. picture: another expectation;
/// the film restarts.
enum class Effect { nothing = 1, machine, numbers, paths, picture };

/// The member of the settings that holds the value, as an index into the values or as a number.
struct AxisMember {
    int (*get)(const Settings&) = nullptr;
    void (*set)(Settings&, int) = nullptr;
};

bool always(const Settings&);

/// Where an axis has an effect, in code and in words: "engine=wavefront". Elsewhere panels hide it
/// and canonical() resets it to its default.
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

/// What some values of an axis cannot be combined with. Both the refusal and the cure come from it:
/// "scene_memory=shared: tiles are read in order, which a BVH is not (accel=brute)".
struct Rule {
    std::string_view values = {};  ///< of its axis, "shared" or "reference|copy_state"; empty: all
    std::string_view clash = {};   ///< values of another axis, "accel=bvh"; empty: see the reasons
    std::string_view why = {};     ///< "tiles are read in order, which a BVH is not"
    /// Instead of `why`, if it depends on other settings or on the scene. Empty result: no clash.
    std::string (*reason)(const Settings&) = nullptr;
    std::string (*reasonInScene)(const Settings&, const Scene&) = nullptr;
    /// Assignments, each of which ends the clash: "accel=brute". The sentence names the first;
    /// choose() applies the first that leaves the chosen axis alone.
    std::vector<std::string_view> remedies = {};
    AxisValues own = {}, other = {};  ///< `values` and `clash`; axes() sets them
};

/// Something that a user can switch: a row of the table axes(), which the panels, the command line,
/// JSON, the sweeps, the laboratory and the tests all read.
struct Axis {
    std::string_view id;     ///< "scene_layout"
    std::string_view label;  ///< "Scene layout"
    std::string_view help;   ///< one sentence
    std::string_view story;  ///< which published story it comes from
    AxisKind kind = AxisKind::choice;
    bool onCpu = false, onCuda = false;  ///< the backends where it has an effect
    std::string_view otherLacks = {};    ///< why it has none on the other one
    Reader reader = {};
    Effect effect = {};
    Belonging belongsTo = {};
    AxisMember member = {};
    ValueList values = {};         ///< empty for numbers; those of `source` become more
    int minimum = 0, maximum = 0;  ///< of get(); axes() sets them where there are values
    std::string_view zero = {};    ///< what a window calls the number 0: "all"
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

/// nullptr if there is no such axis.
const Axis* findAxis(std::string_view id);

/// "compiler", "launch", "host", "simulation"; "nothing", "machine", ...
std::string_view nameOf(Reader reader);
std::string_view nameOf(Effect effect);

/// Of an axis of one backend alone: "block=8x8 means nothing on the cpu backend: a CPU has no
/// blocks of threads".
std::string meaningless(const Axis& axis, std::string_view value);

/// Why one of these assignments, which are part of the settings, has no effect there: that
/// sentence, or "tile=64 changes nothing here: it belongs to scene_memory=shared". Empty where all
/// have one.
std::string withoutEffect(const std::vector<std::string>& assignments, const Settings& settings);

/// The axis's value as it is spelled: "soa", "10".
std::string valueOf(const Axis& axis, const Settings& settings);

/// Applies "axis=value". The reason of a failure lists what is valid.
Result<void> assign(Settings& settings, std::string_view assignment);

/// The same for a file's word: a source that is not known here becomes a value without a folder.
Result<void> assignRead(Settings& settings, std::string_view assignment);

/// The settings with every axis that does not matter reset to its default: settings that render
/// alike become equal.
Settings canonical(const Settings& settings);

/// "path=loop precision=float ...": every axis that matters.
std::string describe(const Settings& settings);

/// What changed, "math=fast scene_memory=constant"; empty if nothing did.
std::string difference(const Settings& before, const Settings& after);

/// A rule that settings break, and the sentence for the user.
struct Clash {
    const Axis* axis;
    const Rule* rule;
    std::string why;
    std::string sentence;
};

/// Every rule that the settings break, in the order of the table.
std::vector<Clash> clashes(const Settings& settings, const Scene& scene);

/// Why no device can render this combination: the sentence of the first clash, or an empty string.
/// Renderers add what their device cannot do.
std::string unsupported(const Settings& settings, const Scene& scene);

/// Sets the axis, and changes other axes that would rule the value out: engine=hybrid replaces
/// compaction=device by compaction=host. For choices made one at a time.
void choose(Settings& settings, const Axis& axis, int value);

/// Applies valid assignments. Axes that none of them names give way to them, as in choose().
void assignAll(Settings& settings, const std::vector<std::string>& assignments);

/// The settings for another backend: axes that both have are kept, and what the new one cannot do
/// becomes its default: the engine, or everything in the kernel.
Settings withBackend(const Settings& settings, Backend backend, const Scene& scene);

/// The settings with what the scene rules out replaced; `reason` then receives what was, and why:
/// "light sampling turned off: this scene has no emissive sphere". Values that are the scene's
/// defaults are kept.
Settings possible(const Settings& settings, const Scene& scene, std::string* reason);

/// The settings for another scene: its depth, and the values of `fresh` where they had those of
/// `old`, which are what a scene before and this one begin with.
Settings carriedOver(const Settings& settings, const Settings& old, const Settings& fresh,
                     const Scene& scene);

/// The settings for another scene. They take its depth, and its defaults where they had those of
/// the scene before; the rest is kept as far as possible() allows.
Settings forScene(const Settings& settings, const Scene& before, const Scene& after,
                  std::string* reason);

}  // namespace rayscope
