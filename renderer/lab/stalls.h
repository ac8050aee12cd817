#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "renderer/lab/hot.h"

// What the warps of settings' kernels wait for, by samples of where they are.

namespace rayscope {

/// A job that plays a few passes of settings.samples, and samples in as many more as make shares
/// good to tenths of a percent. The renderer has the scene; nothing else may use the device
/// meanwhile.
class StallJob : public SteppedJob {
public:
    StallJob(Renderer& renderer, const HotWish& wish);
    ~StallJob() override;

    double share() const override;
    /// Complete when step() has returned true without a problem; fails where nobody may sample.
    const Result<StallSamples>& result() const { return stalls_; }
    /// The machine code that was sampled.
    const KernelCode& code() const { return code_; }

private:
    Steps run() override;

    Renderer& renderer_;
    const CodeWish wish_;
    std::unique_ptr<Trial> trial_;
    KernelCode code_;
    Result<StallSamples> stalls_ = Failure{"nothing has been sampled"};
};

/// Shares by what was waited for.
nlohmann::json toJson(const Sampled& sampled, const std::vector<std::string>& reasons);
nlohmann::json toJson(const StallSamples& stalls, const KernelCode& code);
/// Throws std::exception where that is no such thing, or of other machine code.
StallSamples stallsFrom(const nlohmann::json& text, const KernelCode& code);

/// A report of samples that were taken for themselves.
nlohmann::json reportOf(const State& state, const DeviceInfo& device, const StallJob& job);

/// Shares of the warps' time, the largest first.
std::string tableOf(const StallSamples& stalls);

}  // namespace rayscope
