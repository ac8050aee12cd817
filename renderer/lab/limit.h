#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/lab/counting.h"

// What holds a kernel back: what it did against what the device could have done.

namespace rayscope {

/// Rays a second as a product. Exact, where the counters are.
struct RateFactors {
    double slots = 0;   ///< lane slots that the device had a second, at the clock that it ran at
    double issue = 0;   ///< part of them in which an instruction was issued
    double lanes = 0;   ///< part of the lanes of an issued instruction that took part in it
    double perRay = 0;  ///< instructions of a lane that a ray takes
    double raysPerSecond() const { return slots * issue * lanes / perRay; }
    /// Of what the device could trace with that many instructions a ray.
    double share() const { return issue * lanes; }
    double slotsPerRay() const { return perRay / lanes; }
};

/// Nothing where the counters are missing.
std::optional<RateFactors> rateFactors(const CountedWork& work);

/// "1.54x the rays/s = 1.20x issue slots used · 1.17x lanes at work · 1.00x rays for the same
/// instructions · 1.10x clock and the rest": rays a second as they were timed, without counting,
/// and counters that do not depend on the clock, which may differ between countings. Empty where a
/// side has no counters.
std::string speedUpText(const CountedWork& a, const CountedWork& b);

/// What is at least read, written and computed for a ray, known from the variant alone.
struct RayModel {
    /// Of the device's memory: the film, and the state of paths between kernels.
    double bytes = 0;
    /// Arithmetic instructions that test spheres; 0 where a hierarchy says which.
    double instructions = 0;
};
RayModel modelOf(const CountedWork& work);

/// A part of what the device could do, 0 to 1.
struct DeviceShare {
    std::string name;  ///< "issue slots"
    double share = 0;
    bool modelled = false;  ///< at least that much, instead of counted
};

struct Limit {
    std::string sentence;  ///< the limiter's name and figures, "44 % of lanes are idle: ..."
    std::vector<DeviceShare> shares;
};

Limit limitOf(const CountedWork& work);

}  // namespace rayscope
