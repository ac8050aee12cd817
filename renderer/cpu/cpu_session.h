#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "renderer/backend/session.h"
#include "renderer/base/thread_pool.h"
#include "renderer/cpu/cpu_engines.h"
#include "renderer/cpu/host_scene.h"

namespace rayscope {

/// What the sessions of a CPU renderer share.
struct CpuCore {
    HostScene scene;
    std::unique_ptr<ThreadPool> pool;
    int threads = 0;  ///< as asked for, Settings::threads

    void usePool(int threads);
    /// How many of the pool's threads can run at the same time.
    int coresAtWork() const { return std::min(pool->size(), coreCount()); }
};

class CpuSession : public Session {
public:
    CpuSession(std::shared_ptr<CpuCore> core, Film& film) : Session(film), core_(std::move(core)) {}

    FrameStats advance(const Settings& settings, const Camera& camera, double budgetMs) override;
    FrameStats finish() override { return {}; }
    void releasePaths() override { engines_.release(); }
    KernelInfo kernel() const override;

private:
    void clearPixels() override;
    void takeSpeed(const Settings& settings);
    void learnSpeed(double ms, int done, int all);
    int samplesOfPass(double budgetMs) const;
    int threadsFor(double budgetMs) const;
    int pixelsAtATime(double msPerPixel, double budgetMs) const;
    template <class Real>
    FrameStats renderPass(const Camera& camera, double budgetMs);

    const std::shared_ptr<CpuCore> core_;
    Settings settings_;  ///< of the last advance()
    bool ready_ = true;  ///< the scene was packed for them
    CpuEngines engines_;
    Settings measured_;            ///< settings with which the speed was measured,
    unsigned scene_ = 0;           ///< and the version of the scene
    double msPerPixelSample_ = 0;  ///< the speed of one core; 0: unknown
};

}  // namespace rayscope
