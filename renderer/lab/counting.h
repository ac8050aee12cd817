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
    int replays = 0;         ///< of all passes, each for some of the counters
    double collectMs = 0;
    bool repeated = true;  ///< every replay traced as many rays

    double raysPerSecond() const {
        return kernelMs > 0 ? 1e3 * static_cast<double>(rays.total()) / kernelMs : 0;
    }
};

class Trial;

/// A job that times some passes of settings.samples and then counts them, the same samples for
/// every counter. The renderer has the scene; nothing else may use the device meanwhile. Where
/// counters are missing the rest is there.
class CountJob : public Job {
public:
    CountJob(Renderer& renderer, const Settings& settings, const Scene& scene, const Camera& camera,
             int width, int height);
    ~CountJob() override;

    bool step(double budgetMs) override;
    double share() const override;
    /// Complete when step() has returned true without a problem.
    const CountedWork& result() const { return work_; }

private:
    void takeTimes();
    void open();
    void replay();
    void noCounters(std::string reason);
    int passes() const;

    Renderer& renderer_;
    Camera camera_;
    std::unique_ptr<Trial> trial_;
    CountedWork work_;
    Clock::time_point counting_;
    std::unique_ptr<CounterReader> reader_;
    std::vector<std::string> metrics_;   ///< of the reader
    std::vector<double> values_;         ///< of all metrics so far
    std::optional<std::uint64_t> rays_;  ///< of a replay
    bool timed_ = false, instruments_ = false, done_ = false;
};

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
nlohmann::json reportOf(const State& state, const std::vector<CountedWork>& sides);
std::string csvOf(const std::vector<CountedWork>& sides);

}  // namespace rayscope
