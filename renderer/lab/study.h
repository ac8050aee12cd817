#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/choices/state.h"
#include "renderer/devices/machine.h"
#include "renderer/lab/comparison.h"
#include "renderer/lab/compile_ahead.h"
#include "renderer/lab/helpers.h"
#include "renderer/lab/trial.h"

namespace rayscope {

/// One question of a study: what does this change do? B has it and A has not.
struct StudyItem {
    std::string name;   ///< "scene_layout=soa"
    std::string group;  ///< what belongs together: an axis, a row of a sweep
    Settings a, b;
    int scene = 0;  ///< in Study::scenes
    /// What had to change for its scene: "engine=megakernel"; empty where nothing had to.
    std::string fitted = {};
    /// Why it cannot be answered here; empty where it can, or nobody knows yet.
    std::string problem;
    std::optional<PairResult> result;
};

/// What B is worth against A: a factor with its 95 % interval.
struct Worth {
    Interval ratio;
    bool efficiency = false;  ///< efficiencyOf(); else samples a second
    Speed verdict = Speed::cannotTell;
};

/// Where both do the same work, samples a second; where only the expectation is the same, the
/// efficiency. Nothing where the pictures differ, or samples do and nobody knows their noise.
std::optional<Worth> worthOf(const StudyItem& item);

/// Where items lie on a grid: what runs along a row and a column, and the values there.
struct StudyGrid {
    std::string x, y;  ///< y is empty where there is one row
    std::vector<std::string> columns, rows;
};

/// Questions, in the order in which they are answered.
struct Study {
    std::string kind;   ///< "switches", "sweep"
    std::string title;  ///< "What is each switch worth?"
    std::vector<SharedScene> scenes;
    std::vector<StudyItem> items;
    std::optional<StudyGrid> grid;  ///< items[row * columns + column]
};

/// `seconds`: to narrow an item's interval in.
struct StudyWish : CompareWish {
    StudyWish() { seconds = 1; }
    std::optional<Camera> view;  ///< in place of the scenes' own
    bool work = true;            ///< whether the work is compared, too
    Helpers* helpers = nullptr;  ///< whoever else measures items; they outlive the job
};

/// What an item usually takes beside StudyWish::seconds, to warm both sides up.
inline constexpr double kItemWarmUpSeconds = 1.5;

/// A job: the items of a study one after the other, each by interleaved passes; with helpers,
/// several at a time. Kernels of a GPU are compiled before. The renderers get the scenes that are
/// needed. An item that throws has a problem, and the rest goes on; but with helpers, the loss of
/// the GPU is the job's problem, and what it did not measure is left to whoever goes on with it.
class StudyJob : public SteppedJob {
public:
    StudyJob(Machine& machine, Study study, const StudyWish& wish);

    double share() const override;
    std::string label() const override;
    void cancel() override;

    const Study& study() const { return study_; }
    /// The item under way here.
    size_t current() const { return current_; }
    /// So many items, from the first on, have a result or a problem.
    size_t leading() const { return static_cast<size_t>(parts_.leading()); }
    size_t done() const { return static_cast<size_t>(parts_.done()); }

private:
    double expectedSeconds() const override;
    Steps run() override;
    Parts partsOf();
    std::vector<CodeWish> kernels() const;
    void begin();
    void take(StudyItem& item, const SharedScene& scene);
    PairWish wishFor(const StudyItem& item) const;

    Machine& machine_;
    Study study_;
    StudyWish wish_;
    Parts parts_;
    size_t current_ = 0;
    Watches watches_;
    std::unique_ptr<CompileAhead> ahead_;  ///< until kernels are compiled
    std::unique_ptr<PairJob> job_;
    Workbench workbench_;
};

/// "1.54x [1.53, 1.55]", or "no difference [0.998, 1.003]", of samples a second; or why there is
/// nothing.
std::string shortText(const StudyItem& item);

/// "efficiency 0.67x [0.61, 0.74]"; empty where samples are the same work, or it is not known.
std::string efficiencyText(const StudyItem& item);

/// A line for an item, aligned with those of the same study; grouped items are named apart.
std::string rowOf(const Study& study, const StudyItem& item);

/// Of a grid: millions of rays a second in every cell, and in a second table each cell's ratio to
/// the first cell of its scene.
std::string gridOf(const Study& study);

/// Everything that is needed to repeat it, and what came out. `state`: the scene, camera and
/// settings that the study started from.
nlohmann::json reportOf(const Study& study, const StudyWish& wish, const State& state);

/// A line for an item.
std::string csvOf(const Study& study);

}  // namespace rayscope
