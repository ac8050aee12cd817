#include "renderer/cuda/compiler.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <memory>
#include <sstream>

#include "renderer/base/text.h"
#include "renderer/cuda/isolation.h"
#include "renderer/cuda/toolkit.h"

namespace rayscope {

namespace {

/// The functions of NVRTC used here.
struct Nvrtc {
    decltype(&::nvrtcVersion) version;
    decltype(&::nvrtcGetErrorString) errorString;
    decltype(&::nvrtcGetNumSupportedArchs) architectureCount;
    decltype(&::nvrtcGetSupportedArchs) architectures;
    decltype(&::nvrtcCreateProgram) createProgram;
    decltype(&::nvrtcDestroyProgram) destroyProgram;
    decltype(&::nvrtcAddNameExpression) addNameExpression;
    decltype(&::nvrtcCompileProgram) compileProgram;
    decltype(&::nvrtcGetProgramLogSize) logSize;
    decltype(&::nvrtcGetProgramLog) log;
    decltype(&::nvrtcGetLoweredName) loweredName;
    decltype(&::nvrtcGetCUBINSize) cubinSize;
    decltype(&::nvrtcGetCUBIN) cubin;
    decltype(&::nvrtcGetPTXSize) ptxSize;
    decltype(&::nvrtcGetPTX) ptx;
    CompilerInfo info;
};

/// C++20 came with NVRTC 12.0.
constexpr int kOldestMajor = 12;
constexpr const char* kNoCache = "--no-cache";

template <class Function>
bool resolve(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

bool resolveAll(void* library, Nvrtc& n) {
    return resolve(library, "nvrtcVersion", n.version) &&
           resolve(library, "nvrtcGetErrorString", n.errorString) &&
           resolve(library, "nvrtcGetNumSupportedArchs", n.architectureCount) &&
           resolve(library, "nvrtcGetSupportedArchs", n.architectures) &&
           resolve(library, "nvrtcCreateProgram", n.createProgram) &&
           resolve(library, "nvrtcDestroyProgram", n.destroyProgram) &&
           resolve(library, "nvrtcAddNameExpression", n.addNameExpression) &&
           resolve(library, "nvrtcCompileProgram", n.compileProgram) &&
           resolve(library, "nvrtcGetProgramLogSize", n.logSize) &&
           resolve(library, "nvrtcGetProgramLog", n.log) &&
           resolve(library, "nvrtcGetLoweredName", n.loweredName) &&
           resolve(library, "nvrtcGetCUBINSize", n.cubinSize) &&
           resolve(library, "nvrtcGetCUBIN", n.cubin) &&
           resolve(library, "nvrtcGetPTXSize", n.ptxSize) && resolve(library, "nvrtcGetPTX", n.ptx);
}

Result<Nvrtc> loadNvrtc() {
    // the version of the CUDA runtime is preferred: the driver supports it
    void* library = openToolkitLibrary("libnvrtc.so", {CUDART_VERSION / 1000, 13, 12});
    if (library == nullptr) {
        return Failure{
            fmt::format("CUDA's run-time compiler was not found: install libnvrtc.so.{} or set "
                        "CUDA_HOME to the toolkit's folder",
                        CUDART_VERSION / 1000)};
    }
    Nvrtc n{};
    if (!resolveAll(library, n) || n.version(&n.info.major, &n.info.minor) != NVRTC_SUCCESS ||
        n.info.major < kOldestMajor) {
        return Failure{fmt::format(
            "the installed libnvrtc is too old: version {} or newer is needed", kOldestMajor)};
    }
    int count = 0;
    if (n.architectureCount(&count) == NVRTC_SUCCESS && count > 0) {
        n.info.architectures.resize(count);
        n.architectures(n.info.architectures.data());
        std::sort(n.info.architectures.begin(), n.info.architectures.end());
    }
    return n;
}

const Result<Nvrtc>& nvrtc() {
    static const Result<Nvrtc> loaded = loadNvrtc();
    return loaded;
}

struct OwnedProgram {
    const Nvrtc& n;
    nvrtcProgram handle = nullptr;
    ~OwnedProgram() {
        if (handle != nullptr) n.destroyProgram(&handle);
    }
};

std::string programLog(const Nvrtc& n, nvrtcProgram program) {
    size_t size = 0;
    if (n.logSize(program, &size) != NVRTC_SUCCESS || size == 0) return {};
    std::string log(size, '\0');
    if (n.log(program, log.data()) != NVRTC_SUCCESS) return {};
    log.resize(log.find('\0') == std::string::npos ? size : log.find('\0'));
    return log;
}

/// The number before `unit` in a line of ptxas -v, or -1.
int numberBefore(const std::string& line, const std::string& unit) {
    const size_t end = line.find(unit);
    if (end == std::string::npos) return -1;
    size_t begin = end;
    while (begin > 0 && line[begin - 1] == ' ') --begin;
    size_t first = begin;
    while (first > 0 && std::isdigit(static_cast<unsigned char>(line[first - 1]))) --first;
    if (first == begin) return -1;
    const long long number = std::atoll(line.substr(first, begin - first).c_str());
    return static_cast<int>(std::clamp<long long>(number, -1, INT_MAX));
}

/// The word after `before`, without quotes; empty if the line does not have it.
std::string wordAfter(const std::string& line, const std::string& before) {
    const size_t at = line.find(before);
    if (at == std::string::npos) return {};
    const size_t first = line.find_first_not_of(" '", at + before.size());
    if (first == std::string::npos) return {};
    return line.substr(first, line.find_first_of(" '", first) - first);
}

/// Reads registers, frames and spills from the statistics of ptxas -v: for every kernel a line with
/// its name, then its own properties, those of the functions that it calls, and its registers.
void readStatistics(CompiledKernel& kernel) {
    std::istringstream lines(kernel.log);
    std::string line;
    CompiledFunction* f = nullptr;
    bool own = false;
    while (std::getline(lines, line)) {
        if (const std::string name = wordAfter(line, "Compiling entry function"); !name.empty()) {
            const auto named = [&](const CompiledFunction& g) { return g.loweredName == name; };
            const auto found =
                std::find_if(kernel.functions.begin(), kernel.functions.end(), named);
            f = found == kernel.functions.end() ? nullptr : &*found;
            own = true;
        }
        if (f == nullptr) continue;
        if (const std::string name = wordAfter(line, "Function properties for"); !name.empty()) {
            own = name == f->loweredName;
        }
        const int frame = numberBefore(line, "bytes stack frame");
        if (frame >= 0) {
            const int spills = std::max(0, numberBefore(line, "bytes spill stores")) +
                               std::max(0, numberBefore(line, "bytes spill loads"));
            f->spillBytes = std::max(0, f->spillBytes) + spills;
            if (own)
                f->stackBytes = frame;
            else
                f->frameBytes = std::max(f->frameBytes, frame);
        }
        f->registers = std::max(f->registers, numberBefore(line, "registers"));
    }
}

/// The source of this name, or nullptr.
const KernelSource* find(const std::vector<KernelSource>& sources, const std::string& name) {
    for (const KernelSource& s : sources) {
        if (s.name == name) return &s;
    }
    return nullptr;
}

Result<void> createProgram(const Nvrtc& n, const std::vector<KernelSource>& sources,
                           const KernelProgram& wish, OwnedProgram& program) {
    const KernelSource* main = find(sources, wish.source);
    if (main == nullptr)
        return Failure{fmt::format("{} is not among the kernel sources", wish.source)};
    std::vector<const char*> names, texts;
    for (const KernelSource& s : sources) {
        if (&s == main) continue;
        names.push_back(s.name.c_str());
        texts.push_back(s.text.c_str());
    }
    nvrtcResult result =
        n.createProgram(&program.handle, main->text.c_str(), main->name.c_str(),
                        static_cast<int>(names.size()), texts.data(), names.data());
    for (const KernelProgram::Kernel& kernel : wish.kernels) {
        if (result != NVRTC_SUCCESS) break;
        result = n.addNameExpression(program.handle, kernel.name.c_str());
    }
    if (result == NVRTC_SUCCESS) return {};
    return Failure{fmt::format("NVRTC cannot start: {}", n.errorString(result))};
}

nvrtcResult runCompiler(const Nvrtc& n, nvrtcProgram program,
                        const std::vector<std::string>& flags) {
    std::vector<const char*> options;
    for (const std::string& flag : flags) options.push_back(flag.c_str());
    nvrtcResult result =
        n.compileProgram(program, static_cast<int>(options.size()), options.data());
    if (result == NVRTC_ERROR_INVALID_OPTION) {  // a version that has no cache
        std::erase(options, std::string_view(kNoCache));
        result = n.compileProgram(program, static_cast<int>(options.size()), options.data());
    }
    return result;
}

/// Takes code and names from a compiled program.
nvrtcResult readProgram(const Nvrtc& n, nvrtcProgram program, const KernelProgram& wish,
                        CompiledKernel& kernel) {
    nvrtcResult result = NVRTC_SUCCESS;
    for (const auto& [stage, name] : wish.kernels) {
        const char* lowered = nullptr;
        result = n.loweredName(program, name.c_str(), &lowered);
        if (result != NVRTC_SUCCESS) return result;
        kernel.functions.push_back({stage, lowered});
    }
    const bool machine = wish.code == Code::machine;
    size_t size = 0;
    result = (machine ? n.cubinSize : n.ptxSize)(program, &size);
    if (result != NVRTC_SUCCESS) return result;
    kernel.code.resize(size);
    return (machine ? n.cubin : n.ptx)(program, kernel.code.data());
}

/// Of a kernel that no device runs (CUDA C++ Programming Guide, technical specifications).
Result<void> checkFrames(const CompiledKernel& kernel) {
    constexpr int kMostBytes = 512 << 10;
    for (const CompiledFunction& f : kernel.functions) {
        const int bytes = std::max(f.stackBytes, f.frameBytes);
        if (bytes <= kMostBytes) continue;
        return Failure{fmt::format("a thread needs {}{} bytes of local memory, and has at most {}",
                                   bytes == INT_MAX ? "more than " : "", bytes, kMostBytes)};
    }
    return {};
}

/// Sources that somebody edited may include any file, and print anything.
std::string fitToBeShown(const std::string& log) {
    constexpr size_t kMostBytes = size_t{64} << 10;
    return printable(shortened(log, kMostBytes), "\n\t");
}

}  // namespace

Result<CompilerInfo> compilerInfo() {
    if (!nvrtc()) return nvrtc().failure();
    return nvrtc()->info;
}

int architectureFor(int capability, const CompilerInfo& info) {
    int best = 0;
    for (int a : info.architectures) {
        if (a / 10 == capability / 10 && a <= capability) best = a;
    }
    return best;
}

std::vector<std::string> compileFlags(const Variant& v, int architecture) {
    // A recursion's stack is sized by the statistics of ptxas, which therefore also runs for
    // code=ptx.
    const bool assembles = v.code == Code::machine || v.path == Path::recursive;
    std::vector<std::string> flags{
        fmt::format("--gpu-architecture={}_{}", assembles ? "sm" : "compute", architecture),
        "--std=c++20", std::string(kLineInformation),
        "-default-device"};  // for constexpr functions in headers that the host includes too
    if (v.math == Math::fast) flags.push_back("--use_fast_math");
    // a kernel from NVRTC's own cache comes without the statistics of ptxas
    flags.push_back(kNoCache);
    if (!assembles) return flags;  // the rest is for ptxas, in whose place the driver assembles
    flags.push_back("--ptxas-options=-v");
    if (v.maxRegisters > 0) flags.push_back(fmt::format("--maxrregcount={}", v.maxRegisters));
    // The depth of a recursion is only known at run time: the renderer sets cudaLimitStackSize, and
    // ptxas need not warn that it cannot size the stack.
    if (v.path == Path::recursive) {
        flags.push_back("--ptxas-options=--suppress-stack-size-warning");
    }
    return flags;
}

KernelProgram programOf(const Variant& variant, int architecture) {
    KernelProgram program{
        &nvrtcCompiler(), mainSourceOf(variant), {}, compileFlags(variant, architecture), variant.code};
    for (const Stage stage : stagesOf(variant))
        program.kernels.push_back({stage, nameExpression(variant, stage)});
    return program;
}

KernelProgram programOf(const ForceVariant& variant, int architecture) {
    Variant flags;  // those of a path's kernel with the same maths
    flags.math = variant.math;
    KernelProgram program{&nvrtcCompiler(), kNbodySource, {}, compileFlags(flags, architecture)};
    for (const Stage stage : stagesOf(variant))
        program.kernels.push_back({stage, nameExpression(variant, stage)});
    return program;
}

Result<CompiledKernel> compileProgram(const KernelProgram& wish,
                                      const std::vector<KernelSource>& sources) {
    if (!nvrtc()) return nvrtc().failure();
    const Nvrtc& n = *nvrtc();
    const auto start = std::chrono::steady_clock::now();
    OwnedProgram program{n};
    if (const Result<void> created = createProgram(n, sources, wish, program); !created)
        return created.failure();
    nvrtcResult result = runCompiler(n, program.handle, wish.flags);
    CompiledKernel kernel;
    kernel.log = programLog(n, program.handle);
    if (result == NVRTC_SUCCESS) result = readProgram(n, program.handle, wish, kernel);
    if (result != NVRTC_SUCCESS) {
        return Failure{kernel.log.empty() ? fmt::format("NVRTC: {}", n.errorString(result))
                                          : fitToBeShown(kernel.log)};
    }
    readStatistics(kernel);
    kernel.log = fitToBeShown(kernel.log);
    if (const Result<void> fits = checkFrames(kernel); !fits) return fits.failure();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    kernel.compileMs = time.count();
    return kernel;
}

namespace {

class NvrtcCompiler : public Compiler {
public:
    Result<std::string> version() const override {
        const Result<CompilerInfo> info = compilerInfo();
        if (!info) return info.failure();
        return fmt::format("NVRTC {}.{}", info->major, info->minor);
    }
    Result<CompiledKernel> compile(const KernelProgram& program,
                                   const std::vector<KernelSource>& sources,
                                   const GoOn& goOn) const override {
        return needsIsolation(sources) ? compileApart(program, sources, goOn)
                                       : compileProgram(program, sources);
    }
};

}  // namespace

const Compiler& nvrtcCompiler() {
    static const NvrtcCompiler compiler;
    return compiler;
}

std::string warningsIn(const std::string& log) {
    std::string warnings, line;
    std::istringstream lines(log);
    while (std::getline(lines, line)) {
        const bool statistics = line.starts_with("ptxas info") || line.empty() ||
                                line.find("bytes stack frame") != std::string::npos;
        if (!statistics) warnings += line + "\n";
    }
    return warnings;
}

}  // namespace rayscope
