// Spheres edited with the mouse: where they are seen, what a drag does to them.

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/scene/field.h"
#include "renderer/scene/json.h"
#include "ui/scene_panel.h"

namespace rayscope {
namespace {

class SceneEditorTest : public testing::Test {
protected:
    SceneEditorTest() { camera_ = scene_->camera; }

    Edit steer(Input& input) {
        return editor_.steer(input, {scene_, kWindow, 0, .01, false, false}, camera_, scene_);
    }
    Edit press(Place at, bool shift = false) {
        held_ = {};
        held_.buttons[static_cast<size_t>(MouseButton::left)] = true;
        held_.held[static_cast<size_t>(Key::shift)] = shift;
        held_.x = at.x;
        held_.y = at.y;
        Input input = held_;
        input.presses = {{MouseButton::left, at.x, at.y, false, false}};
        const Edit edit = steer(input);
        left_ = input.presses.size();
        return edit;
    }
    Edit moveTo(Place to) {
        held_.x = to.x;
        held_.y = to.y;
        Input input = held_;
        return steer(input);
    }
    Edit release() {
        Input input;
        input.x = held_.x;
        input.y = held_.y;
        return steer(input);
    }
    void click(Place at) {
        press(at);
        release();
    }
    Place place(int sphere) { return *placeOf(camera_, kWindow, scene_->spheres[sphere].center); }

    static constexpr Size kWindow{1280, 720};
    SharedScene scene_ = *findScene("vt9");
    Camera camera_;
    SceneEditor editor_;
    Input held_;
    size_t left_ = 0;  ///< presses that the camera may have
};

TEST_F(SceneEditorTest, PlacesAreWhereRaysGoThrough) {
    for (const Place& at : {Place{640, 360}, Place{10, 700}, Place{1200, 50}}) {
        const auto seen = pick(scene_, camera_, at.x, at.y, kWindow);
        if (!seen) continue;
        const auto place = placeOf(camera_, kWindow, seen->point);
        ASSERT_TRUE(place);
        EXPECT_NEAR(place->x, at.x, 1e-6);
        EXPECT_NEAR(place->y, at.y, 1e-6);
    }
    EXPECT_FALSE(placeOf(camera_, kWindow, camera_.from * 2. - camera_.to)) << "behind";
}

TEST_F(SceneEditorTest, OutlinesSeparateSphereAndRest) {
    const Sphere ball{{0, 0, 0}, .4, {}};
    scene_.change([&](Scene& scene) { scene.spheres = {ball}; });
    const Place middle = place(0);
    const std::vector<Place> line = outlineOf(ball, camera_, kWindow);
    ASSERT_GT(line.size(), 20u);
    for (const Place& p : line) {
        for (const double part : {.99, 1.01}) {
            const double x = middle.x + part * (p.x - middle.x);
            const double y = middle.y + part * (p.y - middle.y);
            EXPECT_EQ(pick(scene_, camera_, x, y, kWindow).has_value(), part < 1);
        }
    }
    EXPECT_TRUE(outlineOf({camera_.from, 1, {}}, camera_, kWindow).empty()) << "from inside";
}

TEST_F(SceneEditorTest, AClickSelectsAndLeavesTheSceneAlone) {
    const SharedScene before = scene_;
    click(place(5));
    EXPECT_EQ(editor_.selected(), 5);
    EXPECT_EQ(left_, 1u) << "a drag from there would turn the camera";
    EXPECT_EQ(scene_, before);
    click({640, 2});  // the sky
    EXPECT_EQ(editor_.selected(), -1);
}

TEST_F(SceneEditorTest, ADragFromElsewhereIsTheCameras) {
    const SharedScene before = scene_;
    EXPECT_EQ(press(place(5)), Edit::none);
    EXPECT_EQ(moveTo({place(5).x + 50, place(5).y}), Edit::none);
    EXPECT_EQ(release(), Edit::none);
    EXPECT_EQ(editor_.selected(), -1);
    EXPECT_EQ(scene_, before);
}

TEST_F(SceneEditorTest, TheSelectedSphereFollowsTheCursor) {
    editor_.select(5);
    const Sphere before = scene_->spheres[5];
    const Place from = place(5), to{from.x + 90, from.y - 40};
    EXPECT_EQ(press(from), Edit::none);
    EXPECT_EQ(left_, 0u) << "the camera would turn, too";
    EXPECT_EQ(moveTo({from.x + 1, from.y}), Edit::none) << "an unsteady hand";
    EXPECT_EQ(moveTo(to), Edit::moving);
    EXPECT_TRUE(editor_.dragging());
    const auto seen = pick(scene_, camera_, to.x, to.y, kWindow);
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->sphere, 5);
    const glm::dvec3 way = scene_->spheres[5].center - before.center;
    EXPECT_NEAR(dot(way, cameraFrame(camera_).forward), 0, 1e-9) << "as far away as before";
    EXPECT_EQ(scene_->spheres[5].radius, before.radius);
    EXPECT_EQ(release(), Edit::changed);
    EXPECT_FALSE(editor_.dragging());
    EXPECT_EQ(editor_.selected(), 5);
}

TEST_F(SceneEditorTest, LettingGoEndsTheDrag) {
    editor_.select(5);
    const Place from = place(5);
    press(from);
    ASSERT_EQ(moveTo({from.x + 40, from.y}), Edit::moving);
    editor_.letGo();
    EXPECT_FALSE(editor_.dragging());
    EXPECT_EQ(moveTo({from.x + 80, from.y}), Edit::none);
    EXPECT_EQ(editor_.selected(), 5);
}

TEST_F(SceneEditorTest, ShiftResizesByAsMuchAsTheCursorGoesOut) {
    editor_.select(5);
    const Sphere before = scene_->spheres[5];
    const Place middle = place(5);
    press({middle.x + 30, middle.y}, true);
    EXPECT_EQ(moveTo({middle.x + 60, middle.y}), Edit::moving);
    EXPECT_EQ(scene_->spheres[5].center, before.center);
    const double more = scene_->spheres[5].radius - before.radius;
    EXPECT_GT(more, 0);
    moveTo({middle.x, middle.y + 60});
    EXPECT_NEAR(scene_->spheres[5].radius - before.radius, more, 1e-9) << "as far out";
    EXPECT_EQ(moveTo({middle.x + 90, middle.y}), Edit::moving);
    EXPECT_NEAR(scene_->spheres[5].radius - before.radius, 2 * more, 1e-9);
}

TEST_F(SceneEditorTest, NewSpheresLieOnWhatIsSeen) {
    editor_.place(true);
    const Place at{640, 640};
    const auto under = pick(scene_, camera_, at.x, at.y, kWindow);
    ASSERT_TRUE(under);
    EXPECT_EQ(press(at), Edit::changed);
    EXPECT_EQ(left_, 0u);
    ASSERT_EQ(editor_.selected(), 9);
    EXPECT_FALSE(editor_.placing());
    const Sphere& ball = scene_->spheres[9];
    const glm::dvec3 to = under->point - ball.center;
    EXPECT_NEAR(std::sqrt(dot(to, to)), ball.radius, 1e-9);
    const auto seen = pick(scene_, camera_, at.x, at.y, kWindow);
    EXPECT_EQ(seen->sphere, 9) << "on this side of it";
    const auto json = sceneFromJson(toJson(scene_), "x.json");
    EXPECT_TRUE(json) << json.reason();
    scene_.change([](Scene& scene) { scene.spheres.clear(); });
    const Sphere inTheSky = sphereAt(scene_, camera_, kWindow, {640, 360});
    const glm::dvec3 away = inTheSky.center - camera_.from;
    EXPECT_NEAR(std::sqrt(dot(away, away)), camera_.focus, 1e-6);
}

TEST_F(SceneEditorTest, DuplicatesAndRemoves) {
    editor_.select(5);
    EXPECT_EQ(editor_.duplicate(scene_), Edit::changed);
    EXPECT_EQ(editor_.selected(), 9);
    EXPECT_EQ(scene_->spheres[9].material, scene_->spheres[5].material);
    EXPECT_FALSE(scene_->spheres[9].center == scene_->spheres[5].center);
    EXPECT_EQ(editor_.remove(scene_), Edit::changed);
    EXPECT_EQ(scene_->spheres.size(), 9u);
    EXPECT_EQ(editor_.remove(scene_), Edit::none) << "none is selected";
    scene_.change([](Scene& scene) { scene.spheres.resize(1); });
    editor_.select(0);
    EXPECT_EQ(editor_.remove(scene_), Edit::none) << "the last one";
    scene_.change([](Scene& scene) { scene.spheres.resize(kMaxSpheres); });
    EXPECT_EQ(editor_.duplicate(scene_), Edit::none) << "no more than fit";
    EXPECT_EQ(editedName(editedName("vt9")), "vt9-edited");
}

TEST(Grid, HasAsManySpheresApart) {
    for (const int count : {2, 9, 1000}) {
        const Scene scene = gridScene(count);
        ASSERT_EQ(static_cast<int>(scene.spheres.size()), count);
        EXPECT_EQ(scene.name, "grid-" + std::to_string(count));
        for (int i = 1; i < count; ++i) {
            for (int j = 1; j < i; ++j) {
                const glm::dvec3 d = scene.spheres[i].center - scene.spheres[j].center;
                ASSERT_GT(std::sqrt(dot(d, d)), 2 * scene.spheres[i].radius) << i << " " << j;
            }
        }
    }
    EXPECT_EQ(gridCount("grid-100000"), 100000);
    EXPECT_FALSE(gridCount("grid-1"));
    const auto found = findScene("grid-12");
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, gridScene(12));
}

}  // namespace
}  // namespace rayscope
