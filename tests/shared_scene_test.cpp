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
