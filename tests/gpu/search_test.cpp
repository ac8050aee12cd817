// Ways to find the closest sphere on a real device, each against the CPU trying all spheres.

#include "tests/gpu/compile_ahead.h"
#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

namespace rayscope {
namespace {

class Search : public Gpu {
protected:
    /// Renders with each list of assignments, in both precisions.
    void compare(const std::vector<std::vector<std::string>>& choices) {
        settings_.samples = kFewSpp;
        for (const Precision precision : {Precision::float64, Precision::float32}) {
            Settings base = settings_;
            base.variant.precision = precision;
            base.variant.accel = Accel::brute;
            const Rendering reference = renderOnCpu(base, scene_, kFewSpp);
            std::vector<Settings> supported;
            for (const std::vector<std::string>& assignments : choices) {
                Settings settings = base;
                for (const std::string& a : assignments)
                    ASSERT_EQ(assign(settings, a).reason(), "");
                if (renderer_->unsupported(settings).empty()) supported.push_back(settings);
            }
            compileAhead(supported, scene_, renderer_->device().architecture);
            for (const Settings& settings : supported) {
                expectPictureOf(settings, reference, 1e-3);
                ++compared_;
                if (HasFatalFailure()) return;
            }
        }
    }

    int compared_ = 0;
};

TEST_F(Search, WhatRaysWalkFindsWhatTheCpuFinds) {
    for (const std::string scene : kSomeScenes) {
        use(scene);
        std::vector<std::vector<std::string>> choices;
        for (const char* accel : {"accel=bvh", "accel=grid", "accel=bvh4"}) {
            choices.push_back({accel, "scene_memory=global"});
            choices.push_back({accel, "scene_memory=global", "scene_layout=soa"});
            choices.push_back({accel, "scene_memory=constant"});
            choices.push_back({accel, "scene_memory=global", "path=stack"});
            choices.push_back({accel, "scene_memory=global", "path=recursive"});
            choices.push_back({accel, "scene_memory=global", "engine=regeneration"});
            choices.push_back({accel, "scene_memory=global", "math=precise"});
            for (const char* order : {"ray_order=origin", "ray_order=octant"}) {
                choices.push_back({accel, "scene_memory=global", "engine=wavefront", order});
                choices.push_back({accel, "scene_memory=constant", "engine=wavefront", order,
                                   "ray_source=kernel", "kernels=separate"});
            }
        }
        for (const char* stack : {"stack=registers", "stack=shared", "stack=none"}) {
            choices.push_back({"accel=bvh", "scene_memory=global", stack});
            choices.push_back({"accel=bvh", "scene_memory=constant", "path=recursive", stack});
        }
        compare(choices);
    }
    EXPECT_GE(compared_, 2 * 5 * (3 * 8 + 6));
}

/// Blocks of one warp, of a shape that leaves threads outside the film, and the largest.
TEST_F(Search, EveryTileFindsWhatTheCpuFinds) {
    for (const std::string scene : kSomeScenes) {
        use(scene);
        std::vector<std::vector<std::string>> choices;
        for (const char* tile : {"tile=32", "tile=64", "tile=128", "tile=256"}) {
            for (const char* layout : {"scene_layout=aos", "scene_layout=soa"})
                choices.push_back({"accel=brute", "scene_memory=shared", tile, layout});
        }
        for (const char* block : {"block=8x4", "block=64x1", "block=1024x1"}) {
            choices.push_back(
                {"accel=brute", "scene_memory=shared", "tile=64", "order=rows", block});
        }
        compare(choices);
    }
    EXPECT_GE(compared_, 2 * 5 * 10);  // a device may refuse the largest block
}

TEST_F(Search, ShadowRaysFindTheLightsToo) {
    for (const std::string scene : {"vt9", "vt46", "cornell"}) {
        use(scene);
        settings_.variant.lightSampling = true;
        compare({{"accel=bvh", "scene_memory=global"},
                 {"accel=grid", "scene_memory=global"},
                 {"accel=bvh4", "scene_memory=global"},
                 {"accel=brute", "scene_memory=shared"}});
    }
    EXPECT_EQ(compared_, 2 * 3 * 4);
}

}  // namespace
}  // namespace rayscope

#endif
