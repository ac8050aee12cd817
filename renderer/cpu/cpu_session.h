#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "renderer/backend/session.h"
#include "renderer/base/thread_pool.h"
#include "renderer/compile/store.h"
#include "renderer/cpu/cpu_engines.h"
#include "renderer/cpu/host_scene.h"
#include "renderer/cpu/pass_loop.h"
#include "renderer/cpu/programs.h"
#include "renderer/cpu/recent_samples.h"
#include "renderer/cpu/thread_counters.h"

namespace rayscope {

/// What the sessions of a CPU renderer share.
struct CpuCore {
    HostScene scene;
    std::string baked;     ///< bakedTextOf() the scene
    unsigned bakedId = 0;  ///< its bakedId()
    bool rows = false;     ///< hasRows() the scene
    KernelStore<HostKernel> kernels{
        [](BuildResult built) { return std::make_shared<HostKernel>(std::move(built)); }};
    std::unique_ptr<ThreadPool> pool;
    std::shared_ptr<HostKernel> last;  ///< the kernel that some session launched last
    int threads = 0;                   ///< as asked for, Settings::threads

    /// Edited kernels that may have a process, the last used first.
    std::vector<std::weak_ptr<HostKernel>> apart;

    void usePool(int threads);
    /// This edited kernel is used now: ends processes of some that have not been for long.
    void keepFew(const std::shared_ptr<HostKernel>& kernel);
    void setScene(const SharedScene& wanted);
    /// After the scene has changed.
    void takeScene();
    /// The variant of the settings' kernel: where there is no compiler, one for any scene if only
    /// that has been prebuilt.
    Variant derived(const Settings& settings) const;
    BuildRequest requestFor(const Variant& variant, int source) const {
        return hostRequest(variant, source, baked);
    }
    /// True if the kernel can render this scene with these settings, perhaps as another variant.
    /// `wanted`: the settings' own variant.
    bool usable(const HostKernel& kernel, const Variant& wanted, const Settings& settings) const;
    /// How many of the pool's threads can run at the same time.
    int coresAtWork() const { return std::min(pool->size(), coreCount()); }
};

class CpuSession : public Session {
public:
    CpuSession(std::shared_ptr<CpuCore> core, Film& film) : Session(film), core_(std::move(core)) {}
    ~CpuSession() override;

    FrameStats advance(const Settings& settings, const Camera& camera, double budgetMs) override;
    FrameStats finish() override;
    void emptied() override;
    void exchangeMemory(Session& other) override;
    void releasePaths() override { engines_.release(); }
    KernelInfo kernel() const override;

private:
    void clearPixels() override;
    void takeSpeed(const Settings& settings);
    void learnSpeed(double ms, int done, int all);
    int samplesOfPass(double budgetMs) const;
    int threadsFor(double budgetMs) const;
    PassPlan planOf(double budgetMs) const;
    int pixelsWithin(const PassPlan& plan) const;
    bool chooseKernel(double& leftMs);
    void startWithAnyScene(const Variant& wanted);
    template <class Real>
    FrameStats renderPass(const Camera& camera, double budgetMs);
    template <class Real>
    FrameStats renderApart(const LaunchParams<Real>& launch, double budgetMs);
    FrameStats rendered(const WorkTime& time, const std::vector<ThreadCounters>& counters,
                        int next);
    static void leave(const HostKernel& kernel);
    const Variant& variant() const { return choice_.active->variant(); }

    const std::shared_ptr<CpuCore> core_;
    Settings settings_;  ///< of the last advance()
    KernelStore<HostKernel>::Choice choice_;
    bool packing_ = false;  ///< KernelInfo::packing
    CpuEngines engines_;
    RecentSamples recent_;
    Settings measured_;                  ///< settings with which the speed was measured,
    const HostKernel* timed_ = nullptr;  ///< their kernel,
    unsigned scene_ = 0;                 ///< and the version of the scene
    double msPerPixelSample_ = 0;        ///< the speed of one core; 0: unknown
    /// How long a watched film waits for a pass of an edited kernel; at first, less than a frame.
    static constexpr double kPatienceMs = 40;
    double patienceMs_ = kPatienceMs;
};

}  // namespace rayscope
