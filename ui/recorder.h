#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "renderer/choices/state.h"
#include "renderer/devices/machine.h"
#include "renderer/lab/cost_map.h"
#include "renderer/lab/counting.h"
#include "renderer/lab/divergence.h"
#include "renderer/lab/job.h"
#include "renderer/lab/limit.h"
#include "ui/window.h"

namespace rayscope {

/// What to find out about the paths of a picture, or of the kernel that traces them.
enum class RecordKind { divergence, rayMap, timeMap, counters };

struct RecordWish {
    RecordKind kind = RecordKind::divergence;
    SharedScene scene;
    Camera camera;
    Settings settings;
    Size framebuffer;  ///< of the window,
    Size size;         ///< and of the picture that is traced for it
    int samples = 1;
};

/// As large and with as many samples as takes no longer than about a second on a thread beside the
/// picture; several where every ray meets every one of a hundred thousand spheres.
RecordWish recordWish(RecordKind kind, const State& state, Size framebuffer);

/// The wish is what recordWish() would be.
bool isFor(const RecordWish& wish, RecordKind kind, const State& state, Size framebuffer);

/// What was found out. `problem`: why nothing was.
struct Recorded {
    RecordWish wish;
    std::string problem;
    Divergence divergence;
    Lanes lanes;
    std::vector<EngineLanes> engines;
    PathLengths paths;  ///< without the lengths
    CostMap map;
    CountedWork counted;
};

/// Renders with the twins of the kernels that record, or counts what the kernel itself does, on a
/// thread and with renderers of its own: neither compiling nor tracing stops a frame.
class Recorder {
public:
    explicit Recorder(std::function<Machine()> open) : open_(std::move(open)) {}

    /// One at a time.
    void start(RecordWish wish);
    bool busy() const { return job_ != nullptr; }
    /// What is being recorded, while busy().
    const RecordWish& wish() const { return *wish_; }
    /// Nobody wants what is being recorded any more: it ends soon, and take() never has it.
    void cancel() { job_->cancel(); }
    /// A map of times is being made by the CPU, or the GPU's work is being counted.
    bool timing() const { return busy() && timing_; }
    /// Opens renderers anew for the next one.
    void reopen() { reopen_ = true; }
    /// What has been found out since the last call. Never throws.
    std::optional<Recorded> take();

private:
    Recorded record(const RecordWish& wish, const std::stop_token& stop);

    std::function<Machine()> open_;
    std::optional<Machine> machine_;  ///< of the thread at work
    bool timing_ = false;
    std::atomic<bool> reopen_ = false;
    std::shared_ptr<const RecordWish> wish_;
    std::unique_ptr<ThreadJob<Recorded>> job_;  ///< last: waits for the thread
};

}  // namespace rayscope
