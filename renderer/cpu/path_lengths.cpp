#include "renderer/cpu/path_lengths.h"

#include <atomic>
#include <stdexcept>

#include "renderer/base/subnormals.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/choices/sources.h"
#include "renderer/cpu/loaded_object.h"
#include "renderer/cpu/programs.h"

namespace rayscope {

namespace {

/// The kernel that records what paths of the settings do, and what it reads.
class Recorder {
public:
    Recorder(const Settings& settings, const Scene& scene, const CompiledKernel& kernel)
        : object_(kernel, kBuiltIn),
          scene_(packScene<float>(scene, SceneLayout::aos, settings.variant.accel, nullptr,
                                  settings.hierarchy, {.test = settings.variant.triangle})) {}

    const unsigned char* scene() const { return scene_.data(); }
    void operator()(const LaunchParams<float>& launch, int x, int y, int first, int count) const {
        Vec3<float> radiance;
        object_.function<RecordKernel>(Stage::record)(launch, x, y, first, count, &radiance);
    }

private:
    LoadedObject object_;
    PackedScene scene_;
};

/// Paths are those of all engines.
Variant variantOf(const Settings& settings, const Scene& scene, bool Variant::*records) {
    Settings s = settings;
    s.variant.engine = Engine::megakernel;
    s.variant.path = Path::loop;
    s.variant.precision = Precision::float32;
    s.variant.random = Random::perPath;
    s.variant.sceneLayout = SceneLayout::aos;
    s.variant.sceneMemory = SceneMemory::global;
    s.variant.search = Search::branch;
    s.variant.vertexLayout = VertexLayout::unrolled;
    s.variant.vertexPrecision = VertexPrecision::single;
    if (s.variant.accel == Accel::embree) s.variant.accel = Accel::bvh;
    Variant v = kernelVariant(s, traitsOf(scene), 0);
    v.*records = true;
    v.countDepths = false;  // RayCounts has hits or depths
    return v;
}

/// Nothing after the request to stop.
std::optional<Recorder> recorderOf(const Settings& settings, const Scene& scene,
                                   bool Variant::*records, const std::stop_token& stop) {
    const KernelProgram program = recordProgram(variantOf(settings, scene, records));
    if (const std::string problem = editedProblem(program, settings.source); !problem.empty())
        throw std::runtime_error(problem);
    const auto kernel = compiledUnlessStopped(program, embeddedKernelSources(), stop);
    if (!kernel) return {};
    return std::optional<Recorder>(std::in_place, settings, scene, *kernel);
}

/// Calls visit(thread, x, y) for all pixels, until asked to stop.
template <class Visit>
void eachPixel(int width, int height, ThreadPool& pool, const std::stop_token& stop,
               const Visit& visit) {
    std::atomic<int> next{0};
    pool.run([&](int thread) {
        for (int y = next.fetch_add(1); y < height; y = next.fetch_add(1)) {
            for (int x = 0; x < width && !stop.stop_requested(); ++x) visit(thread, x, y);
        }
    });
}

/// What the paths of one thread have met.
struct alignas(128) Met {
    decltype(PathLengths::hits) hits{};
    long long subnormalPaths = 0;
};

}  // namespace

std::optional<CompiledKernel> compiledUnlessStopped(const KernelProgram& program,
                                                    const std::vector<KernelSource>& sources,
                                                    const std::stop_token& stop) {
    if (stop.stop_requested()) return {};
    Result<CompiledKernel> compiled = compileCached(KernelCache::common(), program, sources,
                                                    [&] { return !stop.stop_requested(); });
    if (!compiled && stop.stop_requested()) return {};
    if (!compiled)
        throw std::runtime_error("the recording kernel does not compile:\n" + compiled.reason());
    return *std::move(compiled);
}

PathLengths cpuPathLengths(const Settings& settings, const Scene& scene, const Camera& camera,
                           int width, int height, int samples, ThreadPool& pool,
                           const std::stop_token& stop) {
    PathLengths result{.width = width, .height = height, .samples = samples, .rays = {}};
    result.rays.resize(static_cast<size_t>(width) * height * samples);
    const Film film{width, height};
    const std::optional<Recorder> kernel =
        recorderOf(settings, scene, &Variant::recordLengths, stop);
    if (!kernel) return result;
    LaunchParams<float> launch = launchParams<float>(settings, scene, camera, film, {samples});
    launch.scene = kernel->scene();
    launch.lengths = result.rays.data();
    std::vector<Met> met(static_cast<size_t>(pool.size()));
    eachPixel(width, height, pool, stop, [&](int thread, int x, int y) {
        Met& mine = met[static_cast<size_t>(thread)];
        LaunchParams<float> path = launch;
        path.hits = mine.hits[0].data();
        for (int sample = 0; sample < samples; ++sample, ++path.lengths) {
            const SubnormalWatch watch;
            (*kernel)(path, x, y, sample, 1);
            mine.subnormalPaths += watch.met();
        }
    });
    for (const Met& m : met) {
        result.subnormalPaths += m.subnormalPaths;
        for (size_t d = 0; d < m.hits.size(); ++d) {
            for (int kind = 0; kind < kHitKinds; ++kind) result.hits[d][kind] += m.hits[d][kind];
        }
    }
    return result;
}

PixelTimes cpuPixelTimes(const Settings& settings, const Scene& scene, const Camera& camera,
                         int width, int height, int samples, ThreadPool& pool,
                         const std::stop_token& stop) {
    PixelTimes result{width, height, samples, {}, "ns"};
    result.ticks.resize(static_cast<size_t>(width) * height);
    const Film film{width, height};
    const std::optional<Recorder> kernel = recorderOf(settings, scene, &Variant::recordTime, stop);
    if (!kernel) return result;
    LaunchParams<float> launch = launchParams<float>(settings, scene, camera, film, {samples});
    launch.scene = kernel->scene();
    launch.ticks = result.ticks.data();
    eachPixel(width, height, pool, stop,
              [&](int, int x, int y) { (*kernel)(launch, x, y, 0, samples); });
    return result;
}

}  // namespace rayscope
