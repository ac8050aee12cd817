#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/devices/offscreen_film.h"
#include "renderer/lab/comparison.h"
#include "renderer/machine/conditions.h"

// Can the numbers be trusted on this machine? Comparisons whose answer is known beforehand, what
// counting rays costs, and the clock. docs/measuring.md explains it.

namespace rayscope {

/// What is measured to see whether it can be: settings that count rays, of a scene.
struct SelfcheckCase {
    SharedScene scene;
    Settings settings;
};

/// `seconds`: of each comparison of a setting with itself.
struct SelfcheckWish : CompareWish {
    SelfcheckWish() { seconds = .5; }
    std::vector<SelfcheckCase> cases;
    int comparisons = 100;   ///< of a setting with itself, shared out between the cases
    double longSeconds = 5;  ///< of each comparison that is to resolve little
    Sensors sensors;
};

/// Comparisons of settings with themselves.
struct SameWithSame {
    int comparisons = 0;
    int measurable = 0;    ///< that found a difference
    int containing = 0;    ///< whose 95 % interval contains 1
    double halfWidth = 0;  ///< the median, relative
    double largest = 1;    ///< the ratio furthest from 1
};

/// What counting rays takes from the rate of samples, as a share of it.
struct CountingCost {
    std::string scene;
    Interval share;
};

/// The clock that kernel times come from, as the smallest launches show it.
struct TimerFacts {
    double stepMs = 0;      ///< between times that it tells apart; 0: it tells none apart
    double leastMs = 0;     ///< that it gives a launch of almost nothing
    double callMs = 0;      ///< one look at the clock of the CPU
    double shortestMs = 0;  ///< launch that the comparisons timed
};

/// How fast one pair is, compared in a picture of that size for so long.
struct SizedRatio {
    int width = 0, height = 0;
    double seconds = 0;
    Interval ratio;
};

/// What is known so far; what is missing was not reached.
struct SelfcheckResult {
    DeviceInfo device;
    int width = 0, height = 0;
    std::vector<std::string> scenes;
    SameWithSame same;
    int depth = 0;                  ///< of the first case
    std::optional<Interval> twice;  ///< time of 2n samples over that of n
    std::vector<CountingCost> counting;
    /// The CPU alone: a GPU is as fast as its picture is large.
    std::vector<SizedRatio> sizes;
    double placement = 0;  ///< what kernels differ by for no reason of their source, as a share
    std::optional<TimerFacts> timer;
    ConditionsSummary conditions;
    bool complete = false;

    /// Whether anything was measured.
    bool any() const { return same.comparisons > 0 || twice || !counting.empty() || timer; }
};

/// A job. It sets the scenes of the renderer, which must be of the backend of all settings.
class Selfcheck : public SteppedJob {
public:
    Selfcheck(Renderer& renderer, SelfcheckWish wish);

    double share() const override;
    std::string label() const override;
    SelfcheckResult result() const;

private:
    enum class Kind { same, timer, twice, counting, sizes };
    struct Task {
        Kind kind;
        int scene;         ///< index into SelfcheckWish::cases
        int width = 0;     ///< sizes: of the picture
        double share = 1;  ///< sizes: of the time
    };

    double secondsOf(const Task& task) const;
    Steps run() override;
    void compare(const Task& task);
    double timeLaunch(OffscreenFilm& film, int samples);
    void take(const Task& task, const CompareResult& result);

    Renderer& renderer_;
    SelfcheckWish wish_;
    std::vector<Task> tasks_;
    size_t task_ = 0;  ///< under way
    std::unique_ptr<Comparison> comparison_;
    std::vector<double> halfWidths_;
    double shortestMs_ = 0;
    int passSamples_ = 1;  ///< that a pass of the first case has
    SelfcheckResult result_;
    ConditionsWatch watch_;
};

/// The smallest difference between the times, zero among them: the step of the clock if they
/// are many and vary. 0 where all are zero.
double clockStep(std::vector<double> times);

/// unclear: nothing speaks against it, but it is not known well enough.
enum class Finding { ok, unclear, failed };

/// One line of the verdict.
struct Check {
    std::string name;
    Finding finding = Finding::unclear;
    std::string sentence = "not measured";
};

std::vector<Check> checksOf(const SelfcheckResult& result);

/// Whether any check failed.
bool failed(const std::vector<Check>& checks);

/// The device, a line for each check, and what they say together.
std::string textOf(const SelfcheckResult& result);

nlohmann::json reportOf(const SelfcheckResult& result);

}  // namespace rayscope
