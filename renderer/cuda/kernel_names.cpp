#include "renderer/cuda/kernel_names.h"

#include <fmt/format.h>

#include "renderer/backend/kernel_sources.h"

namespace rayscope {

namespace {

/// One path is followed by one thread.
bool wholePaths(const Variant& v) {
    return v.engine == Engine::megakernel || v.engine == Engine::regeneration;
}

std::string variantExpression(const Variant& v) {
    std::string members;
    const auto number = [&](auto value) {
        members += fmt::format("{}{}", members.empty() ? "" : ", ", value);
    };
    const auto choice = [&](const char* type, auto value) {
        number(fmt::format("rayscope::{}({})", type, static_cast<int>(value)));
    };
    choice("Engine", v.engine);
    choice("Path", v.path);
    choice("Regeneration", v.regeneration);
    choice("Precision", v.precision);
    choice("SceneLayout", v.sceneLayout);
    choice("SceneMemory", v.sceneMemory);
    number(v.tile);
    choice("Accel", v.accel);
    choice("Math", v.math);
    choice("Sampling", v.sampling);
    choice("Dispatch", v.dispatch);
    choice("Random", v.random);
    choice("SamplesAs", v.samplesAs);
    choice("StateLayout", v.stateLayout);
    choice("SampleLayout", v.sampleLayout);
    choice("Record", v.record);
    choice("Access", v.access);
    choice("Stages", v.stages);
    choice("Compaction", v.compaction);
    choice("RaySource", v.raySource);
    choice("Accumulate", v.accumulate);
    choice("Code", v.code);
    number(v.lightSampling);
    number(v.blockX);
    number(v.blockY);
    number(v.maxRegisters);
    choice("Order", v.order);
    number(v.stackLevels);
    number(v.countRays);
    number(v.countDepths);
    number(v.recordLengths);
    number(v.recordTime);
    number(fmt::format("rayscope::Traits{{{}u, {}, {}u}}", v.traits.features, v.traits.sphereCount,
                       v.traits.baked));
    return fmt::format("rayscope::Variant{{{}}}", members);
}

}  // namespace

std::vector<Stage> stagesOf(const Variant& v) {
    if (wholePaths(v)) return {Stage::whole};
    if (v.engine == Engine::hybrid) return {Stage::extend, Stage::addSums};
    std::vector<Stage> stages;
    if (v.stages == Stages::fused) {
        stages = {Stage::trace};
    } else {
        stages = {Stage::extend, Stage::shade};
    }
    if (v.raySource == RaySource::kernel) stages.push_back(Stage::generate);
    if (v.stages == Stages::fusedPrimary || v.raySource == RaySource::fused) {
        stages.push_back(Stage::primary);
    }
    stages.push_back(v.accumulate == Accumulate::device ? Stage::accumulate : Stage::addSums);
    return stages;
}

std::string nameExpression(const Variant& v, Stage stage) {
    const bool capped = v.maxRegisters > 0;
    if (stage == Stage::whole) {
        return fmt::format("rayscope::{}<{}>", capped ? "cappedMegakernel" : "megakernel",
                           variantExpression(v));
    }
    return fmt::format("rayscope::{}<{}, rayscope::Stage({})>", capped ? "cappedStage" : "stage",
                       variantExpression(v), static_cast<int>(stage));
}

const char* mainSourceOf(const Variant& v) {
    return wholePaths(v) ? kMegakernelSource : kWavefrontSource;
}

const char* nameOf(Stage stage) {
    switch (stage) {
        case Stage::whole:
            return "megakernel";
        case Stage::generate:
            return "generate";
        case Stage::extend:
            return "extend";
        case Stage::shade:
            return "shade";
        case Stage::primary:
            return "primary";
        case Stage::trace:
            return "trace";
        case Stage::accumulate:
            return "accumulate";
        case Stage::addSums:
            return "add sums";
    }
    return "";
}

}  // namespace rayscope
