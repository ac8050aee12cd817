#include "renderer/cuda/cupti_library.h"

#ifdef RAYSCOPE_CUPTI

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "renderer/backend/counter_reader.h"
#include "renderer/cuda/toolkit.h"

namespace rayscope {

namespace {

/// CUPTI opens its parts by their bare names, which fails if its folder is not one that the dynamic
/// linker searches. Parts that are already open are found, so this opens them. False: one is
/// missing.
bool openPartsBeside(void* library) {
    link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return false;
    const std::string path = map->l_name;
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    bool all = true;
    for (const char* part : {"libnvperf_host.so", "libnvperf_target.so"})
        all &= dlopen((folder + part).c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
    return all;
}

Result<Cupti> load() {
    Cupti c;
    constexpr int kMajor = CUDART_VERSION / 1000;
    void* const library = openToolkitLibrary("libcupti.so", {kMajor});
    if (library == nullptr) {
        return Failure{
            fmt::format("CUPTI is not installed: libcupti.so.{} comes with the CUDA toolkit "
                        "(package cuda-cupti), or set CUDA_HOME to the toolkit's folder",
                        kMajor)};
    }
    if (!openPartsBeside(library)) {
        return Failure{
            "CUPTI is not installed whole: libnvperf_host.so and libnvperf_target.so are to lie "
            "beside libcupti.so"};
    }
    bool all = true;
#define RAYSCOPE_RESOLVE(name)                                                  \
    c.name = reinterpret_cast<decltype(c.name)>(dlsym(library, "cupti" #name)); \
    all &= c.name != nullptr;
    RAYSCOPE_CUPTI_FUNCTIONS(RAYSCOPE_RESOLVE)
#undef RAYSCOPE_RESOLVE
    if (!all) return Failure{"the installed CUPTI is too old: one of CUDA 12.6 or newer is needed"};
    return c;
}

std::string textOfMaps() {
    std::ifstream maps("/proc/self/maps");
    return {std::istreambuf_iterator<char>(maps), {}};
}

std::string failure(const char* what, CUptiResult result) {
    if (const std::string tool = profilerIn(textOfMaps()); !tool.empty()) {
        return fmt::format(
            "{} is attached and holds the counters, which have one reader at a time: start without "
            "it",
            tool);
    }
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
        return "the driver lets only administrators read counters: put \"options nvidia "
               "NVreg_RestrictProfilingToAdminUsers=0\" into /etc/modprobe.d/nvidia-profiling.conf "
               "and restart, or run with CAP_SYS_ADMIN "
               "(developer.nvidia.com/ERR_NVGPUCTRPERM)";
    }
    if (result == CUPTI_ERROR_HARDWARE_BUSY ||
        result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
        return "another program is reading this GPU's counters, which have one reader at a time: "
               "try again when it is done";
    const char* text = nullptr;
    cupti().GetResultString(result, &text);
    return fmt::format("CUPTI {}: {}", what, text != nullptr ? text : "unknown error");
}

}  // namespace

const Result<Cupti>& loadedCupti() {
    static const Result<Cupti> loaded = load();
    return loaded;
}

const Cupti& cupti() {
    return *loadedCupti();
}

void checkCupti(CUptiResult result, const char* what) {
    if (result != CUPTI_SUCCESS) throw std::runtime_error(failure(what, result));
}

std::string startCupti(int device) {
    RAYSCOPE_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    checkCupti(cupti().ProfilerInitialize(&initialize), "starts");
    RAYSCOPE_PARAMS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<size_t>(device);
    checkCupti(cupti().DeviceGetChipName(&chip), "asks for the chip");
    return chip.pChipName;
}

CUcontext currentCudaContext() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    CUcontext context = nullptr;
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 12000,
                                                               cudaEnableDefault, &found);
    if (error == cudaSuccess && function != nullptr)
        reinterpret_cast<CUresult (*)(CUcontext*)>(function)(&context);
    if (context == nullptr) throw std::runtime_error("CUPTI: there is no CUDA context");
    return context;
}

}  // namespace rayscope

#endif
