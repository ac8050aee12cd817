#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/choices/settings.h"
#include "renderer/film/film.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// One ray = one query of the whole scene for a live path, counted where it is traced.
struct Rays {
    std::uint64_t camera = 0;  ///< closest hit, first ray of a path
    std::uint64_t bounce = 0;  ///< closest hit, later rays
    std::uint64_t shadow = 0;  ///< any hit
    /// Closest-hit rays by depth; filled where Variant::countDepths.
    std::array<std::uint64_t, kMaxDepth> depth{};
    std::uint64_t total() const { return camera + bounce + shadow; }
    Rays& operator+=(const Rays& other);
};

/// What was finished since the last call. Launches on a GPU are reported once their events have
/// passed, a frame or two late, so that nothing waits for them.
struct FrameStats {
    Rays rays;
    /// GPU: time between events around the kernels of a launch or, where the host works in between,
    /// around each kernel, without that work and the copies. CPU: wall time of the workers.
    double kernelMs = 0;
    /// The part of the above from launches that filled the device, for rates. The first launches of
    /// a kernel of unknown speed are deliberately small and do not count.
    std::uint64_t timedRays = 0;
    double timedMs = 0;
    /// CPU: the workers' processor time over the cores that they may use: about kernelMs on a
    /// machine that does nothing else.
    double processorMs = 0;
    /// CPU: how much longer they waited for a core, over the same cores. 0: unknown, as there are
    /// more threads than cores.
    double waitedMs = 0;
    int launches = 0;
    /// The threads of the smallest launch that counts for rates, over those that a GPU runs at
    /// once; 0: not known.
    double fill = 0;
    /// How long the hierarchy that rays walk took to build, the last time that it was built or its
    /// boxes were fitted. On a GPU, the time of the kernels. -1: there is none, or none has been
    /// timed yet.
    double buildMs = -1;
    /// Of what rays walk in a scene with triangles: its nodes, and the list as searches read it. 0:
    /// unknown.
    std::uint64_t hierarchyBytes = 0;
    FrameStats& operator+=(const FrameStats& other);
};

/// The smaller FrameStats::fill, of those that are known.
double leastFill(double a, double b);

/// One kernel of a program of several.
struct StageInfo {
    std::string name;  ///< "extend"
    int registers = -1;
    int spillBytes = -1;
};

/// The kernel that renders; of a program of several, the one that traces most rays. Numbers are -1
/// if the backend does not know them.
struct KernelInfo {
    Variant variant;
    std::string name;         ///< name expression (CUDA) or table entry (CPU)
    int registers = -1;       ///< per thread
    int localBytes = -1;      ///< per thread: stack frame and spills
    int spillBytes = -1;      ///< per thread: spill stores + loads, bytes
    int sharedBytes = -1;     ///< per block, static
    double occupancy = -1;    ///< theoretical, 0..1
    int residentBlocks = -1;  ///< blocks that are resident on the whole device at once
    double compileMs = -1;    ///< 0 if it came from the cache
    bool cached = false;
    bool ready = false;           ///< this is the kernel of the settings last asked for
    bool packing = false;         ///< it is not, because their scene is not packed yet
    int source = 0;               ///< Settings::source
    unsigned sourcesVersion = 0;  ///< kernelSourcesVersion() of what it was compiled from
    /// All kernels, if the program has several.
    std::vector<StageInfo> stages;
    std::string compileLog;  ///< why the settings' kernel does not compile; else empty
};

/// A pass: samples that are being added to every pixel of a film.
struct FilmPass {
    int samples = 0;  ///< per pixel; 0: no pass is under way
    int cursor = 0;   ///< how far it has come, in the renderer's own unit
    int skipped = 0;  ///< samples per pixel of abandoned passes, whose numbers are not used again
};

/// What one of several devices has done for a film since it was cleared.
struct DeviceWork {
    std::string name;
    std::string label;  ///< "GPU 1", "CPU"
    int samples = 0;    ///< of every pixel
    std::uint64_t rays = 0;
    double kernelMs = 0;
    std::string way{};      ///< of its samples to the film; empty: it has the film
    std::string problem{};  ///< why it has stopped; empty if it has not
};

/// What several devices have done together.
struct GroupWork {
    std::vector<DeviceWork> devices;  ///< empty: the session is of one device
    double wallMs = 0;                ///< in which they did it
    /// The sum of the rates that each has while its kernels run: what they would do together if
    /// none ever waited.
    double raysPerSecondAlone() const;
    /// Rays per second of wall time.
    double raysPerSecond() const;
    /// The second over the first; 0: not known yet.
    double efficiency() const;
    /// Of the same devices.
    GroupWork& operator+=(const GroupWork& other);
};

/// As Settings::launches of Session::advance(): as many as fit into the budget. A device that has
/// enough to do already is then given nothing, and not waited for.
inline constexpr int kAsManyAsFit = 1 << 30;

/// Renders a film, and keeps from call to call the pass under way, the speed of kernels and the
/// memory of paths. Several sessions may take turns with a device.
class Session {
public:
    explicit Session(Film& film) : film_(film) {}
    virtual ~Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Film& film() { return film_; }
    const Film& film() const { return film_; }
    const FilmPass& pass() const { return pass_; }

    /// The film is done after so many samples per pixel; 0: never.
    void setTarget(int samples) { target_ = samples; }
    int target() const { return target_; }
    bool done() const { return target_ > 0 && film_.samples >= target_; }

    /// Whether a window waits for frames. If so, and if the least work that can be done at once
    /// would exceed the budget, a pass has fewer samples than the settings ask for, and of more
    /// threads than cores the CPU leaves some idle. If not, a launch may exceed the budget to fill
    /// a GPU.
    void setWatched(bool watched) { watched_ = watched; }
    bool watched() const { return watched_; }

    /// Sets the film to zero samples.
    void clear();
    /// Abandons the pass under way; pixels keep the samples that it has added, and the next pass
    /// has other ones. Returns false if only some pixels have samples then.
    virtual bool abandonPass();
    /// The owner of the film has taken its samples away and left zeros; no pass is under way.
    virtual void emptied() {}
    /// Skips the numbers of so many samples, which another session has used for the same film.
    void skip(int samples) { pass_.skipped = samples; }

    /// Renders for about `budgetMs`; a device that works by itself then has so much to do. While a
    /// kernel is being compiled, the last good one goes on. Throws std::runtime_error if the device
    /// fails.
    virtual FrameStats advance(const Settings& settings, const Camera& camera, double budgetMs) = 0;
    /// Whether the device works on after advance() has returned.
    virtual bool worksOn() const { return false; }
    /// Milliseconds that it then still has to do, as far as they are known.
    virtual double leftMs() { return 0; }
    /// Waits until the device is idle and returns what has not been reported yet.
    virtual FrameStats finish() = 0;
    /// Gives the idle device a little work and waits for it: after a rest, or after OpenGL has used
    /// it, the first work is slow, which must not affect what is timed next.
    virtual void wake() {}

    /// Takes the working memory of another session of the same renderer, which takes this one's:
    /// what lies where in the caches differs from memory to memory.
    virtual void exchangeMemory(Session& /*other*/) {}

    /// Frees the memory and the stacks of paths until the next advance(). What has not been used
    /// for a while is freed anyway.
    virtual void releasePaths() = 0;

    /// The kernel that rendered last.
    virtual KernelInfo kernel() const = 0;

    /// Of several devices, what each has done.
    virtual GroupWork work() const { return {}; }
    /// The part of all rays that the device of the film traces.
    virtual double ownShare() const { return 1; }

protected:
    virtual void clearPixels() = 0;
    /// Begins a pass of so many samples per pixel, or as many as the target lacks, unless one is
    /// under way.
    void beginPass(int samples);
    /// Moves the pass's cursor; at `end` the pass is complete.
    void movePass(int cursor, int end);

private:
    Film& film_;
    FilmPass pass_;
    int target_ = 0;
    bool watched_ = false;
};

/// Launch parameters for the whole film; the renderer sets what differs from launch to launch.
template <class Real>
LaunchParams<Real> launchParams(const Settings& settings, const Scene& scene, const Camera& camera,
                                const Film& film, const FilmPass& pass);

/// How many of the wanted items can be done in `ms`, at least one.
int howManyFit(int wanted, double msOfOne, double ms);

/// True if passes of fewer samples make the same picture: a path's random numbers depend only on
/// its pixel and sample, and the samples of a pass share no budget of rays.
bool passesMayBeCut(const Variant& variant);

}  // namespace rayscope
