#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "renderer/code/read_code.h"
#include "renderer/lab/hot.h"
#include "renderer/lab/job.h"

namespace rayscope {

/// Counts the instructions of settings' kernels, one after the other, in other processes of this
/// program (countElsewhere()); the last ones are kept.
class HotCounts {
public:
    /// Counts them soon.
    void ask(HotWish wish) { asked_.push_back(std::move(wish)); }
    /// Takes what has been counted, and begins to count where the picture is `resting`.
    void step(bool resting);

    /// As if that had been counted now.
    void keep(const State& state, HotWork work);
    /// What was counted last of that machine code in this scene, or why it could not be; whatever
    /// the camera was. nullptr: nothing.
    const HotWork* of(const ReadCode& read) const;
    /// Another number: something else has been counted.
    long number() const { return number_; }

    /// The device is being used,
    bool counting() const { return job_ != nullptr; }
    /// or is about to.
    bool busy() const { return job_ != nullptr || !asked_.empty(); }

private:
    struct Counted {
        SharedScene scene;
        HotWork work;
    };

    std::deque<HotWish> asked_;
    std::vector<Counted> counted_;  ///< the newest at the end
    long number_ = 0;
    HotWish counting_;                         ///< while there is a job
    std::unique_ptr<ThreadJob<HotWork>> job_;  ///< last: waits for the thread
};

}  // namespace rayscope
