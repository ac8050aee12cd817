#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "renderer/code/read_code.h"
#include "renderer/devices/machine.h"
#include "renderer/lab/hot.h"
#include "ui/window.h"

namespace rayscope {

/// Counts the instructions of settings' kernels, one after the other, on a thread and with
/// renderers of its own; the last ones are kept.
class HotCounts {
public:
    explicit HotCounts(std::function<Machine()> open) : open_(std::move(open)) {}

    struct Wish {
        SharedScene scene;
        Camera camera;
        Settings settings;
        Size size;
    };
    /// Counts them soon.
    void ask(Wish wish) { asked_.push_back(std::move(wish)); }
    /// Takes what has been counted, and begins to count where the picture is `resting`. Returns a
    /// sentence for the user where it failed.
    std::string step(bool resting);

    /// As if that had been counted now.
    void keep(const Wish& wish, HotWork work);
    /// What was counted last of that machine code in this scene, or why it could not be; whatever
    /// the camera was. nullptr: nothing.
    const HotWork* of(const ReadCode& read) const;
    /// Another number: something else has been counted.
    long number() const { return number_; }

    /// The device is being used,
    bool counting() const { return job_ != nullptr; }
    /// or is about to.
    bool busy() const { return job_ != nullptr || !asked_.empty(); }
    /// The next count opens renderers anew.
    void reopen() { reopen_ = true; }

private:
    struct Counted {
        Wish wish;
        HotWork work;
        std::string problem;
    };
    Counted count(const std::stop_token& stop);

    std::function<Machine()> open_;
    std::optional<Machine> machine_;  ///< of the thread at work
    std::atomic<bool> reopen_ = false;
    std::deque<Wish> asked_;
    std::vector<Counted> counted_;  ///< the newest at the end
    long number_ = 0;
    Wish counting_;                            ///< while there is a job
    std::unique_ptr<ThreadJob<Counted>> job_;  ///< last: waits for the thread
};

}  // namespace rayscope
