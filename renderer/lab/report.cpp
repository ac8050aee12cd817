#include "renderer/lab/report.h"

#include <fmt/chrono.h>

#include <ctime>

#include "renderer/base/hash.h"
#include "renderer/base/version.h"
#include "renderer/choices/sources.h"
#include "renderer/compile/kernel_sources.h"
#include "renderer/lab/group_report.h"

namespace rayscope {

using nlohmann::json;

namespace {

std::string csvField(const std::string& text) {
    if (text.find_first_of(",\"\n") == text.npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

json toJson(const Spread& s, double scale) {
    return {{"median", s.median / scale}, {"lower", s.lower / scale}, {"upper", s.upper / scale}};
}

json toJson(const KernelInfo& kernel) {
    json object = {{"name", kernel.name}};
    const auto put = [&](const char* key, double value) {
        if (value >= 0) object[key] = value;
    };
    put("registers", kernel.registers);
    put("local_bytes", kernel.localBytes);
    put("spill_bytes", kernel.spillBytes);
    put("shared_bytes", kernel.sharedBytes);
    put("occupancy", kernel.occupancy);
    return object;
}

json toJson(const DeviceInfo& device) {
    return {{"name", device.name}, {"detail", device.detail}};
}

std::string utcNow() {
    return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
}

json reportHead(std::string_view kind, const DeviceInfo& device, bool complete, int width,
                int height) {
    json report = {
        {"kind", kind}, {"version", kVersion}, {"date", utcNow()}, {"complete", complete}};
    if (!builtFrom.id.empty()) {
        report["commit"] = builtFrom.id;
        report["clean"] = builtFrom.clean;
    }
    if (width > 0) report["size"] = {width, height};
    if (!device.name.empty()) report["device"] = device.name;
    if (!device.detail.empty()) report["device_detail"] = device.detail;
    if (!device.driver.empty()) report["driver"] = device.driver;
    if (!madeBy.empty()) report["command"] = madeBy;
    if (json sources = sourceDigests(); !sources.empty()) report["sources"] = std::move(sources);
    return report;
}

json sourceDigests() {
    json digests = json::object();
    const ValueList& names = sourceValues();
    for (int source = 0; source < static_cast<int>(names.size()); ++source) {
        if (sourceFolder(source).empty()) continue;
        std::uint64_t digest = fnv1a({});
        for (const KernelSource& file : kernelSources(source))
            digest = fnv1a(file.text, fnv1a(file.name, digest));
        digests[names[static_cast<std::size_t>(source)].id] = fmt::format("{:016x}", digest);
    }
    return digests;
}

/// Column by column.
static json toJson(const std::vector<RawPass>& passes) {
    json columns = {
        {"kernel_ms", json::array()}, {"loop_ms", json::array()}, {"rays", json::array()}};
    for (const RawPass& pass : passes) {
        columns["kernel_ms"].push_back(pass.kernelMs);
        columns["loop_ms"].push_back(pass.loopMs);
        columns["rays"].push_back(pass.rays);
        if (pass.processorMs > 0) columns["processor_ms"].push_back(pass.processorMs);
    }
    return columns;
}

json toJson(const Measurement& m) {
    json object = {{"device", m.device.name},
                   {"rays",
                    {{"camera", m.rays.camera},
                     {"bounce", m.rays.bounce},
                     {"shadow", m.rays.shadow},
                     {"total", m.rays.total()}}},
                   {"rays_per_sample", m.raysPerSample},
                   {"samples", m.samples},
                   {"pass_samples", m.passSamples},
                   {"passes", m.passes},
                   {"launches", m.launches},
                   {"kernel_ms", m.kernelMs},
                   {"loop_ms", m.loopMs},
                   {"kernel_rays_per_second", toJson(m.kernelRate)},
                   {"loop_rays_per_second", toJson(m.loopRate)},
                   {"kernel", toJson(m.kernel)},
                   {"raw", toJson(m.raw)}};
    addGroup(object, m.group);
    if (m.width > 0) object["timed_size"] = {m.width, m.height};
    if (m.buildMs >= 0) object["build_ms"] = m.buildMs;
    if (m.fill > 0) object["device_fill"] = m.fill;
    if (m.noise) {
        object["sample_variance"] = m.noise->variance;
        object["sample_variance_error"] = m.noise->variance * m.noise->spread;
    }
    if (m.mean) {
        object["mean_radiance"] = {m.mean->x, m.mean->y, m.mean->z};
        object["mean_radiance_error"] = m.brightnessError;
    }
    return object;
}

std::string csvNumber(double value) {
    return fmt::format("{:.6g}", value);
}

std::string csvLine(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) line += csvField(field) + ",";
    line.back() = '\n';
    return line;
}

}  // namespace rayscope
