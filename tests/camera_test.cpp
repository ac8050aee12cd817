#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/core/camera_ray.h"
#include "renderer/scene/json.h"
#include "tests/render_helper.h"

// The camera of each scene against the formulas of its author, written out here once more.

namespace rayscope {
namespace {

using V3 = glm::dvec3;
constexpr Variant preciseVariant() {
    Variant v;
    v.precision = Precision::float64;
    v.math = Math::precise;
    return v;
}
constexpr Variant kVariant = preciseVariant();
constexpr double kTolerance = 1e-12;

V3 ofKernel(const Vec3<double>& v) {
    return {v.x, v.y, v.z};
}

struct Line {
    V3 origin, direction;
};

void expectSame(const Ray<double>& ray, const Line& expected, const std::string& where) {
    // in units of scenes of size 100
    EXPECT_LT(glm::distance(ofKernel(ray.origin), expected.origin), 1e-9) << where;
    EXPECT_LT(glm::distance(ofKernel(ray.direction), expected.direction), kTolerance) << where;
}

/// Points of the image, u to the right and v upwards: centre, corners, and some between.
constexpr double kPoints[][2] = {{0, 0},   {-.5, -.5}, {.5, -.5}, {-.5, .5},
                                 {.5, .5}, {.25, 0},   {0, -.37}, {-.123, .456}};

CameraParams<double> paramsOf(const Scene& scene) {
    return cameraParams<double>(scene.camera, scene.width, scene.height);
}
/// The ray through such a point.
Ray<double> rayThrough(const double (&point)[2], const CameraParams<double>& camera,
                       const Scene& scene, Rng& rng) {
    return cameraRay<kVariant>(camera, (point[0] + .5) * scene.width,
                               (.5 - point[1]) * scene.height, rng);
}

/// smallpt: cx u + cy v + d, 140 along the direction before it is normalised.
Line smallptRay(int w, int h, double u, double v) {
    const V3 d = glm::normalize(V3{0, -.042612, -1});
    const V3 cx{w * .5135 / h, 0, 0};
    const V3 cy = glm::normalize(glm::cross(cx, d)) * .5135;
    const V3 direction = cx * u + cy * v + d;
    return {V3{50, 52, 295.6} + direction * 140., glm::normalize(direction)};
}

TEST(Camera, CornellIsSmallpts) {
    const Scene scene = sceneNamed("cornell");
    const CameraParams<double> camera = paramsOf(scene);
    EXPECT_EQ(camera.lens, 0);
    for (const auto& p : kPoints) {
        Rng rng{1};
        expectSame(rayThrough(p, camera, scene, rng), smallptRay(1024, 768, p[0], p[1]), "cornell");
    }
}

TEST(Camera, APinholeHasNoFocusNorDoesItsStartDependOnIt) {
    Scene scene = sceneNamed("cornell");
    scene.camera.focus = 7;
    const CameraParams<double> camera = paramsOf(scene);
    for (const auto& p : kPoints) {
        Rng rng{1};
        expectSame(rayThrough(p, camera, scene, rng), smallptRay(1024, 768, p[0], p[1]), "focus 7");
    }
}

/// ((s + .5 + tent) / 2 + x) / w - .5, rows counted from below.
TEST(Camera, CornellsFilterIsSmallptsTent) {
    const Scene scene = sceneNamed("cornell");
    LaunchParams<double> launch{};
    launch.width = scene.width;
    launch.height = scene.height;
    launch.camera.tent = scene.filter == Filter::tent;
    const auto tentOf = [](double random) {
        const double r = 2 * random;
        return r < 1 ? std::sqrt(r) - 1 : 1 - std::sqrt(2 - r);
    };
    for (int sample = 0; sample < 8; ++sample) {
        const int x = 100 + sample, row = 700, y = scene.height - 1 - row;
        Rng rng = makeRng(7, sample, 3), copy = rng;
        double filmX, filmY;
        filmPoint<Variant{}>(launch, x, row, sample, rng, &filmX, &filmY);
        const double dx = tentOf(uniform<double>(copy));
        const double dy = -tentOf(uniform<double>(copy));  // the tent is even
        const int sx = sample % 2, sy = 1 - sample / 2 % 2;
        EXPECT_NEAR(filmX, (sx + .5 + dx) / 2 + x, 1024 * kTolerance);
        EXPECT_NEAR(768 - filmY, (sy + .5 + dy) / 2 + y, 1024 * kTolerance);
    }
}

/// Kensler: a points left, b up, c to the middle of the picture; x and y run from right and below.
Line kenslerRay(double x, double y, double lensA, double lensB) {
    const V3 g = glm::normalize(V3{-6, -16, 0});
    const V3 a = glm::normalize(glm::cross(V3{0, 0, 1}, g)) * .002;
    const V3 b = glm::normalize(glm::cross(g, a)) * .002;
    const V3 c = (a + b) * -256. + g;
    const V3 t = (a * (lensA - .5) + b * (lensB - .5)) * 99.;
    return {V3{17, 16, 8} + t, glm::normalize((a * x + b * y + c) * 16. - t)};
}

TEST(Camera, CardIsKenslers) {
    const Scene scene = sceneNamed("card");
    const CameraParams<double> camera = paramsOf(scene);
    EXPECT_EQ(camera.lens, 2);
    for (const auto& p : kPoints) {
        for (int sample = 0; sample < 4; ++sample) {
            Rng rng = makeRng(5, sample, 1), copy = rng;
            const Ray<double> ray = rayThrough(p, camera, scene, rng);
            const double lensA = 1 - uniform<double>(copy);  // his a points the other way
            const double lensB = uniform<double>(copy);
            expectSame(ray, kenslerRay(512 * (.5 - p[0]), 512 * (.5 + p[1]), lensA, lensB), "card");
        }
    }
}

TEST(Camera, CardsFirstPixelIsKenslersLast) {
    // he writes the picture from x = y = 511 down to 0
    const Scene scene = sceneNamed("card");
    LaunchParams<double> launch{};
    launch.width = launch.height = 512;
    launch.camera = paramsOf(scene);
    launch.camera.lens = 0;
    Rng rng = makeRng(0, 0, 1), copy = rng;
    double filmX, filmY;
    filmPoint<Variant{}>(launch, 0, 0, 0, rng, &filmX, &filmY);
    const double x = 511 + (1 - uniform<double>(copy));
    const double y = 511 + (1 - uniform<double>(copy));
    expectSame(cameraRay<kVariant>(launch.camera, filmX, filmY, rng), kenslerRay(x, y, .5, .5),
               "pixel 0");
}

/// The thin lens of "Ray Tracing in One Weekend", which ToyPathTracer shares: s and t in [0, 1].
Line thinLensRay(V3 from, V3 to, double vfov, double aspect, double focus, V3 lens, double s,
                 double t) {
    const double halfHeight = std::tan(vfov * std::acos(-1.) / 360);
    const double halfWidth = aspect * halfHeight;
    const V3 w = glm::normalize(from - to);
    const V3 u = glm::normalize(glm::cross(V3{0, 1, 0}, w));
    const V3 v = glm::cross(w, u);
    const V3 corner = from - u * (halfWidth * focus) - v * (halfHeight * focus) - w * focus;
    const V3 offset = u * lens.x + v * lens.y;
    const V3 target = corner + u * (2 * halfWidth * focus * s) + v * (2 * halfHeight * focus * t);
    return {from + offset, glm::normalize(target - from - offset)};
}

struct ThinLens {
    const char* scene;
    V3 from;
    double vfov, lensRadius, focus;
};

class ThinLensCamera : public testing::TestWithParam<ThinLens> {};

TEST_P(ThinLensCamera, IsTheAuthors) {
    const ThinLens& expected = GetParam();
    const Scene scene = sceneNamed(expected.scene);
    const CameraParams<double> camera = paramsOf(scene);
    ASSERT_EQ(camera.lens, 1);
    for (const auto& p : kPoints) {
        for (int sample = 0; sample < 4; ++sample) {
            Rng rng = makeRng(11, sample, 2), copy = rng;
            CameraParams<double> pinhole = camera;
            if (sample == 0) pinhole.lens = 0;  // the ray through the middle of the lens
            const Ray<double> ray = rayThrough(p, pinhole, scene, rng);
            const double r =
                sample == 0 ? 0 : expected.lensRadius * std::sqrt(uniform<double>(copy));
            const double phi = 2 * std::acos(-1.) * uniform<double>(copy);
            const V3 lens{r * std::cos(phi), r * std::sin(phi), 0};
            expectSame(ray,
                       thinLensRay(expected.from, {0, 0, 0}, expected.vfov, 1280. / 720,
                                   expected.focus, lens, p[0] + .5, p[1] + .5),
                       expected.scene);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Scenes, ThinLensCamera,
                         testing::Values(ThinLens{"vt9", {0, 2, 3}, 60, .05, 3},
                                         ThinLens{"vt46", {0, 2, 3}, 60, .01, 3},
                                         ThinLens{"weekend", {13, 2, 3}, 20, .05, 10}),
                         [](const auto& info) { return std::string(info.param.scene); });

TEST(Camera, LensesAreFilledEvenly) {
    Camera camera;
    camera.lensRadius = 2;
    for (const Lens lens : {Lens::disk, Lens::square}) {
        camera.lens = lens;
        const auto params = cameraParams<double>(camera, 100, 100);
        const CameraFrame frame = cameraFrame(camera);
        constexpr int kCount = 20000;
        double squares = 0;
        for (int i = 0; i < kCount; ++i) {
            Rng rng = makeRng(i, 0, 1);
            const V3 o = ofKernel(cameraRay<kVariant>(params, 60., 30., rng).origin) - camera.from;
            EXPECT_NEAR(glm::dot(o, frame.forward), 0, 1e-9);
            const double a = glm::dot(o, frame.right), b = glm::dot(o, frame.up);
            const double extent =
                lens == Lens::disk ? std::hypot(a, b) : std::max(std::abs(a), std::abs(b));
            EXPECT_LE(extent, 2 + 1e-9);
            squares += a * a + b * b;
        }
        // mean square distance: r^2 / 2 on a disk, 2 r^2 / 3 on a square of half side r
        EXPECT_NEAR(squares / kCount, lens == Lens::disk ? 2 : 8. / 3, .05);
    }
}

}  // namespace
}  // namespace rayscope
