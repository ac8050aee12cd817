#pragma once

#include <string>

#include "ui/panels.h"
#include "ui/tracer.h"
#include "ui/versus.h"

namespace rayscope {

/// What of the window belongs to comparing A with B.
struct Compared {
    Backends& backends;
    State& state;
    Versus& versus;
    Tracer& tracer;  ///< of A's film
};

/// One of the sides does.
bool usesCuda(const State& state);

/// Pins, unpins, swaps and races as was asked for; what to tell the user.
std::string carryOutVersusRequests(Requests& requests, const Compared& window);

/// A frame for both sides; what B did in it. `ofB`: what is wished for, for both together.
FrameStats traceSides(const Compared& window, Tracer& tracerOfB, const Tracer::Wish& ofB,
                      std::string* message);

/// Ends the comparison and frees A's film.
void unpin(const Compared& window);

/// Unpins where A's settings cannot be had, and says why; frees A's film where nothing is pinned.
std::string unpinImpossible(const Compared& window);

/// A's settings for another scene, as those of B are taken along; the reason in `*reason` where
/// they cannot be had there, and nothing is pinned then.
void takeAlong(std::optional<Pinned>& pinned, const Scene& before, const Scene& after,
               std::string* reason);

}  // namespace rayscope
