// The verdicts on a real device: every value of every axis against the default.

#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/choices/axes.h"
#include "renderer/lab/equal_work.h"
#include "renderer/scene/json.h"
#include "tests/gpu/compile_ahead.h"

namespace rayscope {
namespace {

class EqualWorkGpu : public testing::Test {
protected:
    void SetUp() override {
        auto made = makeCudaRenderer();
        if (!made) GTEST_SKIP() << made.reason();
        renderer_ = *std::move(made);
    }
    void use(const std::string& name) {
        scene_ = *findScene(name);
        renderer_->setScene(scene_);
        settings_ = defaultSettings(Backend::cuda, scene_);
    }
    EqualWorkResult compare(Renderer& a, Renderer& b, const EqualWorkWish& wish) {
        EqualWork job(a, b, wish);
        playToEnd(job);
        if (!job.problem().empty()) throw std::runtime_error(job.problem());
        return job.result();
    }
    EqualWorkWish wish(const Settings& a, const Settings& b) const {
        EqualWorkWish wish = equalWorkWish(a, b, scene_);
        wish.referenceSamples = 0;
        if (b.variant.engine == Engine::hybrid) wish.samples = 8;
        return wish;
    }

    /// The default with one choice changed, for every choice that the device has.
    std::vector<Settings> neighbours() const {
        std::vector<Settings> all;
        for (const Axis& axis : axes()) {
            if (!axis.onCuda || axis.kind == AxisKind::number || axis.id == "backend" ||
                axis.id == "display")
                continue;
            for (int value = axis.minimum; value <= axis.maximum; ++value) {
                Settings changed = settings_;
                choose(changed, axis, value);
                if (axis.belongsTo.words == "engine=regeneration")
                    changed.variant.engine = Engine::regeneration;
                if (axis.matters(changed) && renderer_->unsupported(changed).empty())
                    all.push_back(changed);
            }
        }
        return all;
    }

    std::unique_ptr<Renderer> renderer_;
    Scene scene_;
    Settings settings_;
};

bool otherPaths(const Settings& a, const Settings& b) {
    return std::any_of(axes().begin(), axes().end(), [&](const Axis& axis) {
        return axis.effect == Effect::paths && axis.get(a) != axis.get(b);
    });
}

bool agrees(Verdict verdict, const Settings& a, const Settings& b) {
    if (b.variant.regeneration == Regeneration::budget) return verdict == Verdict::different;
    // Threads that race for one state draw numbers twice: wrong by as much as chance has it.
    if (b.variant.random == Random::shared) return verdict >= Verdict::sameExpectation;
    if (otherPaths(a, b)) return verdict == Verdict::sameExpectation;
    return verdict == Verdict::identical || verdict == Verdict::sameRays;
}

/// Both kernels that EqualWork renders with: one without and one with counts by depth.
std::vector<Settings> withCounts(const std::vector<Settings>& all) {
    std::vector<Settings> both;
    for (Settings s : all) {
        for (const bool counts : {false, true}) {
            s.variant.countDepths = counts;
            both.push_back(s);
        }
    }
    return both;
}

TEST_F(EqualWorkGpu, EveryChoiceHasItsVerdict) {
    for (const std::string name : {"vt9", "cornell"}) {
        use(name);
        const std::vector<Settings> all = neighbours();
        compileAhead(withCounts(all), scene_, renderer_->device().architecture);
        for (const Settings& changed : all) {
            const EqualWorkResult r = compare(*renderer_, *renderer_, wish(settings_, changed));
            EXPECT_TRUE(agrees(r.verdict, settings_, changed))
                << name << " " << difference(settings_, changed) << ": " << nameOf(r.verdict)
                << ", " << r.sentence << " (" << r.pixels.share << " of the pixels)";
        }
    }
}

/// With film=atomic they would be the same rays: the order in which a pixel's light comes varies.
/// As launches are summed as floats, a batch is one launch, once it is known how long that takes.
TEST_F(EqualWorkGpu, FixedSumsOfTheSameRaysAreIdentical) {
    for (const std::string name : {"vt9", "cornell"}) {
        use(name);
        Settings floats = settings_;
        assignAll(floats, {"engine=regeneration", "samples_from=queue", "begin=merged",
                           "search=keys", "scene_memory=baked", "roots=known", "samples=64"});
        Settings fixed = floats, block = floats;
        assignAll(fixed, {"film=fixed"});
        assignAll(block, {"film=fixed", "block=16x16"});
        compare(*renderer_, *renderer_,
                wish(fixed, block));  // passes of kernels not yet timed may be short
        EqualWorkResult r = compare(*renderer_, *renderer_, wish(fixed, block));
        EXPECT_EQ(r.verdict, Verdict::identical) << name << ": " << r.sentence;
        r = compare(*renderer_, *renderer_, wish(floats, fixed));
        EXPECT_EQ(r.verdict, Verdict::sameRays) << name << ": " << r.sentence;
    }
}

TEST_F(EqualWorkGpu, TheCpuTracesTheSameRays) {
    use("vt9");
    auto cpu = makeCpuRenderer();
    cpu->setScene(scene_);
    const EqualWorkWish w = wish(settings_, defaultSettings(Backend::cpu, scene_));
    const EqualWorkResult r = compare(*renderer_, *cpu, w);
    EXPECT_EQ(r.verdict, Verdict::sameRays) << r.sentence;
}

}  // namespace
}  // namespace rayscope
