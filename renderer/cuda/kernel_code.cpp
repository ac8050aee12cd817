#include "renderer/backend/kernel_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/cuda/cache.h"
#include "renderer/cuda/kernel_request.h"

namespace rayscope {

namespace {

struct Program {
    BuildRequest request;
    CompiledKernel compiled;
    CompilerInfo compiler;
};

/// A sentence where the architecture is none that the compiler makes code for.
std::string architectureProblem(int architecture, const CompilerInfo& info) {
    const std::vector<int>& known = info.architectures;
    if (std::find(known.begin(), known.end(), architecture) != known.end()) return {};
    std::string list;
    for (const int a : known) list += fmt::format("{}sm_{}", list.empty() ? "" : ", ", a);
    return fmt::format("NVRTC {}.{} makes no code for sm_{}: it knows {}", info.major, info.minor,
                       architecture, list);
}

/// With the variant's `code` replaced.
std::variant<Program, std::string> programOf(const CodeWish& wish, Code code, Compiling compiling) {
    const auto compiler = compilerInfo();
    if (const std::string* missing = std::get_if<std::string>(&compiler)) return *missing;
    Program program{kernelRequest(wish.settings, wish.scene), {}, std::get<CompilerInfo>(compiler)};
    if (std::string problem = architectureProblem(wish.architecture, program.compiler);
        !problem.empty())
        return problem;
    program.request.variant.code = code;
    const KernelCache cache(KernelCache::defaultFolder());
    const std::vector<KernelSource> sources = withBaked(kernelSources(), program.request.baked);
    const Variant& v = program.request.variant;
    if (compiling == Compiling::never) {
        auto found = cache.load(cacheKey(v, wish.architecture, program.compiler, sources));
        if (!found) return "this kernel has not been compiled yet";
        program.compiled = std::move(*found);
        return program;
    }
    auto compiled = compileCached(cache, v, wish.architecture, sources);
    if (std::string* log = std::get_if<std::string>(&compiled)) return std::move(*log);
    program.compiled = std::get<CompiledKernel>(std::move(compiled));
    return program;
}

std::vector<std::string> symbolsOf(const CompiledKernel& compiled) {
    std::vector<std::string> symbols;
    for (const CompiledFunction& f : compiled.functions) symbols.push_back(f.loweredName);
    return symbols;
}

/// Adds the file and what it includes, as far as those are kernel sources.
void include(const std::string& name, const std::vector<KernelSource>& all,
             std::vector<KernelSource>& files) {
    const auto named = [&](const KernelSource& s) { return s.name == name; };
    const auto file = std::find_if(all.begin(), all.end(), named);
    if (file == all.end() || std::any_of(files.begin(), files.end(), named)) return;
    files.push_back(*file);
    constexpr std::string_view word = "#include \"";
    for (size_t at = 0; (at = file->text.find(word, at)) != std::string::npos;) {
        at += word.size();
        include(file->text.substr(at, file->text.find('"', at) - at), all, files);
    }
}

}  // namespace

std::variant<KernelCode, std::string> kernelCode(const CodeWish& wish, Compiling compiling) {
    auto made = programOf(wish, Code::machine, compiling);
    if (std::string* problem = std::get_if<std::string>(&made)) return std::move(*problem);
    Program& program = std::get<Program>(made);
    auto read = readCubin(program.compiled.code, symbolsOf(program.compiled));
    if (std::string* problem = std::get_if<std::string>(&read)) return std::move(*problem);
    KernelCode code;
    code.architecture = wish.architecture;
    code.compiler = fmt::format("NVRTC {}.{}", program.compiler.major, program.compiler.minor);
    for (size_t i = 0; i < program.compiled.functions.size(); ++i) {
        const CompiledFunction& f = program.compiled.functions[i];
        code.kernels.push_back({nameOf(f.stage), f.loweredName, f.registers, f.spillBytes,
                                f.stackBytes < 0 ? -1 : f.stackBytes + f.frameBytes,
                                std::get<0>(read)[i]});
    }
    code.cubin = std::move(program.compiled.code);
    return code;
}

std::variant<KernelPtx, std::string> kernelPtx(const CodeWish& wish) {
    auto made = programOf(wish, Code::ptx, Compiling::allowed);
    if (std::string* problem = std::get_if<std::string>(&made)) return std::move(*problem);
    CompiledKernel& compiled = std::get<Program>(made).compiled;
    std::string& text = compiled.code;
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return KernelPtx{std::move(text), symbolsOf(compiled)};
}

std::vector<KernelSource> kernelFiles(const CodeWish& wish) {
    const BuildRequest request = kernelRequest(wish.settings, wish.scene);
    std::vector<KernelSource> files;
    include(mainSourceOf(request.variant), withBaked(kernelSources(), request.baked), files);
    return files;
}

}  // namespace rayscope
