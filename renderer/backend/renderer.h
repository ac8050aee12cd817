#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "renderer/backend/counter_reader.h"
#include "renderer/base/result.h"
#include "renderer/choices/settings.h"
#include "renderer/film/film.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/shared_scene.h"

namespace rayscope {

struct Bvh;

/// One ray = one query of the whole scene for a live path, counted where it is traced.
struct Rays {
    std::uint64_t camera = 0;  ///< closest hit, first ray of a path
    std::uint64_t bounce = 0;  ///< closest hit, later rays
    std::uint64_t shadow = 0;  ///< any hit
    /// Closest-hit rays by depth; filled where Variant::countDepths (on the CPU always).
    std::array<std::uint64_t, kMaxDepth> depth{};
    std::uint64_t total() const { return camera + bounce + shadow; }
    Rays& operator+=(const Rays& other);
};

/// How many rays each path of a picture traces, without shadow rays, and what they meet.
struct PathLengths {
    int width = 0, height = 0, samples = 0;
    std::vector<unsigned char> rays;  ///< by row, pixel and sample
    /// By depth and HitKind; the sum of a row is the number of rays of that depth.
    std::array<std::array<unsigned long long, kHitKinds>, kMaxDepth> hits{};
};

/// What each pixel of a picture took, all its samples together.
struct PixelTimes {
    int width = 0, height = 0, samples = 0;
    std::vector<unsigned> ticks;  ///< rows from the top
    std::string unit;             ///< "clock cycles", "ns"
};

/// What was finished since the last call. Launches on a GPU are reported once their events have
/// passed, a frame or two late, so that nothing waits for them.
struct FrameStats {
    Rays rays;
    /// GPU: between events around the kernels of a launch, or around each where the host works
    /// between them, without its work and the copies; CPU: wall time of the workers.
    double kernelMs = 0;
    /// Part of the above that filled the device, for rates: first launches of unknown speed are
    /// deliberately small and do not count.
    std::uint64_t timedRays = 0;
    double timedMs = 0;
    int launches = 0;
    FrameStats& operator+=(const FrameStats& other);
};

/// One kernel of a program of several.
struct StageInfo {
    std::string name;  ///< "extend"
    int registers = -1;
    int spillBytes = -1;
};

/// The kernel that renders; of a program of several the one that traces most rays. Numbers are -1
/// where the backend cannot tell.
struct KernelInfo {
    Variant variant;
    std::string name;       ///< name expression (CUDA) or table entry (CPU)
    int registers = -1;     ///< a thread
    int localBytes = -1;    ///< a thread: stack frame and spills
    int spillBytes = -1;    ///< a thread: spill stores + loads, bytes
    int sharedBytes = -1;   ///< a block, static
    double occupancy = -1;  ///< theoretical, 0..1
    int waveBlocks = -1;    ///< blocks that the whole device runs at once
    double compileMs = -1;  ///< 0 where it came from the cache
    bool cached = false;
    bool ready = false;  ///< the settings last asked for are the ones rendering
    /// All kernels, where the program has several.
    std::vector<StageInfo> stages;
    std::string compileLog;  ///< of the last compilation that failed; else empty
};

/// What a GPU could do at most; zeros where it is not known.
struct DeviceLimits {
    int multiprocessors = 0;
    int warps = 0;              ///< a multiprocessor
    double clock = 0;           ///< of the multiprocessors, Hz
    double bytesPerSecond = 0;  ///< of its memory
    /// Each of the four schedulers of a multiprocessor (of compute capability 7.0 and newer) issues
    /// an instruction to 32 lanes in a cycle.
    double laneSlotsPerSecond() const { return 4. * 32 * multiprocessors * clock; }
};

struct DeviceInfo {
    std::string name;        ///< "NVIDIA H200", "AMD EPYC, 2 threads"
    std::string detail;      ///< driver, architecture, instruction set: one line
    double contextMs = -1;   ///< what making the CUDA context took; -1: there is none
    std::string driver{};    ///< of a GPU, its version, "580.159.04"; empty: unknown
    std::string pciBusId{};  ///< of a GPU, "0000:1b:00.0"
    DeviceLimits limits{};
    int architecture = 0;  ///< of the machine code made for a GPU, 90 for sm_90
};

/// Launch parameters for the whole film; the renderer fills in what differs from launch to launch.
template <class Real>
LaunchParams<Real> launchParams(const Settings& settings, const Scene& scene, const Camera& camera,
                                const Film& film);

/// Begins a pass where none is under way: of so many samples a pixel, or the fewer that are left to
/// the target.
void beginPass(int samples, Film& film);

/// How many of the items wanted can be done in so many milliseconds; at least one.
int howManyFit(int wanted, double msOfOne, double ms);

/// True where passes of fewer samples make the same picture: a path's random numbers depend on its
/// pixel and sample alone, and the samples of a pass share no budget of rays.
bool passesMayBeCut(const Variant& variant);

/// Ends the pass: its samples are complete.
void endPass(Film& film);

/// The one interface of the backends.
class Renderer {
public:
    virtual ~Renderer() = default;
    virtual DeviceInfo device() const = 0;
    virtual void setScene(const SharedScene& scene) = 0;
    /// Replaces a sphere while it is being edited. The hierarchy stays as it is, and every ray
    /// tests this sphere besides: call setScene() before anything is measured.
    virtual void adjustSphere(int number, const Sphere& sphere) = 0;
    /// Hands over the hierarchy of the last setScene()'s spheres where it was built elsewhere; else
    /// the renderer builds it when it first needs it.
    virtual void giveHierarchy(const Bvh& built);
    /// Why these settings cannot be had here, or an empty string.
    virtual std::string unsupported(const Settings& settings) const = 0;
    /// Sets the film to zero samples.
    virtual void clear(Film& film) = 0;
    /// Works on the film for about `budgetMs` at most. While a kernel is being compiled the last
    /// good one goes on. Throws std::runtime_error where the device fails.
    virtual FrameStats advance(const Settings& settings, const Camera& camera, Film& film,
                               double budgetMs) = 0;
    /// Waits until the device is idle and returns what had not been reported.
    virtual FrameStats finish() = 0;
    /// Frees the memory that engines keep for paths, and the stacks of deep ones, until the next
    /// advance(). What has not been used for a while is freed anyway.
    virtual void releasePaths() {}
    virtual KernelInfo kernel() const = 0;
    /// The lengths of all paths of a picture's first samples, by a kernel of its own, whatever the
    /// engine and the layouts of the settings. Returns when done or, incomplete, when asked to
    /// stop. Throws std::runtime_error.
    virtual PathLengths pathLengths(const Settings& settings, const Camera& camera, int width,
                                    int height, int samples, const std::stop_token& stop = {}) = 0;
    /// What each pixel takes for a picture's first samples, by a twin of the megakernel (or of
    /// Engine::regeneration where the settings have it) that reads the clock before and after.
    /// Returns when done or, incomplete, when asked to stop. Throws std::runtime_error.
    virtual PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width,
                                  int height, int samples, const std::stop_token& stop = {}) = 0;
    /// Counts whatever runs on the device, by this renderer or others; a sentence where the backend
    /// has no counters.
    virtual CounterReaderOr counterReader(const std::vector<std::string>& metrics);
};

std::unique_ptr<Renderer> makeCpuRenderer();

/// A renderer on the GPU of CUDA's number, or why there is none (no GPU, none of that number, no
/// driver, built without the toolkit, driver older than the toolkit).
Result<std::unique_ptr<Renderer>> makeCudaRenderer(int device = 0);

/// The names of the GPUs, by CUDA's numbers; empty where there is none.
std::vector<std::string> cudaDevices();

}  // namespace rayscope
