#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/devices/machine.h"
#include "renderer/lab/pair.h"
#include "renderer/lab/stage.h"

namespace rayscope {

/// One question of a study: what does this change do? B has it and A has not.
struct StudyItem {
    std::string name;   ///< "scene_layout=soa"
    std::string group;  ///< what belongs together: an axis, a row of a sweep
    Settings a, b;
    int scene = 0;  ///< in Study::scenes
    /// Why it cannot be answered here; empty where it can, or nobody knows yet.
    std::string problem;
    std::optional<PairResult> result;
};

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

struct StudyWish {
    /// In place of the scenes' own.
    std::optional<Camera> camera;
    int width = 0, height = 0;
    double seconds = 1;  ///< to narrow an item's interval in
    double halfWidth = .005;
    PassClock clock = PassClock::kernel;
    bool work = true;  ///< whether the work is compared, too
};

/// A job: the items of a study one after the other, each by interleaved passes. The renderers get
/// the scenes that are needed.
class StudyJob : public Job {
public:
    StudyJob(Machine& machine, Study study, const StudyWish& wish);

    bool step(double budgetMs) override;
    double share() const override;
    std::string label() const override;
    void cancel() override { job_.reset(); }

    const Study& study() const { return study_; }
    /// The item under way.
    size_t current() const { return current_; }

private:
    void begin();
    std::string prepare(const StudyItem& item);
    bool hierarchyReady(const StudyItem& item, double waitMs);
    PairWish wishFor(const StudyItem& item) const;

    Machine& machine_;
    Study study_;
    StudyWish wish_;
    size_t current_ = 0;
    Watches watches_;
    std::unique_ptr<PairJob> job_;
    Stage stage_;
};

}  // namespace rayscope
