#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/cuda/check.h"
#include "renderer/cuda/cupti.h"
#include "renderer/cuda/cupti_library.h"

namespace rayscope {

#ifdef RAYSCOPE_CUPTI

namespace {

/// Of a multiprocessor: enough for tenths of a percent on a GPU of a hundred, and far from filling
/// CUPTI's buffer.
constexpr double kSamples = 4096;
constexpr unsigned kLeastPeriod = 5, kMostPeriod = 31;  ///< CUPTI's limits, as powers of two
constexpr std::string_view kBeforeReason = "issue_stalled_";
/// Instructions that are read at a time.
constexpr std::size_t kRecords = 4096;

/// The power of two of cycles from one sample to the next.
unsigned periodFor(double cycles) {
    const auto between = static_cast<std::uint64_t>(std::max(1., cycles / kSamples));
    const unsigned power = static_cast<unsigned>(std::bit_width(between)) - 1;
    return std::clamp(power, kLeastPeriod, kMostPeriod);
}

/// Those of a device that say why a warp waits: each has a twin for the cycles in which its
/// scheduler issued nothing at all.
struct StallReasons {
    std::vector<std::uint32_t> indices;
    std::vector<std::string> names;
};

StallReasons reasonsOf(CUcontext context) {
    std::size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams number{};
    number.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
    number.ctx = context;
    number.numStallReasons = &count;
    checkCupti(cupti().PCSamplingGetNumStallReasons(&number), "asks what warps wait for");
    std::vector<std::uint32_t> indices(count);
    std::vector<std::array<char, CUPTI_STALL_REASON_STRING_SIZE>> texts(count);
    std::vector<char*> names;
    for (auto& text : texts) names.push_back(text.data());
    CUpti_PCSamplingGetStallReasonsParams p{};
    p.size = CUpti_PCSamplingGetStallReasonsParamsSize;
    p.ctx = context;
    p.numStallReasons = count;
    p.stallReasonIndex = indices.data();
    p.stallReasons = names.data();
    checkCupti(cupti().PCSamplingGetStallReasons(&p), "asks what warps wait for");
    StallReasons reasons;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view name = names[i];  // "smsp__pcsamp_warps_issue_stalled_wait"
        const std::size_t at = name.find(kBeforeReason);
        if (at == name.npos || name.ends_with("_not_issued")) continue;
        reasons.indices.push_back(indices[i]);
        reasons.names.emplace_back(name.substr(at + kBeforeReason.size()));
    }
    return reasons;
}

/// Room for what CUPTI hands over.
class Records {
public:
    explicit Records(std::size_t reasons)
        : reasons_(reasons), stalls_(kRecords * reasons), pcs_(kRecords) {
        data_.size = sizeof data_;
        data_.collectNumPcs = kRecords;
        data_.pPcData = pcs_.data();
    }
    /// To be called before each time: CUPTI writes into it how many it had.
    CUpti_PCSamplingData* emptied() {
        for (std::size_t i = 0; i < kRecords; ++i) {
            pcs_[i] = {};
            pcs_[i].size = sizeof pcs_[i];
            pcs_[i].stallReasonCount = reasons_;
            pcs_[i].stallReason = stalls_.data() + i * reasons_;
        }
        data_.totalNumPcs = 0;
        return &data_;
    }
    const CUpti_PCSamplingData& data() const { return data_; }

private:
    std::size_t reasons_;
    std::vector<CUpti_PCSamplingStallReason> stalls_;
    std::vector<CUpti_PCSamplingPCData> pcs_;
    CUpti_PCSamplingData data_{};
};

CUpti_PCSamplingConfigurationInfo attribute(CUpti_PCSamplingConfigurationAttributeType type) {
    CUpti_PCSamplingConfigurationInfo info{};
    info.attributeType = type;
    return info;
}

/// Samples while this exists.
class StallSampler {
public:
    explicit StallSampler(double cycles) {
        CUpti_PCSamplingEnableParams enable{};
        enable.size = CUpti_PCSamplingEnableParamsSize;
        enable.ctx = context_;
        checkCupti(cupti().PCSamplingEnable(&enable), "begins to sample");
        try {
            reasons_ = reasonsOf(context_);
            records_.emplace(reasons_.indices.size());
            configure(cycles);
        } catch (...) {
            disable();
            throw;
        }
    }
    ~StallSampler() { disable(); }
    StallSampler(const StallSampler&) = delete;
    StallSampler& operator=(const StallSampler&) = delete;

    StallSamples sample(const std::function<void()>& work) {
        CUpti_PCSamplingStartParams start{};
        start.size = CUpti_PCSamplingStartParamsSize;
        start.ctx = context_;
        checkCupti(cupti().PCSamplingStart(&start), "starts to sample");
        work();
        CUpti_PCSamplingStopParams stop{};
        stop.size = CUpti_PCSamplingStopParamsSize;
        stop.ctx = context_;
        checkCupti(cupti().PCSamplingStop(&stop), "stops to sample");
        return read();
    }

private:
    void configure(double cycles) {
        auto mode = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE);
        mode.attributeData.collectionModeData.collectionMode =
            CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED;  // the other one sees nothing
        auto period = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD);
        period.attributeData.samplingPeriodData.samplingPeriod = periodFor(cycles);
        auto control =
            attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL);
        control.attributeData.enableStartStopControlData.enableStartStopControl = 1;
        auto which = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON);
        which.attributeData.stallReasonData.stallReasonCount = reasons_.indices.size();
        which.attributeData.stallReasonData.pStallReasonIndex = reasons_.indices.data();
        auto buffer = attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER);
        buffer.attributeData.samplingDataBufferData.samplingDataBuffer = records_->emptied();
        CUpti_PCSamplingConfigurationInfo all[] = {mode, period, control, which, buffer};
        CUpti_PCSamplingConfigurationInfoParams p{};
        p.size = CUpti_PCSamplingConfigurationInfoParamsSize;
        p.ctx = context_;
        p.numAttributes = std::size(all);
        p.pPCSamplingConfigurationInfo = all;
        checkCupti(cupti().PCSamplingSetConfigurationAttribute(&p), "plans samples");
    }

    StallSamples read() {
        StallSamples result;
        std::map<std::string, std::map<std::uint64_t, std::vector<std::uint64_t>>> sums;
        do {
            CUpti_PCSamplingGetDataParams p{};
            p.size = CUpti_PCSamplingGetDataParamsSize;
            p.ctx = context_;
            p.pcSamplingData = records_->emptied();
            checkCupti(cupti().PCSamplingGetData(&p), "reads samples");
            const CUpti_PCSamplingData& data = records_->data();
            result.dropped += data.droppedSamples;
            for (std::size_t i = 0; i < data.totalNumPcs; ++i) {
                const CUpti_PCSamplingPCData& pc = data.pPcData[i];
                if (pc.functionName == nullptr) continue;
                names_.insert(pc.functionName);
                add(pc, sums[pc.functionName][pc.pcOffset]);
            }
        } while (records_->data().remainingNumPcs > 0 && records_->data().totalNumPcs > 0);
        result.reasons = reasons_.names;
        for (auto& [symbol, instructions] : sums) {
            KernelStalls& kernel = result.kernels.emplace_back(KernelStalls{symbol, {}});
            for (auto& [address, samples] : instructions)
                kernel.instructions.push_back(
                    {static_cast<std::uint32_t>(address), std::move(samples)});
        }
        for (char* const name : names_) std::free(name);  // they are ours, and several records'
        names_.clear();
        return result;
    }

    void add(const CUpti_PCSamplingPCData& pc, std::vector<std::uint64_t>& sums) const {
        sums.resize(reasons_.indices.size());
        for (std::size_t r = 0; r < pc.stallReasonCount; ++r) {
            const auto found =
                std::ranges::find(reasons_.indices, pc.stallReason[r].pcSamplingStallReasonIndex);
            if (found != reasons_.indices.end())
                sums[static_cast<std::size_t>(found - reasons_.indices.begin())] +=
                    pc.stallReason[r].samples;
        }
    }

    void disable() const {
        CUpti_PCSamplingDisableParams p{};
        p.size = CUpti_PCSamplingDisableParamsSize;
        p.ctx = context_;
        cupti().PCSamplingDisable(&p);
    }

    const CUcontext context_ = currentCudaContext();
    StallReasons reasons_;
    std::optional<Records> records_;
    std::set<char*> names_;
};

}  // namespace

Result<StallSamples> sampleStalls(double cycles, const std::function<void()>& work) {
    if (!loadedCupti()) return loadedCupti().failure();
    try {
        return StallSampler(cycles).sample(work);
    } catch (const std::runtime_error& error) {
        return Failure{error.what()};
    }
}

#else

Result<StallSamples> sampleStalls(double, const std::function<void()>&) {
    return Failure{"this program was built without CUPTI's headers (package cuda-cupti-dev)"};
}

#endif

}  // namespace rayscope
