#include "renderer/lab/stalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "renderer/code/code_report.h"
#include "renderer/lab/counting.h"
#include "renderer/lab/instructions.h"
#include "renderer/lab/report.h"
#include "renderer/lab/trial.h"
#include "renderer/profile/hot_lines.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// How long the device is sampled, in as many passes. CUPTI 13.0 sees little of launches of 2 ms on
/// an H100 and nothing of those of 8 ms, so passes have fewer samples a pixel where they would be
/// longer.
constexpr double kSampledMs = 20, kSampledPassMs = .3, kShortestPassMs = .05;
constexpr double kSmall = .0005;  ///< what rounds to 0.0 %

/// Of all kernels.
Sampled sumOf(const StallSamples& stalls) {
    Sampled sum;
    for (const KernelStalls& kernel : stalls.kernels) {
        for (const InstructionStalls& i : kernel.instructions) sum += i.samples;
    }
    return sum;
}

/// [address, samples by reason] of each instruction.
json toJson(const KernelStalls& kernel) {
    json all = json::array();
    for (const InstructionStalls& i : kernel.instructions) {
        json row = json::array({i.address});
        for (const std::uint64_t samples : i.samples) row.push_back(samples);
        all.push_back(std::move(row));
    }
    return all;
}

}  // namespace

StallJob::StallJob(Renderer& renderer, const HotWish& wish)
    : renderer_(renderer),
      wish_{wish.state.settings, wish.state.scene, renderer.device().architecture},
      trial_(passTrial(renderer, wish)) {}

StallJob::~StallJob() = default;

double StallJob::share() const {
    return trial_->share();
}

Steps StallJob::run() {
    if (const std::string reason = unknownLines(wish_.settings); !reason.empty()) {
        stalls_ = Failure{reason};
        co_return;
    }
    co_await play(*trial_);
    Result<KernelCode> code = kernelCode(wish_);
    if (!code) {
        stalls_ = code.failure();
        co_return;
    }
    code_ = *std::move(code);
    const double msOfSample =
        trial_->measurement().kernelPassMs.median / std::max(1, wish_.settings.samples);
    const int samples = static_cast<int>(
        std::clamp(kSampledPassMs / msOfSample, 1., std::max(1., 1. * wish_.settings.samples)));
    const int passes =
        static_cast<int>(std::ceil(kSampledMs / std::max(kShortestPassMs, samples * msOfSample)));
    stalls_ = renderer_.sampleStalls(passes * samples * msOfSample, [&] {
        for (int i = 0; i < passes; ++i) playWhole(*trial_, samples);
    });
    if (stalls_ && sumOf(*stalls_).all() == 0)
        stalls_ =
            Failure{"CUPTI sees nothing of launches that take long: choose a smaller picture"};
}

json toJson(const Sampled& sampled, const std::vector<std::string>& reasons) {
    json shares = json::object();
    const auto all = static_cast<double>(sampled.all());
    for (std::size_t i = 0; i < sampled.byReason.size(); ++i) {
        if (sampled.byReason[i] > 0)
            shares[reasons[i]] = static_cast<double>(sampled.byReason[i]) / all;
    }
    return shares;
}

json toJson(const StallSamples& stalls, const KernelCode& code) {
    const Sampled sum = sumOf(stalls);
    json kernels = json::array();
    for (const KernelFacts& facts : code.kernels) {
        const auto kernel = std::ranges::find(stalls.kernels, facts.symbol, &KernelStalls::symbol);
        if (kernel == stalls.kernels.end()) continue;
        kernels.push_back({{"name", facts.name},
                           {"digest", digestText(facts.code)},
                           {"samples", toJson(*kernel)}});
    }
    return {{"samples", sum.all()},
            {"dropped", stalls.dropped},
            {"reasons", toJson(sum, stalls.reasons)},
            {"order", stalls.reasons},
            {"kernels", std::move(kernels)}};
}

StallSamples stallsFrom(const json& text, const KernelCode& code) {
    StallSamples stalls;
    text.at("order").get_to(stalls.reasons);
    stalls.dropped = text.at("dropped");
    for (const json& row : text.at("kernels")) {
        KernelStalls& kernel =
            stalls.kernels.emplace_back(KernelStalls{kernelOf(row, code).symbol, {}});
        for (const json& i : row.at("samples")) {
            InstructionStalls& one = kernel.instructions.emplace_back();
            one.address = i.at(0);
            one.samples.assign(i.begin() + 1, i.end());
            if (one.samples.size() != stalls.reasons.size())
                throw std::runtime_error("an instruction does not have a number for each reason");
        }
    }
    return stalls;
}

json reportOf(const State& state, const DeviceInfo& device, const StallJob& job) {
    json report = reportHead("stalls", device, true);
    report["state"] = toJson(state);
    if (job.result())
        report["stalls"] = toJson(*job.result(), job.code());
    else
        report["no_stalls"] = job.result().reason();
    return report;
}

std::string tableOf(const StallSamples& stalls) {
    const Sampled sum = sumOf(stalls);
    const auto all = static_cast<double>(sum.all());
    std::string text = fmt::format("what warps wait for, by {} samples\n", factText({}, all));
    for (const auto& [samples, name] : stallsOf(sum, stalls.reasons)) {
        const double share = static_cast<double>(samples) / all;
        if (share >= kSmall) text += fmt::format("{:>12.1f} %  {}\n", 100 * share, name);
    }
    return text;
}

}  // namespace rayscope
