#include "renderer/cuda/kernel_names.h"

#include <fmt/format.h>

#include "renderer/compile/program.h"
#include "renderer/backend/path_memory.h"

namespace rayscope {

namespace {

/// True if one thread follows a path to its end.
bool wholePaths(const Variant& v) {
    return v.engine == Engine::megakernel || v.engine == Engine::regeneration;
}

}  // namespace

std::vector<Stage> stagesOf(const Variant& v) {
    if (wholePaths(v) && v.film == FilmSums::fixed) return {Stage::whole, Stage::addSums};
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
    if (v.rayOrder != RayOrder::none) stages.push_back(Stage::rayKeys);
    if (v.materialOrder != MaterialOrder::none) stages.push_back(Stage::materialKeys);
    if (sortsPaths(v)) stages.push_back(Stage::sort);
    return stages;
}

std::string nameExpression(const Variant& v, Stage stage) {
    const bool capped = v.maxRegisters > 0;
    if (stage == Stage::whole) {
        return fmt::format("rayscope::{}<{}>", capped ? "cappedMegakernel" : "megakernel",
                           variantExpression(v));
    }
    if (wholePaths(v)) return fmt::format("rayscope::addSums<{}>", variantExpression(v));
    return fmt::format("rayscope::{}<{}, rayscope::Stage({})>", capped ? "cappedStage" : "stage",
                       variantExpression(v), static_cast<int>(stage));
}

std::vector<Stage> stagesOf(const ForceVariant&) {
    return {Stage::accelerate, Stage::move, Stage::potential, Stage::place, Stage::lose};
}

std::string nameExpression(const ForceVariant& v, Stage stage) {
    const auto value = [](const char* type, auto number) {
        return fmt::format("rayscope::{}({})", type, static_cast<int>(number));
    };
    return fmt::format("rayscope::{}<rayscope::ForceVariant{{{}, {}, {}, {}, {}, {}}}>",
                       nameOf(stage), value("Forces", v.forces), v.tile,
                       value("BodyLayout", v.layout), value("Precision", v.precision),
                       value("Math", v.math), v.equalMasses);
}

const char* mainSourceOf(const Variant& v) {
    return wholePaths(v) ? kMegakernelSource : kWavefrontSource;
}

}  // namespace rayscope
