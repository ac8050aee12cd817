#include "renderer/profile/idle_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rayscope {

namespace {

constexpr double kWarp = 32;
/// Counts of lanes that differ by less are the same: a launch may end within a pass.
constexpr double kSame = 1e-3;
/// A sentence names no part below this share of the slots.
constexpr double kWorthNaming = .005;

constexpr const char* kDoing[kParts] = {
    "go on to the next ray", "start a path",        "search for the nearest hit",
    "search for shadows",    "see the sky",         "work out the surface",
    "scatter at lambert",    "scatter at metal",    "scatter at dielectric",
    "scatter at glass",      "scatter at glossy",   "choose a direction",
    "sample lamps",          "draw random numbers", "move paths through memory",
    "sum up samples"};

Executed executedBy(const InstructionCount& i) {
    return {i.warps, i.lanes, i.on};
}

/// The head of a step that so many rays pass; nothing where the kernel has none.
Executed headOf(const KernelCounts& kernel, std::uint64_t rays) {
    const double expected = static_cast<double>(rays);
    Executed head;
    for (const InstructionCount& i : kernel.instructions) {
        const double lanes = static_cast<double>(i.lanes);
        if (lanes > 0 && std::abs(lanes - expected) <= kSame * expected &&
            executedBy(i).perWarp() > head.perWarp())
            head = executedBy(i);
    }
    return head;
}

std::uint64_t warpsOf(const KernelCounts& kernel) {
    return std::accumulate(
        kernel.instructions.begin(), kernel.instructions.end(), std::uint64_t{0},
        [](std::uint64_t sum, const InstructionCount& i) { return sum + i.warps; });
}

/// The heads of all kernels, and the lanes that a step begins with.
struct Heads {
    std::vector<Executed> of;
    double stepLanes = 0;
};

/// Of kernels through which all rays pass, that which executes most says what a step begins with;
/// where camera rays pass through one and all others through another, both do.
Heads headsOf(const std::vector<KernelCounts>& counts, const Rays& rays) {
    Heads heads;
    std::uint64_t most = 0;
    for (const KernelCounts& kernel : counts) {
        const Executed head = headOf(kernel, rays.camera + rays.bounce);
        heads.of.push_back(head);
        if (const std::uint64_t warps = warpsOf(kernel); head.warps > 0 && warps > most) {
            most = warps;
            heads.stepLanes = head.perWarp();
        }
    }
    if (most > 0) return heads;
    Executed camera, bounce;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        Executed& head = heads.of[k];
        if (head = headOf(counts[k], rays.camera); head.warps > 0)
            camera = head;
        else if (head = headOf(counts[k], rays.bounce); head.warps > 0)
            bounce = head;
    }
    if (camera.warps == 0 || bounce.warps == 0) return {std::vector<Executed>(counts.size()), 0};
    camera += bounce;
    heads.stepLanes = camera.perWarp();
    return heads;
}

std::string percent(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

double IdleLanes::inBranches() const {
    return std::accumulate(branches.begin(), branches.end(), 0.);
}

const char* doingIn(Part part) {
    return kDoing[static_cast<std::size_t>(part)];
}

IdleLanes idleLanes(const std::vector<KernelCounts>& counts, const LineTable& table,
                    const std::vector<std::string>& sources, const Rays& rays) {
    const SourceMap map(table, sources);
    IdleLanes result;
    const Heads heads = headsOf(counts, rays);
    result.stepLanes = heads.stepLanes;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        const KernelCounts& kernel = counts[k];
        const double head = heads.of[k].perWarp();
        for (const InstructionCount& i : kernel.instructions) {
            const Executed executed = executedBy(i);
            const double warps = static_cast<double>(i.warps);
            const double idle = static_cast<double>(executed.idle());
            result.slots += kWarp * warps;
            const int place = table.placeAt(kernel.symbol, i.address);
            if (place < 0) {
                result.unknown += idle;
                continue;
            }
            const double waiting = head > 0 ? std::min(idle, (kWarp - head) * warps) : 0;
            result.waiting += waiting;
            result.branches[static_cast<std::size_t>(map.stage(place))] += idle - waiting;
        }
    }
    return result;
}

std::vector<IdlePlace> placesOf(const IdleLanes& idle) {
    std::vector<IdlePlace> places;
    const auto add = [&](const std::string& id, const std::string& text, double lanes) {
        if (lanes > 0) places.push_back({id, text, idle.share(lanes)});
    };
    add("waiting", "wait for other paths to end", idle.waiting);
    for (std::size_t i = 0; i < idle.branches.size(); ++i)
        add(kPartNames[i], fmt::format("while others {}", kDoing[i]), idle.branches[i]);
    add("unknown", "in instructions without a line", idle.unknown);
    std::ranges::stable_sort(places, std::ranges::greater{}, &IdlePlace::share);
    return places;
}

std::string idleText(const IdleLanes& idle) {
    const std::string all = percent(idle.share(idle.all())) + " of lanes are idle";
    const auto most = std::max_element(idle.branches.begin(), idle.branches.end());
    const double waiting = idle.share(idle.waiting), inside = idle.share(idle.inBranches());
    std::string wait, branch;
    if (waiting >= kWorthNaming) wait = percent(waiting) + " wait for other paths to end";
    if (inside >= kWorthNaming)
        branch = fmt::format(
            "{} in branches inside a step, most while others {} ({})", percent(inside),
            doingIn(static_cast<Part>(most - idle.branches.begin())), percent(idle.share(*most)));
    if (wait.empty() && branch.empty()) return all;
    if (wait.empty() || branch.empty()) return all + ": " + wait + branch;
    return all + ": " + (waiting > inside ? wait + "; " + branch : branch + "; " + wait);
}

}  // namespace rayscope
