#include "renderer/cuda/cupti.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "renderer/cuda/toolkit.h"

#ifdef RAYSCOPE_CUPTI
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#endif

namespace rayscope {

#ifdef RAYSCOPE_CUPTI

namespace {

// The functions of CUPTI used here, without the prefix "cupti".
#define RAYSCOPE_CUPTI_FUNCTIONS(X)            \
    X(GetResultString)                         \
    X(ProfilerInitialize)                      \
    X(DeviceGetChipName)                       \
    X(ProfilerGetCounterAvailability)          \
    X(ProfilerHostInitialize)                  \
    X(ProfilerHostDeinitialize)                \
    X(ProfilerHostGetBaseMetrics)              \
    X(ProfilerHostConfigAddMetrics)            \
    X(ProfilerHostGetConfigImageSize)          \
    X(ProfilerHostGetConfigImage)              \
    X(ProfilerHostGetNumOfPasses)              \
    X(ProfilerHostEvaluateToGpuValues)         \
    X(RangeProfilerEnable)                     \
    X(RangeProfilerDisable)                    \
    X(RangeProfilerGetCounterDataSize)         \
    X(RangeProfilerCounterDataImageInitialize) \
    X(RangeProfilerSetConfig)                  \
    X(RangeProfilerStart)                      \
    X(RangeProfilerStop)                       \
    X(RangeProfilerPushRange)                  \
    X(RangeProfilerPopRange)                   \
    X(RangeProfilerDecodeData)

struct Cupti {
#define RAYSCOPE_DECLARE(name) decltype(&::cupti##name) name = nullptr;
    RAYSCOPE_CUPTI_FUNCTIONS(RAYSCOPE_DECLARE)
#undef RAYSCOPE_DECLARE
};

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

/// Loaded at the first call, and never unloaded.
const Result<Cupti>& loadedCupti() {
    static const Result<Cupti> loaded = load();
    return loaded;
}

const Cupti& cupti() {
    return *loadedCupti();
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

void check(CUptiResult result, const char* what) {
    if (result != CUPTI_SUCCESS) throw std::runtime_error(failure(what, result));
}

/// CUPTI's parameters are structs that begin with their size in the headers compiled with.
#define RAYSCOPE_PARAMS(type, name) \
    type name{};                    \
    name.structSize = type##_STRUCT_SIZE

class Plan : public CounterPlan {
public:
    /// `available`: CUPTI's image of what the driver permits; empty: everything.
    Plan(const std::string& chip, const std::vector<std::string>& metrics,
         const std::vector<std::uint8_t>& available) {
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_Initialize_Params, p);
        p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
        p.pChipName = chip.c_str();
        p.pCounterAvailabilityImage = available.empty() ? nullptr : available.data();
        check(cupti().ProfilerHostInitialize(&p), "plans counters");
        host_ = p.pHostObject;
        try {
            choose(metrics);
            configure();
        } catch (...) {
            release();
            throw;
        }
    }
    ~Plan() override { release(); }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    int passes() const override { return passes_; }
    const std::vector<std::string>& metrics() const override { return metrics_; }
    const std::vector<const char*>& names() const { return names_; }
    std::vector<std::uint8_t>& image() { return image_; }

    /// By metrics().
    std::vector<double> evaluate(const std::vector<std::uint8_t>& counterData) const {
        std::vector<double> values(names_.size());
        std::vector<const char*> names = names_;
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, p);
        p.pHostObject = host_;
        p.pCounterDataImage = counterData.data();
        p.counterDataImageSize = counterData.size();
        p.ppMetricNames = names.data();
        p.numMetrics = names.size();
        p.pMetricValues = values.data();
        check(cupti().ProfilerHostEvaluateToGpuValues(&p), "evaluates counters");
        return values;
    }

private:
    void release() {
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, p);
        p.pHostObject = host_;
        cupti().ProfilerHostDeinitialize(&p);
    }

    /// Keeps the metrics that the chip has: a single unknown one would spoil the plan.
    void choose(const std::vector<std::string>& metrics) {
        std::vector<std::string_view> known;
        for (const CUpti_MetricType type :
             {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO, CUPTI_METRIC_TYPE_THROUGHPUT}) {
            RAYSCOPE_PARAMS(CUpti_Profiler_Host_GetBaseMetrics_Params, p);
            p.pHostObject = host_;
            p.metricType = type;
            check(cupti().ProfilerHostGetBaseMetrics(&p), "lists metrics");
            known.insert(known.end(), p.ppMetricNames, p.ppMetricNames + p.numMetrics);
        }
        for (const std::string& metric : metrics) {
            const std::string_view base = std::string_view(metric).substr(0, metric.find('.'));
            if (std::find(known.begin(), known.end(), base) != known.end())
                metrics_.push_back(metric);
        }
        for (const std::string& metric : metrics_) names_.push_back(metric.c_str());
    }

    void configure() {
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
        add.pHostObject = host_;
        add.ppMetricNames = names_.data();
        add.numMetrics = names_.size();
        check(cupti().ProfilerHostConfigAddMetrics(&add), "chooses metrics");
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
        size.pHostObject = host_;
        check(cupti().ProfilerHostGetConfigImageSize(&size), "plans passes");
        image_.resize(size.configImageSize);
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
        image.pHostObject = host_;
        image.pConfigImage = image_.data();
        image.configImageSize = image_.size();
        check(cupti().ProfilerHostGetConfigImage(&image), "plans passes");
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
        passes.pConfigImage = image_.data();
        passes.configImageSize = image_.size();
        check(cupti().ProfilerHostGetNumOfPasses(&passes), "counts passes");
        passes_ = static_cast<int>(passes.numOfPasses);
    }

    CUpti_Profiler_Host_Object* host_ = nullptr;
    std::vector<std::string> metrics_;
    std::vector<const char*> names_;  ///< metrics_, as CUPTI takes them
    std::vector<std::uint8_t> image_;
    int passes_ = 0;
};

class Reader : public CounterReader {
public:
    Reader(int device, std::vector<std::string> metrics)
        : asked_(std::move(metrics)), chip_(chipOf(device)), plan_(chip_, asked_, available()) {
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_Enable_Params, p);
        p.ctx = currentContext();
        check(cupti().RangeProfilerEnable(&p), "opens the counters");
        profiler_ = p.pRangeProfilerObject;
        try {
            configure();
        } catch (...) {
            release();
            throw;
        }
    }
    ~Reader() override { release(); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    bool pass(const std::function<void()>& work) override {
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_Start_Params, start);
        start.pRangeProfilerObject = profiler_;
        check(cupti().RangeProfilerStart(&start), "starts a pass");
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
        push.pRangeProfilerObject = profiler_;
        push.pRangeName = "rayscope";
        check(cupti().RangeProfilerPushRange(&push), "begins a range");
        work();
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
        pop.pRangeProfilerObject = profiler_;
        check(cupti().RangeProfilerPopRange(&pop), "ends a range");
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
        stop.pRangeProfilerObject = profiler_;
        check(cupti().RangeProfilerStop(&stop), "ends a pass");
        return stop.isAllPassSubmitted != 0;
    }

    std::vector<double> values() override {
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_DecodeData_Params, p);
        p.pRangeProfilerObject = profiler_;
        check(cupti().RangeProfilerDecodeData(&p), "decodes counters");
        const std::vector<double> had = plan_.evaluate(data_);
        std::vector<double> all(asked_.size(), std::numeric_limits<double>::quiet_NaN());
        size_t next = 0;
        for (size_t i = 0; i < asked_.size() && next < had.size(); ++i) {
            if (asked_[i] == plan_.metrics()[next]) all[i] = had[next++];
        }
        return all;
    }

private:
    /// Starts CUPTI: this must be the first call.
    static std::string chipOf(int device) {
        RAYSCOPE_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
        check(cupti().ProfilerInitialize(&initialize), "starts");
        RAYSCOPE_PARAMS(CUpti_Device_GetChipName_Params, chip);
        chip.deviceIndex = static_cast<size_t>(device);
        check(cupti().DeviceGetChipName(&chip), "asks for the chip");
        return chip.pChipName;
    }

    /// CUPTI's image of what may be counted in the current context.
    static std::vector<std::uint8_t> available() {
        RAYSCOPE_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, p);
        check(cupti().ProfilerGetCounterAvailability(&p), "asks which counters there are");
        std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
        p.pCounterAvailabilityImage = image.data();
        check(cupti().ProfilerGetCounterAvailability(&p), "asks which counters there are");
        return image;
    }

    static CUcontext currentContext() {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found{};
        CUcontext context = nullptr;
        const cudaError_t error = cudaGetDriverEntryPointByVersion(
            "cuCtxGetCurrent", &function, 12000, cudaEnableDefault, &found);
        if (error == cudaSuccess && function != nullptr)
            reinterpret_cast<CUresult (*)(CUcontext*)>(function)(&context);
        if (context == nullptr) throw std::runtime_error("CUPTI: there is no CUDA context");
        return context;
    }

    void configure() {
        std::vector<const char*> names = plan_.names();
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
        size.pRangeProfilerObject = profiler_;
        size.pMetricNames = names.data();
        size.numMetrics = names.size();
        size.maxNumOfRanges = 1;
        size.maxNumRangeTreeNodes = 1;
        check(cupti().RangeProfilerGetCounterDataSize(&size), "sizes counters");
        data_.resize(size.counterDataSize);
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
        image.pRangeProfilerObject = profiler_;
        image.pCounterData = data_.data();
        image.counterDataSize = data_.size();
        check(cupti().RangeProfilerCounterDataImageInitialize(&image), "makes room for counters");
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_SetConfig_Params, p);
        p.pRangeProfilerObject = profiler_;
        p.pConfig = plan_.image().data();
        p.configSize = plan_.image().size();
        p.pCounterDataImage = data_.data();
        p.counterDataImageSize = data_.size();
        p.range = CUPTI_UserRange;
        p.replayMode = CUPTI_UserReplay;
        p.maxRangesPerPass = 1;
        p.numNestingLevels = 1;
        p.minNestingLevel = 1;
        p.targetNestingLevel = 1;
        check(cupti().RangeProfilerSetConfig(&p), "configures the counters");
    }

    void release() {
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_Disable_Params, p);
        p.pRangeProfilerObject = profiler_;
        cupti().RangeProfilerDisable(&p);
    }

    std::vector<std::string> asked_;
    std::string chip_;
    Plan plan_;
    CUpti_RangeProfiler_Object* profiler_ = nullptr;
    std::vector<std::uint8_t> data_;
};

}  // namespace

Result<std::unique_ptr<CounterPlan>> planCounters(const std::string& chip,
                                                  const std::vector<std::string>& metrics) {
    if (!loadedCupti()) return loadedCupti().failure();
    try {
        return std::unique_ptr<CounterPlan>(
            std::make_unique<Plan>(chip, metrics, std::vector<std::uint8_t>()));
    } catch (const std::runtime_error& error) {
        return Failure{error.what()};
    }
}

Result<std::unique_ptr<CounterReader>> openCounterReader(int device,
                                                         const std::vector<std::string>& metrics) {
    if (!loadedCupti()) return loadedCupti().failure();
    try {
        return std::unique_ptr<CounterReader>(std::make_unique<Reader>(device, metrics));
    } catch (const std::runtime_error& error) {
        return Failure{error.what()};
    }
}

#else

static const Failure kNoHeaders{
    "this program was built without CUPTI's headers (package cuda-cupti-dev)"};

Result<std::unique_ptr<CounterPlan>> planCounters(const std::string&,
                                                  const std::vector<std::string>&) {
    return kNoHeaders;
}

Result<std::unique_ptr<CounterReader>> openCounterReader(int, const std::vector<std::string>&) {
    return kNoHeaders;
}

#endif

}  // namespace rayscope
