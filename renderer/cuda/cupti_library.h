#pragma once

#ifdef RAYSCOPE_CUPTI

#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <string>

#include "renderer/base/result.h"

// CUPTI, which is loaded when it is first used. It is touched on request only, so that other
// profilers can be attached to this program.

namespace rayscope {

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
    X(RangeProfilerDecodeData)                 \
    X(SassMetricsGetProperties)                \
    X(SassMetricsSetConfig)                    \
    X(SassMetricsEnable)                       \
    X(SassMetricsDisable)                      \
    X(SassMetricsGetDataProperties)            \
    X(SassMetricsFlushData)                    \
    X(PCSamplingEnable)                        \
    X(PCSamplingDisable)                       \
    X(PCSamplingGetNumStallReasons)            \
    X(PCSamplingGetStallReasons)               \
    X(PCSamplingSetConfigurationAttribute)     \
    X(PCSamplingStart)                         \
    X(PCSamplingStop)                          \
    X(PCSamplingGetData)

struct Cupti {
#define RAYSCOPE_DECLARE(name) decltype(&::cupti##name) name = nullptr;
    RAYSCOPE_CUPTI_FUNCTIONS(RAYSCOPE_DECLARE)
#undef RAYSCOPE_DECLARE
};

/// Loaded at the first call, and never unloaded.
const Result<Cupti>& loadedCupti();

/// After loadedCupti() has succeeded.
const Cupti& cupti();

/// Throws std::runtime_error with a sentence that says what to do, unless it is a success.
void checkCupti(CUptiResult result, const char* what);

/// Starts CUPTI, which must be the first call, and returns its name of the device's chip.
std::string startCupti(int device);

/// Of the calling thread.
CUcontext currentCudaContext();

/// CUPTI's parameters are structs that begin with their size in the headers compiled with.
#define RAYSCOPE_PARAMS(type, name) \
    type name{};                    \
    name.structSize = type##_STRUCT_SIZE

}  // namespace rayscope

#endif
