#pragma once

// The kernels that a program may consist of, as host and device know them.

namespace rayscope {

/// whole: the path from end to end, or on a CPU all of an engine's work for a rectangle. The next
/// ones are stages of Engine::wavefront and hybrid. primary: makes camera rays if RaySource says
/// so, finds their hits and scatters; trace: the same for rays in memory; accumulate: adds samples
/// to the film; addSums: adds sums that the host has computed or, of FilmSums::fixed, the whole
/// path; rayKeys, materialKeys: list live paths with the keys by which sort, launched for each
/// digit, sorts them. accelerate ... lose are of simulations. record: a path that is recorded on a
/// CPU (Variant::recordLengths, recordTime).
enum class Stage {
    whole,
    generate,
    extend,
    shade,
    primary,
    trace,
    accumulate,
    addSums,
    rayKeys,
    materialKeys,
    sort,
    accelerate,
    move,
    potential,
    place,
    lose,
    record
};
inline constexpr int kStages = static_cast<int>(Stage::record) + 1;

}  // namespace rayscope
