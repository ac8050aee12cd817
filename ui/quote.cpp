#include "ui/quote.h"

#include <fmt/format.h>

#include "renderer/base/text.h"
#include "renderer/base/version.h"
#include "renderer/choices/axes.h"
#include "ui/format.h"

namespace rayscope {

namespace {

std::string placeText(const glm::dvec3& p) {
    return fmt::format("({:.4g}, {:.4g}, {:.4g})", p.x, p.y, p.z);
}

/// "3.21 ± 0.02 M rays/s"
std::string rateText(const Rates& rates) {
    const std::optional<Estimate> settled = rates.settledRate();
    if (!settled)
        return formatRate(rates.raysPerSecond().value_or(-1)) +
               (rates.firstLook() ? " (first look)" : " (not settled)");
    const Prefix prefix = prefixOf(settled->mean);
    const Quantity q = formatQuantity(settled->mean, "rays/s");
    return fmt::format("{} \u00b1 {} {}", q.number,
                       formatNumber(kIn95 * settled->error / prefix.size), q.unit);
}

}  // namespace

std::string viewText(const Camera& camera, const Scene& scene) {
    if (camera == scene.camera) return "its own camera";
    return fmt::format("camera at {} to {}", placeText(camera.from), placeText(camera.to));
}

std::string quoteOf(const Rates& rates, const Quoted& quoted) {
    const State& state = quoted.state;
    const std::string step =
        state.scene->simulation ? fmt::format(" at step {}", quoted.step) : std::string();
    std::string text = fmt::format("{}{}, {}, {}x{}, {}: {}", printable(state.scene->name), step,
                                   viewText(state.camera, state.scene), quoted.width, quoted.height,
                                   quoted.device, rateText(rates));
    if (const std::optional<SwitchRatio> ratio = rates.ratio())
        text += fmt::format(", {:.3f}x \u00b1 {:.3f} by {}", ratio->ratio, ratio->halfWidth,
                            ratio->label);
    const std::string changed = difference(quoted.defaults, state.settings);
    text += "; " + (changed.empty() ? "default settings" : changed);
    if (!quoted.conditions.empty()) text += "; " + quoted.conditions;
    return text + "; Rayscope " + versionText();
}

}  // namespace rayscope
