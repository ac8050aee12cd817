#!/usr/bin/env python3
"""Compares the counters of `rayscope counters` with those of Nsight Compute for the same launch.

Usage: compare_with_ncu.py PROGRAM [AXIS=VALUE ...]

Prints a Markdown table. Both run the same command: under ncu the program itself cannot count, but it
launches the same frame many times, and one of these launches is compared. The exit code is 1 if fewer
than eight counters agree within 3 %, or if one per elapsed time (marked *) does not within 2 %.
"""

import csv
import io
import json
import subprocess
import sys

# What is compared: rayscope's id of the counter, ncu's metric, and the factor from the latter to the former.
METRICS = {
    "sm_throughput": ("sm__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    "issue_slots": ("smsp__issue_active.avg.pct_of_peak_sustained_elapsed", 1),
    "achieved_occupancy": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1),
    "active_warps": ("smsp__warps_active.avg.per_cycle_active", 1),
    "eligible_warps": ("smsp__warps_eligible.avg.per_cycle_active", 1),
    "issued_warps": ("smsp__issue_active.avg.per_cycle_active", 1),
    "cycles_per_issue": ("smsp__average_warp_latency_per_inst_issued.ratio", 1),
    "stall_wait": ("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 1),
    "stall_no_instruction": (
        "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", 1),
    "l1_hit_rate": ("l1tex__t_sector_hit_rate.pct", 1),
    "global_loads": ("smsp__inst_executed_op_global_ld.sum", 1),
    "global_stores": ("smsp__inst_executed_op_global_st.sum", 1),
    "instructions": ("smsp__inst_executed.sum", 1),
    "lanes": ("smsp__thread_inst_executed_per_inst_executed.ratio", 1),
    "branch_efficiency": ("smsp__sass_average_branch_targets_threads_uniform.pct", 1),
    "counted_ms": ("gpu__time_duration.sum", 1e-6),
    "kernel_ms": ("gpu__time_duration.sum", 1e-6),  # timed, not counted
    "clock": ("smsp__cycles_elapsed.avg.per_second", 1),
}
SAMPLES = 16
LOADED = 40  # launches after which the settings' kernel is certainly running
TOLERANCE = 0.03
ENOUGH = 8
ELAPSED = {"sm_throughput", "issue_slots", "counted_ms"}
ELAPSED_TOLERANCE = 0.02


def command(program, settings):
    if not any(setting.startswith("samples=") for setting in settings):
        settings = [f"samples={SAMPLES}", *settings]
    sets = [word for setting in settings for word in ("--set", setting)]
    return [program, "counters", "--backend", "cuda", "--scene", "vt9", *sets, "--json", "-"]


def ours(program, settings):
    done = subprocess.run(command(program, settings), check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["a"]


def theirs(program, settings):
    names = ",".join(dict.fromkeys(metric for metric, _ in METRICS.values()))
    done = subprocess.run(
        ["ncu", "--launch-skip", str(LOADED), "--launch-count", "8", "--clock-control", "none",
         "--cache-control", "none", "--print-units", "base", "--csv", "--page", "raw",
         "--metrics", names, *command(program, settings)],
        check=True, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    # the first row has the units; some launches are only a part of a pass
    return max(rows[1:], key=lambda row: float(row["smsp__inst_executed.sum"].replace(",", "")))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, settings = sys.argv[1], sys.argv[2:]
    report, row = ours(program, settings), theirs(program, settings)
    if "no_counters" in report:
        sys.exit(report["no_counters"])
    print(f"{' '.join(settings) or 'defaults'}, kernel `{row['Kernel Name'][:60]}`\n")
    print("| counter | rayscope | ncu | ratio |\n|---|---|---|---|")
    close, far = 0, []
    for name, (metric, factor) in METRICS.items():
        mine, other = report["facts"].get(name), row.get(metric, "").replace(",", "")
        if mine is None or not other:
            continue
        other = float(other) * factor
        ratio = mine / other if other else (1 if mine == 0 else float("inf"))
        close += abs(ratio - 1) <= TOLERANCE
        elapsed = name in ELAPSED
        if elapsed and abs(ratio - 1) > ELAPSED_TOLERANCE:
            far.append(name)
        print(f"| {name}{'*' if elapsed else ''} | {mine:.6g} | {other:.6g} | {ratio:.4f} |")
    print(f"\n{close} within {TOLERANCE:.0%}; per elapsed time beyond {ELAPSED_TOLERANCE:.0%}: "
          f"{', '.join(far) or 'none'}")
    return 0 if close >= ENOUGH and not far else 1


if __name__ == "__main__":
    sys.exit(main())
