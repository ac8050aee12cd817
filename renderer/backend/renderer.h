#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "renderer/backend/counter_reader.h"
#include "renderer/backend/instruction_counts.h"
#include "renderer/backend/kernel_twins.h"
#include "renderer/backend/moved_scene.h"
#include "renderer/backend/session.h"
#include "renderer/base/result.h"
#include "renderer/choices/settings.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/hierarchy.h"
#include "renderer/scene/shared_scene.h"

namespace rayscope {

/// How full packets are, by their own counts: a step traces a ray in some of the lanes.
struct PacketUse {
    int lanes = 0;                           ///< of a packet; 0: there are none
    unsigned long long steps = 0, rays = 0;  ///< that look for the nearest hit
    unsigned long long shadowSteps = 0, shadowRays = 0;
};

/// How many rays each path of a picture traces, shadow rays excluded, and what they hit.
struct PathLengths {
    int width = 0, height = 0, samples = 0;
    std::vector<unsigned char> rays;  ///< by row, pixel and sample
    /// By depth and HitKind; the sum of a row is the number of rays of that depth.
    std::array<std::array<unsigned long long, kHitKinds>, kMaxDepth> hits{};
    /// Paths that met a subnormal number, where the CPU has recorded them.
    long long subnormalPaths = 0;
    PacketUse packets{};  ///< of the same paths, with Engine::packets
};

/// How long each pixel of a picture took, all its samples together.
struct PixelTimes {
    int width = 0, height = 0, samples = 0;
    std::vector<unsigned> ticks;  ///< rows from the top
    std::string unit;             ///< "clock cycles", "ns"
};

/// A GPU's peak values; 0: unknown.
struct DeviceLimits {
    int multiprocessors = 0;
    int warps = 0;              ///< resident on a multiprocessor
    double clock = 0;           ///< of the multiprocessors, Hz
    double bytesPerSecond = 0;  ///< of its memory
    /// Each of the four schedulers of a multiprocessor (compute capability 7.0 and newer) issues
    /// one instruction, for 32 lanes, per cycle.
    double laneSlotsPerSecond() const { return 4. * 32 * multiprocessors * clock; }
};

struct DeviceInfo {
    std::string name;        ///< "NVIDIA H200", "AMD EPYC, 2 threads"
    std::string detail;      ///< driver, architecture, instruction set: one line
    double contextMs = -1;   ///< time that making the CUDA context took; -1: there is none
    std::string driver{};    ///< of a GPU, the driver's version, "580.159.04"; empty: unknown
    std::string pciBusId{};  ///< of a GPU, "0000:1b:00.0"
    DeviceLimits limits{};
    int architecture = 0;  ///< that a GPU's machine code is made for, 90 for sm_90
    int number = 0;        ///< CUDA's, of a GPU
};

/// The one interface of the backends.
class Renderer {
public:
    virtual ~Renderer() = default;
    virtual DeviceInfo device() const = 0;

    /// Makes the renderer's device the calling thread's, for film memory (film_memory.h). The
    /// renderer's and its sessions' own functions do so by themselves.
    virtual void useThread();
    virtual void setScene(const SharedScene& scene) = 0;
    /// Takes the scene after its spheres have moved by themselves, as many as before and otherwise
    /// the same. Hierarchies follow as the settings say (Hierarchy).
    virtual void moveSpheres(const MovedScene& scene);
    /// Replaces a sphere while it is being edited. The hierarchy is not rebuilt, and every ray
    /// tests this sphere in addition: call setScene() before measuring.
    virtual void adjustSphere(int number, const Sphere& sphere) = 0;
    /// Takes the hierarchy of the last setScene()'s spheres, built elsewhere. Without it the
    /// renderer builds one when it first needs it.
    virtual void giveHierarchy(const SharedBvh& built);

    /// Why these settings cannot be rendered here, or an empty string.
    virtual std::string unsupported(const Settings& settings) const = 0;

    /// A session that renders the film. The film must have its memory whenever the session is
    /// called. The session must not outlive the film, but may outlive the renderer.
    virtual std::unique_ptr<Session> open(Film& film) = 0;

    /// Of several devices, which have failed and why; empty if none has.
    virtual std::string lost() const { return {}; }
    /// After a session has thrown: gives up the device that has failed. What the others are that go
    /// on; nothing where there are none. Sessions of before must be gone, and films begin anew in
    /// other memory.
    virtual std::optional<Backend> goOnWithout(const std::string& /*reason*/) { return {}; }

    /// The lengths of all paths of a picture's first samples, from a kernel of its own that ignores
    /// the settings' engine and layouts. Returns early, incomplete, when asked to stop. Throws
    /// std::runtime_error.
    virtual PathLengths pathLengths(const Settings& settings, const Camera& camera, int width,
                                    int height, int samples, const std::stop_token& stop = {}) = 0;
    /// How long each pixel takes for a picture's first samples, from a twin of the megakernel (or
    /// of Engine::regeneration, if the settings have it) that reads the clock before and after.
    /// Returns early, incomplete, when asked to stop. Throws std::runtime_error.
    virtual PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width,
                                  int height, int samples, const std::stop_token& stop = {}) = 0;
    /// Bodies of a simulation that begin as `start`, in this renderer's device. May outlive the
    /// renderer. Fails if the backend simulates nothing.
    virtual Result<std::unique_ptr<Simulator>> simulate(const Simulation& simulation,
                                                        const Bodies& start);
    /// Counts everything that runs on the device, of this renderer or others. Fails if the backend
    /// has no counters.
    virtual Result<std::unique_ptr<CounterReader>> counterReader(
        const std::vector<std::string>& metrics);
    /// Counts each instruction of the kernel of this symbol, or of the first one where it is empty,
    /// that `work` launches; it must return when the device is idle again. The machine code is
    /// changed for the time, and runs many times as long. Fails if the backend cannot do that.
    virtual Result<std::vector<KernelCounts>> countInstructions(const std::string& symbol,
                                                                const std::function<void()>& work);
    /// What the twins count of the kernels that `work` launches, which must return when the device
    /// is idle again. They run up to a hundred times as long. Fails if the backend cannot do that.
    virtual Result<std::vector<std::uint64_t>> countByTwins(const KernelTwins& twins,
                                                            const std::function<void()>& work);
    /// Samples what warps wait for in all kernels that `work` launches, which takes about so many
    /// milliseconds of the device; it must return when the device is idle again. The machine code
    /// stays as it is. countInstructions() is wrong in the same process afterwards. Fails if the
    /// backend cannot do that.
    virtual Result<StallSamples> sampleStalls(double milliseconds,
                                              const std::function<void()>& work);
    /// Samples where the threads are while `work` renders, in the object that the kernel's code is
    /// in. The machine code stays as it is. Fails if the backend cannot do that.
    virtual Result<HostSamples> sampleHost(const std::function<void()>& work);
};

std::unique_ptr<Renderer> makeCpuRenderer();

/// A renderer on the GPU of this CUDA number. Fails without such a GPU, without a driver or with
/// one older than the toolkit, and in a build without the toolkit.
Result<std::unique_ptr<Renderer>> makeCudaRenderer(int device = 0);

/// The names of the GPUs, by CUDA number; empty if there is none.
std::vector<std::string> cudaDevices();

}  // namespace rayscope
