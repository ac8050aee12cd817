#!/usr/bin/env python3
"""How much of a core's rate is left when ranks of one core each share a picture, or of a GPU's when several do.

    scripts/scaling.py build/rayscope-mpi --ranks 1 2 --rounds 5
    scripts/scaling.py build/rayscope --devices 0 1 --spp 40000

Renders the same picture with each number of ranks in turn, several times, so that what the machine
does meanwhile falls on all alike. Prints medians over the rounds: samples a second, and per rank those
over the samples a second of one; with --devices, those of all GPUs together over the sum of each alone. The
figures stand in docs/scaling.md.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile


def rendered(arguments, start, more, spp, folder):
    """Samples a second, from the first to the picture in memory, and the report."""
    report = os.path.join(folder, "report.json")
    command = [*start, arguments.program, "render", *more, "--scene", arguments.scene,
               "--size", arguments.size, "--spp", str(spp), "--json", report]
    for setting in arguments.set:
        command += ["--set", setting]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        found = json.load(file)
    return 1e3 * found["rays"]["camera"] / found["wall_ms"], found


def rate(arguments, ranks, folder):
    return rendered(arguments, ["mpirun", "--bind-to", "core", "-n", str(ranks)],
                    ["--backend", "cpu"], arguments.spp, folder)


def compare_devices(arguments):
    """Each GPU alone, and all together with as many samples as each had."""
    lists = [*arguments.devices, ",".join(arguments.devices)]
    rates, own = {devices: [] for devices in lists}, []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(arguments.rounds + 1):  # the first compiles
            for devices in lists:
                spp = arguments.spp * len(devices.split(","))
                samples, report = rendered(arguments, [], ["--device", devices], spp, folder)
                if turn > 0:
                    rates[devices].append(samples)
                if turn > 0 and "efficiency" in report:
                    own.append(report["efficiency"])
    for devices in lists:
        print(f"--device {devices:8} {statistics.median(rates[devices]) / 1e6:10.2f} M samples/s")
    ratios = [together / sum(alone) for together, *alone in
              zip(rates[lists[-1]], *(rates[devices] for devices in arguments.devices))]
    print(f"together {statistics.median(ratios):.3f} [{min(ratios):.3f}, {max(ratios):.3f}] of the sum of each "
          f"alone; efficiency as reported {statistics.median(own):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--devices", nargs="+", help="GPUs, by CUDA's numbers, in place of ranks")
    parser.add_argument("--set", action="append", default=[], metavar="AXIS=VALUE")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scene", default="vt9")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--spp", type=int, default=200)
    arguments = parser.parse_args()
    if arguments.devices:
        return compare_devices(arguments)
    rates = {ranks: [] for ranks in arguments.ranks}
    shares = {ranks: [] for ranks in arguments.ranks}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.rounds):
            for ranks in arguments.ranks:
                samples, report = rate(arguments, ranks, folder)
                rates[ranks].append(samples)
                busy = sum(r["kernel_ms"] for r in report["ranks"]) if "ranks" in report \
                    else report["kernel_ms"]
                shares[ranks].append(busy / ranks / report["wall_ms"])
    first = arguments.ranks[0]
    for ranks in arguments.ranks:
        ratios = [rate / ranks * first / one for rate, one in zip(rates[ranks], rates[first])]
        print(f"{ranks:4} ranks: {statistics.median(rates[ranks]) / 1e6:8.2f} M samples/s, a rank "
              f"{statistics.median(ratios):.3f} [{min(ratios):.3f}, {max(ratios):.3f}] of one, "
              f"in kernels {100 * statistics.median(shares[ranks]):.1f} % of the time")


if __name__ == "__main__":
    main()
