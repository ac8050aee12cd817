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

/// Lanes that a step of the kernel begins with; 0: it traces no ray.
double stepLanesOf(const KernelCounts& kernel, double rays) {
    double most = 0;
    for (const InstructionCount& i : kernel.instructions) {
        if (std::abs(static_cast<double>(i.lanes) - rays) <= kSame * rays)
            most = std::max(most, executedBy(i).perWarp());
    }
    return most;
}

std::uint64_t warpsOf(const KernelCounts& kernel) {
    return std::accumulate(
        kernel.instructions.begin(), kernel.instructions.end(), std::uint64_t{0},
        [](std::uint64_t sum, const InstructionCount& i) { return sum + i.warps; });
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
                    const std::vector<std::string>& sources, std::uint64_t rays) {
    const SourceMap map(table, sources);
    IdleLanes result;
    std::uint64_t most = 0;
    for (const KernelCounts& kernel : counts) {
        const double head = stepLanesOf(kernel, static_cast<double>(rays));
        if (const std::uint64_t warps = warpsOf(kernel); warps > most) {
            most = warps;
            result.stepLanes = head;
        }
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
