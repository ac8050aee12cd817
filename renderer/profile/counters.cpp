#include "renderer/profile/counters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rayscope {

namespace {

constexpr std::string_view kDuration = "gpu__time_duration.sum";
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double first(const double* m) {
    return m[0];
}
/// Milliseconds, from nanoseconds.
double milli(const double* m) {
    return 1e-6 * m[0];
}
double sum(const double* m) {
    return m[0] + m[1];
}
/// Additions, multiplications, and two for each fused multiply-add.
double operations(const double* m) {
    return m[0] + m[1] + 2 * m[2];
}
/// From bytes read, bytes written, and nanoseconds.
double perSecond(const double* m) {
    return 1e9 * (m[0] + m[1]) / m[2];
}

Counter plain(const char* id, const char* group, const char* label, const char* unit, Better better,
              std::string_view metric) {
    return {id, group, label, unit, better, {metric}, first};
}

/// Stalled warps per issued instruction: by Little's law, the cycles that an average warp waits for
/// this reason between two of its instructions.
Counter stall(const char* id, const char* label, std::string_view metric) {
    return plain(id, "Stalls, cycles an instruction", label, "", Better::less, metric);
}

/// Instructions executed by warps.
Counter memory(const char* id, const char* label, std::string_view metric) {
    return plain(id, "Memory", label, "", Better::less, metric);
}

std::vector<Counter> speedOfLight() {
    using enum Better;
    const char* const group = "Speed of light";
    return {plain("sm_throughput", group, "SM", "%", more,
                  "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
            plain("memory_throughput", group, "memory", "%", neither,
                  "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
            plain("dram_throughput", group, "DRAM", "%", neither,
                  "dram__throughput.avg.pct_of_peak_sustained_elapsed"),
            plain("issue_slots", group, "issue slots", "%", more,
                  "smsp__issue_active.avg.pct_of_peak_sustained_elapsed")};
}

std::vector<Counter> warps() {
    using enum Better;
    const char* const group = "Warps";
    return {plain("achieved_occupancy", group, "achieved occupancy", "%", more,
                  "sm__warps_active.avg.pct_of_peak_sustained_active"),
            plain("active_warps", group, "active a scheduler", "", more,
                  "smsp__warps_active.avg.per_cycle_active"),
            plain("eligible_warps", group, "eligible a scheduler", "", more,
                  "smsp__warps_eligible.avg.per_cycle_active"),
            plain("issued_warps", group, "issued a scheduler", "", more,
                  "smsp__issue_active.avg.per_cycle_active"),
            plain("cycles_per_issue", group, "warp cycles an instruction", "", less,
                  "smsp__average_warp_latency_per_inst_issued.ratio")};
}

std::vector<Counter> stalls() {
    return {stall("stall_no_instruction", "no instruction",
                  "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"),
            stall("stall_wait", "wait",
                  "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"),
            stall("stall_math_pipe", "math pipe throttle",
                  "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio"),
            stall("stall_branch", "branch resolving",
                  "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio"),
            stall("stall_long_scoreboard", "long scoreboard",
                  "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"),
            stall("stall_short_scoreboard", "short scoreboard",
                  "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"),
            stall("stall_constant", "constant cache miss",
                  "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio"),
            stall("stall_mio", "MIO throttle",
                  "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio"),
            stall("stall_lg", "LG throttle",
                  "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"),
            stall("stall_barrier", "barrier",
                  "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"),
            stall("stall_dispatch", "dispatch",
                  "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio"),
            stall("stall_drain", "drain",
                  "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"),
            stall("stall_not_selected", "not selected",
                  "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio")};
}

std::vector<Counter> memories() {
    using enum Better;
    const char* const group = "Memory";
    constexpr std::string_view kRead = "dram__bytes_read.sum", kWritten = "dram__bytes_write.sum";
    return {{"dram_bytes", group, "DRAM", "B", less, {kRead, kWritten}, sum},
            {"dram_rate", group, "DRAM", "B/s", neither, {kRead, kWritten, kDuration}, perSecond},
            plain("l2_bytes", group, "L2 cache", "B", less, "lts__t_bytes.sum"),
            plain("l1_hit_rate", group, "L1 hits", "%", more, "l1tex__t_sector_hit_rate.pct"),
            plain("l2_hit_rate", group, "L2 hits", "%", more, "lts__t_sector_hit_rate.pct"),
            memory("global_loads", "global loads", "smsp__inst_executed_op_global_ld.sum"),
            memory("global_stores", "global stores", "smsp__inst_executed_op_global_st.sum"),
            memory("local_loads", "local loads", "smsp__inst_executed_op_local_ld.sum"),
            memory("local_stores", "local stores", "smsp__inst_executed_op_local_st.sum"),
            memory("shared_loads", "shared loads", "smsp__inst_executed_op_shared_ld.sum"),
            memory("shared_stores", "shared stores", "smsp__inst_executed_op_shared_st.sum")};
}

/// From additions, multiplications and fused multiply-adds.
Counter floatingPoint(const char* id, const char* label, std::string_view add, std::string_view mul,
                      std::string_view fma) {
    return {id, "Instructions", label, "", Better::less, {add, mul, fma}, operations};
}

std::vector<Counter> instructions() {
    using enum Better;
    const char* const group = "Instructions";
    return {plain("instructions", group, "executed by warps", "", less, "smsp__inst_executed.sum"),
            plain("lanes", group, "lanes an instruction", "", more,
                  "smsp__thread_inst_executed_per_inst_executed.ratio"),
            plain("branch_efficiency", group, "branch efficiency", "%", more,
                  "smsp__sass_average_branch_targets_threads_uniform.pct"),
            floatingPoint("fp32_operations", "FP32 operations",
                          "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                          "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
                          "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"),
            floatingPoint("fp64_operations", "FP64 operations",
                          "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
                          "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
                          "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum")};
}

}  // namespace

const std::vector<Counter>& counterTable() {
    // What each metric counts: Nsight Compute's documentation, "Metrics Reference" and "Statistical
    // Sampler: Warp Stall Reasons".
    static const std::vector<Counter> table = [] {
        std::vector<Counter> all{
            {"counted_ms", "Clock", "kernels, counted", "ms", Better::less, {kDuration}, milli},
            plain("clock", "Clock", "SM clock", "Hz", Better::more,
                  "smsp__cycles_elapsed.avg.per_second")};
        for (auto* const part : {speedOfLight, warps, stalls, memories, instructions}) {
            for (Counter& c : part()) all.push_back(std::move(c));
        }
        return all;
    }();
    return table;
}

std::vector<std::string> counterMetrics() {
    std::vector<std::string> all;
    for (const Counter& c : counterTable()) {
        for (const std::string_view metric : c.metrics) {
            if (std::find(all.begin(), all.end(), metric) == all.end()) all.emplace_back(metric);
        }
    }
    return all;
}

void leaveOutGaps(std::vector<double>& metrics, double kernelMs) {
    const std::vector<std::string> names = counterMetrics();
    const auto duration = std::find(names.begin(), names.end(), kDuration) - names.begin();
    const double stretch = metrics.at(static_cast<size_t>(duration)) / (1e6 * kernelMs);
    if (!(stretch > 1 && std::isfinite(stretch))) return;
    for (size_t i = 0; i < names.size(); ++i) {
        if (names[i] == kDuration) metrics.at(i) /= stretch;
        if (names[i].ends_with("_elapsed")) metrics.at(i) *= stretch;
    }
}

std::vector<double> countersFrom(const std::vector<double>& values) {
    const std::vector<std::string> names = counterMetrics();
    std::vector<double> counters;
    for (const Counter& c : counterTable()) {
        std::vector<double> its;
        for (const std::string_view metric : c.metrics) {
            const auto place = std::find(names.begin(), names.end(), metric) - names.begin();
            its.push_back(values.at(static_cast<size_t>(place)));
        }
        counters.push_back(c.of(its.data()));
    }
    return counters;
}

double counter(const std::vector<double>& counters, std::string_view id) {
    const std::vector<Counter>& table = counterTable();
    for (size_t i = 0; i < std::min(table.size(), counters.size()); ++i) {
        if (table[i].id == id) return counters[i];
    }
    return kUnknown;
}

}  // namespace rayscope
