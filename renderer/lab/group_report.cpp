#include "renderer/lab/group_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace rayscope {

namespace {

double rateOf(const DeviceWork& device) {
    return device.kernelMs > 0 ? 1e3 * static_cast<double>(device.rays) / device.kernelMs : 0;
}

}  // namespace

std::string groupText(const GroupWork& work) {
    if (work.devices.empty()) return {};
    std::size_t width = 7;
    for (const DeviceWork& device : work.devices) width = std::max(width, device.name.size());
    std::string text = fmt::format("{:<{}} {:>10} {:>14} {:>11}\n", "device", width, "samples",
                                   "M rays/s", "in kernels");
    for (const DeviceWork& device : work.devices) {
        const double busy = work.wallMs > 0 ? 100 * device.kernelMs / work.wallMs : 0;
        text += fmt::format("{:<{}} {:>10} {:>14.2f} {:>9.1f} %", device.name, width,
                            device.samples, rateOf(device) / 1e6, busy);
        if (!device.way.empty()) text += "  film added " + device.way;
        if (!device.problem.empty()) text += "; lost: " + device.problem;
        text += '\n';
    }
    return text + fmt::format(
                      "efficiency {:.3f}: {:.2f} M rays/s of wall time together, {:.2f} "
                      "the sum of each while its kernels run\n",
                      work.efficiency(), work.raysPerSecond() / 1e6,
                      work.raysPerSecondAlone() / 1e6);
}

void addGroup(nlohmann::json& report, const GroupWork& work) {
    if (work.devices.empty()) return;
    for (const DeviceWork& device : work.devices) {
        nlohmann::json entry = {{"device", device.name},
                                {"samples", device.samples},
                                {"rays", device.rays},
                                {"kernel_ms", device.kernelMs},
                                {"rays_per_second", rateOf(device)}};
        if (!device.way.empty()) entry["way"] = device.way;
        if (!device.problem.empty()) entry["problem"] = device.problem;
        report["devices"].push_back(std::move(entry));
    }
    report["devices_wall_ms"] = work.wallMs;
    report["efficiency"] = work.efficiency();
}

}  // namespace rayscope
