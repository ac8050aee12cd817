#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/base/result.h"
#include "renderer/devices/machine.h"
#include "renderer/devices/offscreen_film.h"
#include "renderer/lab/job.h"
#include "renderer/lab/measure.h"
#include "renderer/lab/statistics.h"

namespace rayscope {

class Helpers;

/// Time of the kernels, wall time with copies and host work, or the CPU's workers' processor time.
enum class PassClock { kernel, loop, processor };

/// "kernel", "loop", "processor".
std::string_view nameOf(PassClock clock);

inline double msOf(const Pass& pass, PassClock clock) {
    return clock == PassClock::kernel ? pass.kernelMs
           : clock == PassClock::loop ? pass.loopMs
                                      : pass.processorMs;
}

/// Why the renderer does not trace these settings: its kernel does not compile, they cannot be had,
/// or, where it is `late`, nobody knows. Else empty.
std::string kernelProblem(const Renderer& renderer, const KernelInfo& kernel,
                          const Settings& settings, bool late = false);

/// Whether GPU and host work in turns, so that the kernels' time is not that of the picture.
bool alternates(const Settings& settings);

/// How long a trial works at a time. It is the same in a window as in a command, as the figure of a
/// pass depends on how the pass is cut; a window's frame takes at least one turn.
inline constexpr double kTurnMs = 25;

/// What is known after the passes so far, or rounds of passes.
struct Evidence {
    int passes = 0;
    double seconds = 0;  ///< that they took
    /// The 95 % interval of the measured value; takes some milliseconds to compute.
    std::function<Interval()> interval;
};

class StoppingCriterion {
public:
    virtual ~StoppingCriterion() = default;
    /// Asked once after every pass.
    virtual bool enough(const Evidence& evidence) = 0;
    /// The part of the passes that has been played, 0 to 1; an estimate.
    virtual double share(const Evidence& evidence) const = 0;
};

/// A fixed number of passes.
class FixedPasses : public StoppingCriterion {
public:
    explicit FixedPasses(int passes) : passes_(passes) {}
    bool enough(const Evidence& evidence) override { return evidence.passes >= passes_; }
    double share(const Evidence& evidence) const override;

private:
    int passes_;
};

/// At least `seconds` and `passes`, but no longer than about kPatience times `seconds`.
class EnoughTime : public StoppingCriterion {
public:
    /// Slow settings may take this many times the seconds to complete their passes.
    static constexpr double kPatience = 4;

    EnoughTime(double seconds, int passes) : seconds_(seconds), passes_(passes) {}
    bool enough(const Evidence& evidence) override;
    double share(const Evidence& evidence) const override;

private:
    double seconds_;
    int passes_;
};

/// Half of the interval is at most `halfWidth` times its value after `fewest` passes or more, or
/// `seconds` are over.
class NarrowInterval : public StoppingCriterion {
public:
    static constexpr int kFewestPasses = 12;  ///< whatever the time

    NarrowInterval(double halfWidth, double seconds, int fewest = kFewestPasses)
        : halfWidth_(halfWidth), seconds_(seconds), nextLook_(fewest) {}
    bool enough(const Evidence& evidence) override;
    double share(const Evidence& evidence) const override;
    /// Whether the interval was narrow enough when last computed.
    bool narrow() const { return narrow_; }

private:
    double halfWidth_, seconds_;
    int nextLook_;  ///< passes until the interval is computed; then again after each quarter more
    bool narrow_ = false;
};

struct TrialWish {
    Settings settings;
    Camera camera;
    int width = 0, height = 0;
    double passMs = 10;                   ///< a pass lasts about this long, or one launch,
    PassClock clock = PassClock::kernel;  ///< by this clock
    /// Where GPU and host work in turns, too, a pass is whole launches of Settings::samples,
    /// however long they take.
    bool wholeLaunches = false;
    /// Of the CPU alone: the picture is made smaller until a launch takes no longer, and a pass is
    /// whole launches. Fewer samples a launch would be slower ones, and some settings lose more by
    /// that than others. 0: the picture keeps its size.
    double longestLaunchMs = 0;
    int mostSamples = 0;  ///< a pixel, of a pass; 0: no limit
    double wholeMs = 0;   ///< a pass has `mostSamples` where these take less than that
    double warmUpMs = 0;  ///< waits for stable passes, but no longer than this; 0: not at all
    /// A kernel that is not there after this long does not come: the slowest ones, recursive or
    /// with the scene in their code, compile in a few seconds.
    double longestLoadMs = 120e3;
    bool presents = false;  ///< copies the film to the host after every Settings::launches launches
    bool rewinds = false;   ///< each pass begins at the first sample, and so traces the same paths
    bool noise = false;     ///< the film's noise is estimated: Measurement::noise
    bool brightness = false;  ///< the pictures are looked at: Pass::brightness, Measurement::mean
};

/// Whole launches, one at a time, of the same samples in every pass.
TrialWish sameSamplesWish(const Settings& settings, const Camera& camera, int width, int height);

/// One settings value on one renderer, with a film of its own: waits for the kernel, finds how many
/// samples a pass has, warms up, then plays passes until the criterion has enough. The renderer has
/// the scene; others may use it between steps.
class Trial : public MeasuringJob {
public:
    /// Without a criterion its owner plays the passes.
    Trial(Renderer& renderer, const TrialWish& wish,
          std::unique_ptr<StoppingCriterion> stopping = nullptr);

    bool step(double budgetMs) override;
    double share() const override;
    Measurement measurement() const override;

    /// True when the picture is as small as TrialWish::longestLaunchMs asks for, or there is a
    /// problem; works towards that for one turn.
    bool fit();
    /// By which the sides of the picture are divided.
    int divisor() const { return divisor_; }
    /// Another one, before prepare().
    void divide(int divisor);
    /// True when passes can be played, or there is a problem; works towards that for one turn.
    bool prepare();
    /// Begins a pass, unless one is under way, without a launch: play() then has nothing else to
    /// do.
    void begin();
    /// Goes on with the pass under way, or a new one, for a turn. Of a GPU a launch or a pass that
    /// is expected to take little more is not cut. True when the pass has come to its end, or to a
    /// problem.
    bool play() { return play(usualTurnMs()); }
    /// The same with a turn of another length.
    bool play(double turnMs);

    /// How much of the pass under way is done, as far as the time of the last one tells.
    double passShare() const;

    const std::vector<Pass>& passes() const { return passes_; }
    const Settings& settings() const { return wish_.settings; }
    int passSamples() const { return samples_; }
    void setPassSamples(int samples) { samples_ = samples; }
    /// OffscreenFilm::exchangeMemory(); between passes.
    void exchangeMemory(Trial& other) { memory_.exchangeMemory(other.memory_); }

private:
    Session& session() { return memory_.session(); }
    void load();
    FrameStats trace(double turnMs);
    void end();
    void restart();
    void clear();
    bool resize();
    int fittingSamples() const;
    bool stable() const;
    bool fillsGpu() const;
    int uncutSamples(double turnMs) const;
    bool cutsLaunches() const;
    int launchSamples() const;
    double usualTurnMs() const;
    Evidence evidence() const;

    Renderer& renderer_;
    TrialWish wish_;
    std::unique_ptr<StoppingCriterion> stopping_;
    OffscreenFilm memory_;
    KernelInfo kernel_;
    std::vector<Pass> passes_;
    Pass pass_;            ///< under way
    double buildMs_ = -1;  ///< FrameStats::buildMs
    GroupWork group_;      ///< of several devices
    int divisor_ = 1;      ///< of the picture's sides
    int probes_ = 0;
    int samples_;     ///< a pixel, of a pass
    int target_ = 0;  ///< samples of the film when the pass under way is done
    int resizes_ = 0;
    double msPerSample_ = 0;  ///< of the last pass, by the clock of the wall
    double loadMs_ = 0, warmMs_ = 0, playedMs_ = 0;
    glm::dvec3 mean_{0};   ///< of the film so far
    NoiseEstimate noise_;  ///< the same
    bool fits_ = false, loaded_ = false, sized_ = false, warm_ = false, playing_ = false,
         ended_ = false;
};

/// What to measure, and for how long.
struct MeasureWish : TrialWish {
    double seconds = .5;  ///< measure at least this long,
    int passes = 5;       ///< and this often, but no longer than about 4 x `seconds`
};

/// A trial by the clock of the loop that ends when there are enough seconds and passes, which
/// decide how long a pass is.
std::unique_ptr<MeasuringJob> measuring(Renderer& renderer, MeasureWish wish);

/// The same, played to its end.
Result<Measurement> measure(Renderer& renderer, const MeasureWish& wish);

/// A job that fills a film from nothing to so many samples, with the kernel of these settings only.
/// Their numbers begin with `firstSample`. Others may use the renderer between steps. Where the
/// device of the film fails and the renderer has others, it begins anew with these.
class FilmRun : public Job {
public:
    FilmRun(Renderer& renderer, OffscreenFilm& film, const Settings& settings, const Camera& camera,
            int samples, int firstSample = 0);

    bool step(double budgetMs) override;
    double share() const override;
    /// Of the film's samples.
    const FrameStats& stats() const { return stats_; }
    const KernelInfo& kernel() const { return kernel_; }

private:
    bool trace(double budgetMs);

    Renderer& renderer_;
    OffscreenFilm& film_;
    Settings settings_;
    Camera camera_;
    int samples_, firstSample_;
    bool begun_ = false;  ///< all samples of the film come from that kernel
    FrameStats stats_;
    KernelInfo kernel_;
};

/// The renderers of a machine, for a job that measures several scenes one after the other.
class Workbench {
public:
    explicit Workbench(Machine& machine) : machine_(machine) {}

    /// Gives the settings' renderer the scene and returns it, or why the settings cannot be had.
    Result<Renderer*> enter(const Settings& settings, const SharedScene& scene);
    /// The problem of a row, named `row`, that has thrown, for the rest to go on. An error of the
    /// GPU stays with its context: CUDA is lost, and whatever uses its renderer must be gone.
    std::string failed(const std::exception& error, bool usedCuda, const std::string& row);
    /// Whether what used CUDA has lost it, while others share the work or a checkpoint keeps it:
    /// they, or a later run, then do the rest.
    bool leavesTheRest(const Helpers* helpers, bool usedCuda) const {
        return helpers != nullptr && usedCuda && machine_.of(Backend::cuda) == nullptr;
    }
    /// False while the hierarchy of the scene entered last is being built. Waits for it for at most
    /// `waitMs`, so that a window stays responsive.
    bool hierarchyReady(const SharedScene& scene, double waitMs);

private:
    Machine& machine_;
    std::map<Backend, std::uint64_t> versionOf_;  ///< of the scenes that the renderers have
};

}  // namespace rayscope
