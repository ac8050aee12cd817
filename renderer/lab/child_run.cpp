#include "renderer/lab/child_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "renderer/base/run_program.h"
#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

/// Of a report, or of a sentence: a child that writes more is not this program.
constexpr size_t kMaxOutput = size_t{1} << 20;

std::vector<std::string> wordsOf(const std::string& program, const std::string& scene,
                                 const MeasureWish& wish) {
    std::vector<std::string> words{
        program,     "render",
        "--scene",   scene,
        "--backend", wish.settings.backend == Backend::cuda ? "cuda" : "cpu",
        "--size",    fmt::format("{}x{}", wish.width, wish.height),
        "--spp",     std::to_string(std::max(wish.spp, 1)),
        "--seed",    std::to_string(wish.settings.seed),
        "--json",    "-"};
    for (const Axis& axis : axes()) {
        if (!axis.matters(wish.settings) || axis.id == "backend") continue;
        words.push_back("--set");
        words.push_back(fmt::format("{}={}", axis.id, valueOf(axis, wish.settings)));
    }
    return words;
}

/// The sentence of a program that has failed, without its name.
std::string sentenceOf(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    const size_t line = text.rfind('\n');
    if (line != text.npos) text.erase(0, line + 1);
    constexpr std::string_view name = "rayscope: ";
    if (text.starts_with(name)) text.erase(0, name.size());
    return text.empty() ? "the process that measures it ended without a word" : text;
}

/// What the report says, as a measurement of one pass.
std::variant<Measurement, std::string> understand(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    try {
        if (json.is_discarded()) return sentenceOf(text);
        if (!json.contains("context_ms"))
            return "clock=total: the render of this build has no context inside its clock";
        Measurement m;
        m.device.name = json.at("device");
        m.rays.camera = json.at("rays").at("camera");
        m.rays.bounce = json.at("rays").at("bounce");
        m.rays.shadow = json.at("rays").at("shadow");
        m.kernelMs = json.at("kernel_ms");
        m.loopMs = json.at("wall_ms");
        m.samples = m.passSamples = json.at("spp");
        const nlohmann::json& mean = json.at("mean_radiance");
        m.mean = {mean.at(0), mean.at(1), mean.at(2)};
        m.passes = 1;
        return m;
    } catch (const nlohmann::json::exception& error) {
        return fmt::format("the report of the process that measures it: {}", error.what());
    }
}

}  // namespace

std::variant<Measurement, std::string> measureInChild(const std::string& program,
                                                      const std::string& scene,
                                                      const MeasureWish& wish,
                                                      const Progressing& goOn) {
    const std::vector<std::string> words = wordsOf(program, scene, wish);
    std::optional<Measurement> sum;
    std::vector<double> kernelMs, totalMs, kernelRates, totalRates;
    for (int i = 0; i <= wish.passes; ++i) {
        const double share = static_cast<double>(i) / (wish.passes + 1);
        auto ran = runProgram(words, kMaxOutput, [&] { return !goOn || goOn(share); });
        if (const auto* reason = std::get_if<std::string>(&ran)) return *reason;
        const ProgramOutput& output = std::get<ProgramOutput>(ran);
        // Ctrl-C at a terminal ends the child as well.
        if (output.stopped || (goOn && !goOn(share))) return kInterrupted;
        auto report = understand(output.text);
        if (const auto* reason = std::get_if<std::string>(&report)) return *reason;
        if (i == 0) continue;
        const Measurement& one = std::get<Measurement>(report);
        const double rays = static_cast<double>(one.rays.total());
        kernelMs.push_back(one.kernelMs);
        totalMs.push_back(one.loopMs);
        kernelRates.push_back(1e3 * rays / one.kernelMs);
        totalRates.push_back(1e3 * rays / one.loopMs);
        if (!sum) {
            sum = one;
            continue;
        }
        sum->rays += one.rays;
        sum->kernelMs += one.kernelMs;
        sum->loopMs += one.loopMs;
        sum->samples += one.samples;
        ++sum->passes;
    }
    Measurement& m = *sum;
    m.kernelPassMs = spreadOf(std::move(kernelMs));
    m.loopPassMs = spreadOf(std::move(totalMs));
    m.kernelRate = spreadOf(std::move(kernelRates));
    m.loopRate = spreadOf(std::move(totalRates));
    m.raysPerSample = static_cast<double>(m.rays.total()) / static_cast<double>(m.rays.camera);
    return m;
}

}  // namespace rayscope
