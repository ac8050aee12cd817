#pragma once

#include <array>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "renderer/backend/counter_reader.h"
#include "renderer/backend/session.h"
#include "renderer/base/result.h"
#include "renderer/choices/settings.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/shared_scene.h"

namespace rayscope {

struct Bvh;

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
    /// Renders the film from here on. It has the address of the pixels whenever it is called; the
    /// session must not outlive the film, but may outlive the renderer.
    virtual std::unique_ptr<Session> open(Film& film) = 0;
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
