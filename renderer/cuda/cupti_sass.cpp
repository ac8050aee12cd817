#include <cstdlib>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

#include "renderer/cuda/cupti.h"
#include "renderer/cuda/cupti_library.h"

namespace rayscope {

#ifdef RAYSCOPE_CUPTI

namespace {

/// The metrics, in the order of InstructionCount's members.
constexpr const char* kMetrics[] = {"smsp__sass_inst_executed", "smsp__sass_thread_inst_executed",
                                    "smsp__sass_thread_inst_executed_pred_on"};
constexpr std::size_t kMetricCount = std::size(kMetrics);

/// CUPTI's metrics by instruction: it adds counting to the machine code of the kernels that run
/// while this exists (CUPTI documentation, "SASS Metrics API").
class SassCounters {
public:
    explicit SassCounters(int device) : device_(static_cast<std::uint32_t>(device)) {
        const std::string chip = startCupti(device);
        CUpti_SassMetrics_Config configs[kMetricCount] = {};
        for (std::size_t i = 0; i < kMetricCount; ++i) {
            RAYSCOPE_PARAMS(CUpti_SassMetrics_GetProperties_Params, p);
            p.pChipName = chip.c_str();
            p.pMetricName = kMetrics[i];
            checkCupti(cupti().SassMetricsGetProperties(&p), "looks for metrics of instructions");
            ids_[i] = p.metric.metricId;
            configs[i] = {ids_[i], CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
        }
        RAYSCOPE_PARAMS(CUpti_SassMetricsSetConfig_Params, set);
        set.numOfMetricConfig = kMetricCount;
        set.pConfigs = configs;
        set.deviceIndex = device_;
        checkCupti(cupti().SassMetricsSetConfig(&set), "chooses metrics of instructions");
        RAYSCOPE_PARAMS(CUpti_SassMetricsEnable_Params, enable);
        enable.ctx = context_;
        enable.enableLazyPatching = 1;  // only kernels that run
        try {
            checkCupti(cupti().SassMetricsEnable(&enable), "begins to count instructions");
        } catch (...) {
            unset();
            throw;
        }
    }
    ~SassCounters() {
        RAYSCOPE_PARAMS(CUpti_SassMetricsDisable_Params, p);
        p.ctx = context_;
        cupti().SassMetricsDisable(&p);
        unset();
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
    void unset() {
        RAYSCOPE_PARAMS(CUpti_SassMetricsUnsetConfig_Params, p);
        p.deviceIndex = device_;
        cupti().SassMetricsUnsetConfig(&p);
    }

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

    const std::uint32_t device_;
    const CUcontext context_ = currentCudaContext();
    std::uint64_t ids_[kMetricCount] = {};
};

}  // namespace

Result<std::vector<KernelCounts>> countInstructions(int device, const std::function<void()>& work) {
    if (!loadedCupti()) return loadedCupti().failure();
    try {
        SassCounters counters(device);
        work();
        return counters.read();
    } catch (const std::runtime_error& error) {
        return Failure{error.what()};
    }
}

#else

Result<std::vector<KernelCounts>> countInstructions(int, const std::function<void()>&) {
    return Failure{"this program was built without CUPTI's headers (package cuda-cupti-dev)"};
}

#endif

}  // namespace rayscope
