#pragma once

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/base/run_program.h"
#include "renderer/lab/helpers.h"
#include "renderer/lab/job.h"
#include "renderer/lab/ladder.h"
#include "renderer/lab/trial.h"
#include "renderer/machine/conditions.h"

namespace rayscope {

struct ClimbWish {
    /// Of rungs that name none.
    Backend preferred = Backend::cpu;
    /// Only rungs of this backend are measured.
    std::optional<Backend> only;
    std::optional<int> rung;    ///< only this one is measured
    int width = 0, height = 0;  ///< 0: the ladder's
    double seconds = .5;        ///< a rung
    /// This program, which measures clock=total in processes of its own.
    std::string program = "/proc/self/exe";
    Helpers* helpers = nullptr;  ///< whoever else measures rungs; they outlive the job

    int widthFor(const Ladder& ladder) const { return width > 0 ? width : ladder.width; }
    int heightFor(const Ladder& ladder) const { return height > 0 ? height : ladder.height; }
};

/// A rung that was measured, or the reason why it could not be.
struct RungResult {
    int rung = 0;
    Settings settings;
    std::string problem;
    bool impossible = false;  ///< the problem: this machine does not have the settings
    Measurement measured;     ///< where there is no problem
    /// What the rung measures, in rays a second or seconds; times are of the ladder's picture.
    Spread value;
    ConditionsSummary conditions;  ///< while it was measured
    bool scaled = false;           ///< a time that was not measured over all samples of the picture
};

/// How a rung compares with others that were measured.
struct RungComparison {
    std::optional<double> before;      ///< times as fast as the measured rung that it builds on
    std::optional<double> first;       ///< times as fast as the first
    std::optional<double> brightness;  ///< over that of the first
    double brightnessError = 0;        ///< standard error of that
    /// The picture's brightness differs by more than half a percent and than its noise: other work.
    bool differs() const;
};

/// Comparisons of results[i] with the others, rates with rates and times with times. The first is
/// the first of them that was measured, on Ladder::compare of them all or of the same scene.
RungComparison comparisonOf(const Ladder& ladder, const std::vector<RungResult>& results, size_t i);

/// Higher is faster: rays a second, or pictures (or gaps) a second, as Figure::speed().
double speedOf(const Ladder& ladder, const RungResult& result);

/// A job that measures the rungs one after the other, or with helpers several at a time, each by
/// its own clock, with films of its own. The machine must live as long as the job. A rung that
/// throws has a problem, and the rest goes on; but with helpers, the loss of the GPU is the job's
/// problem, and the rung has no result.
class LadderRun : public SteppedJob {
public:
    LadderRun(const Ladder& ladder, Machine& machine, const ClimbWish& wish);

    double share() const override;
    std::string label() const override;
    /// The rung under way has no result then.
    void cancel() override;

    /// So far, in the order of the rungs: none before the one before it has ended, but in the end
    /// and after cancel() all that there are.
    const std::vector<RungResult>& results() const { return results_; }
    /// The rung under way here; at the end, the last.
    int current() const { return std::min(rung_, end_ - 1); }
    /// The rung under way is measured in another process, which wants the machine for itself.
    bool elsewhere() const { return elsewhere_; }

private:
    double expectedSeconds() const override;
    Steps run() override;
    Parts partsOf();
    void show(bool all);
    void begin();
    std::string missing(const Rung& rung, const Settings& settings) const;
    Result<Renderer*> choose();
    bool measured();
    void evaluate();
    const Rung& rung() const { return ladder_.rungs[static_cast<size_t>(rung_)]; }

    Ladder ladder_;
    Machine& machine_;
    ClimbWish wish_;
    Workbench workbench_;
    Watches watches_;
    int rung_, end_;
    const int first_;   ///< rung
    int possible_ = 0;  ///< rungs that are expected to be measured
    Scenes scenes_;
    std::map<int, RungResult> ended_;  ///< that are not shown yet
    Parts parts_;
    SharedScene scene_;  ///< of the rung
    RungResult result_;  ///< of the rung under way
    ConditionsWatch* watch_ = nullptr;
    std::unique_ptr<MeasuringJob> trial_;
    bool elsewhere_ = false;
    std::vector<RungResult> results_;
};

/// The lines of the table before its rows: the ladder, the devices, the columns.
std::string tableHead(const Ladder& ladder, const Machine& machine, const ClimbWish& wish);

/// The row of results[i]; comparisons are with what is in `results`.
std::string tableRow(const Ladder& ladder, const std::vector<RungResult>& results, size_t i);

/// What is to be said of the conditions under which the rungs were measured: a line, or nothing.
std::string conditionsLine(const Ladder& ladder, const std::vector<RungResult>& results);

/// What the marks in the table mean, and the conditions.
std::string tableFoot(const Ladder& ladder, const std::vector<RungResult>& results);

/// Everything: the ladder, devices, and for each rung its settings, what was measured, published
/// and compared, or its "problem".
nlohmann::json reportOf(const Ladder& ladder, const Machine& machine, const ClimbWish& wish,
                        const std::vector<RungResult>& results);

/// One line a rung under a line of names.
std::string csvOf(const Ladder& ladder, const std::vector<RungResult>& results);

/// The unit that a rung's value is shown in: that of its published figure, else the ladder's, else
/// ms or Mrays/s.
const Unit& unitOf(const Ladder& ladder, const Rung& rung);

/// Renders in processes of their own with context=inside: `program render --json -`, whose report
/// says under "wall_ms" how long it took from before the context was made to the finished picture,
/// and under "context_ms" what of that was the context. Pass::loopMs is the former, of wish.passes
/// runs after one that fills the cache of kernels. A step waits for them.
class ChildRuns : public MeasuringJob {
public:
    /// `scene` is a name or a path, `devices` those that render (textOf()).
    ChildRuns(const std::string& program, const std::string& scene, const MeasureWish& wish,
              const std::string& devices = "0");

    bool step(double budgetMs) override;
    double share() const override;
    void cancel() override { run_.reset(); }
    Measurement measurement() const override;

private:
    using Ran = Result<ProgramOutput>;
    std::string read(const std::string& text);

    std::vector<std::string> words_;
    int wanted_;
    int runs_ = 0;
    Measurement facts_;  ///< that are the same in all runs
    std::vector<Pass> passes_;
    std::optional<ThreadJob<Ran>> run_;  ///< under way
};

}  // namespace rayscope
