#include "renderer/backend/kernel_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/backend/host_object.h"
#include "renderer/cpu/cpu_session.h"

namespace rayscope {

namespace {

BuildRequest requestOf(const CodeWish& wish) {
    CpuCore core;
    core.setScene(wish.scene);
    return core.requestFor(core.derived(wish.settings), wish.settings.source);
}

/// The mangled name of "rayscope::render<...>" in the object; empty if it is not there.
std::string symbolOf(const KernelProgram::Kernel& kernel, const HostObject& object) {
    constexpr std::string_view space = "rayscope::";
    const std::string name = kernel.name.substr(space.size(), kernel.name.find('<') - space.size());
    const std::string mangled = fmt::format("_ZN8rayscope{}{}I", name.size(), name);
    const auto found = std::ranges::find_if(
        object.functions, [&](const HostFunction& f) { return f.symbol.starts_with(mangled); });
    return found == object.functions.end() ? std::string() : found->symbol;
}

Result<CompiledKernel> compiledOf(const BuildRequest& request, Compiling compiling) {
    const std::vector<KernelSource> sources = sourcesOf(request);
    if (compiling == Compiling::allowed)
        return compileCached(KernelCache::common(), request.program, sources);
    auto found = loadCached(KernelCache::common(), request.program, sources);
    if (!found) return Failure{"this kernel has not been compiled yet"};
    return *std::move(found);
}

}  // namespace

Result<KernelCode> cpuKernelCode(const CodeWish& wish, Compiling compiling) {
    const BuildRequest request = requestOf(wish);
    Result<CompiledKernel> compiled = compiledOf(request, compiling);
    if (!compiled) return compiled.failure();
    const Result<HostObject> object = readHostObject(compiled->code);
    if (!object) return object.failure();
    std::vector<std::pair<std::string, std::string>> kernels;
    for (const KernelProgram::Kernel& kernel : request.program.kernels)
        kernels.emplace_back(nameOf(kernel.stage), symbolOf(kernel, *object));
    const Result<std::string> version = request.program.compiler->version();
    return hostKernelCode(std::move(compiled->code), version ? *version : version.reason(),
                          kernels);
}

std::vector<KernelSource> cpuKernelFiles(const CodeWish& wish) {
    const BuildRequest request = requestOf(wish);
    return sourcesOf(request.program, sourcesOf(request));
}

}  // namespace rayscope
