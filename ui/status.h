#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "renderer/machine/nvml.h"
#include "ui/code_panel.h"
#include "ui/laboratory.h"
#include "ui/panels.h"
#include "ui/scene_editor.h"
#include "ui/why.h"
#include "ui/window.h"

namespace rayscope {

/// What the viewer is doing, for whoever watches from outside: a debugging aid, and the eyes of the
/// tests. Where the environment variable RAYSCOPE_STATUS names a file, the viewer writes it about
/// twenty times a second, atomically:
///
///   {"pid", "time" (seconds since the start), "longest_frame_ms" (of the last second), "memory":
///    {"host" (resident bytes of the process), "heap" (of malloc(), in use), "device" (bytes that
///    all programs have taken of the GPU's; absent where it is not known)}, "frame", "fps",
///    "frame_ms", "samples", "divisor", "film": [w, h], "window": [w, h], "framebuffer": [w, h],
///    "settings": {axis: value}, "camera": {...}, "scene", "view", "speed", "orbit", "panels",
///    "paused", "rays_per_second", "ratio", "budget_ms", "drawn": {name: [x, y, width, height,
///    enabled]}, "screenshot", "toast", "display", "backend", "moving", "doing" ("path: 3 of 120
///    frames"), "tour" (a rung or -1), "tab", "ladder": {"name", "rung", "climbing", "rungs":
///    [{"name", "rate", "reason", "skipped"}]},
///    "timeline": {"shown", "paused", "from_ms", "until_ms", "events"}, "trace" (last one saved),
///    "lab": {"running", "share", "items", "answered", "history"}, "why": {"busy", "maps",
///    "counts", "before", "lanes"}, "code": {"busy", "pairs" (read so far), "rows", "changes",
///    "found", "first_line", "problem", "relation", "kernels", "architecture"}, "pinned": null or
///    {"settings", "showing", "wipe", "gain", "with_sign", "racing", "lead", "lead_spread", "a",
///    "b": {"samples", "kernel_ms", "rays_per_second", "error", "own_kernel"}}}
///
/// Rectangles are in window coordinates. Names: panel.kernel, panel.throughput, panel.status,
/// panel.keys, axis.ID (the control), axis.ID.VALUE (an entry of the list that is open), scene,
/// tab.throughput, tab.ladder, tab.lab, lab.experiment, lab.x, lab.y, lab.ladder,
/// lab.item.INDEX, lab.cell.INDEX, button.measure, button.save, button.apply, ladder, ladder.NAME,
/// ladder.rung.INDEX, button.climb, panel.ladder, scene.NAME, button.home, button.screenshot,
/// view.exposure, view.tone_mapper, tab.versus, panel.versus, wipe (the handle),
/// legend.difference, button.pin, button.unpin, button.swap, button.race, showing.NAME,
/// difference.sign, difference.gain, settings.a, settings.b, lead, plot.error, tab.why, panel.why,
/// button.why, why.lanes, plot.divergence, plot.hits, view.shown, view.shown.INDEX, view.look,
/// legend.map, legend.making (of a map that is not there yet), panel.timeline, timeline.zones,
/// timeline.pause, timeline.save, timeline.close, button.timeline, why.paths, why.counters,
/// why.limit, button.count, button.keep, count.follow, fact.ID, trend.ID, tab.code, panel.code,
/// panel.code_text, code.source, code.ptx, code.sass, code.diff, code.kernel, code.kernel.NAME,
/// code.file, code.file.NAME, code.search, code.copy, code.edit, code.text, code.verdict,
/// code.problem, code.error.INDEX, versus.code, gpu, gpu.NUMBER, button.tour, panel.tour,
/// tour.back, tour.next, tour.end, path.frames, path.samples, button.path.
struct StatusFacts {
    const State& state;
    const Rates& rates;
    const Drawn& drawn;
    long frame = 0;
    int samples = 0;
    double divisor = 1, budgetMs = 0;
    Size film, window, framebuffer;
    Flight flight;
    bool panels = true, paused = false, moving = false;
    std::string screenshot, trace, toast;
    SideTab tab = SideTab::throughput;
    std::string doing;  ///< beside the picture
    int tour = -1;      ///< the rung that the guided tour is at
    const LadderClimb& climb;
    const Laboratory& lab;
    const Versus& versus;
    const Why& why;
    const TimelineView& timeline;
    const CodeReader& reader;
    const CodeTab& code;
    const SceneEditor& editor;
    std::string pciBusId;  ///< of the CUDA device; empty: none
};

/// What is said of A and B: "pinned" above, and "versus" in the info of a screenshot.
nlohmann::json describeSides(const Pinned& pinned, const Versus& versus);

/// What screenshots carry as "info": what every report begins with, then {"opengl", "film": [w, h],
/// "samples", "rays_per_second", "wall_rays_per_second", "kernel_rays_per_second" (over the
/// frames averaged: {"median", "lower", "upper"}), "rays": {"camera", "bounce", "shadow", "total"}
/// (of these frames), "kernel": {"name", "registers", "local_bytes", "spill_bytes", "occupancy"},
/// "ratio": {"switch", "ratio"}}. What is not known is left out.
nlohmann::json describeMeasurements(const DeviceInfo& device, const KernelInfo& kernel,
                                    const Film& film, const Rates& rates, const std::string& gl);

class StatusFile {
public:
    StatusFile();  ///< reads RAYSCOPE_STATUS
    bool due(double now) const { return !path_.empty() && now >= next_; }
    void write(const StatusFacts& facts, double now);

    /// A frame begins; the time since the one before was the length of that.
    void beginFrame(double now);
    /// There was nothing to draw for.
    void rest() { frames_.clear(); }

private:
    double longestFrameMs() const;
    std::optional<double> deviceBytes(const std::string& pciBusId);

    std::string path_;
    double next_ = 0;
    std::deque<double> frames_;  ///< when those of the last second began, and the one before them
    std::optional<GpuSensors> gpu_;
    bool gpuTried_ = false;
};

}  // namespace rayscope
