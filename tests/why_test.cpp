// What the Why tab and the maps show, and when they are made anew; no window.

#include "ui/why.h"

#include <chrono>
#include <thread>

#include "renderer/scene/field.h"
#include "tests/made_up_renderer.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr Size kWindow{48, 27};

Machine cpuOnly() {
    return {makeCpuRenderer(), nullptr, "no CUDA here"};
}

/// Steps until the record under way is there; what was said.
std::string settle(Why& why, Why::Wish wish) {
    std::string said = why.step(wish);
    wish.again = false;
    for (int i = 0; i < 20000 && why.busy(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        said += why.step(wish);
    }
    EXPECT_FALSE(why.busy());
    return said;
}

TEST(RecordWish, IsAsLargeAsTheProcessorAllows) {
    State state = stateOf("vt9");
    const RecordWish cpu = recordWish(RecordKind::divergence, state, {1600, 900});
    EXPECT_EQ(cpu.samples, 32);
    EXPECT_LE(1. * cpu.size.width * cpu.size.height * cpu.samples, 1.5e6);
    EXPECT_GT(1. * cpu.size.width * cpu.size.height * cpu.samples, 1.4e6);
    EXPECT_NEAR(1. * cpu.size.width / cpu.size.height, 16. / 9, .02);
    const auto pathsOf = [](const RecordWish& w) {
        return 1. * w.size.width * w.size.height * w.samples;
    };
    state.scene = fieldScene(1000);
    state.settings.variant.accel = Accel::bvh;
    EXPECT_GT(pathsOf(recordWish(RecordKind::divergence, state, {1600, 900})), 1.4e6);
    state.settings.variant.accel = Accel::brute;
    EXPECT_LE(pathsOf(recordWish(RecordKind::divergence, state, {1600, 900})), 69000);
    EXPECT_GT(pathsOf(recordWish(RecordKind::divergence, state, {1600, 900})), 60000);
    state.scene = fieldScene(50000);
    EXPECT_GT(pathsOf(recordWish(RecordKind::rayMap, state, {1600, 900})), 19000);
    state = stateOf("vt9");
    state.settings = defaultSettings(Backend::cuda, state.scene);
    state.settings.samples = 8;
    const RecordWish gpu = recordWish(RecordKind::divergence, state, {1600, 900});
    EXPECT_EQ(gpu.samples, 8);
    EXPECT_EQ(gpu.size, (Size{1600, 900}));
    EXPECT_GT(recordWish(RecordKind::rayMap, state, {1, 1}).size.height, 0);
}

TEST(Why, RecordsWhileTheTabIsOpenAndThePictureRests) {
    Why why(cpuOnly);
    State state = stateOf("vt9");
    EXPECT_EQ(settle(why, {state, kWindow, false, true, true}), "");
    EXPECT_EQ(settle(why, {state, kWindow, true, true, false}), "");
    EXPECT_EQ(why.analysis(), nullptr);
    EXPECT_EQ(settle(why, {state, kWindow, true, true, true}), "");
    ASSERT_NE(why.analysis(), nullptr);
    EXPECT_EQ(why.analysis()->divergence.rows.size(), 10u);
    EXPECT_GT(why.analysis()->lanes.share(), .2);
    EXPECT_LT(why.analysis()->lanes.share(), 1);
    EXPECT_EQ(why.analysis()->engines.size(), 5u);
    EXPECT_EQ(raysAt(why.analysis()->paths, 0), 48ull * 27 * 32);
    why.step({state, kWindow, true, true, true});
    EXPECT_FALSE(why.busy());  // nothing has changed
    const double before = why.analysis()->divergence.raysPerPath;
    state.settings.depth = 2;
    settle(why, {state, kWindow, true, true, true});
    EXPECT_LT(why.analysis()->divergence.raysPerPath, before);
}

/// Its paths take until it is asked to stop.
class EndlessRenderer : public MadeUpRenderer {
    PathLengths pathLengths(const Settings&, const Camera&, int, int, int,
                            const std::stop_token& stop) override {
        while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return {};
    }
};

TEST(Why, WhatIsNotWantedAnyMoreIsGivenUp) {
    Why why([] { return Machine{std::make_unique<EndlessRenderer>(), nullptr, "no CUDA here"}; });
    State state = stateOf("vt9");
    const Why::Wish open{.state = state, .framebuffer = kWindow, .open = true, .resting = true};
    EXPECT_EQ(why.step(open), "");
    EXPECT_EQ(why.step(open), "");
    EXPECT_TRUE(why.busy());
    EXPECT_EQ(settle(why, {.state = state, .framebuffer = kWindow, .resting = true}), "");
    EXPECT_EQ(why.analysis(), nullptr);
    EXPECT_EQ(why.step(open), "");
    state.settings.depth = 2;
    Why::Wish moved = open;
    moved.resting = false;
    EXPECT_EQ(settle(why, moved), "");
    EXPECT_EQ(why.step(open), "");
    EXPECT_TRUE(why.busy());  // and quitting does not wait for it
}

TEST(Why, AMapIsOfExactlyWhatIsSeen) {
    Why why(cpuOnly);
    State state = stateOf("vt9");
    for (const Shown shown : {Shown::rays, Shown::time}) {
        state.view.shown = shown;
        EXPECT_EQ(why.map(state, kWindow), nullptr);
        EXPECT_EQ(settle(why, {state, kWindow, false, true, true}), "");
        const CostMap* map = why.map(state, kWindow);
        ASSERT_NE(map, nullptr);
        EXPECT_EQ(map->values.size(), 48u * 27);
        EXPECT_EQ(map->unit, shown == Shown::rays ? "rays a sample" : "ns a sample");
        EXPECT_GT(map->fullScale, 1);
    }
    EXPECT_EQ(why.maps(), 2);
    State moved = state;
    moved.camera.from.x += 1;
    EXPECT_EQ(why.map(moved, kWindow), nullptr);
    EXPECT_EQ(why.map(state, {50, 27}), nullptr);
    state.view.shown = Shown::picture;
    EXPECT_EQ(why.map(state, kWindow), nullptr);
}

TEST(Why, WhatFailsIsSaidOnceAndTriedAgainOnRequest) {
    Why why(cpuOnly);
    State state = stateOf("vt9");
    state.settings = defaultSettings(Backend::cuda, state.scene);
    const Why::Wish wish{state, kWindow, true, true, true};
    EXPECT_EQ(settle(why, wish), "no CUDA here");
    EXPECT_EQ(settle(why, wish), "");
    EXPECT_EQ(why.analysis(), nullptr);
    EXPECT_EQ(settle(why, {state, kWindow, true, true, true, true}), "no CUDA here");
}

/// Seven of everything, in two passes.
class SevenRenderer : public MadeUpRenderer {
    struct Reader : CounterReader {
        explicit Reader(size_t metrics) : sevens(metrics, 7) {}
        bool pass(const std::function<void()>& work) override {
            work();
            return ++passes == 2;
        }
        std::vector<double> values() override { return sevens; }
        std::vector<double> sevens;
        int passes = 0;
    };
    Result<std::unique_ptr<CounterReader>> counterReader(
        const std::vector<std::string>& metrics) override {
        return std::unique_ptr<CounterReader>(std::make_unique<Reader>(metrics.size()));
    }
};

TEST(Why, CountsWhenAskedAndAfterChanges) {
    Why why([] { return Machine{std::make_unique<SevenRenderer>(), nullptr, "no CUDA here"}; });
    State state = stateOf("vt9");
    Why::Wish wish{.state = state, .framebuffer = kWindow, .map = true, .resting = true};
    EXPECT_EQ(settle(why, wish), "");
    EXPECT_TRUE(why.counts().empty()) << "nobody asked";
    wish.count = true;
    EXPECT_EQ(why.step(wish), "");
    EXPECT_TRUE(why.counting());
    EXPECT_TRUE(why.timing()) << "the picture goes on meanwhile";
    wish.count = false;
    EXPECT_EQ(settle(why, wish), "");
    ASSERT_EQ(why.counts().size(), 1u);
    EXPECT_EQ(counter(why.counts().back().work.counters, "lanes"), 7);
    EXPECT_EQ(why.counts().back().work.spheres, 9);
    why.compareWith(true);
    ASSERT_NE(why.before(), nullptr);
    wish.follow = true;
    EXPECT_EQ(settle(why, wish), "");
    EXPECT_EQ(why.counts().size(), 1u) << "nothing has changed";
    state.settings.samples = 5;
    EXPECT_EQ(settle(why, wish), "");
    ASSERT_EQ(why.counts().size(), 2u);
    EXPECT_EQ(why.counts().back().work.samples, 5);
    EXPECT_NE(why.before()->work.samples, 5);
    wish.resting = false;
    wish.count = true;
    EXPECT_EQ(settle(why, wish), "");
    EXPECT_EQ(why.counts().size(), 2u);
    wish.resting = true;
    wish.count = false;
    EXPECT_EQ(settle(why, wish), "");
    EXPECT_EQ(why.counts().size(), 3u) << "what was asked for on the way is done at rest";
    why.compareWith(false);
    EXPECT_EQ(why.before(), nullptr);
}

TEST(Why, CountsThatFailAreToldOnce) {
    Why why([] { return Machine{std::make_unique<MadeUpRenderer>(), nullptr, "no CUDA here"}; });
    State state = stateOf("vt9");
    state.settings.backend = Backend::cuda;  // for which there is no renderer
    Why::Wish wish{.state = state, .framebuffer = kWindow, .resting = true, .follow = true};
    EXPECT_EQ(settle(why, wish), "no CUDA here");
    EXPECT_EQ(settle(why, wish), "");
    EXPECT_TRUE(why.counts().empty());
}

}  // namespace
}  // namespace rayscope
