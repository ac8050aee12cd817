#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "renderer/backend/function_name.h"
#include "renderer/choices/axes.h"
#include "renderer/code/code_report.h"
#include "renderer/lab/counting.h"
#include "renderer/lab/divergence.h"
#include "renderer/lab/hot.h"
#include "renderer/lab/hot_host.h"
#include "renderer/lab/instructions.h"
#include "renderer/lab/report.h"
#include "renderer/lab/stalls.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr std::size_t kHottest = 10;
constexpr std::size_t kTextWidth = 60;
/// Of all lanes: what rounds to 0.0 %.
constexpr double kSmall = .0005;

double share(std::uint64_t part, std::uint64_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

bool sampled(const HotWork& work) {
    return work.hot.sampled.all() > 0;
}

/// Of instructions, lanes and idle slots, and of the warps' time, in columns.
std::string columns(const Executed& part, const Sampled& stalls, const HotWork& work) {
    const HotLines& hot = work.hot;
    std::string text =
        fmt::format("{:>12.1f} %{:>8.1f}{:>9.1f} %", 100 * share(part.warps, hot.all.warps),
                    part.perWarp(), 100 * share(part.idle(), hot.all.idle()));
    if (!sampled(work)) return text;
    return text + fmt::format("{:>9.1f} %  {:<20}", 100 * share(stalls.all(), hot.sampled.all()),
                              mainStall(stalls, work.stalls.reasons));
}

std::string titles(const HotWork& work) {
    std::string text = fmt::format("{:>14}{:>8}{:>11}", "instructions", "lanes", "idle");
    if (sampled(work)) text += fmt::format("{:>11}  {:<20}", "time", "waiting most for");
    return text;
}

/// The kernel's name, or that of a function of another program.
std::string nameOf(const std::string& symbol, const KernelCode& code) {
    for (const KernelFacts& kernel : code.kernels) {
        if (kernel.symbol == symbol) return kernel.name;
    }
    return functionName(symbol);
}

const char* nameOf(Part part) {
    return kPartNames[static_cast<std::size_t>(part)];
}

json toJson(const Executed& part, const Executed& all) {
    return {{"instructions", part.warps},
            {"share", share(part.warps, all.warps)},
            {"lanes", part.perWarp()},
            {"lanes_on", share(part.on, part.warps)},
            {"idle_share", share(part.idle(), all.idle())}};
}

/// The share of all samples, and of these by what was waited for.
json toJson(const Sampled& sampled, const HotWork& work) {
    return {{"share", share(sampled.all(), work.hot.sampled.all())},
            {"reasons", toJson(sampled, work.stalls.reasons)}};
}

json toJson(const std::vector<HotLine>& lines, const HotWork& work) {
    json all = json::array();
    for (const HotLine& line : lines) {
        json row = toJson(line.executed, work.hot.all);
        if (sampled(work)) row["stalls"] = toJson(line.sampled, work);
        row.update({{"file", line.file},
                    {"line", line.line},
                    {"function", line.function},
                    {"part", nameOf(line.part)},
                    {"text", sourceText(line, work.files)}});
        all.push_back(std::move(row));
    }
    return all;
}

/// [address, by warps, by lanes, by lanes that are on] of each instruction.
json toJson(const KernelCounts& counts) {
    json all = json::array();
    for (const InstructionCount& i : counts.instructions)
        all.push_back({i.address, i.warps, i.lanes, i.on});
    return all;
}

json kernelsJson(const HotWork& work) {
    json all = json::array();
    for (std::size_t i = 0; i < work.counts.size(); ++i) {
        const HotKernel& kernel = work.hot.kernels[i];
        json row = toJson(kernel.executed, work.hot.all);
        row["name"] = nameOf(kernel.symbol, work.code);
        row["counts"] = toJson(work.counts[i]);
        for (const KernelFacts& facts : work.code.kernels) {
            if (facts.symbol == kernel.symbol) row["digest"] = digestText(facts.code);
        }
        all.push_back(std::move(row));
    }
    return all;
}

std::string head(const HotWork& work) {
    std::string text = work.model.empty() ? "" : fmt::format("{}\n", modelText(work));
    text +=
        fmt::format("{} instructions of warps, {:.1f} of 32 lanes at work\n",
                    factText({}, static_cast<double>(work.hot.all.warps)), work.hot.all.perWarp());
    for (const KernelFacts& kernel : work.code.kernels)
        text += fmt::format("{}  {}\n", kernel.name, digestText(kernel.code));
    text += work.linesChange ? "this machine code differs from that without line information\n"
                             : "the machine code is the same without line information\n";
    return text;
}

std::string withoutCounts(const HotWork& work) {
    if (work.settings.backend == Backend::cpu)
        return fmt::format("no samples of where threads are: {}\n", work.noCounts);
    return fmt::format("no counts: {}\nby a model of the paths {:.0f} % of lanes are idle: {}\n",
                       work.noCounts, 100 * (1 - work.lanes), reasonFor(work.settings.variant));
}

}  // namespace

std::string placeText(const HotLine& line) {
    return fmt::format("{}:{}", line.file, line.line);
}

std::string sourceText(const HotLine& line, const std::vector<KernelSource>& files) {
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const KernelSource& f) { return f.name == line.file; });
    if (file == files.end()) return {};
    std::istringstream text(file->text);
    std::string found;
    for (int i = 0; i < line.line && std::getline(text, found); ++i) {
    }
    const std::size_t first = found.find_first_not_of(' ');
    return first == found.npos ? std::string() : found.substr(first);
}

std::string modelText(const HotWork& work) {
    return fmt::format("a model: a twin of the kernel counts its blocks ({})", work.model);
}

std::string idleTable(const IdleLanes& idle) {
    std::string text = "idle lanes, of all\n";
    for (const IdlePlace& place : placesOf(idle)) {
        if (place.share >= kSmall)
            text += fmt::format("{:>12.1f} %  {}\n", 100 * place.share, place.text);
    }
    return text;
}

json toJson(const IdleLanes& idle) {
    json places = json::object();
    for (const IdlePlace& place : placesOf(idle)) places[place.id] = place.share;
    return {{"share", idle.share(idle.all())},
            {"places", std::move(places)},
            {"step_lanes", idle.stepLanes},
            {"text", idleText(idle)}};
}

std::string tableOf(const State& state, const HotWork& work) {
    std::string text =
        fmt::format("{}  {}x{}  {} samples a pass  {}\n{}\n", state.scene->name, work.width,
                    work.height, work.samples, work.device.name, describe(work.settings));
    if (!work.noCounts.empty()) return text + withoutCounts(work);
    if (work.host()) return text + hostTable(work);
    const HotLines& hot = work.hot;
    text += head(work);
    const std::string head = titles(work);
    text += fmt::format("\n{}  {:<12}line\n", head, "part");
    for (std::size_t i = 0; i < std::min(kHottest, hot.lines.size()); ++i) {
        const HotLine& line = hot.lines[i];
        text += fmt::format("{}  {:<12}{}  {}\n", columns(line.executed, line.sampled, work),
                            nameOf(line.part), placeText(line),
                            sourceText(line, work.files).substr(0, kTextWidth));
    }
    text += fmt::format("\n{}  part\n", head);
    for (std::size_t i = 0; i < hot.parts.size(); ++i) {
        if (hot.parts[i].warps > 0)
            text += fmt::format("{}  {}\n", columns(hot.parts[i], hot.sampledParts[i], work),
                                kPartNames[i]);
    }
    if (hot.unknown.warps > 0)
        text += fmt::format("{}  without a line\n", columns(hot.unknown, {}, work));
    text += fmt::format("\n{}\n{}", idleText(work.idle), idleTable(work.idle));
    if (sampled(work))
        text += "\n" + tableOf(work.stalls);
    else if (!work.noStalls.empty())
        text += fmt::format("\nno samples of what warps wait for: {}\n", work.noStalls);
    if (hot.kernels.size() < 2) return text;
    text += fmt::format("\n{}  kernel\n", head);
    for (const HotKernel& kernel : hot.kernels)
        text += fmt::format("{}  {}\n", columns(kernel.executed, kernel.sampled, work),
                            nameOf(kernel.symbol, work.code));
    return text;
}

json reportOf(const State& state, const HotWork& work) {
    json report = reportHead("hot", work.device, true, work.width, work.height);
    report["state"] = toJson(state);
    report["samples"] = work.samples;
    if (!work.noCounts.empty()) {
        report["no_counts"] = work.noCounts;
        report["modelled_lanes"] = work.lanes;
        return report;
    }
    if (work.host()) {
        report.update(hostReport(work));
        return report;
    }
    const HotLines& hot = work.hot;
    json parts = json::object();
    for (std::size_t i = 0; i < hot.parts.size(); ++i) {
        if (hot.parts[i].warps == 0) continue;
        json& part = parts[kPartNames[i]] = toJson(hot.parts[i], hot.all);
        if (sampled(work)) part["stalls"] = toJson(hot.sampledParts[i], work);
    }
    report.update({{"rays", work.rays.total()},
                   {"searches", work.rays.camera + work.rays.bounce},
                   {"model", !work.model.empty()},
                   {"kernel_ms", work.kernelMs},
                   {"collect_ms", work.collectMs},
                   {"same_code_without_lines", !work.linesChange},
                   {"all", toJson(hot.all, hot.all)},
                   {"unknown", toJson(hot.unknown, hot.all)},
                   {"kernels", kernelsJson(work)},
                   {"parts", std::move(parts)},
                   {"idle", toJson(work.idle)},
                   {"architecture", fmt::format("sm_{}", work.code.architecture)},
                   {"lines", toJson(hot.lines, work)},
                   {"lines_as_ncu", toJson(hot.asNcu, work)}});
    if (!work.model.empty()) report["model_reason"] = work.model;
    if (sampled(work)) report["stalls"] = toJson(work.stalls, work.code);
    if (!work.noStalls.empty()) report["no_stalls"] = work.noStalls;
    return report;
}

namespace {

/// Throws where the report is not as the schema says, or is of another program.
std::vector<KernelCounts> countsIn(const json& report, const KernelCode& code) {
    std::vector<KernelCounts> counts;
    for (const json& row : report.at("kernels")) {
        KernelCounts& kernel = counts.emplace_back(KernelCounts{kernelOf(row, code).symbol, {}});
        for (const json& i : row.at("counts"))
            kernel.instructions.push_back({i.at(0), i.at(1), i.at(2), i.at(3)});
    }
    return counts;
}

HotWork workIn(const json& report, const State& state) {
    HotWork work;
    work.settings = state.settings;
    work.device.name = report.at("device");
    work.width = report.at("size").at(0);
    work.height = report.at("size").at(1);
    work.samples = report.at("samples");
    const std::uint64_t searches = report.at("searches");
    work.rays.camera = std::uint64_t{1} * work.width * work.height * work.samples;
    work.rays.bounce = searches - work.rays.camera;
    work.rays.shadow = report.at("rays").get<std::uint64_t>() - searches;
    const bool host = state.settings.backend == Backend::cpu;
    const std::string architecture = report.at("architecture");
    const CodeWish wish{state.settings, state.scene, host ? 0 : std::stoi(architecture.substr(3))};
    Result<KernelCode> code = kernelCode(wish);
    if (!code) throw std::runtime_error(code.reason());
    CountedInstructions counted;
    if (host) {
        work.seen = samplesFrom(report, *code);
        const Result<HostObject> object = readHostObject(code->cubin);
        if (!object) throw std::runtime_error(object.reason());
        counted.counts = countsOf(work.seen, *object);
    } else {
        counted.counts = countsIn(report, *code);
    }
    counted.rays = work.rays;
    counted.code = *std::move(code);
    Result<LineTable> lines = readLineTable(counted.code.cubin);
    if (!lines) throw std::runtime_error(lines.reason());
    counted.lines = *std::move(lines);
    counted.files = kernelFiles(wish);
    if (report.contains("stalls")) work.stalls = stallsFrom(report.at("stalls"), counted.code);
    work.noStalls = report.value("no_stalls", "");
    work.model = report.value("model_reason", "");
    work.kernelMs = report.value("kernel_ms", 0.);
    work.linesChange = !host && !report.at("same_code_without_lines").get<bool>();
    work.take(std::move(counted));
    return work;
}

}  // namespace

Result<HotReport> readHotReport(const std::string& text) {
    try {
        const json report = json::parse(text);
        if (report.at("kind") != "hot")
            return Failure{"this is no report of counted instructions (rayscope hot --json)"};
        if (report.contains("no_counts")) return Failure{report.at("no_counts").get<std::string>()};
        Result<State> state = stateFromJson(report.at("state"));
        if (!state) return state.failure();
        HotReport read{*std::move(state), {}};
        read.work = workIn(report, read.state);
        return read;
    } catch (const std::exception& error) {
        return Failure{
            fmt::format("a report of counted instructions cannot be read: {}", error.what())};
    }
}

}  // namespace rayscope
