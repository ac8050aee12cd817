#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/choices/state.h"
#include "renderer/lab/autotune.h"
#include "renderer/lab/study.h"

namespace rayscope {

/// Without what the window decides for itself, which is no part of a rung or of an experiment.
Settings comparable(const Settings& settings);

/// What the laboratory can find out.
enum class Experiment { switches, steps, addOne, leaveOneOut, sweep, autotune };

inline constexpr int kExperiments = 6;

/// "All switches".
const char* labelOf(Experiment experiment);

/// What is to be found out next.
struct LabChoice {
    Experiment experiment = Experiment::switches;
    std::string ladder;  ///< of steps, addOne, leaveOneOut
    std::string x = "samples",
                y = "none";  ///< of a sweep: axes, "scene", "spheres"; y may be "none"

    bool usesLadder() const {
        return experiment == Experiment::steps || experiment == Experiment::addOne ||
               experiment == Experiment::leaveOneOut;
    }
};

/// The axes that a sweep can take where these settings are the rest.
std::vector<std::string> sweepAxes(const Settings& settings);

/// What an experiment found out, complete or as far as it came.
struct LabRecord {
    std::string title;
    std::string date;  ///< UTC, ISO 8601
    State state;       ///< that it began with
    StudyWish wish;
    Study study;                            ///< empty for a search
    std::shared_ptr<const Autotune> tuned;  ///< a search
    AutotuneWish tuneWish;

    nlohmann::json json() const;
    std::string csv() const;

    /// "vt9, its own camera, 240x150"
    std::string where() const;
    /// "another scene" or "another view" where it is not of what the state shows; else empty.
    std::string elsewhere(const State& shown) const;

private:
    const std::optional<Camera>& view() const { return tuned ? tuneWish.view : wish.view; }
};

/// Shared, so that another thread can write them.
using LabHistory = std::vector<std::shared_ptr<const LabRecord>>;

/// What is known of the alternatives to some settings.
struct KnownSwitches {
    const Study* study = nullptr;  ///< nullptr: nothing
    bool otherView = false;        ///< it was measured with another camera than the state's
};

/// Experiments beside the picture: one at a time, each a job with films and renderers of its own,
/// which goes on between frames; and what they have found out.
class Laboratory {
public:
    /// What opens the renderers when they are needed first.
    explicit Laboratory(std::function<Machine()> open) : open_(std::move(open)) {}

    /// Begins an experiment with the state's scene, view and settings, in pictures of this size. A
    /// sentence where it cannot be.
    std::string start(const LabChoice& choice, const State& state, int width, int height);
    /// Goes on for about so long; a sentence when the experiment has ended in it.
    std::string step(double budgetMs);
    /// What it has found out so far stays.
    void cancel();
    /// Ends as cancel() does; the next experiment opens renderers anew.
    void reopen();

    bool running() const { return job() != nullptr; }
    double share() const { return running() ? job()->share() : 1; }
    /// "2 min 10 s" until the experiment under way ends; empty where that is not known.
    std::string timeLeft() const;
    /// Of the experiment under way: "all switches: 2 min 10 s"; empty where there is none.
    std::string doing() const;
    /// The processor that the experiment under way uses.
    Backend backend() const { return record_.state.settings.backend; }

    /// The experiment under way, else the record that is shown; nullptr where there is none.
    const LabRecord* shown() const;
    /// What is shown, as far as it has come; empty where it is no study.
    const Study& study() const;
    /// The item under way of what is shown, or -1.
    int current() const { return study_ ? static_cast<int>(study_->current()) : -1; }
    /// The newest 64 at most, fewer of large scenes.
    const LabHistory& history() const { return history_; }
    int shownIndex() const { return shown_; }
    void show(int index) { shown_ = index; }

    /// What was found out last about all switches of these settings in this scene, if possible in
    /// this view; empty where nothing was.
    KnownSwitches switchesOf(const State& state) const;

private:
    std::string begin(const LabChoice& choice, const State& state, int width, int height);
    void keep();
    Job* job() const { return search_ ? static_cast<Job*>(search_.get()) : study_.get(); }

    std::function<Machine()> open_;
    std::optional<Machine> machine_;
    std::unique_ptr<StudyJob> study_;
    std::shared_ptr<Autotune> search_;
    Experiment experiment_{};  ///< under way
    LabRecord record_;         ///< of it
    LabHistory history_;
    int shown_ = -1;
};

/// What it is worth to change this axis to this value; nullptr where that is not known (yet).
const StudyItem* worth(const Study* switches, const Axis& axis, int value);

/// The other value that is worth most, as far as is known.
const StudyItem* bestOf(const Study* switches, const Axis& axis);

/// "rayscope-sweep-2026-01-31T12-00-00Z" of a kind and the UTC time: colons are no part of names.
std::string stemOf(const std::string& kind, std::string date);
std::string stemOf(const LabRecord& record);

/// For Host::savePage(). "again": the command that measures it again, as far as the file's name.
nlohmann::json pageReport(const LabRecord& record);

/// Writes STEM.json and STEM.csv. Why not, or an empty string. Takes its time with large scenes.
std::string save(const LabRecord& record, const std::string& stem);

/// What was found out, newest first, for a screenshot's info: reports whose scene is the state's
/// are without it. At most 24 MiB of text, which the largest state leaves of what a PNG is read
/// for; reports that do not fit are left out.
nlohmann::json resultsOf(const LabHistory& history, const State& state);

}  // namespace rayscope
