// Every pair of choices of a CPU, compiled and rendered.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "renderer/compile/host_compiler.h"
#include "renderer/lab/statistics.h"
#include "tests/covering_array.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr int kWidth = 32, kHeight = 18, kBatches = 8;

/// The brightness of a scene's picture, from batches of independent samples.
Estimate brightnessOf(const Scene& scene, Settings settings, int spp) {
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    std::vector<double> batches;
    for (int batch = 0; batch < kBatches; ++batch) {
        settings.seed = static_cast<std::uint32_t>(batch + 1);
        const glm::dvec3 mean =
            renderWith(*renderer, settings, scene.camera, kWidth, kHeight, spp).mean();
        batches.push_back((mean.x + mean.y + mean.z) / 3);
    }
    return estimateOf(batches);
}

/// What a choice estimates is the picture of the defaults in double precision.
void expectThePicture(Engine engine) {
    const Space s = space(Backend::cpu, engine);
    std::vector<Estimate> wanted;
    for (size_t scene = 0; scene < std::size(kScenes); ++scene) {
        const Settings settings = cpuSettings(sceneOf(static_cast<int>(scene)),
                                              {"engine=megakernel", "precision=double"});
        wanted.push_back(brightnessOf(sceneOf(static_cast<int>(scene)), settings, 64));
    }
    const std::vector<Row> rows = coveringArray(s);
    EXPECT_GT(rows.size(), 20u);
    std::set<HostCompiler> compilers;
    for (const Row& row : rows) {
        const Settings settings = settingsOf(s, row);
        const Scene& scene = sceneOf(row.back());
        if (!missingCompiler(settings.variant.compiler).empty()) continue;
        SCOPED_TRACE(scene.name + ": " + describe(settings));
        const Estimate all = wanted[static_cast<size_t>(row.back())];
        const Estimate mine = brightnessOf(scene, settings, 16);
        // of eight batches a standard error is itself uncertain: Student's 1e-5 is at 10
        const double error = std::hypot(all.error, mine.error);
        const double allowed = 10 * error + .002 * all.mean;
        if (settings.variant.engine == Engine::regeneration &&
            settings.variant.regeneration == Regeneration::budget) {
            EXPECT_GT(mine.mean, all.mean - allowed) << "it is too bright, as the axis says";
        } else {
            EXPECT_NEAR(mine.mean, all.mean, allowed);
        }
        EXPECT_LT(error, .1 * all.mean);
        compilers.insert(settings.variant.compiler);
    }
    EXPECT_FALSE(compilers.empty());
    for (const HostCompiler compiler : {HostCompiler::gcc, HostCompiler::clang}) {
        EXPECT_EQ(compilers.contains(compiler), missingCompiler(compiler).empty());
    }
}

TEST(CpuChoices, PairsOfSinglePathsSeeThePicture_long) {
    expectThePicture(Engine::megakernel);
}
TEST(CpuChoices, PairsOfRegenerationSeeThePicture_nightly) {
    expectThePicture(Engine::regeneration);
}
TEST(CpuChoices, PairsOfTheWavefrontSeeThePicture_nightly) {
    expectThePicture(Engine::wavefront);
}
TEST(CpuChoices, PairsOfPacketsSeeThePicture_nightly) {
    expectThePicture(Engine::packets);
}

/// Axes that add up in another order, or by another formula, or with other instructions; all others
/// with Effect::nothing only store, order or search in another way.
bool rounds(const Axis& axis) {
    static const std::set<std::string_view> axes{
        "math",  "opt",          "engine", "path",  "material_dispatch",
        "begin", "samples_from", "search", "lanes", "compiler"};
    return axes.contains(axis.id);
}

/// The pictures of an engine's own settings with one choice changed.
class EachChoice : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
    static constexpr int kSpp = 8;

    void SetUp() override {
        const auto [name, engine] = GetParam();
        scene = sceneNamed(name);
        renderer->setScene(scene);
        base = cpuSettings(scene, {std::string("engine=") + engine});
        if (const std::string lacks = renderer->unsupported(base); !lacks.empty())
            GTEST_SKIP() << lacks;  // packets need AVX2
    }
    /// By a renderer that has no other kernel, which would go on while this one is compiled.
    Rendered render(const Settings& settings) const {
        return renderCpu(scene, settings, 48, 27, kSpp);
    }
    Scene scene;
    Settings base;
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();  ///< says what can be had
};

TEST_P(EachChoice, TracesTheSamePaths) {
    const Rendered all = render(base);
    int exact = 0;
    for (const Axis& axis : axes()) {
        if (!axis.onCpu || axis.effect != Effect::nothing || axis.kind == AxisKind::number ||
            axis.id == "source" || axis.id == "display")
            continue;
        for (int value = axis.minimum; value <= axis.maximum; ++value) {
            Settings changed = base;
            choose(changed, axis, value);
            if (axis.get(changed) == axis.get(base) || !axis.matters(changed) ||
                !renderer->unsupported(changed).empty())
                continue;
            SCOPED_TRACE(describe(changed));
            const Rendered one = render(changed);
            expectAlmostSame(all, one, 2e-3, 1e-3, .95);
            if (rounds(axis) || changed.variant.engine != base.variant.engine) continue;
            EXPECT_TRUE(sameBits(all, one)) << "largest difference " << largestDifference(all, one);
            ++exact;
        }
    }
    EXPECT_GE(exact, 8);
}

std::string choiceName(const testing::TestParamInfo<EachChoice::ParamType>& info) {
    std::string scene = std::get<0>(info.param);
    std::erase(scene, '-');
    return scene + "_" + std::get<1>(info.param);
}
INSTANTIATE_TEST_SUITE_P(OfACpu, EachChoice,
                         testing::Combine(testing::Values("vt9"),
                                          testing::Values("megakernel", "wavefront", "packets")),
                         choiceName);
INSTANTIATE_TEST_SUITE_P(OfACpu_nightly, EachChoice,
                         testing::Combine(testing::Values("cornell", "card", "weekend"),
                                          testing::Values("megakernel", "regeneration", "wavefront",
                                                          "packets")),
                         choiceName);
INSTANTIATE_TEST_SUITE_P(OfTriangles_nightly, EachChoice,
                         testing::Combine(testing::Values("city-100"),
                                          testing::Values("megakernel", "regeneration",
                                                          "wavefront")),
                         choiceName);

}  // namespace
}  // namespace rayscope
