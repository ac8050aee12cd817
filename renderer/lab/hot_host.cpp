#include "renderer/lab/hot_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "renderer/backend/function_name.h"
#include "renderer/code/code_report.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr std::size_t kHottestLines = 10, kLineWidth = 60;

double shareOf(std::uint64_t samples, std::uint64_t all) {
    return all > 0 ? static_cast<double>(samples) / static_cast<double>(all) : 0;
}

std::vector<HotKernel> hottestFunctions(const HotWork& work) {
    std::vector<HotKernel> functions = work.hot.kernels;
    std::ranges::stable_sort(functions, std::ranges::greater{},
                             [](const HotKernel& f) { return f.executed.warps; });
    return functions;
}

json timeJson(std::uint64_t samples, const HotWork& work) {
    const std::uint64_t all = work.hot.all.warps;
    const double share = shareOf(samples, all);
    return {{"samples", samples}, {"share", share}, {"error", shareError(share, all)}};
}

}  // namespace

std::string timeText(std::uint64_t samples, const HotWork& work) {
    const std::uint64_t all = work.hot.all.warps;
    const double share = shareOf(samples, all);
    return fmt::format("{:.1f} \u00b1 {:.1f} %", 100 * share, 100 * shareError(share, all));
}

std::string hostTable(const HotWork& work) {
    const HotLines& hot = work.hot;
    const std::uint64_t all = hot.all.warps, seen = all + work.seen.outside;
    std::string text =
        fmt::format("{} samples of where the threads are, {:.1f} % of them outside of the kernel\n",
                    seen, 100 * shareOf(work.seen.outside, seen));
    for (const KernelFacts& kernel : work.code.kernels)
        text += fmt::format("{}  {}\n", kernel.name, digestText(kernel.code));
    const auto row = [&](std::uint64_t samples, const std::string& what) {
        text += fmt::format("{:>14}  {}\n", timeText(samples, work), what);
    };
    text += fmt::format("\n{:>14}  {:<12}line\n", "time", "part");
    for (std::size_t i = 0; i < std::min(kHottestLines, hot.lines.size()); ++i) {
        const HotLine& line = hot.lines[i];
        row(line.executed.warps,
            fmt::format("{:<12}{}  {}", kPartNames[static_cast<std::size_t>(line.part)],
                        placeText(line), sourceText(line, work.files).substr(0, kLineWidth)));
    }
    text += fmt::format("\n{:>14}  part\n", "time");
    for (std::size_t i = 0; i < hot.parts.size(); ++i) {
        if (hot.parts[i].warps > 0) row(hot.parts[i].warps, kPartNames[i]);
    }
    if (hot.unknown.warps > 0) row(hot.unknown.warps, "without a line");
    if (hot.kernels.size() < 2) return text;
    text += fmt::format("\n{:>14}  function\n", "time");
    for (const HotKernel& function : hottestFunctions(work))
        row(function.executed.warps, functionName(function.symbol));
    return text;
}

json hostReport(const HotWork& work) {
    const HotLines& hot = work.hot;
    json parts = json::object(), lines = json::array(), functions = json::array();
    json kernels = json::array(), at = json::array();
    for (std::size_t i = 0; i < hot.parts.size(); ++i) {
        if (hot.parts[i].warps > 0) parts[kPartNames[i]] = timeJson(hot.parts[i].warps, work);
    }
    for (const HotLine& line : hot.lines) {
        json row = timeJson(line.executed.warps, work);
        row.update({{"file", line.file},
                    {"line", line.line},
                    {"function", line.function},
                    {"part", kPartNames[static_cast<std::size_t>(line.part)]},
                    {"text", sourceText(line, work.files)}});
        lines.push_back(std::move(row));
    }
    for (const HotKernel& function : hottestFunctions(work)) {
        json row = timeJson(function.executed.warps, work);
        row["name"] = functionName(function.symbol);
        functions.push_back(std::move(row));
    }
    for (const KernelFacts& kernel : work.code.kernels)
        kernels.push_back({{"name", kernel.name}, {"digest", digestText(kernel.code)}});
    for (const HostSamples::At& one : work.seen.at) at.push_back({one.address, one.samples});
    return {{"rays", work.rays.total()},
            {"searches", work.rays.camera + work.rays.bounce},
            {"kernel_ms", work.kernelMs},
            {"collect_ms", work.collectMs},
            {"architecture", targetOf(work.code)},
            {"sampled", true},
            {"samples_at", std::move(at)},
            {"samples_outside", work.seen.outside},
            {"samples_dropped", work.seen.dropped},
            {"unknown", timeJson(hot.unknown.warps, work)},
            {"kernels", std::move(kernels)},
            {"parts", std::move(parts)},
            {"functions", std::move(functions)},
            {"lines", std::move(lines)}};
}

HostSamples samplesFrom(const json& report, const KernelCode& code) {
    for (const json& row : report.at("kernels")) (void)kernelOf(row, code);
    HostSamples samples;
    samples.outside = report.at("samples_outside");
    samples.dropped = report.at("samples_dropped");
    for (const json& row : report.at("samples_at")) {
        const HostSamples::At one{row.at(0), row.at(1)};
        if (!samples.at.empty() && one.address <= samples.at.back().address)
            throw std::runtime_error("addresses of samples do not ascend");
        samples.at.push_back(one);
    }
    return samples;
}

}  // namespace rayscope
