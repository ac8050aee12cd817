#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "renderer/backend/counter_reader.h"
#include "renderer/choices/settings.h"
#include "renderer/film/film.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/scene.h"

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

/// What was finished since the last call. GPU launches are reported when their events have passed,
/// a frame or two late, without waiting.
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

/// Begins a pass where none is under way: film.passSamples says how many samples it adds to every
/// pixel, which is less than `samples` where the target is near.
void beginPass(int samples, Film& film);

/// How many of what is wanted fit into so many milliseconds; at least one.
int howManyFit(int wanted, double msOfOne, double ms);

/// True where fewer samples a pass make the same picture: the numbers of a path depend on nothing
/// but its pixel and sample, and no budget of rays is shared by the samples of a pass.
bool passesMayBeCut(const Variant& variant);

/// Ends the pass: its samples are complete.
void endPass(Film& film);

/// The one interface of the backends.
class Renderer {
public:
    virtual ~Renderer() = default;
    virtual DeviceInfo device() const = 0;
    virtual void setScene(const Scene& scene) = 0;
    /// A sphere of the scene as it is meanwhile, while it is being moved, resized or adjusted: each
    /// ray tests it apart from the hierarchy, which stays. What is to be measured needs setScene().
    virtual void adjustSphere(int number, const Sphere& sphere) = 0;
    /// The hierarchy over the spheres of the last setScene(), built elsewhere, so that it need not
    /// be built when it is asked for.
    virtual void giveHierarchy(const Bvh& built);
    /// The reason why these settings cannot be had here, or an empty string.
    virtual std::string unsupported(const Settings& settings) const = 0;
    /// Sets the film to zero samples.
    virtual void clear(Film& film) = 0;
    /// Does at most about `budgetMs` of work on the film and returns. While a kernel is being
    /// compiled the last good one goes on. Throws std::runtime_error on a failing device.
    virtual FrameStats advance(const Settings& settings, const Camera& camera, Film& film,
                               double budgetMs) = 0;
    /// Waits until the device is idle and returns what was still outstanding.
    virtual FrameStats finish() = 0;
    /// Frees what engines keep of paths between kernels, and the stacks of deep paths, as happens a
    /// while after they were last used; the next advance() takes them again.
    virtual void releasePaths() {}
    virtual KernelInfo kernel() const = 0;
    /// The lengths of all paths of the first samples of a picture, by a kernel of its own; waits
    /// until they are there. Engine and layouts of the settings don't matter. What it returns when
    /// it was asked to stop is not complete. Throws std::runtime_error.
    virtual PathLengths pathLengths(const Settings& settings, const Camera& camera, int width,
                                    int height, int samples, const std::stop_token& stop = {}) = 0;
    /// What the pixels of the first samples of a picture take, by a twin of the megakernel (of
    /// Engine::regeneration where the settings have it) that looks at the clock before and after
    /// each; waits until they are there, or until it was asked to stop. Throws std::runtime_error.
    virtual PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width,
                                  int height, int samples, const std::stop_token& stop = {}) = 0;
    /// Counts whatever runs on the device, by this renderer or others. A backend without counters
    /// has a sentence instead.
    virtual CounterReaderOr counterReader(const std::vector<std::string>& metrics);
};

std::unique_ptr<Renderer> makeCpuRenderer();

/// A renderer on cudaDevice(), or one sentence that says why there is none (no GPU, none of that
/// number, no driver, built without the toolkit, driver older than the toolkit).
std::variant<std::unique_ptr<Renderer>, std::string> makeCudaRenderer();

/// The names of the GPUs, by CUDA's numbers; empty where there is none.
std::vector<std::string> cudaDevices();

/// The number of the GPU that the renderers made from now on use; 0 where nothing else was set.
void setCudaDevice(int device);
int cudaDevice();

}  // namespace rayscope
