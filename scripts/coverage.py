#!/usr/bin/env python3
"""How many of a comparison's 95 % intervals contain the truth beside load that comes and goes.

Usage: coverage.py PROGRAM [RUNS [SECONDS [MINUTES [OPTION ...]]]]

PROGRAM is build/tests/coverage_under_load. RUNS comparisons of each ratio (200), SECONDS each (4), are shared out
among instances that run at the same time, each pinned to two cores with a spinning process for each core. Whatever
is not done after so many MINUTES (60) is left out. The other options are the program's. Prints a Markdown table.
"""

import csv
import math
import os
import statistics
import subprocess
import sys
import threading

CORES_EACH = 2


def wilson(hits, n, z=1.96):
    """The 95 % interval of a share (Wilson 1927)."""
    share, middle = hits / n, z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (share + middle - half) / (1 + z * z / n), (share + middle + half) / (1 + z * z / n)


def measured(program, runs, seconds, minutes, options):
    """The lines of all instances."""
    cores = sorted(os.sched_getaffinity(0))
    groups = [cores[i:i + CORES_EACH] for i in range(0, len(cores) - CORES_EACH + 1, CORES_EACH)] or [cores]
    begun, first = [], 1
    for i, group in enumerate(groups):
        share = (runs * (i + 1)) // len(groups) - (runs * i) // len(groups)
        if share == 0:
            continue
        command = ["taskset", "-c", ",".join(map(str, group)), program, "--runs", str(share), "--first", str(first),
                   "--time", str(seconds), *options]
        # a group of its own, which is ended with its spinning processes
        begun.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True))
        first += share
    stop = threading.Timer(60 * minutes, lambda: [os.killpg(p.pid, 9) for p in begun if p.poll() is None])
    stop.start()
    lines = []
    readers = [threading.Thread(target=lambda p=p: lines.append(p.communicate()[0].splitlines())) for p in begun]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    stop.cancel()
    fields = lines[0][0].split(",")
    complete = [line for part in lines for line in part[1:] if line.count(",") == len(fields) - 1]
    return list(csv.DictReader(complete, fields)), len(begun)


def row(truth, lines):
    def numbers(name):
        return [float(line[name]) for line in lines]
    low, value, high = numbers("lower"), numbers("value"), numbers("upper")
    n = len(lines)
    hits = sum(a <= truth <= b for a, b in zip(low, high))
    least, most = wilson(hits, n)
    half = statistics.median((b - a) / 2 / v for a, v, b in zip(low, value, high))
    off = [100 * (v / truth - 1) for v in value]
    return (f"| {truth:.3f} | {n} | {hits} | {100 * hits / n:.1f} % | {100 * least:.1f} to {100 * most:.1f} % | "
            f"{100 * half:.2f} % | {statistics.median(off):+.2f} % | {min(off):+.1f} to {max(off):+.1f} % | "
            f"{sum(line['clock'] == 'processor' for line in lines)} | {statistics.median(numbers('rounds')):.0f} |")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    values = [int(sys.argv[2]) if len(sys.argv) > 2 else 200, float(sys.argv[3]) if len(sys.argv) > 3 else 4,
              float(sys.argv[4]) if len(sys.argv) > 4 else 60]
    lines, instances = measured(sys.argv[1], *values, sys.argv[5:])
    print(f"{instances} at a time, {values[1]:g} s each\n")
    print("| ratio | n | contained | share | 95 % interval of the share | half of the half widths | median off by | "
          "all off by | by processor time | rounds |\n|" + "---|" * 10)
    for truth in sorted({float(line["truth"]) for line in lines}):
        print(row(truth, [line for line in lines if float(line["truth"]) == truth]))


if __name__ == "__main__":
    main()
