#include "renderer/cuda/tree_kernels.h"

#include <fmt/format.h>

#include <chrono>

#include "renderer/base/leftovers.h"
#include "renderer/base/timeline.h"
#include "renderer/cuda/cache.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/isolation.h"

namespace rayscope {

namespace {

constexpr size_t kBoxKernels = 8;

Result<CompiledKernel> compileTreeKernels(int architecture, int source, int device) {
    nameThread("compiler");
    const Zone zone("compile");
    auto compiled = compileCached(KernelCache(KernelCache::defaultFolder()),
                                  treeProgram(architecture), kernelSources(source));
    if (!compiled)
        return Failure{"the kernels that build hierarchies do not compile:\n" + compiled.reason()};
    const auto tried = tryOtherKernels(OtherKernels::hierarchy, source, device);
    return tried ? std::move(compiled) : tried.failure();
}

}  // namespace

KernelProgram treeProgram(int architecture) {
    Variant exact;
    exact.math = Math::precise;
    KernelProgram program{kHierarchySource, {}, compileFlags(exact, architecture)};
    program.flags.push_back("--fmad=false");
    const auto add = [&](std::string name) {
        program.kernels.push_back({Stage::whole, "rayscope::" + std::move(name)});
    };
    for (size_t i = 0; i < kBoxKernels; ++i) {
        add(fmt::format("treeBoxes<rayscope::Precision({}), rayscope::SceneLayout({}), {}>", i / 4,
                        i / 2 % 2, i % 2 == 1));
    }
    for (const char* step : {"treeKeys", "treeSort", "treeRadix"}) {
        for (const char* key : {"unsigned", "unsigned long long"})
            add(fmt::format("{}<{}>", step, key));
    }
    for (const char* step : {"treeDepth", "treeChildren", "treeParents", "treeFit"}) add(step);
    return program;
}

size_t numberOf(TreeStep step, const TreeVariant& v) {
    const size_t bits = v.bits == MortonBits::bits30 ? 0 : 1;
    switch (step) {
        case TreeStep::boxes:
            return static_cast<size_t>(v.precision) * 4 + static_cast<size_t>(v.layout) * 2 +
                   (v.walls ? 1 : 0);
        case TreeStep::keys:
            return kBoxKernels + bits;
        case TreeStep::sort:
            return kBoxKernels + 2 + bits;
        case TreeStep::radix:
            return kBoxKernels + 4 + bits;
        default:
            return kBoxKernels + 6 + static_cast<size_t>(step) -
                   static_cast<size_t>(TreeStep::depth);
    }
}

TreeKernels::~TreeKernels() {
    leave(std::move(compiling_));
}

Result<bool> TreeKernels::ready(double waitMs) {
    const unsigned sources = kernelSourcesVersion(source_);
    const bool none = !library_.loaded() && log_.empty();
    if (!compiling_.valid() && (sources_ != sources || none)) {
        sources_ = sources;
        compiling_ = std::async(std::launch::async, compileTreeKernels, device_.architecture,
                                source_, device_.number);
    }
    if (compiling_.valid()) {
        const std::chrono::duration<double, std::milli> wait(library_.loaded() ? 0 : waitMs);
        if (compiling_.wait_for(wait) != std::future_status::ready) return library_.loaded();
        const Result<CompiledKernel> compiled = compiling_.get();
        log_ = compiled ? std::string() : compiled.reason();
        if (compiled) library_ = {*compiled, "the kernels of hierarchies"};
    }
    if (!library_.loaded()) return Failure{log_};
    return true;
}

const void* TreeKernels::function(TreeStep step, const TreeVariant& variant) const {
    return library_.kernel(numberOf(step, variant));
}

}  // namespace rayscope
