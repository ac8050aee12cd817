#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "renderer/base/say.h"
#include "renderer/base/version.h"
#include "renderer/choices/axes.h"
#include "renderer/compile/cache.h"
#include "renderer/devices/starting.h"
#include "renderer/lab/report.h"
#include "renderer/machine/conditions.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

struct Devices {
    DeviceInfo cpu, cuda;
    std::vector<std::string> gpus;
    std::string noCuda;
    Sensors sensors;  ///< of the GPU
};

Devices findDevices(const DeviceList& device) {
    Devices devices;
    devices.cpu = makeCpuRenderer()->device();
    devices.gpus = cudaDevices();
    const auto cuda = makeCudaRenderer(gpuOf(device));
    if (cuda)
        devices.cuda = (*cuda)->device();
    else
        devices.noCuda = cuda.reason();
    if (devices.noCuda.empty()) devices.sensors = sensorsOf(Backend::cuda, devices.cuda);
    return devices;
}

/// The axis' value in vt9, where no setting is given.
std::string defaultOf(const Axis& axis, Backend backend) {
    const auto scene = findScene("vt9");
    if (!scene) return {};
    const Settings settings = startingSettings(backend, *scene);
    return axis.appliesTo(backend) ? valueOf(axis, settings) : std::string();
}

/// "loop", "cpu native, cuda O3"; empty if it is not known.
std::string defaultsOf(const Axis& axis) {
    const std::string cpu = defaultOf(axis, Backend::cpu), cuda = defaultOf(axis, Backend::cuda);
    if (cpu.empty() || cuda.empty() || cpu == cuda) return cpu.empty() ? cuda : cpu;
    return fmt::format("cpu {}, cuda {}", cpu, cuda);
}

std::string valuesOf(const Axis& axis) {
    if (axis.kind == AxisKind::number) return fmt::format("{}..{}", axis.minimum, axis.maximum);
    std::string text;
    for (const AxisValue& v : axis.values) text += (text.empty() ? "" : " ") + v.id;
    return text;
}

nlohmann::json toJson(const Devices& devices, const DeviceList& device) {
    const bool cuda = devices.noCuda.empty();
    nlohmann::json json = reportHead("info", cuda ? devices.cuda : devices.cpu, true);
    json["scenes"] = sceneNames();
    json["cpu"] = {{"name", devices.cpu.name}, {"detail", devices.cpu.detail}};
    if (cuda) {
        ConditionsWatch watch(devices.sensors);
        watch.look();
        json["cuda"] = {{"name", devices.cuda.name},
                        {"detail", devices.cuda.detail},
                        {"device", gpuOf(device)},
                        {"conditions", toJson(watch.summary())}};
    } else {
        json["cuda"] = {{"missing", devices.noCuda}};
    }
    json["gpus"] = devices.gpus;
    json["kernel_cache"] = {{"folder", KernelCache::defaultFolder().string()},
                            {"problem", KernelCache::common().problem()}};
    for (const Axis& axis : axes()) {
        nlohmann::json row = {{"id", axis.id},
                              {"label", axis.label},
                              {"help", axis.help},
                              {"story", axis.story},
                              {"belongs_to", axis.belongsTo.words},
                              {"cpu", axis.onCpu},
                              {"cuda", axis.onCuda},
                              {"reader", nameOf(axis.reader)},
                              {"effect", nameOf(axis.effect)}};
        if (axis.kind == AxisKind::number) {
            row["minimum"] = axis.minimum;
            row["maximum"] = axis.maximum;
        }
        for (const AxisValue& v : axis.values) row["values"].push_back(v.id);
        for (const auto& [name, backend] :
             {std::pair("cpu", Backend::cpu), {"cuda", Backend::cuda}}) {
            const std::string usual = defaultOf(axis, backend);
            if (!usual.empty()) row["default"][name] = usual;
        }
        json["axes"].push_back(row);
    }
    return json;
}

void print(const Devices& devices) {
    say("Rayscope {}\n\n", versionText());
    say("cpu    {}  ({})\n", devices.cpu.name, devices.cpu.detail);
    if (devices.noCuda.empty())
        say("cuda   {}  ({})\n", devices.cuda.name, devices.cuda.detail);
    else
        say("cuda   none: {}\n", devices.noCuda);
    for (size_t i = 0; devices.gpus.size() > 1 && i < devices.gpus.size(); ++i)
        say("       --device {}  {}\n", i, devices.gpus[i]);
    if (devices.sensors.read)
        say("clocks {}\n", describe(devices.sensors.read()));
    else if (devices.noCuda.empty())
        say("clocks none: {}\n", devices.sensors.missing);
    if (const std::string problem = KernelCache::common().problem(); !problem.empty())
        say("cache  none: {}, so kernels are compiled anew in every program\n", problem);
    const auto assets = findAssets();
    if (!assets) {
        say("scenes none: {}\n", assets.reason());
    } else {
        std::string names;
        for (const std::string& name : sceneNames()) names += (names.empty() ? "" : " ") + name;
        say("scenes {}\n", names);
    }
    say("\nAxes, for --set axis=value [default]:\n");
    for (const Axis& axis : axes()) {
        const char* where = axis.onCpu && axis.onCuda ? "" : axis.onCpu ? "  (cpu)" : "  (cuda)";
        const std::string usual = defaultsOf(axis);
        say("  {:<15} {}{}{}\n{:18}{}\n", axis.id, valuesOf(axis), where,
            usual.empty() ? "" : "  [" + usual + "]", "", axis.help);
        if (!axis.otherLacks.empty())
            say("{:18}Only with {}: {}.\n", "", axis.onCpu ? "a CPU" : "CUDA", axis.otherLacks);
        if (!axis.belongsTo.words.empty()) say("{:18}Belongs to {}.\n", "", axis.belongsTo.words);
    }
}

}  // namespace

int runInfo(const InfoOptions& options) {
    const Devices devices = findDevices(options.device);
    if (options.json.empty()) print(devices);
    return finishJson(options.json, toJson(devices, options.device));
}

}  // namespace rayscope
