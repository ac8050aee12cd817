#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/backend/path_memory.h"
#include "renderer/core/path_store.h"
#include "renderer/lab/counting.h"
#include "renderer/lab/divergence.h"
#include "renderer/profile/counters.h"

namespace rayscope {

namespace {

/// From this share on something is called the limit, as Nsight Compute does.
constexpr double kHigh = .6;
/// A kernel that runs for less of the time than this waits for the host.
constexpr double kBusy = .8;
/// From this share of instructions on, local memory is called the limit.
constexpr double kLocalShare = .05;
/// Below this share lanes are called idle.
constexpr double kLanes = .75;

/// core/shapes.h: what cross() computes for a sphere of the two kinds, counted in the source.
constexpr double kCenterOperations = 8, kCurvedOperations = 20;

double known(double value) {
    return std::isfinite(value) ? value : 0;
}

double percentOf(const CountedWork& work, const char* id) {
    return known(counter(work.counters, id)) / 100;
}

/// Part of the wall time in which kernels ran.
double busy(const CountedWork& work) {
    return work.loopMs > 0 ? std::min(1., work.kernelMs / work.loopMs) : 0;
}

struct Reason {
    const char* id;
    const char* text;
};
/// Nsight Compute's documentation, "Warp Stall Reasons", in the words of a path tracer.
constexpr Reason kReasons[] = {
    {"stall_no_instruction", "for instructions: the code is larger than the cache for it"},
    {"stall_wait", "for the fixed latency of their last instruction"},
    {"stall_math_pipe", "for an arithmetic pipe that others use"},
    {"stall_branch", "for the target of a branch"},
    {"stall_long_scoreboard", "for global or local memory"},
    {"stall_short_scoreboard", "for shared memory or the special function unit"},
    {"stall_constant", "for constants that are not in the cache"},
    {"stall_mio", "for the queue of special functions and shared memory"},
    {"stall_lg", "for the queue of global and local memory"},
    {"stall_barrier", "at barriers"},
    {"stall_dispatch", "for the dispatcher"},
    {"stall_drain", "for their last stores"},
};

/// "warps wait mostly for ..., 3.1 cycles of 8.9 between two instructions"
std::string latencyText(const CountedWork& work) {
    const auto cycles = [&](const char* id) { return known(counter(work.counters, id)); };
    const Reason& worst = *std::max_element(
        std::begin(kReasons), std::end(kReasons),
        [&](const Reason& a, const Reason& b) { return cycles(a.id) < cycles(b.id); });
    if (!(cycles(worst.id) > 0)) return "latency: too few warps are ready to issue";
    return fmt::format("latency: warps wait mostly {}, {:.1f} of {:.1f} cycles an instruction",
                       worst.text, cycles(worst.id), cycles("cycles_per_issue"));
}

/// Where lanes are lost: counted, or what the paths' lengths alone tell. `lanes`: at work, by the
/// counters or, without, by that model.
std::string idleSentence(const CountedWork& work, double lanes) {
    if (work.idle) return idleText(*work.idle);
    const std::string all = fmt::format("{:.0f} % of lanes are idle", 100 * (1 - lanes));
    const std::string why = reasonFor(work.settings.variant);
    if (work.counters.empty()) return fmt::format("{} by a model of the paths: {}", all, why);
    if (!(work.lanes > 0)) return all;
    const double waiting = std::min(1 - work.lanes, 1 - lanes);
    return fmt::format(
        "{}; by a model of the paths {:.0f} % wait for others ({}), the other {:.0f} % "
        "are in branches inside a step",
        all, 100 * waiting, why, 100 * (1 - lanes - waiting));
}

/// Why kernels wait for the host, where they do.
std::string hostText(const CountedWork& work) {
    if (!(work.loopMs > 0 && busy(work) < kBusy)) return {};
    const Variant& v = work.settings.variant;
    const char* why = v.engine == Engine::hybrid ? "it makes and scatters the rays"
                      : v.accumulate != Accumulate::device
                          ? "samples are copied back and summed there"
                      : v.engine == Engine::wavefront && v.compaction == Compaction::host
                          ? "it compacts the paths"
                      : v.engine == Engine::wavefront && v.raySource == RaySource::host
                          ? "it makes the camera rays"
                          : "a launch is too short to hide its own cost";
    return fmt::format("the host: kernels run {:.0f} % of the time, {}", 100 * busy(work), why);
}

std::string countedLimit(const CountedWork& work, const RateFactors& f) {
    const double instructions = known(counter(work.counters, "instructions"));
    const double local = known(counter(work.counters, "local_loads")) +
                         known(counter(work.counters, "local_stores"));
    const double dram = percentOf(work, "dram_throughput");
    const double memory = percentOf(work, "memory_throughput");
    if (instructions > 0 && local / instructions > kLocalShare) {
        return fmt::format("local memory: {:.0f} % of instructions load or store {}",
                           100 * local / instructions,
                           work.kernel.spillBytes > 0 ? "spilled registers" : "the stack");
    }
    if (dram >= kHigh) return fmt::format("DRAM: {:.0f} % of its bandwidth is used", 100 * dram);
    if (memory >= kHigh && memory > f.issue)
        return fmt::format("memory: caches and their queues are {:.0f} % busy", 100 * memory);
    if (f.issue >= kHigh && f.lanes < kLanes) return idleSentence(work, f.lanes);
    if (f.issue >= kHigh)
        return fmt::format("arithmetic: instructions are issued in {:.0f} % of the slots",
                           100 * f.issue);
    const std::string text = latencyText(work);
    return f.lanes < f.issue ? idleSentence(work, f.lanes) + "; and " + text : text;
}

std::string modelledLimit(const CountedWork& work, double bandwidth) {
    if (work.kernel.spillBytes > 0) {
        return fmt::format("probably local memory: {} bytes of registers are spilled",
                           work.kernel.spillBytes);
    }
    if (bandwidth >= kHigh)
        return fmt::format("DRAM: at least {:.0f} % of its bandwidth is used", 100 * bandwidth);
    if (work.lanes > 0 && work.lanes < kLanes) return idleSentence(work, work.lanes);
    return "not known without counters: neither spills, nor idle lanes, nor bandwidth";
}

}  // namespace

std::optional<RateFactors> rateFactors(const CountedWork& work) {
    RateFactors f;
    const double instructions = counter(work.counters, "instructions");
    const double lanes = counter(work.counters, "lanes");
    DeviceLimits device = work.device.limits;
    device.clock = counter(work.counters, "clock");
    f.slots = device.laneSlotsPerSecond();
    f.issue = counter(work.counters, "issue_slots") / 100;
    f.lanes = lanes / 32;
    f.perRay = instructions * lanes / static_cast<double>(work.rays.total());
    const bool good = f.slots > 0 && f.issue > 0 && f.lanes > 0 && f.perRay > 0;
    return good && std::isfinite(f.raysPerSecond()) ? std::optional(f) : std::nullopt;
}

std::string speedUpText(const CountedWork& a, const CountedWork& b) {
    const std::optional<RateFactors> fa = rateFactors(a), fb = rateFactors(b);
    if (!fa || !fb) return {};
    const double whole = b.raysPerSecond() / a.raysPerSecond();
    const double issue = fb->issue / fa->issue, lanes = fb->lanes / fa->lanes;
    const double work = fa->perRay / fb->perRay;
    return fmt::format(
        "{:.2f}x the rays/s = {:.2f}x issue slots used \u00b7 {:.2f}x lanes at work \u00b7 {:.2f}x "
        "rays for the same instructions \u00b7 {:.2f}x clock and the rest",
        whole, issue, lanes, work, whole / (issue * lanes * work));
}

RayModel modelOf(const CountedWork& work) {
    RayModel model;
    const Variant& v = work.kernel.variant;  // with what follows from the scene
    const double rays = std::max(1., static_cast<double>(work.rays.total()));
    // The film is read and written once a pass.
    model.bytes = 2. * sizeof(Pixel) * work.width * work.height / rays;
    if (storesPaths(v)) model.bytes += 2. * total(pathBytes(v));
    if (v.accel == Accel::brute && (v.traits.features & kTriangles) == 0) {
        const bool curved = (v.traits.features & kWalls) != 0;
        model.instructions = work.spheres * (curved ? kCurvedOperations : kCenterOperations);
    }
    return model;
}

Limit limitOf(const CountedWork& work) {
    Limit limit;
    const DeviceLimits& device = work.device.limits;
    const RayModel model = modelOf(work);
    const double rate = work.raysPerSecond();
    const auto add = [&](const char* name, double share, bool modelled) {
        if (share > 0) limit.shares.push_back({name, std::min(share, 1.), modelled});
    };
    if (work.settings.backend == Backend::cpu) {
        add("lanes at work", work.lanes, true);
        limit.sentence = "a GPU's limits are analysed here, and this is a CPU: see perf stat";
        return limit;
    }
    limit.sentence = hostText(work);
    add("time with a kernel", busy(work), false);
    if (const std::optional<RateFactors> f = rateFactors(work)) {
        add("issue slots used", f->issue, false);
        add("lanes at work", f->lanes, false);
        add("memory system", percentOf(work, "memory_throughput"), false);
        add("DRAM bandwidth", percentOf(work, "dram_throughput"), false);
        add("occupancy", percentOf(work, "achieved_occupancy"), false);
        if (limit.sentence.empty()) limit.sentence = countedLimit(work, *f);
        return limit;
    }
    double bandwidth = 0;
    if (device.multiprocessors > 0) {
        bandwidth = model.bytes * rate / device.bytesPerSecond;
        const double slots = model.instructions / (work.lanes > 0 ? work.lanes : 1);
        add("issue slots used", slots * rate / device.laneSlotsPerSecond(), true);
    }
    add("lanes at work", work.lanes, true);
    add("DRAM bandwidth", bandwidth, true);
    add("occupancy", work.kernel.occupancy, true);
    if (limit.sentence.empty()) limit.sentence = modelledLimit(work, bandwidth);
    return limit;
}

}  // namespace rayscope
