#pragma once

#include <map>
#include <memory>

#include "renderer/backend/session.h"
#include "renderer/cuda/cuda_core.h"
#include "renderer/cuda/engine.h"
#include "renderer/cuda/path_buffers.h"

namespace rayscope {

/// Renders the passes of a film: cuts them into bands, launches these and collects their results
/// once they are finished.
class CudaSession : public Session {
public:
    CudaSession(std::shared_ptr<CudaCore> core, Film& film);
    ~CudaSession() override;

    FrameStats advance(const Settings& settings, const Camera& camera, double budgetMs) override;
    bool worksOn() const override;
    double leftMs() override;
    FrameStats finish() override;
    void wake() override;
    void emptied() override;
    void releasePaths() override;
    KernelInfo kernel() const override;

    /// Takes the result of one of its launches.
    void take(const FinishedLaunch& finished);
    /// Frees its engines' path memory.
    void releaseEngines() { engines_.release(); }

private:
    void clearPixels() override;
    KernelStore<LoadedKernel>::Wish wishOf(const Settings& settings, const Camera& camera) const;
    bool hierarchyReady(double& leftMs);
    bool sceneReady(const Settings& settings, double leftMs);
    FrameStats takeStats();
    void launchPasses(const Settings& settings, const Camera& camera, double leftMs,
                      double budgetMs);
    LoadedKernel& active() const { return *choice_.active; }
    KernelSpeed& speedOf(const Settings& settings);
    Result<void> prepareMemory();
    int samplesOfPass(const Settings& settings, double budgetMs);
    double msOfNextRows(const Settings& settings, int granule, double leftMs);
    double fillMs(const Settings& settings);
    int nextRows(const Settings& settings, double leftMs);
    bool launch(const Settings& settings, const Camera& camera, int rows);
    double wait(double leftMs);
    void beginSums();
    void addRecent();
    size_t filmBytes() const;

    const std::shared_ptr<CudaCore> core_;
    KernelStore<LoadedKernel>::Choice choice_;
    bool packingScene_ = false;               ///< KernelInfo::packing
    std::map<unsigned, KernelSpeed> speeds_;  ///< by LoadedKernel::number()
    Engines engines_;
    FrameStats stats_;
    ScenePacking packing_;  ///< of the last settings

    /// Of launches that are not in the film yet (kFewSums), and Film::rest.
    DeviceBuffer recent_, rest_;
    bool apart_ = false;     ///< launches of the pass under way add to the recent samples
    bool pending_ = false;   ///< there are some
    int recentSamples_ = 0;  ///< of whole passes
};

}  // namespace rayscope
