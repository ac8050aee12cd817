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

struct AxisValue {
    std::string id;     ///< the spelling in JSON, on the command line, in test names
    std::string label;  ///< what a panel shows
};

/// One thing that can be chosen. The panels, the command line, JSON, the sweeps, the tests and the
/// kernel names all read the table axes().
struct Axis {
    std::string_view id;     ///< "scene_layout"
    std::string_view label;  ///< "Scene layout"
    std::string_view help;   ///< one sentence
    std::string_view story;  ///< which published story it comes from
    AxisKind kind;
    AxisGroup group;
    bool onCpu, onCuda;             ///< the backends where it means something
    std::vector<AxisValue> values;  ///< empty for numbers
    int minimum, maximum;           ///< of get(): indices into values, or the numbers
    int (*get)(const Settings&);
    void (*set)(Settings&, int);
    /// False where the other choices leave it without meaning: no panel shows it then.
    bool (*relevant)(const Settings&);
    std::string_view belongsTo;  ///< the same in words, "engine=wavefront"; empty: everywhere

    bool appliesTo(Backend backend) const { return backend == Backend::cpu ? onCpu : onCuda; }
    bool matters(const Settings& settings) const {
        return appliesTo(settings.backend) && relevant(settings);
    }
};

const std::vector<Axis>& axes();

/// nullptr where there is no such axis.
const Axis* findAxis(std::string_view id);

/// The axis' present value as it is spelled: "soa", "10".
std::string valueOf(const Axis& axis, const Settings& settings);

/// Applies "axis=value"; returns an empty string, or a sentence that lists what is valid.
std::string assign(Settings& settings, std::string_view assignment);

/// Sets the axis, and other axes where they would rule the value out: engine=hybrid brings
/// compaction=host in place of compaction=device. For choices made one at a time.
void choose(Settings& settings, const Axis& axis, int value);

/// Applies assignments that are valid; what none of them names gives way to them as in choose().
void assignAll(Settings& settings, const std::vector<std::string>& assignments);

/// The settings with every axis that does not matter at its default: two settings that render alike
/// become equal.
Settings canonical(const Settings& settings);

/// The reason why the combination cannot be had on any device, or an empty string. Renderers add
/// what their device cannot do.
std::string unsupported(const Settings& settings, const Scene& scene);

/// "path=loop precision=float ...": every axis that matters.
std::string describe(const Settings& settings);

/// What changed, "math=fast scene_memory=constant"; empty where nothing did.
std::string difference(const Settings& before, const Settings& after);

}  // namespace rayscope
