#pragma once

#include "renderer/backend/renderer.h"
#include "renderer/lab/job.h"

namespace rayscope {

/// A job that fills a film from its first sample to its target, with the kernel of these settings
/// only. Others may use the renderer between steps.
class FilmRun : public Job {
public:
    FilmRun(Renderer& renderer, Session& session, const Settings& settings, const Camera& camera,
            int samples);

    bool step(double budgetMs) override;
    double share() const override;
    /// Of the film's samples.
    const FrameStats& stats() const { return stats_; }
    const KernelInfo& kernel() const { return kernel_; }

private:
    Renderer& renderer_;
    Session& session_;
    Settings settings_;
    Camera camera_;
    int samples_;
    bool begun_ = false;  ///< all samples of the film come from that kernel
    FrameStats stats_;
    KernelInfo kernel_;
};

}  // namespace rayscope
