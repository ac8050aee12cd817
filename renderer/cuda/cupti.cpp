#include "renderer/cuda/cupti.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "renderer/cuda/cupti_library.h"

namespace rayscope {

#ifdef RAYSCOPE_CUPTI

namespace {

class Plan : public CounterPlan {
public:
    /// `available`: CUPTI's image of what the driver permits; empty: everything.
    Plan(const std::string& chip, const std::vector<std::string>& metrics,
         const std::vector<std::uint8_t>& available) {
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_Initialize_Params, p);
        p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
        p.pChipName = chip.c_str();
        p.pCounterAvailabilityImage = available.empty() ? nullptr : available.data();
        checkCupti(cupti().ProfilerHostInitialize(&p), "plans counters");
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
        checkCupti(cupti().ProfilerHostEvaluateToGpuValues(&p), "evaluates counters");
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
            checkCupti(cupti().ProfilerHostGetBaseMetrics(&p), "lists metrics");
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
        checkCupti(cupti().ProfilerHostConfigAddMetrics(&add), "chooses metrics");
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
        size.pHostObject = host_;
        checkCupti(cupti().ProfilerHostGetConfigImageSize(&size), "plans passes");
        image_.resize(size.configImageSize);
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
        image.pHostObject = host_;
        image.pConfigImage = image_.data();
        image.configImageSize = image_.size();
        checkCupti(cupti().ProfilerHostGetConfigImage(&image), "plans passes");
        RAYSCOPE_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
        passes.pConfigImage = image_.data();
        passes.configImageSize = image_.size();
        checkCupti(cupti().ProfilerHostGetNumOfPasses(&passes), "counts passes");
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
        : asked_(std::move(metrics)), chip_(startCupti(device)), plan_(chip_, asked_, available()) {
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_Enable_Params, p);
        p.ctx = currentCudaContext();
        checkCupti(cupti().RangeProfilerEnable(&p), "opens the counters");
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
        checkCupti(cupti().RangeProfilerStart(&start), "starts a pass");
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
        push.pRangeProfilerObject = profiler_;
        push.pRangeName = "rayscope";
        checkCupti(cupti().RangeProfilerPushRange(&push), "begins a range");
        work();
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
        pop.pRangeProfilerObject = profiler_;
        checkCupti(cupti().RangeProfilerPopRange(&pop), "ends a range");
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
        stop.pRangeProfilerObject = profiler_;
        checkCupti(cupti().RangeProfilerStop(&stop), "ends a pass");
        return stop.isAllPassSubmitted != 0;
    }

    std::vector<double> values() override {
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_DecodeData_Params, p);
        p.pRangeProfilerObject = profiler_;
        checkCupti(cupti().RangeProfilerDecodeData(&p), "decodes counters");
        const std::vector<double> had = plan_.evaluate(data_);
        std::vector<double> all(asked_.size(), std::numeric_limits<double>::quiet_NaN());
        size_t next = 0;
        for (size_t i = 0; i < asked_.size() && next < had.size(); ++i) {
            if (asked_[i] == plan_.metrics()[next]) all[i] = had[next++];
        }
        return all;
    }

private:
    /// CUPTI's image of what may be counted in the current context.
    static std::vector<std::uint8_t> available() {
        RAYSCOPE_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, p);
        checkCupti(cupti().ProfilerGetCounterAvailability(&p), "asks which counters there are");
        std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
        p.pCounterAvailabilityImage = image.data();
        checkCupti(cupti().ProfilerGetCounterAvailability(&p), "asks which counters there are");
        return image;
    }

    void configure() {
        std::vector<const char*> names = plan_.names();
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
        size.pRangeProfilerObject = profiler_;
        size.pMetricNames = names.data();
        size.numMetrics = names.size();
        size.maxNumOfRanges = 1;
        size.maxNumRangeTreeNodes = 1;
        checkCupti(cupti().RangeProfilerGetCounterDataSize(&size), "sizes counters");
        data_.resize(size.counterDataSize);
        RAYSCOPE_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
        image.pRangeProfilerObject = profiler_;
        image.pCounterData = data_.data();
        image.counterDataSize = data_.size();
        checkCupti(cupti().RangeProfilerCounterDataImageInitialize(&image),
                   "makes room for counters");
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
        checkCupti(cupti().RangeProfilerSetConfig(&p), "configures the counters");
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
