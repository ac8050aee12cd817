#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "renderer/base/text.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/lab/run_ladder.h"

namespace rayscope {

namespace {

/// Of a report, or of a sentence: a child that writes more is not this program.
constexpr size_t kMaxOutput = size_t{1} << 20;

std::vector<std::string> commandOf(const std::string& program, const std::string& scene,
                                   const MeasureWish& wish, const std::string& devices) {
    std::vector<std::string> words{
        program,     "render",
        "--scene",   scene,
        "--backend", wish.settings.backend == Backend::cuda ? "cuda" : "cpu",
        "--size",    fmt::format("{}x{}", wish.width, wish.height),
        "--spp",     std::to_string(std::max(wish.mostSamples, 1)),
        "--seed",    std::to_string(wish.settings.seed),
        "--json",    "-"};
    if (wish.settings.backend == Backend::cuda) {
        words.push_back("--device");
        words.push_back(devices);
    }
    if (const int source = wish.settings.source; source != kBuiltIn) {
        words.push_back("--kernels");
        words.push_back(sourceValues()[static_cast<size_t>(source)].id + "=" +
                        sourceFolder(source));
    }
    for (const Axis& axis : axes()) {
        if (!axis.matters(wish.settings) || axis.id == "backend") continue;
        words.push_back("--set");
        words.push_back(fmt::format("{}={}", axis.id, valueOf(axis, wish.settings)));
    }
    return words;
}

/// The sentence of a program that has failed, without its name.
std::string sentenceOf(std::string text) {
    text = lastLine(text);
    constexpr std::string_view name = "rayscope: ";
    if (text.starts_with(name)) text.erase(0, name.size());
    return text.empty() ? "the process that measures it ended without a word" : text;
}

}  // namespace

ChildRuns::ChildRuns(const std::string& program, const std::string& scene, const MeasureWish& wish,
                     const std::string& devices)
    : words_(commandOf(program, scene, wish, devices)), wanted_(wish.passes) {
    facts_.width = wish.width;
    facts_.height = wish.height;
}

bool ChildRuns::step(double budgetMs) {
    if (!problem_.empty() || runs_ > wanted_) return true;
    if (!run_) {
        run_.emplace([this](const std::stop_token& stop) {
            return runProgram(words_, kMaxOutput, [&] { return !stop.stop_requested(); });
        });
    }
    if (run_->step(budgetMs)) {
        const Ran& ran = run_->result();
        problem_ = ran ? read(ran->text) : ran.reason();
        run_.reset();
    }
    return !problem_.empty() || runs_ > wanted_;
}

/// Takes the pass of a report, but for that of the first run; or says why it has none.
std::string ChildRuns::read(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) return sentenceOf(text);
    try {
        if (!json.contains("context_ms"))
            return "clock=total: the render of this build has no context inside its clock";
        facts_.device.name = json.at("device");
        facts_.passSamples = json.at("spp");
        const nlohmann::json &mean = json.at("mean_radiance"), &rays = json.at("rays");
        facts_.mean = glm::dvec3(mean.at(0), mean.at(1), mean.at(2));
        Pass pass;
        pass.rays.camera = rays.at("camera");
        pass.rays.bounce = rays.at("bounce");
        pass.rays.shadow = rays.at("shadow");
        pass.kernelMs = json.at("kernel_ms");
        pass.loopMs = json.at("wall_ms");
        if (runs_++ > 0) passes_.push_back(pass);
        return {};
    } catch (const nlohmann::json::exception& error) {
        return fmt::format("the report of the process that measures it: {}", error.what());
    }
}

double ChildRuns::share() const {
    return runs_ / (wanted_ + 1.);
}

Measurement ChildRuns::measurement() const {
    Measurement m = measurementOf(passes_, facts_.passSamples);
    m.device = facts_.device;
    m.mean = facts_.mean;
    m.width = facts_.width;
    m.height = facts_.height;
    return m;
}

}  // namespace rayscope
