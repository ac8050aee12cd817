#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/recorder.h"

namespace rayscope {

/// What a kernel did, counted, and of which scene.
struct Counted {
    CountedWork work;
    std::string scene;
    std::vector<Fact> facts;
    Limit limit;
};

/// What the Why tab and the maps over the picture show: the last records that were made. Made anew
/// when the scene, the camera or the settings have changed and the picture rests.
class Why {
public:
    explicit Why(std::unique_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}

    struct Wish {
        const State& state;
        Size framebuffer;
        bool open = false;     ///< the tab is
        bool map = false;      ///< the map of the state's view is to be seen
        bool resting = false;  ///< the camera is still, and nothing is being measured
        bool again = false;    ///< the user asks for it
        bool count = false;    ///< the user asks for counters,
        bool follow = false;   ///< or wants them after each change
    };
    /// Takes what has been recorded, gives up what is not wanted any more and begins what is
    /// missing. Returns a sentence for the user where a record failed.
    std::string step(const Wish& wish);

    /// The next record opens renderers anew.
    void reopen() { recorder_->reopen(); }

    bool busy() const { return recorder_->busy(); }
    /// The processor that the picture is traced on is being timed: it should do nothing else.
    bool timing() const { return recorder_->timing(); }
    /// Of the divergence; nullptr where there is none. It may be of settings before the present.
    const Recorded* analysis() const { return analysis_ ? &*analysis_ : nullptr; }
    /// The map that the view asks for, of exactly this state; nullptr until there is one.
    const CostMap* map(const State& state, Size framebuffer) const;
    /// Another number: another map.
    long maps() const { return maps_; }

    bool counting() const { return busy() && counting_; }
    /// The last ones that were made, the newest at the end.
    const std::vector<Counted>& counts() const { return counts_; }
    /// What the newest is compared with; nullptr where there is nothing.
    const Counted* before() const { return before_ ? &*before_ : nullptr; }
    /// Makes it the newest, or nothing.
    void compareWith(bool newest);

private:
    void take(Recorded found);
    void want(const std::optional<RecordWish>& have, RecordKind kind, const Wish& wish);

    std::unique_ptr<Recorder> recorder_;
    std::optional<Recorded> analysis_, map_;
    std::optional<RecordWish> failed_;  ///< not tried again until it changes
    long maps_ = 0;
    bool counting_ = false, countAsked_ = false;
    std::optional<RecordWish> countedWish_;  ///< of the newest count
    std::vector<Counted> counts_;
    std::optional<Counted> before_;
};

}  // namespace rayscope
