// Textures with holes: a surface with some is what a smaller one without would be.

#include "renderer/cpu/embree_scene.h"
#include "renderer/scene/places.h"
#include "tests/pictured_square.h"

namespace rayscope {
namespace {

constexpr std::uint32_t kClear8 = 0x00ffffff;

/// The square of squareWith(), of which only the right half is there.
Mesh halfCut() {
    Mesh mesh = squareWith({1, 1, {kWhite8}});
    mesh.textures[0].albedo.picture = halves(kClear8, kWhite8);
    cutHoles(mesh.textures[0], .5);
    return mesh;
}
Mesh half() {
    Mesh mesh = squareWith({1, 1, {kWhite8}});
    for (const int left : {0, 3}) {
        mesh.corners[left].x = 0;
        mesh.uvs[left].x = .5f;
    }
    return mesh;
}

/// A square, turned over, between a floor and a lamp, beside a sphere.
Scene between(Mesh square) {
    for (glm::vec3& c : square.corners) c = {c.x, .2f * c.x, -c.y};
    Scene scene = underALamp(halves(kWhite8, kWhite8));
    scene.meshes.push_back(placed(std::move(square)));
    scene.spheres.push_back({{.7, -.5, .2}, .3, materialOfKind(MaterialKind::lambert, .7)});
    return scene;
}

int differing(const Rendered& a, const Rendered& b) {
    int count = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i)
        count += std::abs(a.pixels[i].g - b.pixels[i].g) > 1e-3f * b.pixels[i].g;
    return count;
}

void expectTheSame(const Scene& cut, const Scene& smaller,
                   const std::vector<std::string>& choices) {
    std::string all;
    for (const std::string& choice : choices) all += choice + " ";
    SCOPED_TRACE(all);
    const auto render = [&](const Scene& scene) {
        return renderCpu(scene, cpuSettings(scene, choices), 32, 32, 16);
    };
    const Rendered with = render(cut), without = render(smaller);
    // a ray or two come as near to the edge as it is filtered
    EXPECT_LE(differing(with, without), 4);
    EXPECT_NEAR(with.stats.rays.total(), without.stats.rays.total(),
                1e-3 * without.stats.rays.total());
}

TEST(Holes, LetRaysAndLightThrough_long) {
    const Scene cut = between(halfCut()), smaller = between(half());
    EXPECT_TRUE(traitsOf(cut).features & kHoles);
    EXPECT_FALSE(traitsOf(smaller).features & kHoles);
    Mesh whole = halfCut();
    whole.textures[0].holesBelow = 0;
    const auto plain = [](const Scene& scene) {
        return renderCpu(scene, cpuSettings(scene), 32, 32, 16);
    };
    EXPECT_GT(differing(plain(between(whole)), plain(smaller)), 100);
    for (const char* lights : {"light_sampling=off", "light_sampling=on"}) {
        std::vector<std::string> accels{"accel=brute", "accel=bvh", "accel=bvh4", "accel=bvh8"};
        if (hasEmbree()) accels.emplace_back("accel=embree");
        for (const std::string& accel : accels) expectTheSame(cut, smaller, {accel, lights});
        for (const char* test : {"triangle=moller_trumbore", "triangle=woop"})
            expectTheSame(cut, smaller, {"accel=bvh", test, lights});
        expectTheSame(cut, smaller, {"accel=bvh", "precision=double", lights});
        expectTheSame(cut, smaller, {"accel=bvh", "engine=wavefront", lights});
    }
}

/// Where meshes stand in several places.
TEST(Holes, AreInAllPlaces_long) {
    const auto placesOf = [](Mesh mesh) {
        const auto moved = [](double x, double z) {
            return Placement(glm::dvec3(.5, 0, 0), glm::dvec3(0, .5, 0), glm::dvec3(0, 0, .5),
                             glm::dvec3(x, 0, z));
        };
        mesh.pieces = {{2, {moved(-.6, 0), moved(.5, .3)}}};
        return between(std::move(mesh));
    };
    const Scene cut = placesOf(halfCut()), smaller = placesOf(half());
    ASSERT_TRUE(hasPlaces(cut));
    for (const char* lights : {"light_sampling=off", "light_sampling=on"}) {
        for (const char* accel : {"accel=bvh", "accel=bvh8", "accel=brute"})
            expectTheSame(cut, smaller, {accel, lights});
        if (hasEmbree()) expectTheSame(cut, smaller, {"accel=embree", lights});
    }
}

/// A lamp does not shine where it has a hole.
TEST(Holes, AreNoPartsOfLamps) {
    Scene cut = underALamp(halves(kWhite8, kWhite8)), smaller = cut;
    const auto lampOf = [&](Mesh lamp) {
        for (glm::vec3& c : lamp.corners) c = {c.x, 1, c.y};
        lamp.materials[0] = materialOfKind(MaterialKind::lambert, .5, 5);
        return placed(std::move(lamp));
    };
    cut.meshes[1] = lampOf(halfCut());
    smaller.meshes[1] = lampOf(half());
    for (const char* lights : {"light_sampling=off", "light_sampling=on"}) {
        const auto meanOf = [&](const Scene& scene) {
            return renderCpu(scene, cpuSettings(scene, {lights}), 32, 32, 256).mean().g;
        };
        const double expected = meanOf(smaller);
        EXPECT_NEAR(meanOf(cut), expected, .03 * expected) << lights;
    }
}

TEST(Holes, AreWhereAlphaIsBelowTheLimit) {
    const auto limitOf = [](std::uint32_t alpha, double below) {
        Textures textures;
        textures.albedo.picture =
            std::make_shared<const Picture8>(Picture8{1, 1, {0xffffff | alpha << 24}});
        cutHoles(textures, below);
        return textures.holesBelow;
    };
    EXPECT_EQ(limitOf(0, .5), 128);
    EXPECT_EQ(limitOf(127, .5), 128);
    EXPECT_EQ(limitOf(128, .5), 0) << "there are none";
    EXPECT_EQ(limitOf(0, 0), 0);
    EXPECT_EQ(limitOf(255, 2), 256) << "nothing is left";
    Textures none;
    cutHoles(none, .5);
    EXPECT_EQ(none.holesBelow, 0);
}

TEST(Holes, APackedSceneIsNoLargerThanAnnounced) {
    const Scene scene = between(halfCut());
    const Settings settings = cpuSettings(scene);
    EXPECT_LE(packScene<float>(scene, SceneLayout::aos, settings.variant.accel).size(),
              packedBytes(scene, settings.variant));
}

}  // namespace
}  // namespace rayscope
