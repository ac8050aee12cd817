#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/choices/state.h"
#include "renderer/lab/job.h"
#include "renderer/profile/counters.h"
#include "renderer/profile/idle_lanes.h"

namespace rayscope {

/// What the kernels of settings do in one pass over a picture, as far as the device tells.
struct CountedWork {
    Settings settings;
    DeviceInfo device;
    KernelInfo kernel;
    int width = 0, height = 0;
    int samples = 0;   ///< a pixel, of the pass
    int averaged = 1;  ///< passes of which it is one on average
    int spheres = 0;   ///< of the scene
    // Of a pass that is not counted:
    Rays rays;
    double kernelMs = 0;
    double loopMs = 0;  ///< wall time, with the host's part
    /// By counterTable(), of a pass; empty where there are none,
    std::vector<double> counters;
    std::string noCounters;  ///< and why; then
    double lanes = 0;        ///< the part of lanes at work as lanesOf() models it
    /// Where lanes are lost, by instructions of a pass that were counted one by one. Where nobody
    /// could, there is the above.
    std::optional<IdleLanes> idle;
    int replays = 0;  ///< of all passes, each for some of the counters
    double collectMs = 0;
    bool repeated = true;  ///< every replay traced as many rays

    double raysPerSecond() const {
        return kernelMs > 0 ? 1e3 * static_cast<double>(rays.total()) / kernelMs : 0;
    }
};

class Trial;

/// A job that times some passes of settings.samples and then counts them, the same samples for
/// every counter. The renderer has the scene; nothing else may use the device meanwhile. Where
/// counters are missing the rest is there. Another process of `program`, which is this one, counts
/// instructions one by one, unless it is empty.
class CountJob : public SteppedJob {
public:
    CountJob(Renderer& renderer, const Settings& settings, const SharedScene& scene,
             const Camera& camera, int width, int height, std::string program = "/proc/self/exe");
    ~CountJob() override;

    double share() const override;
    /// Complete when step() has returned true without a problem.
    const CountedWork& result() const { return work_; }

private:
    Steps run() override;
    void takeTimes();
    int passes() const;

    Renderer& renderer_;
    SharedScene scene_;
    Camera camera_;
    std::string program_;
    std::unique_ptr<Trial> trial_;
    CountedWork work_;
    bool opened_ = false;  ///< a reader of counters
};

/// The part of lanes at work by lanesOf(), from the paths of a picture of about that shape; 0 when
/// it was stopped.
double lanesAtWork(Renderer& renderer, const Settings& settings, const Camera& camera, int width,
                   int height, const std::stop_token& stop);

/// A figure of a kernel: measured, the compiler's, counted, or computed from these.
struct Fact {
    std::string id;     ///< in JSON
    std::string group;  ///< "Kernel"
    std::string label, unit;
    Better better = Better::neither;
    double value = 0;  ///< not finite: not known
};

/// In the order and with the names of every other list of facts: time, kernel, a ray, counters.
std::vector<Fact> factsOf(const CountedWork& work);

/// "12.3 G", "0.456", "56.7 %"; a dash where it is not known.
std::string factText(const Fact& fact, double value);
/// "+12.3 %", "x 4.56" where it is more than twofold, "=" below a thousandth; empty where a side is
/// not known.
std::string changeText(double before, double after);

// Of one or two sides: A, and B against it.
std::string tableOf(const State& state, const std::vector<CountedWork>& sides);
nlohmann::json reportOf(const State& state, const std::vector<CountedWork>& sides,
                        bool complete = true);
std::string csvOf(const std::vector<CountedWork>& sides);

// What holds a kernel back: what it did against what the device could have done.

/// Rays a second as a product. Exact, where the counters are.
struct RateFactors {
    double slots = 0;   ///< lane slots that the device had a second, at the clock that it ran at
    double issue = 0;   ///< part of them in which an instruction was issued
    double lanes = 0;   ///< part of the lanes of an issued instruction that took part in it
    double perRay = 0;  ///< instructions of a lane that a ray takes
    double raysPerSecond() const { return slots * issue * lanes / perRay; }
    /// Of what the device could trace with that many instructions a ray.
    double share() const { return issue * lanes; }
    double slotsPerRay() const { return perRay / lanes; }
};

/// Nothing where the counters are missing.
std::optional<RateFactors> rateFactors(const CountedWork& work);

/// "1.54x the rays/s = 1.20x issue slots used · 1.17x lanes at work · 1.00x rays for the same
/// instructions · 1.10x clock and the rest": rays a second as they were timed, without counting,
/// and counters that do not depend on the clock, which may differ between countings. Empty where a
/// side has no counters.
std::string speedUpText(const CountedWork& a, const CountedWork& b);

/// What is at least read, written and computed for a ray, known from the variant alone.
struct RayModel {
    /// Of the device's memory: the film, and the state of paths between kernels.
    double bytes = 0;
    /// Arithmetic instructions that test spheres; 0 where a hierarchy says which.
    double instructions = 0;
};
RayModel modelOf(const CountedWork& work);

/// A part of what the device could do, 0 to 1.
struct DeviceShare {
    std::string name;  ///< "issue slots"
    double share = 0;
    bool modelled = false;  ///< at least that much, instead of counted
};

struct Limit {
    std::string sentence;  ///< the limiter's name and figures, "44 % of lanes are idle: ..."
    std::vector<DeviceShare> shares;
};

Limit limitOf(const CountedWork& work);

}  // namespace rayscope
