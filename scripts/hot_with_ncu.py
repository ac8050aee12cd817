#!/usr/bin/env python3
"""Compares the hot lines of `rayscope hot` with those of Nsight Compute, and their sum with the counters.

Usage: hot_with_ncu.py PROGRAM FOLDER SCENE [AXIS=VALUE ...]

Prints Markdown tables; what ncu wrote is left in the folder. Under ncu the program itself cannot count, but
`rayscope counters` launches the same picture many times, and of some launches that is compared which executed most
nearly as many instructions: others are parts of a pass, or of the kernel that it replaces. The
exit code is 1 if the share of instructions of one of the ten hottest lines differs by more than 1 point, the
first five are in another order where their shares differ, or sums and counters differ by more than 1 %.
"""

import collections
import csv
import importlib
import json
import pathlib
import subprocess
import sys

SAMPLES = 16
LOADED = 40  # launches after which the settings' kernel is certainly running
LAUNCHES = 6
HOTTEST, ORDERED = 10, 5
POINT = 0.01
SUMS = 0.01


def command(program, what, scene, settings):
    if not any(setting.startswith("samples=") for setting in settings):
        settings = [f"samples={SAMPLES}", *settings]
    sets = [word for setting in settings for word in ("--set", setting)]
    return [program, what, "--backend", "cuda", "--scene", scene, *sets, "--json", "-"]


def ours(program, what, scene, settings):
    done = subprocess.run(command(program, what, scene, settings), check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def profile(program, folder, scene, settings):
    report = folder / f"{scene}.ncu-rep"
    subprocess.run(
        ["ncu", "--launch-skip", str(LOADED), "--launch-count", str(LAUNCHES), "--clock-control", "none",
         "--cache-control", "none", "--section", "SourceCounters", "--import-source", "yes", "--force-overwrite",
         "--export", str(report), *command(program, "counters", scene, settings)],
        check=True, capture_output=True, text=True)
    return report


def instructions_page(report):
    done = subprocess.run(["ncu", "--import", str(report), "--page", "source", "--csv", "--print-units", "base",
                           "--print-source", "sass"], capture_output=True, text=True)
    report.with_suffix(".sass.csv").write_text(done.stdout + done.stderr)
    return done.stdout


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


def launches(page):
    """Tables of the page, each a list of rows as dictionaries; lines before a header belong to none."""
    tables, header = [], None
    for row in csv.reader(page.splitlines()):
        if "Source" in row and "Instructions Executed" in row:
            header = row
            tables.append([])
        elif header and len(row) == len(header):
            tables[-1].append(dict(zip(header, row)))
        elif header and row and row[0] in ("Kernel Name", "File Path", "Function Name"):
            header = None
    return tables


def instructions(rows):
    return sum(number(row["Instructions Executed"]) for row in rows)


def compare_instructions(mine, page):
    """By their order in the kernel."""
    tables = launches(page)
    if not tables:
        print("ncu printed no instructions")
        return False
    kernel = max(mine["kernels"], key=lambda kernel: kernel["instructions"])
    rows = min(tables, key=lambda table: abs(instructions(table) - kernel["instructions"]))
    counts = {address: warps for address, warps, *_ in kernel["counts"]}
    all_mine, all_theirs = kernel["instructions"], instructions(rows)
    worst = 0
    for i, row in enumerate(rows):
        share = counts.get(16 * i, 0) / all_mine
        worst = max(worst, abs(share - number(row["Instructions Executed"]) / all_theirs))
    print(f"{len(rows)} instructions, the largest difference of a share {worst:.5%}; "
          f"executed: rayscope {all_mine:.6g}, ncu {all_theirs:.6g}\n")
    return worst < POINT


def sums(mine, counters):
    facts = counters["a"]["facts"]
    good = True
    print("| sum over lines | rayscope hot | counters | ratio |\n|---|---|---|---|")
    for name, value, fact in (("instructions", mine["all"]["instructions"], facts.get("instructions")),
                              ("lanes", mine["all"]["lanes"], facts.get("lanes"))):
        if not fact:
            continue
        good &= abs(value / fact - 1) <= SUMS
        print(f"| {name} | {value:.6g} | {fact:.6g} | {value / fact:.4f} |")
    parts = sum(part["share"] for part in mine["parts"].values()) + mine["unknown"]["share"]
    lines = sum(line["share"] for line in mine["lines"]) + mine["unknown"]["share"]
    print(f"\nparts add up to {parts:.6f}, lines to {lines:.6f}\n")
    return good and abs(parts - 1) < 1e-6 and abs(lines - 1) < 1e-6


def report_reader():
    """ncu's module that reads its reports; it lies beside the program, in no package."""
    folders = [folder for pattern in ("opt/nvidia/nsight-compute/*", "usr/local/cuda*/nsight-compute*",
                                      "usr/lib/nsight-compute*", "usr/lib/x86_64-linux-gnu/nsight-compute")
               for folder in pathlib.Path("/").glob(pattern + "/extras/python")]
    sys.path += [str(folder) for folder in sorted(folders, reverse=True)]
    return importlib.import_module("ncu_report")


def lines_of(action):
    """Instructions that a launch executed by (file, line), as ncu correlates them."""
    metric = action.metric_by_name("inst_executed")
    places, lines = metric.correlation_ids(), collections.Counter()
    for i in range(metric.num_instances()):
        info = action.source_info(places.as_uint64(i))
        name = (pathlib.PurePath(info.file_name()).name, info.line()) if info else ("", 0)
        lines[name] += metric.as_uint64(i)
    return lines


def compare_lines(mine, report):
    actions = report_reader().load_report(str(report)).range_by_idx(0)
    most = max(kernel["instructions"] for kernel in mine["kernels"])
    best = min((lines_of(actions.action_by_idx(i)) for i in range(actions.num_actions())),
               key=lambda lines: abs(lines.total() - most))
    total = best.total()
    good = True
    print("| line | rayscope | ncu | difference, points |\n|---|---|---|---|")
    for line in mine["lines_as_ncu"][:HOTTEST]:
        key = (line["file"].rsplit("/", 1)[-1], line["line"])
        theirs = best[key] / total
        good &= abs(line["share"] - theirs) <= POINT
        print(f"| `{key[0]}:{key[1]}` | {line['share']:.2%} | {theirs:.2%} | "
              f"{100 * (line['share'] - theirs):+.2f} |")
    order = [key for key, _ in best.most_common(ORDERED)]
    first = [(line["file"].rsplit("/", 1)[-1], line["line"]) for line in mine["lines_as_ncu"][:ORDERED]]
    print(f"\nthe first {ORDERED} are {'in the same order' if order == first else f'in another order: {order}'}\n")
    return good and order == first


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, folder, scene, settings = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    folder.mkdir(parents=True, exist_ok=True)
    mine = ours(program, "hot", scene, settings)
    if "no_counts" in mine:
        sys.exit(mine["no_counts"])
    if mine["model"]:
        sys.exit(mine["model_reason"])
    print(f"### {scene} {' '.join(settings)}, {mine['device']}\n")
    good = sums(mine, ours(program, "counters", scene, settings))
    report = profile(program, folder, scene, settings)
    good &= compare_instructions(mine, instructions_page(report))
    good &= compare_lines(mine, report)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
