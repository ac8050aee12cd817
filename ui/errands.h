#pragma once

#include <deque>
#include <functional>
#include <future>

namespace rayscope {

/// Work that takes longer than a frame may, such as text of a hundred thousand spheres.
class Errands {
public:
    /// What the window's thread does with a result.
    using Then = std::function<void()>;
    using Work = std::function<Then()>;

    /// Begins the work on a thread of its own.
    void send(Work work);
    /// Done when all that was sent before is; at once where nothing is under way.
    void afterwards(Then then);
    /// Each frame: does what the work that has ended left to do, in the order in which it was sent.
    void finish();

private:
    std::deque<std::future<Then>> running_;
};

}  // namespace rayscope
