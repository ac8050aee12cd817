// Scenes whose radiance is known, and the figures that were published for the others.

#include <cmath>

#include "renderer/core/sampling.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A camera at z = 5 that looks at the origin through a narrow field, and a uniform sky.
Scene emptyScene(double sky) {
    Scene scene;
    scene.name = "test";
    scene.sky = {SkyKind::gradient, {sky, sky, sky}, {sky, sky, sky}};
    scene.camera.from = {0, 0, 5};
    scene.camera.to = {0, 0, 0};
    scene.camera.vfov = 40;
    return scene;
}

Sphere sphere(const glm::dvec3& center, double radius, MaterialKind kind, double albedo,
              double emission = 0) {
    Sphere s{center, radius, {}};
    s.material.kind = kind;
    s.material.albedo = {albedo, albedo, albedo};
    s.material.emission = {emission, emission, emission};
    return s;
}

double brightest(const Rendered& r) {
    double value = 0;
    for (const Pixel& p : r.pixels) value = std::max<double>(value, p.g / p.samples);
    return value;
}

double darkest(const Rendered& r) {
    double value = 1e30;
    for (const Pixel& p : r.pixels) value = std::min<double>(value, p.g / p.samples);
    return value;
}

class EveryVariant : public testing::TestWithParam<std::vector<std::string>> {
protected:
    Rendered render(const Scene& scene, int size, int spp, bool lights = false) const {
        std::vector<std::string> assignments = GetParam();
        if (lights) assignments.push_back("light_sampling=on");
        return renderCpu(scene, cpuSettings(scene, assignments), size, size, spp);
    }
};

TEST_P(EveryVariant, AWhiteSphereInAUniformSkyIsInvisible) {
    for (const MaterialKind kind : {MaterialKind::lambert, MaterialKind::metal}) {
        Scene scene = emptyScene(.7);
        scene.spheres.push_back(sphere({0, 0, 0}, 1, kind, 1));
        const Rendered r = render(scene, 32, 16);
        EXPECT_NEAR(brightest(r), .7, 1e-5);
        EXPECT_NEAR(darkest(r), .7, 1e-5);
    }
}

TEST_P(EveryVariant, ClearGlassInAUniformSkyIsInvisible) {
    Scene scene = emptyScene(.7);
    scene.depth = kMaxDepth;
    scene.spheres.push_back(sphere({0, 0, 0}, 1, MaterialKind::dielectric, 1));
    const Rendered dielectric = render(scene, 32, 16);
    EXPECT_NEAR(dielectric.mean().y, .7, 1e-4);
    scene.spheres[0].material.kind = MaterialKind::glass;
    const Rendered glass = render(scene, 48, 256);  // weighted branches: equal on the average
    EXPECT_NEAR(glass.mean().y, .7, 2e-3);
}

TEST_P(EveryVariant, AnEmitterShowsItsRadiance) {
    Scene scene = emptyScene(0);
    scene.spheres.push_back(sphere({0, 0, 0}, 4, MaterialKind::lambert, 0, 3.25));
    for (const bool lights : {false, true}) {
        const Rendered r = render(scene, 16, 4, lights);
        EXPECT_NEAR(brightest(r), 3.25, 1e-5);
        EXPECT_NEAR(darkest(r), 3.25, 1e-5);
    }
}

TEST_P(EveryVariant, AMirrorShowsWhatIsBehindTheCamera) {
    Scene scene = emptyScene(0);
    scene.camera.vfov = 1;
    scene.spheres.push_back(sphere({0, 0, 0}, 1, MaterialKind::metal, .8));
    scene.spheres.push_back(sphere({0, 0, 20}, 10, MaterialKind::lambert, 0, 2));
    for (const bool lights : {false, true}) {
        const Rendered r = render(scene, 16, 4, lights);
        EXPECT_NEAR(brightest(r), 1.6, 1e-5);
        EXPECT_NEAR(darkest(r), 1.6, 1e-5);
    }
}

/// Below the middle of a lamp of radius r at distance d a diffuse surface has the radiance
/// albedo * L * (r/d)^2 (the solid angle of a sphere, weighted by the cosine).
TEST_P(EveryVariant, ALampAboveADiffuseSurface) {
    Scene scene = emptyScene(0);
    scene.camera.from = {3, 2.2, 0};
    scene.camera.to = {0, 1, 0};
    scene.camera.vfov = .2;
    scene.spheres.push_back(sphere({0, 0, 0}, 1, MaterialKind::lambert, .5));
    scene.spheres.push_back(sphere({0, 4, 0}, 1, MaterialKind::lambert, 0, 9));
    const double expected = .5 * 9 * (1. / 3) * (1. / 3);
    EXPECT_NEAR(render(scene, 16, 64, true).mean().y, expected, 2e-3 * expected);
    EXPECT_NEAR(render(scene, 64, 256, false).mean().y, expected, 1e-2 * expected);
}

/// Inside a closed emitting sphere every path brings L (1 + a + a^2 + ...), as many terms as the
/// depth allows; with roulette the whole series on the average. Also with walls of radius 1e5,
/// which no path leaves. A small sphere's surface is known to rounding only, so that in single
/// precision a path in some 100000 slips out along a tangent (with an epsilon of 1e-4, in 2500).
TEST_P(EveryVariant, InsideAClosedFurnace) {
    for (const double radius : {10., 1e5}) {
        Scene scene = emptyScene(0);
        scene.epsilon = 1e-3;
        scene.spheres.push_back(sphere({0, 0, 0}, radius, MaterialKind::lambert, .5, .5));
        const Rendered r = render(scene, 16, 8);
        const double expected = .5 * (1 - std::pow(.5, 10)) / (1 - .5);
        EXPECT_NEAR(brightest(r), expected, 1e-5) << radius;
        EXPECT_NEAR(r.mean().y, expected, 2e-5) << radius;
        if (radius == 1e5) {
            EXPECT_NEAR(darkest(r), expected, 1e-5);
        }
        scene.rouletteDepth = 2;
        scene.depth = kMaxDepth;
        EXPECT_NEAR(render(scene, 64, 64).mean().y, 1, 3e-3) << radius;
    }
}

TEST_P(EveryVariant, TheSkyIsAGradient) {
    Scene scene = emptyScene(0);
    scene.sky = {SkyKind::gradient, {1, 0, 0}, {0, 1, 0}};
    scene.camera.vfov = .001;
    scene.camera.to = {0, 3, 1};  // direction (0, .6, -.8)
    const glm::dvec3 mean = render(scene, 4, 1).mean();
    EXPECT_NEAR(mean.x, .2, 1e-4);
    EXPECT_NEAR(mean.y, .8, 1e-4);
}

TEST_P(EveryVariant, Vt9TracesThePublishedRays) {
    const Scene scene = sceneNamed("vt9");
    Settings settings = cpuSettings(scene, GetParam());
    settings.variant.countDepths = true;
    const Rendered r = renderCpu(scene, settings, 640, 360, 4);
    const double perSample =
        static_cast<double>(r.stats.rays.total()) / static_cast<double>(r.stats.rays.camera);
    EXPECT_NEAR(perSample, 2.317, .005);  // voxel-tracer's vt9 at depth 10
    // the divergence table's row "active": share of paths that trace more than d rays
    const double active[] = {.85, .25, .13, .04};
    const auto& depth = r.stats.rays.depth;
    EXPECT_NEAR(static_cast<double>(depth[1]) / static_cast<double>(depth[0]), active[0], .01);
}

INSTANTIATE_TEST_SUITE_P(
    Cpu, EveryVariant,
    testing::Values(std::vector<std::string>{}, std::vector<std::string>{"precision=double"},
                    std::vector<std::string>{"scene_layout=aos"},
                    std::vector<std::string>{"path=stack", "opt=O1"},
                    std::vector<std::string>{"path=recursive", "precision=double", "opt=O2"}),
    [](const auto& info) {
        std::string name = "Default";
        for (const std::string& a : info.param) name += "_" + a.substr(a.find('=') + 1);
        return name;
    });

TEST(LightSampling, ChangesTheNoiseAndNotThePicture_nightly) {
    for (const char* name : {"vt9", "vt46", "cornell"}) {
        const Scene scene = sceneNamed(name);
        const Settings off = cpuSettings(scene), on = cpuSettings(scene, {"light_sampling=on"});
        const glm::dvec3 a = renderCpu(scene, off, 160, 90, 256).mean();
        const glm::dvec3 b = renderCpu(scene, on, 160, 90, 128).mean();
        EXPECT_NEAR(a.x, b.x, .012 * a.x) << name;
        EXPECT_NEAR(a.y, b.y, .012 * a.y) << name;
        EXPECT_NEAR(a.z, b.z, .012 * a.z) << name;
    }
}

template <Sampling S>
constexpr Variant samplingBy() {
    Variant v;
    v.math = Math::precise;
    v.sampling = S;
    return v;
}

template <Sampling S>
void checkSphereAndBall() {
    constexpr Variant kVariant = samplingBy<S>();
    Rng rng = makeRng(1, 2, 3);
    constexpr int kCount = 200000;
    Vec3<double> mean{0, 0, 0}, square{0, 0, 0};
    double radius3 = 0;
    for (int i = 0; i < kCount; ++i) {
        const Vec3<double> v = unitSphere<kVariant, double>(rng);
        EXPECT_NEAR(dot(v, v), 1, 1e-12);
        mean = mean + v;
        square = square + v * v;
        const Vec3<double> b = unitBall<kVariant, double>(rng);
        radius3 += std::pow(dot(b, b), 1.5);  // r^3 is uniform
    }
    for (const double m : {mean.x, mean.y, mean.z}) EXPECT_NEAR(m / kCount, 0, 5e-3);
    for (const double s : {square.x, square.y, square.z}) EXPECT_NEAR(s / kCount, 1. / 3, 3e-3);
    EXPECT_NEAR(radius3 / kCount, .5, 3e-3);
}

TEST(Sampling, UnitSphereAndBall) {
    checkSphereAndBall<Sampling::closedForm>();
    checkSphereAndBall<Sampling::rejection>();
}

template <Sampling S>
void checkDisk() {
    Rng rng = makeRng(1, 2, 3);
    constexpr int kCount = 200000;
    double meanX = 0, meanY = 0, product = 0, radius2 = 0;
    for (int i = 0; i < kCount; ++i) {
        double x = uniform<double>(rng);
        double y = uniform<double>(rng);
        toDisk<samplingBy<S>()>(rng, &x, &y);
        const double square = x * x + y * y;  // is uniform
        EXPECT_LT(square, 1 + 1e-12);
        meanX += x;
        meanY += y;
        product += x * y;
        radius2 += square;
    }
    for (const double zero : {meanX, meanY, product}) EXPECT_NEAR(zero / kCount, 0, 5e-3);
    EXPECT_NEAR(radius2 / kCount, .5, 3e-3);
}

TEST(Sampling, UnitDisk) {
    checkDisk<Sampling::closedForm>();
    checkDisk<Sampling::rejection>();
}

TEST(Sampling, SineAndCosineOfATurn) {
    double worst32 = 0, worst64 = 0;
    for (int i = 0; i <= 4096; ++i) {
        const double a = i / 2048.;
        double s64, c64;
        sinCosPi(a, &s64, &c64);
        worst64 = std::max(
            {worst64, std::abs(s64 - std::sin(kPi * a)), std::abs(c64 - std::cos(kPi * a))});
        float s32, c32;
        sinCosPi(static_cast<float>(a), &s32, &c32);
        worst32 = std::max(
            {worst32, std::abs(s32 - std::sin(kPi * a)), std::abs(c32 - std::cos(kPi * a))});
    }
    EXPECT_LT(worst32, 4e-7);
    EXPECT_LT(worst64, 1e-14);
}

/// 2-D equidistribution of successive numbers, over the streams of many pixels and samples: chi
/// square of 16 x 16 cells with 255 degrees of freedom, five standard deviations either way.
TEST(Random, StreamsAreEquidistributed) {
    for (const bool bySample : {false, true}) {
        int cells[256] = {};
        constexpr int kCount = 256 * 1000;
        for (int i = 0; i < kCount; ++i) {
            Rng rng = bySample ? makeRng(77, i, 1) : makeRng(i, 5, 1);
            const int x = static_cast<int>(uniform<float>(rng) * 16);
            const int y = static_cast<int>(uniform<float>(rng) * 16);
            ++cells[16 * y + x];
        }
        double chi2 = 0;
        for (const int c : cells) chi2 += (c - 1000.) * (c - 1000.) / 1000;
        EXPECT_NEAR(chi2, 255, 5 * std::sqrt(2 * 255.)) << bySample;
    }
}

}  // namespace
}  // namespace rayscope
