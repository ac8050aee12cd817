#include "renderer/cuda/tree_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "renderer/cuda/check.h"
#include "renderer/cuda/isolation.h"
#include "renderer/scene/pack_meshes.h"

namespace rayscope {

namespace {

/// Those with more than one instantiation: spheres' boxes, triangles' by precision, four steps by
/// the length of keys, the list by precision and form.
constexpr size_t kBoxKernels = 8, kForms = 5;
constexpr size_t kKeyed = kBoxKernels + 2, kLists = kKeyed + 8, kOthers = kLists + 2 * kForms;

}  // namespace

KernelProgram treeProgram(int architecture) {
    Variant exact;
    exact.math = Math::precise;
    KernelProgram program{&nvrtcCompiler(), kHierarchySource, {}, compileFlags(exact, architecture)};
    program.flags.push_back("--fmad=false");
    const auto add = [&](std::string name) {
        program.kernels.push_back({Stage::whole, "rayscope::" + std::move(name)});
    };
    for (size_t i = 0; i < kBoxKernels; ++i) {
        add(fmt::format("treeBoxes<rayscope::Precision({}), rayscope::SceneLayout({}), {}>", i / 4,
                        i / 2 % 2, i % 2 == 1));
    }
    for (const char* real : {"double", "float"}) add(fmt::format("treeTriangles<{}>", real));
    for (const char* step : {"treeKeys", "treeSort", "treeRadix", "treeClusters"}) {
        for (const char* key : {"unsigned", "unsigned long long"})
            add(fmt::format("{}<{}>", step, key));
    }
    for (const char* real : {"double", "float"}) {
        for (size_t form = 0; form < kForms; ++form)
            add(fmt::format("treeList<{}, rayscope::ListForm({})>", real, form));
    }
    for (const char* step :
         {"treeDepth", "treeRanks", "treeChildren", "treeParents", "treeFit", "treeNodes"})
        add(step);
    return program;
}

size_t numberOf(TreeStep step, const TreeVariant& v) {
    const size_t bits = v.bits == MortonBits::bits30 ? 0 : 1;
    const auto precision = static_cast<size_t>(v.precision);
    switch (step) {
        case TreeStep::boxes:
            return precision * 4 + static_cast<size_t>(v.layout) * 2 + (v.walls ? 1 : 0);
        case TreeStep::triangles:
            return kBoxKernels + precision;
        case TreeStep::keys:
            return kKeyed + bits;
        case TreeStep::sort:
            return kKeyed + 2 + bits;
        case TreeStep::radix:
            return kKeyed + 4 + bits;
        case TreeStep::clusters:
            return kKeyed + 6 + bits;
        case TreeStep::list:
            return kLists + precision * kForms + static_cast<size_t>(formOf(v.triangles));
        default:
            return kOthers + static_cast<size_t>(step) - static_cast<size_t>(TreeStep::depth);
    }
}

Result<bool> TreeKernels::ready(double waitMs) {
    const unsigned sources = kernelSourcesVersion(source_);
    const bool none = !library_.loaded() && log_.empty();
    if (sources_ != sources || (none && !builder_.busy())) {
        sources_ = sources;
        builder_.request({.program = treeProgram(device_.architecture), .source = source_,
                          .version = sources},
                         [source = source_, device = device_.number](const auto&, const GoOn&) {
                             return tryOtherKernels(OtherKernels::hierarchy, source, device);
                         });
    }
    if (!library_.loaded())
        builder_.wait(std::chrono::duration<double, std::milli>(std::clamp(waitMs, 0., 1e9)));
    if (const std::optional<BuildResult> built = builder_.take()) {
        const Result<CompiledKernel>& compiled = built->kernel;
        log_ = compiled ? std::string()
                        : "the kernels that build hierarchies do not compile:\n" +
                              compiled.reason();
        if (compiled) library_ = {*compiled, "the kernels of hierarchies"};
    }
    if (library_.loaded()) return true;
    if (log_.empty()) return false;
    return Failure{log_};
}

const void* TreeKernels::function(TreeStep step, const TreeVariant& variant) const {
    return library_.kernel(numberOf(step, variant));
}

}  // namespace rayscope
