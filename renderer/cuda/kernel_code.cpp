#include "renderer/backend/kernel_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/cuda/kernel_request.h"

namespace rayscope {

namespace {

struct BuiltProgram {
    BuildRequest request;
    CompiledKernel compiled;
    CompilerInfo compiler;
};

/// Whether the compiler makes code for the architecture.
Result<void> checkArchitecture(int architecture, const CompilerInfo& info) {
    const std::vector<int>& known = info.architectures;
    if (std::find(known.begin(), known.end(), architecture) != known.end()) return {};
    std::string list;
    for (const int a : known) list += fmt::format("{}sm_{}", list.empty() ? "" : ", ", a);
    return Failure{fmt::format("NVRTC {}.{} makes no code for sm_{}: it knows {}", info.major,
                               info.minor, architecture, list)};
}

/// The program, with `code` in place of the variant's own.
Result<BuiltProgram> builtProgram(const CodeWish& wish, Code code, Compiling compiling) {
    const Result<CompilerInfo> compiler = compilerInfo();
    if (!compiler) return compiler.failure();
    BuiltProgram program{kernelRequest(wish.settings, wish.scene, wish.architecture), {}, *compiler};
    if (const auto known = checkArchitecture(wish.architecture, program.compiler); !known)
        return known.failure();
    Variant v = program.request.variant;
    v.code = code;
    program.request =
        requestOf(v, wish.settings.source, wish.architecture, program.request.baked);
    const KernelCache& cache = KernelCache::common();
    const std::vector<KernelSource> sources = sourcesOf(program.request);
    const KernelProgram& wanted = program.request.program;
    if (compiling == Compiling::never) {
        auto found = loadCached(cache, wanted, sources);
        if (!found) return Failure{"this kernel has not been compiled yet"};
        program.compiled = std::move(*found);
        return program;
    }
    Result<CompiledKernel> compiled = compileCached(cache, wanted, sources);
    if (!compiled) return compiled.failure();
    program.compiled = *std::move(compiled);
    return program;
}

std::vector<std::string> symbolsOf(const CompiledKernel& compiled) {
    std::vector<std::string> symbols;
    for (const CompiledFunction& f : compiled.functions) symbols.push_back(f.loweredName);
    return symbols;
}

}  // namespace

Result<KernelCode> cudaKernelCode(const CodeWish& wish, Compiling compiling) {
    Result<BuiltProgram> program = builtProgram(wish, Code::machine, compiling);
    if (!program) return program.failure();
    const auto read = readCubin(program->compiled.code, symbolsOf(program->compiled));
    if (!read) return read.failure();
    KernelCode code;
    code.architecture = wish.architecture;
    code.compiler = fmt::format("NVRTC {}.{}", program->compiler.major, program->compiler.minor);
    for (size_t i = 0; i < program->compiled.functions.size(); ++i) {
        const CompiledFunction& f = program->compiled.functions[i];
        code.kernels.push_back({nameOf(f.stage), f.loweredName, f.registers, f.spillBytes,
                                f.stackBytes < 0 ? -1 : f.stackBytes + f.frameBytes, (*read)[i]});
    }
    code.cubin = std::move(program->compiled.code);
    return code;
}

Result<bool> sameWithoutLines(const CodeWish& wish) {
    const Result<BuiltProgram> with = builtProgram(wish, Code::machine, Compiling::allowed);
    if (!with) return with.failure();
    KernelProgram program = programOf(with->request.variant, wish.architecture);
    std::erase(program.flags, kLineInformation);
    const Result<CompiledKernel> without =
        compileCached(KernelCache::common(), program, sourcesOf(with->request));
    if (!without) return without.failure();
    const auto a = readCubin(with->compiled.code, symbolsOf(with->compiled));
    const auto b = readCubin(without->code, symbolsOf(*without));
    if (!a) return a.failure();
    if (!b) return b.failure();
    return *a == *b;
}

Result<KernelPtx> kernelPtx(const CodeWish& wish) {
    Result<BuiltProgram> program = builtProgram(wish, Code::ptx, Compiling::allowed);
    if (!program) return program.failure();
    CompiledKernel& compiled = program->compiled;
    std::string& text = compiled.code;
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return KernelPtx{std::move(text), symbolsOf(compiled)};
}

std::vector<KernelSource> cudaKernelFiles(const CodeWish& wish) {
    const BuildRequest request = kernelRequest(wish.settings, wish.scene, wish.architecture);
    return sourcesOf(request.program, sourcesOf(request));
}

}  // namespace rayscope
