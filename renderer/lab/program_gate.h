#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/temporary_folder.h"
#include "renderer/lab/comparison.h"
#include "renderer/lab/job.h"
#include "renderer/lab/ladder.h"

// Two builds of the program on one machine: is B slower than A?

namespace rayscope {

/// What both programs render.
struct GateTask {
    std::string name;
    std::string scene;                  ///< as --scene takes it
    std::string backend;                ///< "cpu" or "cuda"
    std::vector<std::string> settings;  ///< "axis=value"; all that matter, as defaults may differ
    int width = 0, height = 0;
};

/// The rungs of a benchmark, for the settings' own backend.
Result<std::vector<GateTask>> gateTasks(const Ladder& benchmark, Backend backend, int width,
                                        int height);
GateTask gateTask(const Settings& settings, const std::string& scene, int width, int height);

struct GateWish {
    std::array<std::string, 2> programs;  ///< A and B: paths
    std::vector<GateTask> tasks;
    double seconds = 60;     ///< of all tasks together, without compiling
    std::uint32_t seed = 1;  ///< of the order of the programs in a round
};

struct GateRow {
    GateTask task;
    /// Both programs made the same machine code: what is timed would be noise, and it is not.
    bool identical = false;
    std::string problem;          ///< why it was not measured
    int samples = 0;              ///< of each pixel in a pass
    std::array<Spread, 2> rates;  ///< rays a second
    Interval ratio;               ///< B's over A's, 95 %
    bool measurable = false;      ///< not 1 by the deciding interval
    PassClock clock = PassClock::kernel;
    int rounds = 0;
    double raysPerSample[2] = {0, 0};

    Speed speed() const { return verdictOf(ratio, measurable); }
    /// Rays a sample differ by more than rounding lets them.
    bool otherWork() const;
};

/// A job. A pass is a process that renders and reports (render --json): whatever a process happens
/// to have, like the addresses of its memory (Mytkowicz and others 2009, "Producing Wrong Data
/// Without Doing Anything Obviously Wrong!"), changes from pass to pass and enters the interval. In
/// a round each program has a pass of each task, in random order. One of a hundred runs of equal
/// programs may find a difference in any of the tasks: the deciding interval of each is 1 % over
/// their number. The first pass of each task and program, which compiles, is left out.
class ProgramGate : public SteppedJob {
public:
    explicit ProgramGate(GateWish wish);

    double share() const override;
    std::string label() const override { return "compare programs"; }
    /// What is known so far.
    std::vector<GateRow> rows() const;
    /// The head of the last report of each program: version, commit, device.
    const nlohmann::json& head(int program) const { return heads_[program]; }
    const GateWish& wish() const { return wish_; }

    static constexpr int kFewestRounds = 12;

private:
    struct Pass {
        double kernelMs = 0, processorMs = 0, waitedMs = 0;
        double rays = 0;
        double raysPerSample = 0;
    };
    struct Measured {
        GateRow row;
        std::array<std::vector<Pass>, 2> passes;
    };
    Steps run() override;
    std::optional<Pass> pass(Measured& task, int program, int samples);
    bool sameCode(const GateTask& task);
    Result<nlohmann::json> report(int program, std::vector<std::string> words);
    std::vector<std::string> words(const GateTask& task) const;

    GateWish wish_;
    TemporaryFolder folder_;
    std::vector<Measured> tasks_;
    std::array<nlohmann::json, 2> heads_;
    std::uint32_t random_;
    double spentMs_ = 0;
};

/// A table for a terminal, and for a comment in Markdown.
std::string tableOf(const ProgramGate& gate);
std::string markdownOf(const ProgramGate& gate);
/// "programs": a row of a study for each task.
nlohmann::json reportOf(const ProgramGate& gate);

}  // namespace rayscope
