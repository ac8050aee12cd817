// What only the GPU's kernels choose between, instantiated for the host: the same paths.

#include "renderer/core/pool.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr int kWidth = 48, kHeight = 27, kSamples = 8;

constexpr Variant plain(Precision precision) {
    Variant v;
    v.precision = precision;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.countDepths = true;
    v.lightSampling = true;  // at run time: where the scene parameters have lights
    return v;
}

constexpr Variant with(Variant v, Engine engine, Regeneration regeneration, Dispatch dispatch) {
    v.engine = engine;
    v.regeneration = regeneration;
    v.dispatch = dispatch;
    return v;
}

constexpr Variant with(Variant v, SamplesFrom from, Begin begin, Order order = Order::tiles) {
    v.engine = Engine::regeneration;
    v.samplesFrom = from;
    v.begin = begin;
    v.order = order;
    if (begin == Begin::merged) v.dispatch = Dispatch::single;
    return v;
}

constexpr Variant withKeys(Variant v) {
    v.search = Search::keys;
    return v;
}

constexpr Variant withFixedSums(Variant v) {
    v.film = FilmSums::fixed;
    return v;
}

struct Traced {
    std::vector<Pixel> pixels = std::vector<Pixel>(kWidth * kHeight);
    RayCounts<true> counts;
};

/// With a warp of one lane.
template <class Real, Variant V>
void renderAll(LaunchParams<Real>& launch, RayCounts<true>& counts) {
    if constexpr (pools(V)) {
        unsigned long long counters[kCounters] = {};
        launch.counters = counters;
        const SceneView<Real, V> view{launch.scene, launch.params};
        const int pieces = piecesOf(V, kWidth, kHeight, kSamples);
        const int warps = V.samplesFrom == SamplesFrom::queue ? 1 : pieces;
        for (int warp = 0; warp < warps; ++warp) renderPieces(launch, view, warp, counts);
        return;
    }
    for (int y = 0; y < kHeight; ++y) {
        GeneratorOf<V> rng = rowGenerator<V>(launch, y, launch.firstSample);
        for (int x = 0; x < kWidth; ++x) {
            if constexpr (V.begin == Begin::merged)
                renderPixelInStep<Real, V>(launch, x, y, true, counts);
            else
                renderPixel<Real, V>(launch, x, y, true, rng, counts);
        }
    }
}

template <class Real, Variant V>
Traced trace(const Scene& scene, bool lights) {
    Traced traced;
    Settings settings = defaultSettings(Backend::cpu, scene);
    settings.variant = V;
    settings.variant.lightSampling = lights;
    const Film film{kWidth, kHeight, traced.pixels.data()};
    LaunchParams<Real> launch = launchParams<Real>(settings, scene, scene.camera, film, {kSamples});
    const PackedScene packed = packScene<Real>(scene, SceneLayout::aos);
    launch.scene = packed.data();
    std::vector<Fixed> sums(3 * traced.pixels.size());
    launch.sums = sums.data();
    renderAll<Real, V>(launch, traced.counts);
    if constexpr (V.film == FilmSums::fixed) {
        for (int i = 0; i < kWidth * kHeight; ++i) takeSums<V>(launch, i);
        EXPECT_EQ(std::ranges::count(sums, 0u), std::ssize(sums));
    }
    return traced;
}

double brightness(const Traced& t) {
    double sum = 0;
    for (const Pixel& p : t.pixels) sum += (p.r + p.g + p.b) / p.samples;
    return sum;
}

/// The share of pixels that differ by more than this, relative to their value.
double shareThatDiffers(const Traced& a, const Traced& b, double tolerance) {
    int count = 0;
    for (size_t i = 0; i < a.pixels.size(); ++i) {
        const Pixel &p = a.pixels[i], &q = b.pixels[i];
        const double scale = std::max<double>(p.samples, p.g);
        count += !(std::abs(p.g - q.g) <= tolerance * scale) || p.samples != q.samples;
    }
    return static_cast<double>(count) / static_cast<double>(a.pixels.size());
}

bool sameCounts(const RayCounts<true>& a, const RayCounts<true>& b) {
    return a.camera == b.camera && a.closest == b.closest && a.shadow == b.shadow &&
           std::equal(a.depth, a.depth + kMaxDepth, b.depth);
}

using enum Engine;
using enum Regeneration;
using enum Dispatch;

template <class Real>
struct Each {
    static constexpr Variant kPlain =
        plain(sizeof(Real) == 4 ? Precision::float32 : Precision::float64);
    static constexpr Variant kRegeneration = with(kPlain, regeneration, quota, branch);
    static constexpr Variant kBudget = with(kPlain, regeneration, budget, branch);
    static constexpr Variant kWarp = with(kPlain, SamplesFrom::warp, Begin::branch);
    static constexpr Variant kQueue = with(kPlain, SamplesFrom::queue, Begin::branch);
    static constexpr Variant kRows = with(kPlain, SamplesFrom::queue, Begin::branch, Order::rows);
    static constexpr Variant kColumns =
        with(kPlain, SamplesFrom::queue, Begin::branch, Order::columns);
    static constexpr Variant kMerged = with(kPlain, SamplesFrom::pixel, Begin::merged);
    static constexpr Variant kMergedQueue = with(kPlain, SamplesFrom::queue, Begin::merged);
    static constexpr Variant kSingle = with(kPlain, megakernel, quota, single);
    /// Features without walls for scenes that have none, all for cornell.
    template <Variant V>
    static Traced trace(const Scene& scene, bool lights) {
        constexpr auto kWalled = [] {
            Variant v = V;
            v.traits.features = kAllFeatures;
            return v;
        }();
        const bool walls = traitsOf(scene).features & kWalls;
        return walls ? rayscope::trace<Real, kWalled>(scene, lights)
                     : rayscope::trace<Real, V>(scene, lights);
    }
};

struct Case {
    const char* scene;
    bool lights;
};

class Paths : public testing::TestWithParam<Case> {
protected:
    Scene scene = sceneNamed(GetParam().scene);
    bool lights = GetParam().lights;
};

/// The same paths in the same order; only the sum is taken in another.
template <class Real>
void expectRegenerationTracesTheSamePaths(const Scene& scene, bool lights) {
    const Traced loop = Each<Real>::template trace<Each<Real>::kPlain>(scene, lights);
    const Traced turn = Each<Real>::template trace<Each<Real>::kRegeneration>(scene, lights);
    EXPECT_TRUE(sameCounts(loop.counts, turn.counts));
    EXPECT_EQ(shareThatDiffers(loop, turn, 2e-6), 0);
}

TEST_P(Paths, RegenerationWithAQuotaTracesTheSamePaths) {
    expectRegenerationTracesTheSamePaths<float>(scene, lights);
    expectRegenerationTracesTheSamePaths<double>(scene, lights);
}

TEST_P(Paths, ABudgetOfRaysIsSpentToTheLast) {
    const Traced loop = Each<float>::trace<Each<float>::kPlain>(scene, lights);
    const Traced spent = Each<float>::trace<Each<float>::kBudget>(scene, lights);
    EXPECT_EQ(spent.counts.closest, 1u * kWidth * kHeight * kSamples * scene.depth);
    EXPECT_GT(spent.counts.camera, loop.counts.camera);
    double ended = 0;
    for (const Pixel& p : spent.pixels) ended += p.samples;
    EXPECT_LT(ended, spent.counts.camera);  // begun, but never counted
    EXPECT_GT(brightness(spent), brightness(loop));
}

/// Mirror directions get unit length by another formula: last bits differ, and a path in some
/// thousand takes another turn.
TEST_P(Paths, OneFormulaForAllMaterialsTracesTheSamePaths) {
    const Traced branches = Each<double>::trace<Each<double>::kPlain>(scene, lights);
    const Traced formula = Each<double>::trace<Each<double>::kSingle>(scene, lights);
    EXPECT_LT(shareThatDiffers(branches, formula, 1e-9), 2e-3);
    const double rays = branches.counts.closest;
    EXPECT_NEAR(formula.counts.closest, rays, 1e-4 * rays);
}

/// The same paths; the order of the sum is that in which they end.
TEST_P(Paths, LanesThatShareSamplesTraceTheSamePaths) {
    const Traced loop = Each<float>::trace<Each<float>::kPlain>(scene, lights);
    for (const Traced& shared : {Each<float>::trace<Each<float>::kWarp>(scene, lights),
                                 Each<float>::trace<Each<float>::kQueue>(scene, lights),
                                 Each<float>::trace<Each<float>::kRows>(scene, lights),
                                 Each<float>::trace<Each<float>::kColumns>(scene, lights)}) {
        EXPECT_TRUE(sameCounts(loop.counts, shared.counts));
        EXPECT_EQ(shareThatDiffers(loop, shared, 2e-6), 0);
    }
}

/// Each sample is rounded, by at most 2^-25.
TEST_P(Paths, FixedSumsAreThoseOfFloats) {
    constexpr Variant kWarp = withFixedSums(Each<float>::kWarp);
    constexpr Variant kMerged = withFixedSums(Each<double>::kMergedQueue);
    const Traced floats = Each<float>::trace<Each<float>::kWarp>(scene, lights);
    const Traced fixed = Each<float>::trace<kWarp>(scene, lights);
    EXPECT_TRUE(sameCounts(floats.counts, fixed.counts));
    EXPECT_EQ(shareThatDiffers(floats, fixed, 4e-7), 0);
    EXPECT_EQ(shareThatDiffers(Each<double>::trace<Each<double>::kMergedQueue>(scene, lights),
                               Each<double>::trace<kMerged>(scene, lights), 4e-7),
              0);
}

TEST(FixedFilm, RoundsToTheNearestMultipleOfItsUnit) {
    constexpr float kUnit = 1.f / (1 << 24);
    EXPECT_EQ(toFixed(1.f), 1u << 24);
    EXPECT_EQ(toFixed(.5f * kUnit), 0u);
    EXPECT_EQ(toFixed(.51f * kUnit), 1u);
    EXPECT_EQ(toFixed(1.5f * kUnit), 2u);
    EXPECT_EQ(toFixed(2.5f * kUnit), 2u);
    for (float light = .5f; light < 1 << 23; light *= 1.37f)
        EXPECT_EQ(fromFixed(toFixed(light)), light);
}

/// However bright, a launch's sums do not overflow.
TEST(FixedFilm, HoldsTheLightOfALaunch) {
    const Fixed most = toFixed(std::numeric_limits<float>::infinity());
    EXPECT_EQ(fromFixed(most), (1 << 23) - 1);
    // a hit may add what it emits and what it reflects
    EXPECT_GE(std::numeric_limits<Fixed>::max() / most / kMaxDepth / 2,
              static_cast<Fixed>(findAxis("samples")->maximum));
    EXPECT_EQ(toFixed(-1.f), 0u);
    EXPECT_EQ(toFixed(std::numeric_limits<float>::quiet_NaN()), 0u);
}

/// The film after two launches of two pixels, in which each of these lights is a sample of both.
template <Variant V>
std::vector<Pixel> filmOf(const std::vector<Vec3<float>>& lights) {
    std::vector<Pixel> film(2);
    std::vector<Fixed> sums(3 * film.size());
    LaunchParams<float> launch{};
    launch.film = film.data();
    launch.width = 2;
    launch.height = 1;
    launch.samples = static_cast<int>(lights.size());
    launch.sums = sums.data();
    for (int times = 0; times < 2; ++times) {
        for (const Vec3<float>& light : lights) {
            for (int i = 0; i < 2; ++i) addLight<V>(launch, i, light, 1);
        }
        for (int i = 0; V.film == FilmSums::fixed && i < 2; ++i) takeSums<V>(launch, i);
    }
    return film;
}

TEST(FixedFilm, IsTheSameInAnyOrder) {
    constexpr Variant kFloats = Each<float>::kWarp, kFixed = withFixedSums(kFloats);
    std::vector<Vec3<float>> lights;
    float light = 1e-7f;
    for (int i = 0; i < 300; ++i, light *= 1.08f) lights.push_back({light, 2 * light, light / 3});
    const auto rising = filmOf<kFixed>(lights), floats = filmOf<kFloats>(lights);
    std::ranges::reverse(lights);
    const auto falling = filmOf<kFixed>(lights), others = filmOf<kFloats>(lights);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(rising[i].r, falling[i].r);
        EXPECT_EQ(rising[i].g, falling[i].g);
        EXPECT_EQ(rising[i].b, falling[i].b);
        EXPECT_EQ(rising[i].samples, 600);
        EXPECT_NE(floats[i].g, others[i].g);
        EXPECT_NEAR(rising[i].g, floats[i].g, 1e-6 * floats[i].g);
    }
}

/// Lanes of a warp ask on until the last path among them has ended.
template <Variant V>
void expectNoSampleAfterTheLast() {
    unsigned long long counters[kCounters] = {};
    LaunchParams<float> launch{};
    launch.x1 = launch.width = 20;  // the last pieces reach over the film's edge
    launch.y1 = 6;
    launch.samples = kSamples;
    launch.counters = counters;
    const int pieces = piecesOf(V, launch.width, launch.y1, kSamples);
    int given = 0, counted = 0;
    for (int piece = 0; piece < (V.samplesFrom == SamplesFrom::queue ? 1 : pieces); ++piece) {
        SamplePool<float, V> pool(launch, piece);
        Claim claim;
        while (!pool.exhausted()) given += pool.take(true, claim);
        for (int i = 0; i < 2 * kWarp * kSamples; ++i) EXPECT_FALSE(pool.take(true, claim));
        counted += pool.samples();  // a warp of one lane has all pixels
    }
    EXPECT_EQ(given, launch.width * launch.y1 * kSamples);
    EXPECT_EQ(counted, given);
}

TEST(SamplePool, GivesEverySampleOnceAndNoOther) {
    constexpr Variant kPlain = plain(Precision::float32);
    expectNoSampleAfterTheLast<with(kPlain, SamplesFrom::warp, Begin::branch)>();
    expectNoSampleAfterTheLast<with(kPlain, SamplesFrom::warp, Begin::merged, Order::rows)>();
    expectNoSampleAfterTheLast<with(kPlain, SamplesFrom::queue, Begin::merged)>();
}

/// As with one formula for all materials, and refracted rays and camera rays have it, too. A shared
/// sample is added to the film in single precision.
TEST_P(Paths, OneFormulaForAllRaysTracesTheSamePaths) {
    const Traced branches = Each<double>::trace<Each<double>::kPlain>(scene, lights);
    const Traced own = Each<double>::trace<Each<double>::kMerged>(scene, lights);
    const Traced shared = Each<double>::trace<Each<double>::kMergedQueue>(scene, lights);
    EXPECT_LT(shareThatDiffers(branches, own, 1e-9), 5e-3);
    EXPECT_LT(shareThatDiffers(branches, shared, 2e-6), 5e-3);
    EXPECT_TRUE(sameCounts(own.counts, shared.counts));
    const double rays = branches.counts.closest;
    EXPECT_EQ(own.counts.camera, branches.counts.camera);
    EXPECT_NEAR(own.counts.closest, rays, 1e-4 * rays);
}

/// A key's distance is cut to 17 bits or more: few paths find another sphere.
TEST_P(Paths, KeysTraceTheSamePaths) {
    constexpr Variant kKeys = withKeys(Each<float>::kPlain);
    const Traced branch = Each<float>::trace<Each<float>::kPlain>(scene, lights);
    const Traced keys = Each<float>::trace<kKeys>(scene, lights);
    EXPECT_LT(shareThatDiffers(branch, keys, 2e-2), 3e-2);
    EXPECT_NEAR(brightness(keys), brightness(branch), 3e-3 * brightness(branch));
    const double rays = branch.counts.closest;
    EXPECT_NEAR(keys.counts.closest, rays, 1e-3 * rays);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Paths,
                         testing::Values(Case{"vt9", false}, Case{"vt46", true},
                                         Case{"cornell", false}, Case{"card", false}),
                         [](const auto& info) { return std::string(info.param.scene); });

}  // namespace
}  // namespace rayscope
