// engine=packets traces the paths of the other engines, in the lanes of vector registers, and its
// picture depends on nothing but the paths.

#include <fmt/format.h>

#include "renderer/core/path.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/cpu/kernels/packet_memory.h"
#include "renderer/cpu/packet_tree.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

struct PacketCase {
    const char* scene;
    bool lightSampling;
};

std::string lightSampling(bool on) {
    return on ? "light_sampling=on" : "light_sampling=off";
}

class Packets : public testing::TestWithParam<PacketCase> {
protected:
    void SetUp() override {
        if (widestPackets() == 0) GTEST_SKIP() << "no AVX2";
    }

    Rendered render(std::vector<std::string> assignments, int spp = 8) const {
        assignments.push_back(lightSampling(GetParam().lightSampling));
        return renderCpu(scene, cpuSettings(scene, assignments), 48, 27, spp);
    }

    Scene scene = sceneNamed(GetParam().scene);
};

double share(std::uint64_t a, std::uint64_t b) {
    return std::abs(static_cast<double>(a) - static_cast<double>(b)) /
           std::max(1., static_cast<double>(a));
}

/// The share of pixels whose means differ by more than rounding does.
double differing(const Rendered& a, const Rendered& b) {
    int count = 0;
    const auto differ = [](float x, float y, float n) {
        return std::abs(x - y) / n > 1e-4 * std::max(1.f, std::abs(x / n));
    };
    for (size_t i = 0; i < a.pixels.size(); ++i) {
        const Pixel &p = a.pixels[i], &q = b.pixels[i];
        count += p.samples != q.samples || differ(p.r, q.r, p.samples) ||
                 differ(p.g, q.g, p.samples) || differ(p.b, q.b, p.samples);
    }
    return static_cast<double>(count) / static_cast<double>(a.pixels.size());
}

/// Rounding may send a path elsewhere where it grazes a sphere or meets the edge of a square.
TEST_P(Packets, TraceThePathsOfTheMegakernel) {
    for (const char* accel : {"accel=brute", "accel=bvh", "accel=grid"}) {
        const Rendered one = render({accel});
        for (const int lanes : {8, 16}) {
            if (lanes > widestPackets()) continue;
            const std::string width = fmt::format("lanes={}", lanes);
            SCOPED_TRACE(fmt::format("{} {}", accel, width));
            const Rendered many = render({"engine=packets", accel, width});
            const Rays &a = one.stats.rays, &b = many.stats.rays;
            EXPECT_EQ(a.camera, b.camera);
            EXPECT_LT(share(a.bounce, b.bounce), 1e-4);
            EXPECT_LT(share(a.shadow, b.shadow), 1e-4);
            for (size_t d = 0; d < a.depth.size(); ++d) {
                EXPECT_NEAR(static_cast<double>(a.depth[d]), static_cast<double>(b.depth[d]),
                            2e-4 * static_cast<double>(a.camera))
                    << d << ": " << a.depth[d] << ", " << b.depth[d];
            }
            EXPECT_LT(differing(one, many), .01);
        }
    }
}

/// Lanes end and start in another order, lights are asked for other hits together, and every search
/// finds the same hits.
TEST_P(Packets, SumInTheOrderOfSamples) {
    const Rendered reference = render({"engine=packets", "threads=1"});
    for (const char* change :
         {"threads=3", "order=rows", "order=columns", "lane_refill=off", "light_queue=off",
          "lanes_take=rays", "lanes_take=hits", "accel=bvh", "accel=grid", "accel=brute",
          "scan=each", "scan=listed", "samples=8", "samples=3"}) {
        const Rendered other = render({"engine=packets", change});
        EXPECT_EQ(other.stats.rays.total(), reference.stats.rays.total()) << change;
        if (std::string(change).rfind("samples", 0) == 0)  // more are summed before they are added
            EXPECT_LT(largestDifference(reference, other), 1e-6) << change;
        else
            EXPECT_TRUE(sameBits(reference, other)) << change;
    }
    for (const char* take : {"lanes_take=rays", "lanes_take=hits"})
        EXPECT_TRUE(sameBits(reference, render({"engine=packets", "lane_refill=off", take})));
}

/// A pixel's samples lie in two batches where a piece has more than kPacketPaths.
TEST_P(Packets, ContinuePixelsInTheNextBatch) {
    constexpr int kSamples = 37;
    static_assert(256 * kSamples > 2 * kPacketPaths && kPacketPaths % kSamples != 0);
    const std::string samples = fmt::format("samples={}", kSamples);
    const Rendered one = render({samples}, kSamples);
    const Rendered many = render({samples, "engine=packets"}, kSamples);
    EXPECT_LT(differing(one, many), .04);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Packets,
                         testing::Values(PacketCase{"vt46", true}, PacketCase{"vt46", false},
                                         PacketCase{"vt9", true}, PacketCase{"cornell", false},
                                         PacketCase{"cornell", true}, PacketCase{"card", false},
                                         PacketCase{"weekend", false}),
                         [](const testing::TestParamInfo<PacketCase>& info) {
                             return std::string(info.param.scene) +
                                    (info.param.lightSampling ? "_lights" : "");
                         });

/// Among many spheres; from farther away than the camera of the scene, where rounding lets rays hit
/// spheres beside the cells that list them.
TEST(PacketsInAGrid, FindWhatTheyFindInABvh) {
    if (widestPackets() == 0) GTEST_SKIP() << "no AVX2";
    const Scene scene = sceneNamed("field-3000");
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    for (const double away : {1., 4.}) {
        Camera camera = scene.camera;
        camera.from = camera.to + away * (camera.from - camera.to);
        camera.vfov /= away;
        for (const int lanes : {8, 16}) {
            if (lanes > widestPackets()) continue;
            const auto render = [&](const char* accel) {
                const Settings settings =
                    cpuSettings(scene, {"engine=packets", accel, fmt::format("lanes={}", lanes)});
                return renderWith(*renderer, settings, camera, 96, 54, 4);
            };
            const Rendered bvh = render("accel=bvh"), grid = render("accel=grid");
            EXPECT_GT(bvh.stats.rays.bounce, 10000u) << away;
            EXPECT_EQ(grid.stats.rays.total(), bvh.stats.rays.total()) << away;
            EXPECT_TRUE(sameBits(grid, bvh)) << away << ", lanes=" << lanes;
        }
    }
}

/// A row ends where y or z changes, and at the end of a block.
TEST(PacketsInRows, FindWhatTheyFindSphereBySphere) {
    if (widestPackets() == 0) GTEST_SKIP() << "no AVX2";
    for (const char* name : {"grid-150", "field-150"}) {
        const Scene scene = sceneNamed(name);
        for (const int lanes : {8, 16}) {
            if (lanes > widestPackets()) continue;
            const auto render = [&](const char* scan) {
                const Settings settings =
                    cpuSettings(scene, {"engine=packets", "accel=brute", scan, "light_sampling=off",
                                        fmt::format("lanes={}", lanes)});
                return renderCpu(scene, settings, 96, 54, 4);
            };
            const Rendered each = render("scan=each");
            EXPECT_GT(each.stats.rays.bounce, 10000u);
            for (const char* scan : {"scan=listed", "scan=rows"})
                EXPECT_TRUE(sameBits(render(scan), each)) << name << " " << scan << " " << lanes;
        }
    }
}

/// The leaves that a walk reaches, and the spheres in their order.
struct Reached {
    int leaves = 0;
    std::vector<int> listed;

    void visit(const BvhHeader& header, int padded, int reference) {
        const auto* const list = reinterpret_cast<const int*>(&header + 1);
        if (reference >= 0) {
            const auto* const nodes = reinterpret_cast<const BvhNode*>(list + padded);
            for (const int child : nodes[reference].child) visit(header, padded, child);
            return;
        }
        ++leaves;
        listed.insert(listed.end(), list + leafFirst(reference),
                      list + leafFirst(reference) + leafCount(reference));
    }
};

TEST(PacketTree, HasTheSameSpheresInFewerLeaves) {
    const Scene scene = sceneNamed("field-1000");
    const int padded = sceneParams<float>(scene, false).paddedCount;
    for (const Hierarchy hierarchy : {Hierarchy::sah, Hierarchy::lbvh}) {
        const PackedScene packed =
            packScene<float>(scene, SceneLayout::soa, Accel::bvh, nullptr, hierarchy);
        const void* const structure =
            packed.data() + padded * sphereBytes<float>(SceneLayout::soa, false);
        const PackedScene tree = packetTree(structure, padded);
        Reached before, after;
        before.visit(*static_cast<const BvhHeader*>(structure), padded, 0);
        after.visit(*reinterpret_cast<const BvhHeader*>(tree.data()), padded, 0);
        EXPECT_EQ(after.listed, before.listed);
        EXPECT_GT(before.listed.size(), 990u);
        EXPECT_LT(after.leaves, .7 * before.leaves);
    }
}

/// Lanes that hit no sphere read one all the same.
TEST(PacketScenes, NeedNoSphere) {
    if (widestPackets() == 0) GTEST_SKIP() << "no AVX2";
    Scene scene = sceneNamed("card");
    scene.spheres.clear();
    const Rendered one = renderCpu(scene, cpuSettings(scene), 48, 27, 4);
    EXPECT_GT(one.stats.rays.total(), one.stats.rays.camera);
    for (const char* accel : {"accel=brute", "accel=bvh", "accel=grid"}) {
        for (const int lanes : {8, 16}) {
            if (lanes > widestPackets()) continue;
            const Settings settings =
                cpuSettings(scene, {"engine=packets", accel, fmt::format("lanes={}", lanes)});
            const Rendered many = renderCpu(scene, settings, 48, 27, 4);
            EXPECT_EQ(many.stats.rays.total(), one.stats.rays.total()) << accel << " " << lanes;
            EXPECT_LT(differing(one, many), .01) << accel << " " << lanes;
        }
    }
}

/// What is made of a scene is made again when a sphere moves.
TEST(PacketScenes, AreMadeAgainAfterAnEdit) {
    if (widestPackets() == 0) GTEST_SKIP() << "no AVX2";
    const Scene before = sceneNamed("field-150");
    Scene after = before;
    after.spheres[40].center.y += 1;
    after.spheres[40].material.albedo = {.9, .1, .1};
    ASSERT_EQ(cpuSettings(before).variant.accel, Accel::brute);
    for (const char* choice : {"scan=rows", "scan=each", "accel=bvh", "accel=grid"}) {
        const Settings settings = cpuSettings(before, {"engine=packets", choice});
        const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
        renderer->setScene(before);
        const Rendered old = renderWith(*renderer, settings, before.camera, 48, 27, 4);
        renderer->adjustSphere(40, after.spheres[40]);
        const Rendered edited = renderWith(*renderer, settings, before.camera, 48, 27, 4);
        EXPECT_FALSE(sameBits(edited, old)) << choice;
        EXPECT_TRUE(sameBits(edited, renderCpu(after, settings, 48, 27, 4))) << choice;
    }
}

constexpr Variant lcgVariant() {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.numbers = Numbers::lcg;
    v.lightSampling = true;  // where the scene parameters have lights
    v.countDepths = true;
    v.traits.features = kAllFeatures & ~kWalls;
    return v;
}

/// By the generator of single paths whose uniformity random_test.cpp tests.
Rendered renderByLcg(const Scene& scene, const Settings& settings, int width, int height, int spp) {
    constexpr Variant kLcg = lcgVariant();
    Rendered result;
    result.pixels.resize(static_cast<size_t>(width) * height);
    const Film film{width, height, result.pixels.data()};
    LaunchParams<float> launch = launchParams<float>(settings, scene, scene.camera, film, {spp});
    const PackedScene packed = packScene<float>(scene, SceneLayout::aos, settings.variant.accel);
    launch.scene = packed.data();
    CountsOf<kLcg> counts;
    for (int i = 0; i < width * height; ++i) {
        GeneratorOf<kLcg> rng{};
        renderPixel<float, kLcg>(launch, i % width, i / width, true, rng, counts);
    }
    result.stats.rays.camera = counts.camera;
    result.stats.rays.bounce = counts.closest - counts.camera;
    result.stats.rays.shadow = counts.shadow;
    return result;
}

/// With these settings and LCG, the paths of renderByLcg() are traced, and others than with PCG.
/// Returns the picture.
Rendered expectPathsByLcg(const Scene& scene, std::vector<std::string> choices) {
    constexpr int kWidth = 96, kHeight = 54;
    const Settings plain = cpuSettings(scene, choices);
    choices.emplace_back("generator=lcg");
    Settings settings = cpuSettings(scene, choices);
    const auto render = [&](const Settings& s) { return renderCpu(scene, s, kWidth, kHeight, 8); };
    Rendered many;
    double bounces[2] = {}, shadows[2] = {};
    for (settings.seed = 4; settings.seed > 0; --settings.seed) {
        const Rendered one = renderByLcg(scene, settings, kWidth, kHeight, 8);
        many = render(settings);
        EXPECT_EQ(many.stats.rays.camera, one.stats.rays.camera);
        EXPECT_LT(differing(one, many), .03);
        bounces[0] += static_cast<double>(one.stats.rays.bounce);
        bounces[1] += static_cast<double>(many.stats.rays.bounce);
        shadows[0] += static_cast<double>(one.stats.rays.shadow);
        shadows[1] += static_cast<double>(many.stats.rays.shadow);
    }
    // single paths are compiled without fused operations here: more of them go elsewhere, and of
    // those in weekend's glass some are caught there, a few in a picture
    EXPECT_LE(std::abs(bounces[0] - bounces[1]), 2e-3 * bounces[0]);
    EXPECT_LE(std::abs(shadows[0] - shadows[1]), 2e-3 * shadows[0]);
    EXPECT_GT(differing(render(plain), many), .3) << "the same random numbers";
    return many;
}

TEST(PacketsByLcg, TraceThePathsOfSingleOnes) {
    if (widestPackets() == 0) GTEST_SKIP() << "no AVX2";
    for (const char* name : {"vt9", "vt46", "card", "weekend"}) {
        const Scene scene = sceneNamed(name);
        const std::string lights = lightSampling(name[0] == 'v');
        for (const int lanes : {8, 16}) {
            if (lanes > widestPackets()) continue;
            SCOPED_TRACE(fmt::format("{} lanes={}", name, lanes));
            expectPathsByLcg(scene, {"engine=packets", lights, fmt::format("lanes={}", lanes)});
        }
    }
}

TEST(Lcg, IsDrawnFromByEachEngine) {
    for (const char* name : {"vt9", "card", "weekend"}) {
        const Scene scene = sceneNamed(name);
        const std::string lights = lightSampling(name[0] == 'v');
        const Rendered first = expectPathsByLcg(scene, {"engine=megakernel", lights});
        for (const std::string other : {"path=stack", "path=recursive", "engine=regeneration",
                                        "engine=wavefront", "scene_layout=aos", "accel=bvh"}) {
            SCOPED_TRACE(fmt::format("{} {}", name, other));
            const Rendered all = expectPathsByLcg(scene, {"engine=megakernel", other, lights});
            EXPECT_EQ(all.stats.rays.total(), first.stats.rays.total());
            EXPECT_LT(differing(first, all), 1e-3);
        }
    }
}

TEST(PacketsRefuse, WhatTheirLanesDoNotHave) {
    const Scene scene = sceneNamed("vt9");
    const auto refusal = [&](const std::vector<std::string>& assignments) {
        return unsupported(cpuSettings(scene, assignments), scene);
    };
    EXPECT_EQ(refusal({"engine=packets"}), "");
    EXPECT_EQ(refusal({"engine=packets", "precision=double"}),
              "engine=packets: its lanes have single precision (precision=float)");
    EXPECT_EQ(refusal({"engine=packets", "scene_layout=aos"}),
              "engine=packets: lanes look up one component at a time (scene_layout=soa)");
    EXPECT_EQ(refusal({"engine=packets", "accel=grid"}), "");
    EXPECT_EQ(refusal({"engine=packets", "accel=bvh4"}),
              "engine=packets: a packet walks only a binary hierarchy (accel=bvh)");
    EXPECT_EQ(refusal({"engine=packets", "backend=cuda", "display=copy"}),
              "engine=packets: it needs the vector registers of a CPU (backend=cpu)");
}

TEST(PacketsRefuse, MoreLanesThanTheProcessorHas) {
    const Scene scene = sceneNamed("vt9");
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    const auto refusal = [&](const char* lanes) {
        return renderer->unsupported(cpuSettings(scene, {"engine=packets", lanes}));
    };
    const int widest = widestPackets();
    EXPECT_EQ(refusal("lanes=widest").empty(), widest > 0);
    EXPECT_EQ(refusal("lanes=8").empty(), widest > 0);
    EXPECT_EQ(refusal("lanes=16").empty(), widest == 16);
}

/// An engine that is chosen takes what it needs.
TEST(PacketsRefuse, ChoosingThemBringsSinglePrecision) {
    Settings s = cpuSettings(sceneNamed("vt9"), {"precision=double", "scene_layout=aos"});
    const Axis& engine = *findAxis("engine");
    choose(s, engine, static_cast<int>(Engine::packets));
    EXPECT_EQ(s.variant.precision, Precision::float32);
    EXPECT_EQ(s.variant.sceneLayout, SceneLayout::soa);
    choose(s, *findAxis("precision"), static_cast<int>(Precision::float64));
    EXPECT_EQ(s.variant.engine, Engine::megakernel);
}

}  // namespace
}  // namespace rayscope
