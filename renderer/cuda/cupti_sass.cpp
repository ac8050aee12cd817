#include <array>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "renderer/cuda/check.h"
#include "renderer/cuda/cupti.h"
#include "renderer/cuda/cupti_library.h"

namespace rayscope {

#ifdef RAYSCOPE_CUPTI

namespace {

/// The metrics, in the order of InstructionCount's members.
constexpr const char* kMetrics[] = {"smsp__sass_inst_executed", "smsp__sass_thread_inst_executed",
                                    "smsp__sass_thread_inst_executed_pred_on"};
constexpr std::size_t kMetricCount = std::size(kMetrics);

using MetricIds = std::array<std::uint64_t, kMetricCount>;

/// Chooses the metrics for the device; their numbers.
MetricIds chooseMetrics(int device) {
    const std::string chip = startCupti(device);
    MetricIds ids{};
    CUpti_SassMetrics_Config configs[kMetricCount] = {};
    for (std::size_t i = 0; i < kMetricCount; ++i) {
        RAYSCOPE_PARAMS(CUpti_SassMetrics_GetProperties_Params, p);
        p.pChipName = chip.c_str();
        p.pMetricName = kMetrics[i];
        checkCupti(cupti().SassMetricsGetProperties(&p), "looks for metrics of instructions");
        ids[i] = p.metric.metricId;
        configs[i] = {ids[i], CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
    }
    RAYSCOPE_PARAMS(CUpti_SassMetricsSetConfig_Params, set);
    set.numOfMetricConfig = kMetricCount;
    set.pConfigs = configs;
    set.deviceIndex = static_cast<std::uint32_t>(device);
    checkCupti(cupti().SassMetricsSetConfig(&set), "chooses metrics of instructions");
    return ids;
}

/// CUPTI's metrics by instruction: it adds counting to the machine code of a kernel that runs while
/// this exists (CUPTI documentation, "SASS Metrics API"). CUPTI 13.0 counts the kernel that is
/// launched first after it has chosen metrics, and no other.
class SassCounters {
public:
    explicit SassCounters(int device) : ids_(chooseMetrics(device)) {
        RAYSCOPE_PARAMS(CUpti_SassMetricsEnable_Params, enable);
        enable.ctx = context_;
        enable.enableLazyPatching = 1;  // only a kernel that runs
        checkCupti(cupti().SassMetricsEnable(&enable), "begins to count instructions");
    }
    ~SassCounters() {
        RAYSCOPE_PARAMS(CUpti_SassMetricsDisable_Params, p);
        p.ctx = context_;
        cupti().SassMetricsDisable(&p);
    }
    SassCounters(const SassCounters&) = delete;
    SassCounters& operator=(const SassCounters&) = delete;

    /// Since the beginning; the device is idle.
    std::vector<KernelCounts> read() {
        RAYSCOPE_PARAMS(CUpti_SassMetricsGetDataProperties_Params, has);
        has.ctx = context_;
        checkCupti(cupti().SassMetricsGetDataProperties(&has), "asks what was counted");
        // room for all metrics, whether an instance is of one or of all of them
        const std::size_t each = has.numOfInstances * kMetricCount;
        std::vector<CUpti_SassMetrics_InstanceValue> values(has.numOfPatchedInstructionRecords *
                                                            each);
        std::vector<CUpti_SassMetrics_Data> records(has.numOfPatchedInstructionRecords);
        for (std::size_t i = 0; i < records.size(); ++i) {
            records[i].structSize = sizeof(CUpti_SassMetrics_Data);
            records[i].pInstanceValues = values.data() + i * each;
        }
        RAYSCOPE_PARAMS(CUpti_SassMetricsFlushData_Params, flush);
        flush.ctx = context_;
        flush.numOfPatchedInstructionRecords = records.size();
        flush.numOfInstances = has.numOfInstances;
        flush.pMetricsData = records.data();
        checkCupti(cupti().SassMetricsFlushData(&flush), "reads what was counted");
        std::vector<KernelCounts> kernels = sumOf(records, each);
        for (const CUpti_SassMetrics_Data& record : records)  // the names are ours
            std::free(const_cast<char*>(record.functionName));
        return kernels;
    }

private:
    std::vector<KernelCounts> sumOf(const std::vector<CUpti_SassMetrics_Data>& records,
                                    std::size_t values) const {
        std::map<std::string, std::map<std::uint32_t, InstructionCount>> sums;
        for (const CUpti_SassMetrics_Data& record : records) {
            if (record.functionName == nullptr) continue;
            InstructionCount& sum = sums[record.functionName][record.pcOffset];
            sum.address = record.pcOffset;
            for (std::size_t k = 0; k < values; ++k) {
                const CUpti_SassMetrics_InstanceValue& v = record.pInstanceValues[k];
                if (v.metricId == ids_[0]) sum.warps += v.value;
                if (v.metricId == ids_[1]) sum.lanes += v.value;
                if (v.metricId == ids_[2]) sum.on += v.value;
            }
        }
        std::vector<KernelCounts> kernels;
        for (const auto& [symbol, instructions] : sums) {
            KernelCounts& kernel = kernels.emplace_back(KernelCounts{symbol, {}});
            for (const auto& [address, count] : instructions) {
                if (count.warps > 0) kernel.instructions.push_back(count);
            }
        }
        return kernels;
    }

    const MetricIds ids_;
    const CUcontext context_ = currentCudaContext();
};

/// Counting that begins with the launch of a kernel.
struct Count {
    int device;
    const std::string& symbol;
    std::optional<SassCounters> counters;
    std::string problem;  ///< why there are none
};
thread_local Count* waiting = nullptr;

}  // namespace

void beforeLaunch(const std::string& symbol) {
    if (waiting == nullptr || waiting->symbol != symbol) return;
    check(cudaDeviceSynchronize(), "finish the kernels before the one that is counted");
    Count& count = *std::exchange(waiting, nullptr);
    try {
        count.counters.emplace(count.device);
    } catch (const std::runtime_error& error) {  // the launch, and what follows it, goes on
        count.problem = error.what();
    }
}

Result<std::vector<KernelCounts>> countInstructions(int device, const std::string& symbol,
                                                    const std::function<void()>& work) {
    if (!loadedCupti()) return loadedCupti().failure();
    // CUPTI 13.0 refuses a second time: to choose metrics, "out of memory", or, where the first
    // choice was kept, to read, "invalid parameter".
    static std::atomic<bool> counted = false;
    if (counted) return Failure{"CUPTI counts instructions one by one only once in a process"};
    try {
        Count count{device, symbol, {}, {}};
        if (symbol.empty())
            count.counters.emplace(device);
        else
            waiting = &count;
        counted = true;
        work();
        waiting = nullptr;
        if (!count.problem.empty()) return Failure{count.problem};
        if (!count.counters) return std::vector<KernelCounts>{};
        return count.counters->read();
    } catch (const std::runtime_error& error) {
        waiting = nullptr;
        return Failure{error.what()};
    }
}

#else

void beforeLaunch(const std::string&) {}

Result<std::vector<KernelCounts>> countInstructions(int, const std::string&,
                                                    const std::function<void()>&) {
    return Failure{"this program was built without CUPTI's headers (package cuda-cupti-dev)"};
}

#endif

}  // namespace rayscope
