// A scene that is shared: pointers, versions, and copies where somebody else holds it.

#include "renderer/scene/shared_scene.h"

#include <gtest/gtest.h>

namespace rayscope {
namespace {

SharedScene oneSphere() {
    Scene scene;
    scene.name = "one";
    scene.spheres.push_back({{0, 0, 0}, 1, {}});
    return scene;
}

TEST(SharedScene, CopiesAreThatScene) {
    const SharedScene scene = oneSphere(), copy = scene;
    EXPECT_EQ(&*copy, &*scene);
    EXPECT_EQ(copy.version(), scene.version());
    EXPECT_NE(oneSphere().version(), scene.version());
    EXPECT_EQ(oneSphere(), scene) << "by what is in it";
}

TEST(SharedScene, AChangeLeavesThoseWhoShareItAlone) {
    SharedScene scene = oneSphere();
    const SharedScene before = scene;
    scene.change([](Scene& s) { s.spheres[0].radius = 2; });
    EXPECT_EQ(before->spheres[0].radius, 1);
    EXPECT_EQ(scene->spheres[0].radius, 2);
    EXPECT_NE(scene.version(), before.version());
    EXPECT_FALSE(scene == before);
}

/// Facts are looked up once, but never of a version before.
TEST(SharedScene, FactsAreThoseOfTheVersion) {
    SharedScene scene = oneSphere();
    EXPECT_EQ(lightCount(scene), 0);
    const SharedScene before = scene;
    const auto shine = [](Scene& s) {
        s.spheres.push_back({{3, 0, 0}, 600, {}});
        s.spheres[0].material.emission = {1, 1, 1};
        EXPECT_EQ(lightCount(s), 1) << "while it is changed";
        s.spheres[1].material.emission = {1, 1, 1};
    };
    scene.change(shine);
    EXPECT_EQ(lightCount(scene), 2);
    EXPECT_TRUE(traitsOf(scene).features & kLarge);
    EXPECT_EQ(sceneParams<float>(scene, true).lights[1].id, 1);
    EXPECT_EQ(lightCount(before), 0);
    scene.change([](Scene& s) { s.spheres.pop_back(); });  // its only owner
    EXPECT_EQ(lightCount(scene), 1);
    Scene copy = *scene;
    copy.spheres[0].material.emission = {0, 0, 0};
    EXPECT_EQ(lightCount(copy), 0);
}

TEST(SharedScene, IsNotCopiedForItsOnlyOwner) {
    SharedScene scene = oneSphere();
    const Scene* const there = &*scene;
    const auto version = scene.version();
    scene.change([](Scene& s) { s.name = "another"; });
    EXPECT_EQ(&*scene, there);
    EXPECT_NE(scene.version(), version);
}

}  // namespace
}  // namespace rayscope
