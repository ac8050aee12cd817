#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "renderer/choices/state.h"
#include "renderer/devices/machine.h"
#include "renderer/lab/counting.h"
#include "renderer/lab/divergence.h"
#include "renderer/lab/job.h"
#include "ui/window.h"

namespace rayscope {

/// What to find out about the paths of a picture, or of the kernel that traces them.
enum class RecordKind { divergence, rayMap, timeMap, counters };

struct RecordWish {
    RecordKind kind = RecordKind::divergence;
    SharedScene scene;
    Camera camera;
    Settings settings;
    Size framebuffer;  ///< of the window,
    Size size;         ///< and of the picture that is traced for it
    int samples = 1;
};

/// As large and with as many samples as takes no longer than about a second on a thread beside the
/// picture; several where every ray meets every one of a hundred thousand spheres.
RecordWish recordWish(RecordKind kind, const State& state, Size framebuffer);

/// What was found out. `problem`: why nothing was.
struct Recorded {
    RecordWish wish;
    std::string problem;
    Divergence divergence;
    Lanes lanes;
    std::vector<EngineLanes> engines;
    PathLengths paths;  ///< without the lengths
    CostMap map;
    CountedWork counted;
};

/// What a kernel did, counted, and of which scene.
struct Counted {
    CountedWork work;
    std::string scene;
    std::vector<Fact> facts;
    Limit limit;
};

/// What the Why tab and the maps over the picture show: the last records that were made. Made anew
/// when the scene, the camera or the settings have changed and the picture rests: with the twins of
/// the kernels that record, or by counting what the kernel itself does, one at a time, on a thread
/// and with renderers of its own. Neither compiling nor tracing stops a frame.
class Why {
public:
    explicit Why(std::function<Machine()> open) : open_(std::move(open)) {}

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
    void reopen() { reopen_ = true; }

    bool busy() const { return job_ != nullptr; }
    /// The processor that the picture is traced on is being timed: it should do nothing else.
    bool timing() const;
    /// Of the divergence; nullptr where there is none. It may be of settings before the present.
    const Recorded* analysis() const { return analysis_ ? &*analysis_ : nullptr; }
    /// The map that the view asks for, of exactly this state; nullptr until there is one.
    const CostMap* map(const State& state, Size framebuffer) const;
    /// Another number: another map.
    long maps() const { return maps_; }

    bool counting() const { return busy() && recording_.kind == RecordKind::counters; }
    /// The last ones that were made, the newest at the end.
    const std::vector<Counted>& counts() const { return counts_; }
    /// What the newest is compared with; nullptr where there is nothing.
    const Counted* before() const { return before_ ? &*before_ : nullptr; }
    /// Makes it the newest, or nothing.
    void compareWith(bool newest);

private:
    void keep(Recorded found);
    void want(const std::optional<RecordWish>& have, RecordKind kind, const Wish& wish);

    Recorded record(const std::stop_token& stop);

    std::function<Machine()> open_;
    std::optional<Machine> machine_;  ///< of the thread at work
    std::atomic<bool> reopen_ = false;
    std::optional<Recorded> analysis_, map_;
    std::optional<RecordWish> failed_;  ///< not tried again until it changes
    long maps_ = 0;
    bool countAsked_ = false;
    std::optional<RecordWish> countedWish_;  ///< of the newest count
    std::vector<Counted> counts_;
    std::optional<Counted> before_;
    RecordWish recording_;                      ///< while busy()
    std::unique_ptr<ThreadJob<Recorded>> job_;  ///< last: waits for the thread
};

}  // namespace rayscope
