// Paths through cameras, and the pictures along them.

#include "renderer/scene/camera_path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <glm/geometric.hpp>
#include <iterator>

#include "renderer/film/image_files.h"
#include "renderer/lab/sequence.h"
#include "tests/listed_frames.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

std::vector<Camera> corners() {
    std::vector<Camera> keys;
    for (const glm::dvec3 from : {glm::dvec3{3, 1, 0}, {0, 1, 3}, {-9, 1, 0}, {0, 1, -3}}) {
        Camera camera;
        camera.from = from;
        camera.to = {0, 1, 0};
        keys.push_back(camera);
    }
    keys[1].vfov = 20;
    return keys;
}

TEST(CameraPath, PassesThroughItsKeysInTheirOrder) {
    const std::vector<Camera> keys = corners();
    EXPECT_EQ(onPath(keys, 0), keys.front());
    EXPECT_EQ(onPath(keys, 1), keys.back());
    size_t next = 0;
    double last = 0;
    for (int i = 0; i <= 10000; ++i) {
        const Camera camera = onPath(keys, i / 10000.);
        if (next < keys.size() && length(camera.from - keys[next].from) < 4e-3) ++next;
        EXPECT_GE(camera.vfov, 20);
        EXPECT_LE(camera.vfov, 60);
        const Camera before = onPath(keys, std::max(0, i - 1) / 10000.);
        last = std::max(last, length(camera.from - before.from));
    }
    EXPECT_EQ(next, keys.size());
    EXPECT_LT(last, .02) << "it leaps";
}

TEST(CameraPath, HasNoCornersAtItsKeys) {
    const std::vector<Camera> keys = corners();
    // The direction of flight hardly turns within a ten-thousandth of the way.
    const double h = 1e-4;
    for (double t = .05; t < .95; t += h) {
        const glm::dvec3 a = onPath(keys, t).from - onPath(keys, t - h).from;
        const glm::dvec3 b = onPath(keys, t + h).from - onPath(keys, t).from;
        EXPECT_GT(dot(a, b) / (length(a) * length(b)), .999) << t;
    }
}

TEST(CameraPath, OddKeysAreNoTrouble) {
    Camera camera;
    EXPECT_EQ(onPath({camera}, .3), camera);
    const Camera still = onPath({camera, camera, camera}, .4);
    EXPECT_EQ(still.from.x, camera.from.x);
    EXPECT_TRUE(std::isfinite(still.vfov));
    Camera turned = camera;  // the line of targets goes through that of positions
    turned.to = camera.from + (camera.from - camera.to);
    for (int i = 0; i <= 10; ++i) {
        const Camera c = between(camera, turned, i / 10.);
        EXPECT_GT(length(c.to - c.from), 1e-9) << i;
    }
}

TEST(CameraPath, FlightsBeginAndEndSoftly) {
    const Camera a = corners()[0], b = corners()[2];
    EXPECT_EQ(between(a, b, 1), b);
    EXPECT_EQ(between(a, b, 0).from.x, a.from.x);
    const auto x = [&](double t) { return between(a, b, t).from.x; };
    EXPECT_NEAR(x(.5), (a.from.x + b.from.x) / 2, 1e-12);
    EXPECT_LT(std::abs(x(.01) - x(0)), std::abs(x(.51) - x(.5)) / 10);
}

Camera lookingAlong(const glm::dvec3& way) {
    Camera camera;
    camera.from = {1, 2, 3};
    camera.to = camera.from + way;
    return camera;
}

glm::dvec3 viewOf(const Camera& camera) {
    return cameraFrame(camera).forward;
}

TEST(CameraPath, TurnsAtOneRateAndKeepsTheHorizonAndTheDistance) {
    const Camera a = lookingAlong({0, 0, -4}), right = lookingAlong({4, 0, 0});
    const Camera back = lookingAlong({0, 0, 4});
    for (const double t : {.25, .5, .9}) {
        const double soft = t * t * (3 - 2 * t);
        for (const auto& [b, angle] : {std::pair(right, M_PI_2), std::pair(back, M_PI)}) {
            const Camera c = between(a, b, t);
            EXPECT_NEAR(glm::dot(viewOf(a), viewOf(c)), std::cos(soft * angle), 1e-12);
            EXPECT_NEAR(viewOf(c).y, 0, 1e-12);
            EXPECT_NEAR(glm::distance(c.from, c.to), 4, 1e-12);
            EXPECT_EQ(c.up, a.up);
        }
    }
}

TEST(CameraPath, TurnsSmoothlyThroughItsKeys) {
    const std::vector<Camera> keys{lookingAlong({0, 0, -4}), lookingAlong({4, 0, 0}),
                                   lookingAlong({0, 3, 4}), lookingAlong({-4, -3, 0})};
    size_t next = 0;
    double last = 0;
    glm::dvec3 before = viewOf(keys[0]);
    for (int i = 0; i <= 10000; ++i) {
        const Camera camera = onPath(keys, i / 10000.);
        if (next < keys.size() && glm::distance(viewOf(camera), viewOf(keys[next])) < 2e-3) ++next;
        last = std::max(last, glm::distance(viewOf(camera), before));
        before = viewOf(camera);
        EXPECT_GE(glm::distance(camera.from, camera.to), 4 - 1e-12);
        EXPECT_LE(glm::distance(camera.from, camera.to), 5 + 1e-12);
    }
    EXPECT_EQ(next, keys.size());
    EXPECT_LT(last, 2e-3) << "it leaps";
}

TEST(CameraPath, OppositeUpsLeaveACameraThatSees) {
    Camera a, b;
    b.up = -a.up;
    for (int i = 0; i <= 10; ++i) {
        const CameraFrame frame = cameraFrame(between(a, b, i / 10.));
        EXPECT_NEAR(glm::length(frame.up), 1, 1e-12) << i;
    }
}

SequenceWish sequenceOf(const char* scene, int frames, const fs::path& path) {
    SequenceWish wish;
    wish.state.scene = sceneNamed(scene);
    wish.state.camera = wish.state.scene->camera;
    wish.state.settings = defaultSettings(Backend::cpu, wish.state.scene);
    wish.frames = frames;
    wish.width = 16;
    wish.height = 9;
    wish.spp = 2;
    wish.path = path.string();
    return wish;
}

TEST(Sequence, WritesNumberedPicturesThatRestoreTheirCamera) {
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope_sequence_" + std::to_string(getpid()));
    fs::create_directories(folder);
    auto renderer = makeCpuRenderer();
    SequenceWish wish = sequenceOf("vt9", 3, folder / "a.png");
    wish.keys = corners();
    renderer->setScene(wish.state.scene);
    Sequence sequence(*renderer, wish);
    double share = 0;
    while (!sequence.step(1)) {
        EXPECT_GE(sequence.share(), share);
        share = sequence.share();
    }
    EXPECT_EQ(sequence.problem(), "");
    EXPECT_EQ(sequence.written(), 3);
    const auto middle = readState((folder / "a-0002.png").string());
    ASSERT_TRUE(middle) << middle.reason();
    EXPECT_NEAR(middle->camera.from.x, onPath(wish.keys, .5).from.x, 1e-12);
    EXPECT_FALSE(fs::exists(folder / "a-0004.png"));
    wish.path = (folder / "none" / "a.png").string();
    Sequence lost(*renderer, wish);
    while (!lost.step(50)) {
    }
    EXPECT_NE(lost.problem().find("none"), std::string::npos);
    EXPECT_EQ(lost.written(), 0);
    fs::remove_all(folder);
    EXPECT_EQ(frameFile("x/y.png", 11, 20000), "x/y-00012.png");
}

TEST(Sequence, AFrameThatComesBackHasItsOwnBodies) {
    SequenceWish wish = sequenceOf("nbody-100", 6, {});
    wish.keys = {wish.state.camera};
    wish.state.settings.steps = 3;
    expectFramesOfTheirOwn(*makeCpuRenderer(), wish);
}

}  // namespace
}  // namespace rayscope
