#include "renderer/lab/program_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "renderer/base/files.h"
#include "renderer/base/run_program.h"
#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/report.h"
#include "renderer/lab/run_ladder.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr double kGateAlarms = .01;  ///< of a run of equal programs
constexpr double kGateShown = .95;
/// Rays a sample of two programs that trace the same paths: rounding lets a few take another way.
constexpr double kSamePaths = .005;
/// A pass, as short as a process can time well and as long as the time for all lets it.
constexpr double kShortestMs = 40, kLongestMs = 400;
constexpr double kGateRounds = 40;  ///< that the time is meant to suffice for
/// Part of their time that threads may wait for a core before processor time is the clock.
constexpr double kGateWaited = .02;
constexpr int kMostGateSamples = 4096;

std::vector<std::string> wordsOf(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

double numberAt(const json& report, const char* pointer) {
    const json::json_pointer at(pointer);
    return report.contains(at) && report.at(at).is_number() ? report.at(at).get<double>() : 0;
}

std::string digestsOf(const json& code) {
    std::string all;
    if (!code.contains("kernels") || !code["kernels"].is_array()) return all;
    for (const json& kernel : code["kernels"]) all += kernel.value("digest", std::string()) + " ";
    return all;
}

/// "0.3.0, 0123456789ab"
std::string buildText(const json& head) {
    const std::string commit = head.value("commit", std::string());
    return head.value("version", std::string("?")) + (commit.empty() ? "" : ", " + commit) +
           (head.value("clean", true) ? "" : ", changed");
}

std::string verdictText(const GateRow& row) {
    if (!row.problem.empty()) return row.problem;
    if (row.identical) return "machine code identical";
    std::string text(nameOf(row.speed()));
    if (row.otherWork()) text += ", other work";
    return text;
}

std::string ratioText(const GateRow& row) {
    return row.problem.empty() && !row.identical ? timesText(row.ratio) : "";
}

std::string rateText(const GateRow& row, int program) {
    return row.rounds > 0 ? fmt::format("{:.2f}", row.rates[program].median / 1e6) : "";
}

}  // namespace

bool GateRow::otherWork() const {
    return raysPerSample[0] > 0 && std::abs(raysPerSample[1] / raysPerSample[0] - 1) > kSamePaths;
}

GateTask gateTask(const Settings& settings, const std::string& scene, int width, int height) {
    GateTask task{scene, scene, std::string(valueOf(*findAxis("backend"), settings)),
                  {},    width, height};
    for (std::string& word : wordsOf(describe(settings))) {
        if (!word.starts_with("backend=")) task.settings.push_back(std::move(word));
    }
    return task;
}

Result<std::vector<GateTask>> gateTasks(const Ladder& benchmark, Backend backend, int width,
                                        int height) {
    std::vector<GateTask> tasks;
    Scenes scenes;
    for (int rung = 0; rung < static_cast<int>(benchmark.rungs.size()); ++rung) {
        const std::string& name = benchmark.rungs[rung].scene;
        const auto scene = scenes.find(name);
        if (!scene) return scene.failure();
        tasks.push_back(
            gateTask(settingsOf(benchmark, rung, **scene, backend), name, width, height));
        tasks.back().name = benchmark.rungs[rung].name;
    }
    return tasks;
}

ProgramGate::ProgramGate(GateWish wish)
    : SteppedJob("compare programs"), wish_(std::move(wish)), random_(wish_.seed) {
    for (const GateTask& task : wish_.tasks) tasks_.emplace_back().row.task = task;
    problem_ = folder_.problem();
}

std::vector<std::string> ProgramGate::words(const GateTask& task) const {
    std::vector<std::string> words{"--backend", task.backend, "--scene", task.scene};
    for (const std::string& assignment : task.settings) {
        words.push_back("--set");
        words.push_back(assignment);
    }
    return words;
}

/// What the program writes with --json.
Result<json> ProgramGate::report(int program, std::vector<std::string> words) {
    const std::string file = folder_.path() + "/report.json";
    std::error_code error;
    std::filesystem::remove(file, error);
    words.insert(words.begin(), wish_.programs[program]);
    words.insert(words.end(), {"--json", file});
    constexpr std::size_t kMostSaid = 1 << 20;
    const auto run = runProgram(words, kMostSaid, [this] { return wanted(); });
    if (!run) return run.failure();
    if (run->status != 0) return Failure{printable(shortened(lastLine(run->text), 300))};
    const auto text = readFile(file, kMostSaid * 64);
    if (!text) return text.failure();
    return parseJson(*text, file);
}

std::optional<ProgramGate::Pass> ProgramGate::pass(Measured& task, int program, int samples) {
    std::vector<std::string> asked{"render"};
    const std::vector<std::string> common = words(task.row.task);
    asked.insert(asked.end(), common.begin(), common.end());
    asked.insert(asked.end(),
                 {"--size", fmt::format("{}x{}", task.row.task.width, task.row.task.height),
                  "--spp", std::to_string(samples)});
    const Clock::time_point began = Clock::now();
    const auto read = report(program, std::move(asked));
    spentMs_ += millisecondsSince(began);
    const char* name = program == 0 ? "A" : "B";
    if (!read) {
        task.row.problem = fmt::format("{}: {}", name, read.reason());
        return {};
    }
    Pass pass{numberAt(*read, "/kernel_ms"), numberAt(*read, "/processor_ms"),
              numberAt(*read, "/waited_ms"), numberAt(*read, "/rays/total"), 0};
    const double camera = numberAt(*read, "/rays/camera");
    if (!(pass.kernelMs > 0) || !(camera > 0)) {
        task.row.problem = fmt::format("{}: its report contains no times", name);
        return {};
    }
    pass.raysPerSample = pass.rays / camera;
    heads_[program] = {};
    for (const char* key : {"version", "commit", "clean", "device", "device_detail", "driver"}) {
        if (read->contains(key)) heads_[program][key] = (*read)[key];
    }
    return pass;
}

/// Nothing is lost where a program cannot say: it is measured then.
bool ProgramGate::sameCode(const GateTask& task) {
    std::array<std::string, 2> digests;
    for (int program = 0; program < 2; ++program) {
        std::vector<std::string> asked{"code"};
        const std::vector<std::string> common = words(task);
        asked.insert(asked.end(), common.begin(), common.end());
        if (const auto read = report(program, std::move(asked)))
            digests[program] = digestsOf(*read);
    }
    return !digests[0].empty() && digests[0] == digests[1];
}

Steps ProgramGate::run() {
    const double passMs =
        std::clamp(1e3 * wish_.seconds / (2 * kGateRounds * std::max<double>(1, tasks_.size())) / 2,
                   kShortestMs, kLongestMs);
    for (Measured& task : tasks_) {
        for (int program = 0; program < 2 && task.row.problem.empty(); ++program) {
            const auto first = pass(task, program, 1);
            co_await kPause;
            if (!first || program == 1) continue;
            const double samples = passMs / std::max(first->kernelMs, 1e-3);
            task.row.samples = std::clamp(static_cast<int>(samples), 1, kMostGateSamples);
        }
        if (!task.row.problem.empty()) continue;
        task.row.identical = sameCode(task.row.task);
        co_await kPause;
    }
    spentMs_ = 0;
    for (int round = 0; round < kFewestRounds || spentMs_ < 1e3 * wish_.seconds; ++round) {
        bool any = false;
        for (Measured& task : tasks_) {
            if (task.row.identical || !task.row.problem.empty()) continue;
            random_ = random_ * 1664525u + 1013904223u;  // Numerical Recipes, section 7.1
            const int first = static_cast<int>(random_ >> 31);
            std::array<std::optional<Pass>, 2> passes;
            for (const int program : {first, 1 - first}) {
                passes[program] = pass(task, program, task.row.samples);
                if (!passes[program]) break;
                co_await kPause;
            }
            if (!passes[0] || !passes[1]) continue;
            for (int program = 0; program < 2; ++program)
                task.passes[program].push_back(*passes[program]);
            any = true;
        }
        if (!any) break;
    }
}

double ProgramGate::share() const {
    if (ended()) return 1;
    std::size_t rounds = 0;
    for (const Measured& task : tasks_) rounds = std::max(rounds, task.passes[1].size());
    return std::min({spentMs_ / 1e3 / wish_.seconds, rounds / double(kFewestRounds), .99});
}

std::vector<GateRow> ProgramGate::rows() const {
    const auto timed = std::count_if(tasks_.begin(), tasks_.end(), [](const Measured& task) {
        return !task.row.identical && task.row.problem.empty();
    });
    const double deciding = 1 - kGateAlarms / std::max<double>(1, static_cast<double>(timed));
    std::vector<GateRow> rows;
    for (const Measured& task : tasks_) {
        GateRow row = task.row;
        row.rounds = static_cast<int>(std::min(task.passes[0].size(), task.passes[1].size()));
        double worked = 0, waited = 0;
        bool known = true;
        for (const auto& passes : task.passes) {
            for (const Pass& pass : passes) {
                worked += pass.processorMs;
                waited += pass.waitedMs;
                known &= pass.processorMs > 0;
            }
        }
        if (known && waited > kGateWaited * (worked + waited)) row.clock = PassClock::processor;
        std::array<std::vector<double>, 2> rates;
        for (int program = 0; program < 2; ++program) {
            for (int round = 0; round < row.rounds; ++round) {
                const Pass& pass = task.passes[program][static_cast<std::size_t>(round)];
                rates[program].push_back(
                    1e3 * pass.rays /
                    (row.clock == PassClock::processor ? pass.processorMs : pass.kernelMs));
                row.raysPerSample[program] += pass.raysPerSample / row.rounds;
            }
            row.rates[program] = spreadOf(rates[program]);
        }
        row.ratio = pairedRatio(rates[0], rates[1], kGateShown);
        row.measurable =
            row.rounds >= kFewestRounds && !pairedRatio(rates[0], rates[1], deciding).contains(1);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string tableOf(const ProgramGate& gate) {
    const std::vector<GateRow> rows = gate.rows();
    const std::size_t width =
        widthOf(8, rows, [](const GateRow& row) { return std::string_view(row.task.name); });
    std::string text =
        fmt::format("A  {}  ({})\nB  {}  ({})\n\n{:<{}}  {:>10} {:>10}  {:<24} {}\n",
                    gate.wish().programs[0], buildText(gate.head(0)), gate.wish().programs[1],
                    buildText(gate.head(1)), "M rays/s", width, "A", "B", "B / A", "");
    for (const GateRow& row : rows)
        text += fmt::format("{:<{}}  {:>10} {:>10}  {:<24} {}\n", row.task.name, width,
                            rateText(row, 0), rateText(row, 1), ratioText(row), verdictText(row));
    return text;
}

std::string markdownOf(const ProgramGate& gate) {
    const auto cell = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2)
            text.replace(at, 1, "\\|");
        return text;
    };
    std::string text = fmt::format(
        "### Rayscope: {} against {}\n\n| | A, M rays/s | B, M rays/s | B / A | |\n"
        "|---|---:|---:|---|---|\n",
        cell(buildText(gate.head(1))), cell(buildText(gate.head(0))));
    int rounds = 0;
    for (const GateRow& row : gate.rows()) {
        const bool marked = row.measurable || row.otherWork() || !row.problem.empty();
        const std::string verdict = cell(verdictText(row));
        text +=
            fmt::format("| {} | {} | {} | {} | {} |\n", cell(row.task.name), rateText(row, 0),
                        rateText(row, 1), ratioText(row), marked ? "**" + verdict + "**" : verdict);
        rounds = std::max(rounds, row.rounds);
    }
    return text + fmt::format(
                      "\n{}. {} rounds; each runs one process of A and one of B, in random "
                      "order. Brackets are 95 % intervals. If A and B are equally fast, 1 % of "
                      "runs report a difference.\n",
                      gate.head(1).value("device", std::string("no device")), rounds);
}

json reportOf(const ProgramGate& gate) {
    DeviceInfo device;
    device.name = gate.head(1).value("device", std::string());
    device.detail = gate.head(1).value("device_detail", std::string());
    device.driver = gate.head(1).value("driver", std::string());
    json report = reportHead("programs", device, gate.complete());
    report["title"] = "Two programs";
    for (int program = 0; program < 2; ++program)
        report[program == 0 ? "a" : "b"] = {{"program", gate.wish().programs[program]},
                                            {"build", gate.head(program)}};
    report["seconds"] = gate.wish().seconds;
    report["items"] = json::array();
    for (const GateRow& row : gate.rows()) {
        json item = {{"name", row.task.name},
                     {"scene", row.task.scene},
                     {"backend", row.task.backend},
                     {"settings", row.task.settings},
                     {"size", {row.task.width, row.task.height}},
                     {"identical_code", row.identical}};
        if (!row.problem.empty()) item["problem"] = row.problem;
        if (row.identical) item["problem"] = "not timed: machine code identical";
        if (row.rounds > 0)
            item["result"] = {{"samples_ratio", toJson(row.ratio)},
                              {"rates", {toJson(row.rates[0]), toJson(row.rates[1])}},
                              {"rays_per_sample", {row.raysPerSample[0], row.raysPerSample[1]}},
                              {"other_work", row.otherWork()},
                              {"measurable", row.measurable},
                              {"speed", nameOf(row.speed())},
                              {"clock", nameOf(row.clock)},
                              {"samples", row.samples},
                              {"rounds", row.rounds}};
        report["items"].push_back(std::move(item));
    }
    return report;
}

}  // namespace rayscope
