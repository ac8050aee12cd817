// Paths that go from stage to stage through memory are the paths of the plain loop: on the CPU
// backend, and by the stages of the CUDA engines with a loop in the place of a launch.

#include <utility>

#include "renderer/backend/path_memory.h"
#include "renderer/core/stages.h"
#include "renderer/choices/sources.h"
#include "renderer/cpu/loaded_object.h"
#include "renderer/cpu/programs.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr int kWidth = 24;
constexpr int kHeight = 14;
constexpr int kSamples = 6;

struct WaveCase {
    const char* scene;
    bool lightSampling;
};

std::string nameOf(const testing::TestParamInfo<WaveCase>& info) {
    return std::string(info.param.scene) + (info.param.lightSampling ? "LightSampling" : "");
}

class CpuWaves : public testing::TestWithParam<WaveCase> {
protected:
    Scene scene = sceneNamed(GetParam().scene);

    Rendered render(std::vector<std::string> assignments) const {
        assignments.push_back(GetParam().lightSampling ? "light_sampling=on"
                                                       : "light_sampling=off");
        return renderCpu(scene, cpuSettings(scene, assignments), 40, 25, kSamples);
    }
};

void expectSame(const Rendered& a, const Rendered& b, const std::string& what) {
    EXPECT_TRUE(sameBits(a, b)) << what;
    const Rays &p = a.stats.rays, &q = b.stats.rays;
    EXPECT_EQ(p.camera, q.camera) << what;
    EXPECT_EQ(p.bounce, q.bounce) << what;
    EXPECT_EQ(p.shadow, q.shadow) << what;
    EXPECT_EQ(p.depth, q.depth) << what;
}

TEST_P(CpuWaves, EveryChoiceTracesThePathsOfTheLoop) {
    for (const std::string precision : {"precision=float", "precision=double"}) {
        for (const std::string opt : {"opt=O2", "opt=native"}) {
            const Rendered loop = render({precision, opt});
            for (const std::string scene : {"scene_layout=aos", "scene_layout=soa"}) {
                for (const std::string state : {"state_layout=aos", "state_layout=soa"}) {
                    expectSame(loop, render({precision, opt, scene, state, "engine=wavefront"}),
                               precision + opt + scene + state);
                }
            }
            for (const std::string stages : {"kernels=separate", "kernels=fused"}) {
                for (const std::string list : {"compaction=off", "compaction=host"}) {
                    expectSame(loop, render({precision, opt, stages, list, "engine=wavefront"}),
                               precision + opt + stages + list);
                }
            }
        }
    }
}

TEST_P(CpuWaves, WalkTheHierarchy) {
    expectSame(render({"accel=brute"}), render({"accel=bvh", "engine=wavefront"}), "bvh");
}

TEST_P(CpuWaves, OtherOptimisationsThreadsAndPieces) {
    for (const std::string opt : {"opt=O0", "opt=O1", "opt=O3"}) {
        expectSame(render({"opt=O2"}), render({opt, "engine=wavefront"}), opt);
    }
    const Rendered wave = render({"engine=wavefront"});
    for (const std::string other : {"threads=1", "threads=3", "order=rows", "samples=1"}) {
        const Rendered same = render({"engine=wavefront", other});
        if (other != "samples=1") {
            EXPECT_TRUE(sameBits(wave, same)) << other;
        }
        EXPECT_EQ(wave.stats.rays.total(), same.stats.rays.total()) << other;
    }
}

INSTANTIATE_TEST_SUITE_P(Scenes, CpuWaves,
                         testing::Values(WaveCase{"vt9", false}, WaveCase{"vt46", true},
                                         WaveCase{"cornell", false}, WaveCase{"cornell", true},
                                         WaveCase{"card", false}, WaveCase{"weekend", false}),
                         nameOf);

TEST(CpuWave, PixelsOfManySamplesAreCutIntoWaves) {
    const Scene scene = sceneNamed("vt9");
    const Settings loop = cpuSettings(scene, {"samples=1000"});
    Settings wave = loop;
    wave.variant.engine = Engine::wavefront;
    expectSame(renderCpu(scene, loop, 9, 5, 1000), renderCpu(scene, wave, 9, 5, 1000), "1000");
}

// ------------------------------------------------------- the stages of CUDA, one after the other

/// The choices of the CUDA engine that change what a stage does.
struct Choice {
    Stages stages;
    RaySource source;
    Compaction compaction;
    Record record;
    StateLayout state;
    SampleLayout samples;
    Access access;
    SceneLayout scene;
};

constexpr auto kOff = Compaction::off;
constexpr auto kHost = Compaction::host;
constexpr auto kQueue = Compaction::device;

/// Every pair of choices that can be had together, but for those of the scene's layout.
constexpr Choice kChoices[] = {
    {Stages::separate, RaySource::kernel, kOff, Record::wide, StateLayout::aos, SampleLayout::aos,
     Access::reference, SceneLayout::aos},
    {Stages::separate, RaySource::kernel, kOff, Record::compact, StateLayout::aos,
     SampleLayout::aos, Access::copyState, SceneLayout::aos},
    {Stages::separate, RaySource::kernel, kHost, Record::compact, StateLayout::soa,
     SampleLayout::float3, Access::copyState, SceneLayout::aos},
    {Stages::separate, RaySource::kernel, kQueue, Record::wide, StateLayout::soa,
     SampleLayout::split, Access::copyAll, SceneLayout::soa},
    {Stages::fusedPrimary, RaySource::fused, kOff, Record::compact, StateLayout::soa,
     SampleLayout::split, Access::copyAll, SceneLayout::aos},
    {Stages::fusedPrimary, RaySource::kernel, kQueue, Record::compact, StateLayout::aos,
     SampleLayout::aos, Access::reference, SceneLayout::aos},
    {Stages::fusedPrimary, RaySource::fused, kHost, Record::wide, StateLayout::aos,
     SampleLayout::float3, Access::copyAll, SceneLayout::soa},
    {Stages::fusedPrimary, RaySource::kernel, kOff, Record::wide, StateLayout::soa,
     SampleLayout::split, Access::copyState, SceneLayout::aos},
    {Stages::fused, RaySource::fused, kOff, Record::wide, StateLayout::soa, SampleLayout::float3,
     Access::copyAll, SceneLayout::aos},
    {Stages::fused, RaySource::fused, kQueue, Record::compact, StateLayout::soa,
     SampleLayout::split, Access::copyAll, SceneLayout::soa},
    {Stages::fused, RaySource::kernel, kHost, Record::wide, StateLayout::aos, SampleLayout::aos,
     Access::reference, SceneLayout::aos},
    {Stages::fused, RaySource::kernel, kOff, Record::compact, StateLayout::aos, SampleLayout::split,
     Access::copyState, SceneLayout::aos},
};

constexpr Variant variantOf(const Choice& c, Precision precision, unsigned features) {
    Variant v;
    v.engine = Engine::wavefront;
    v.precision = precision;
    v.sceneMemory = SceneMemory::global;
    v.sceneLayout = c.scene;
    v.math = Math::precise;
    v.stages = c.stages;
    v.raySource = c.source;
    v.compaction = c.compaction;
    v.record = c.record;
    v.stateLayout = c.state;
    v.sampleLayout = c.samples;
    v.access = c.access;
    v.lightSampling = true;  // decided by the number of lights
    v.countDepths = true;
    v.traits.features = features;
    return v;
}

constexpr Variant loopOf(Variant v) {
    v.engine = Engine::megakernel;
    v.path = Path::loop;
    return v;
}

/// A film, its scene and the counts of its rays.
template <class Real>
struct Launch {
    Launch(const Scene& scene, bool lights, SceneLayout layout)
        : bytes(packScene<Real>(scene, layout)), pixels(kWidth * kHeight) {
        const Film film{kWidth, kHeight, pixels.data()};
        Settings settings = cpuSettings(scene);
        settings.variant.lightSampling = lights;
        params = launchParams<Real>(settings, scene, scene.camera, film, {kSamples});
        params.scene = bytes.data();
    }
    PackedScene bytes;
    std::vector<Pixel> pixels;
    LaunchParams<Real> params;
    RayCounts<true> counts;
};

/// What wavefront.cu and WaveEngine do together.
template <Variant V, class Real>
void traceInWaves(Launch<Real>& launch, int pixelsOfWave) {
    const int capacity = pixelsOfWave * kSamples + 3;
    std::vector<unsigned char> block(blockBytes(pathBytes(V), capacity), 0xff);
    Wave<Real> wave{launch.params, layOut(pathBytes(V), capacity, block.data()), 0, 0, 0};
    RayCounts<true>& counts = launch.counts;
    for (int first = 0; first < kWidth * kHeight; first += pixelsOfWave) {
        wave.firstPixel = first;
        wave.pixels = std::min(pixelsOfWave, kWidth * kHeight - first);
        std::vector<int> live;
        for (int i = 0; i < wave.pixels * kSamples; ++i) live.push_back(i);
        wave.depth = 0;
        if constexpr (V.raySource == RaySource::kernel) {
            for (int path : live) generate<V>(wave, path, counts);
        }
        for (; wave.depth < launch.params.maxDepth; ++wave.depth) {
            std::vector<int> next;
            const auto goOn = [&](int path, bool alive) {
                if (alive) next.push_back(path);
            };
            constexpr bool kPrimary =
                V.stages == Stages::fusedPrimary || V.raySource == RaySource::fused;
            if (kPrimary && wave.depth == 0) {
                constexpr bool kCamera = V.raySource == RaySource::fused;
                for (int path : live) goOn(path, tracePath<V, kCamera>(wave, path, true, counts));
            } else if constexpr (V.stages == Stages::fused) {
                for (int path : live) goOn(path, tracePath<V, false>(wave, path, true, counts));
            } else {
                for (int path : live) extend<V>(wave, path, true, counts);
                for (int path : live) goOn(path, shadePath<V>(wave, path, path, counts));
            }
            // a queue on the device is in no order
            if (V.compaction == Compaction::device) std::reverse(next.begin(), next.end());
            if (V.compaction != Compaction::off) live = next;
        }
        for (int pixel = 0; pixel < wave.pixels; ++pixel) accumulate<V>(wave, pixel);
    }
}

template <Variant V, class Real>
void expectPathsOfTheLoop(const Scene& scene, bool lights) {
    Launch<Real> loop(scene, lights, V.sceneLayout), waves(scene, lights, V.sceneLayout);
    for (int i = 0; i < kWidth * kHeight; ++i) {
        Rng rng{};
        renderPixel<Real, loopOf(V)>(loop.params, i % kWidth, i / kWidth, true, rng, loop.counts);
    }
    traceInWaves<V>(waves, 100);
    EXPECT_TRUE(sameBits(Rendered{loop.pixels, {}}, Rendered{waves.pixels, {}}));
    EXPECT_EQ(loop.counts.camera, waves.counts.camera);
    EXPECT_EQ(loop.counts.closest, waves.counts.closest);
    EXPECT_EQ(loop.counts.shadow, waves.counts.shadow);
    for (int d = 0; d < kMaxDepth; ++d) EXPECT_EQ(loop.counts.depth[d], waves.counts.depth[d]);
}

template <class Real, unsigned Features, size_t... I>
void expectAll(const Scene& scene, bool lights, std::index_sequence<I...>) {
    constexpr Precision kPrecision = sizeof(Real) == 4 ? Precision::float32 : Precision::float64;
    const auto one = [&]<size_t K>() {
        SCOPED_TRACE(scene.name + ", choice " + std::to_string(K));
        expectPathsOfTheLoop<variantOf(kChoices[K], kPrecision, Features), Real>(scene, lights);
    };
    (one.template operator()<I>(), ...);
}

constexpr auto kAllChoices = std::make_index_sequence<std::size(kChoices)>();

TEST(Stages, EveryChoiceTracesThePathsOfTheLoop) {
    constexpr unsigned kFlat = kAllFeatures & ~kWalls;
    expectAll<float, kFlat>(sceneNamed("vt9"), false, kAllChoices);
    expectAll<float, kFlat>(sceneNamed("vt46"), true, kAllChoices);
    expectAll<float, kFlat>(sceneNamed("card"), false, kAllChoices);
}

TEST(Stages, DoublePrecisionAndWalls) {
    constexpr auto kSome = std::index_sequence<0, 2, 3, 4, 9>();
    expectAll<double, kAllFeatures>(sceneNamed("cornell"), false, kSome);
    expectAll<double, kAllFeatures>(sceneNamed("cornell"), true, kSome);
}

TEST(Stages, RecordsHaveThePublishedSizes) {
    Variant v = variantOf(kChoices[0], Precision::float32, 0);
    EXPECT_EQ(pathBytes(v).ray, 28);
    EXPECT_EQ(pathBytes(v).hit, 32);
    EXPECT_EQ(pathBytes(v).sample, 24);
    v.record = Record::compact;
    EXPECT_EQ(pathBytes(v).ray, 24);
    EXPECT_EQ(pathBytes(v).hit, 8);
    EXPECT_EQ(sizeof(Ray<float>), 28u);
    EXPECT_EQ(sizeof(WideHit<float>), 32u);
    EXPECT_EQ(sizeof(CompactRay<float>), 24u);
    EXPECT_EQ(sizeof(Hit<float>), 8u);
    EXPECT_EQ(sizeof(Ray<double>), 56u);
    EXPECT_EQ(sizeof(WideHit<double>), 64u);
    EXPECT_EQ(sizeof(Hit<double>), 16u);
}

// --------------------------------------------------------- Engine::hybrid, and rays from the host

template <Record R, bool Walls>
constexpr Variant hybridVariant() {
    Variant v;
    v.engine = Engine::hybrid;
    v.sceneMemory = SceneMemory::global;
    v.sceneLayout = SceneLayout::soa;
    v.math = Math::precise;
    v.sampleLayout = SampleLayout::aos;
    v.record = R;
    v.compaction = Compaction::off;
    v.lightSampling = true;
    v.countDepths = true;
    v.traits.features = Walls ? kAllFeatures : kAllFeatures & ~kWalls;
    return v;
}

/// The host's stages for a GPU's variant; null where they do not compile.
std::unique_ptr<LoadedObject> stagesOf(const Variant& gpu, SampleLayout summed) {
    const auto compiled = compileCached(KernelCache(RAYSCOPE_COMPILED_KERNELS),
                                        stageProgram(gpu, summed), embeddedKernelSources());
    EXPECT_TRUE(compiled) << compiled.reason();
    return compiled ? std::make_unique<LoadedObject>(*compiled, kBuiltIn) : nullptr;
}

/// What HybridEngine does, with the search of this build in the place of the GPU's. The host's
/// stages are built for this processor, so that last bits may differ.
template <Record R, bool Walls>
void expectHybrid(const std::string& name, bool lights) {
    SCOPED_TRACE(name);
    constexpr Variant kVariant = hybridVariant<R, Walls>();
    const Scene scene = sceneNamed(name);
    Launch<float> loop(scene, lights, SceneLayout::soa), hybrid(scene, lights, SceneLayout::soa);
    for (int i = 0; i < kWidth * kHeight; ++i) {
        Rng rng{};
        renderPixel<float, loopOf(kVariant)>(loop.params, i % kWidth, i / kWidth, true, rng,
                                             loop.counts);
    }
    const int paths = kWidth * kHeight * kSamples;
    std::vector<unsigned char> block(blockBytes(pathBytes(kVariant), paths), 0xff), alive(paths);
    unsigned long long counters[kCounters] = {};
    hybrid.params.counters = counters;
    Wave<float> wave{hybrid.params, layOut(pathBytes(kVariant), paths, block.data()), 0,
                     kWidth * kHeight, 0};
    const std::unique_ptr<LoadedObject> stages = stagesOf(kVariant, SampleLayout::aos);
    ASSERT_TRUE(stages);
    stages->function<GenerateStage<float>>(Stage::generate)(wave, 0, paths);
    const auto shade = stages->function<ShadeStage<float>>(Stage::shade);
    for (; wave.depth < hybrid.params.maxDepth; ++wave.depth) {
        for (int slot = 0; slot < paths; ++slot) extend<kVariant>(wave, slot, true, hybrid.counts);
        shade(wave, 0, paths, nullptr, alive.data());
    }
    stages->function<SumStage>(Stage::addSums)(wave.memory, 0, kWidth * kHeight, kSamples,
                                               hybrid.pixels.data());
    EXPECT_NEAR(loop.counts.closest, hybrid.counts.closest, 2e-3 * loop.counts.closest);
    EXPECT_NEAR(loop.counts.shadow, counters[2], 2e-3 * loop.counts.shadow);
    size_t close = 0;
    for (size_t i = 0; i < loop.pixels.size(); ++i) {
        const Pixel &p = loop.pixels[i], &q = hybrid.pixels[i];
        EXPECT_EQ(q.samples, kSamples);
        close += std::abs(p.g - q.g) <= 1e-3 * std::max(p.samples, p.g);
    }
    EXPECT_GE(close, loop.pixels.size() * 95 / 100);
}

TEST(Hybrid, TracesThePathsOfTheLoop) {
    expectHybrid<Record::wide, false>("vt9", true);
    expectHybrid<Record::compact, false>("vt46", false);
    expectHybrid<Record::compact, false>("weekend", false);
    expectHybrid<Record::compact, true>("cornell", false);
    expectHybrid<Record::wide, true>("cornell", true);
    expectHybrid<Record::wide, false>("card", false);
}

/// The rays of the host lie as the device's kernel would have put them.
TEST(HostRays, AllLayoutsHoldTheSameRays) {
    const Scene scene = sceneNamed("vt9");
    Launch<double> launch(scene, false, SceneLayout::soa);
    constexpr int kPaths = 64 * kSamples;
    const auto rays = [&]<int L, Record R>() {
        constexpr Variant kVariant = [] {
            Variant v = variantOf(kChoices[0], Precision::float64, kAllFeatures & ~kWalls);
            v.stateLayout = L == 1 ? StateLayout::soa : StateLayout::aos;
            v.record = R;
            v.access = Access::copyAll;
            if (L == 2) v.engine = Engine::hybrid;
            return v;
        }();
        std::vector<unsigned char> block(blockBytes(pathBytes(kVariant), kPaths));
        const Wave<double> wave{launch.params, layOut(pathBytes(kVariant), kPaths, block.data()), 7,
                                64, 0};
        const std::unique_ptr<LoadedObject> stages = stagesOf(kVariant, SampleLayout::aos);
        if (stages) stages->function<GenerateStage<double>>(Stage::generate)(wave, 0, kPaths);
        std::vector<Vec3<double>> values;
        const PathStore<double, kVariant> paths{wave.memory};
        for (int i = 0; i < kPaths; ++i) {
            const Ray<double> ray = paths.ray(i, true);
            EXPECT_EQ(ray.from, -1);
            values.push_back(ray.origin);
            values.push_back(ray.direction);
            values.push_back({static_cast<double>(paths.random(i).state), 0, 0});
        }
        return values;
    };
    const auto reference = rays.template operator()<0, Record::wide>();
    EXPECT_TRUE(reference == (rays.template operator()<0, Record::compact>()));
    EXPECT_TRUE(reference == (rays.template operator()<1, Record::wide>()));
    EXPECT_TRUE(reference == (rays.template operator()<1, Record::compact>()));
    EXPECT_TRUE(reference == (rays.template operator()<2, Record::wide>()));
    EXPECT_TRUE(reference == (rays.template operator()<2, Record::compact>()));
}

}  // namespace
}  // namespace rayscope
