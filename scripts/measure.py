#!/usr/bin/env python3
"""Measures rays per second by scene and by variant with `rayscope render` and prints Markdown tables.

Usage: measure.py PROGRAM [cpu|cuda]

Every row is the median of three runs of about --seconds of kernel time; the second table changes one
axis at a time from the backend's defaults on vt9. "error" rows say why a value cannot be had.
"""
import json
import statistics
import subprocess
import sys

SECONDS = 0.3
RUNS = 3


def run(program, arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def measure(program, backend, scene, settings):
    """The median run by rays per second, with samples for about SECONDS of kernel time."""
    arguments = ["render", "--backend", backend, "--scene", scene, "--size", "1280x720", "--json", "-"]
    for setting in settings:
        arguments += ["--set", setting]
    trial = run(program, arguments + ["--spp", "8"])
    spp = max(8, min(100000, int(8 * SECONDS * 1000 / trial["kernel_ms"]) // 8 * 8))
    runs = [run(program, arguments + ["--spp", str(spp)]) for _ in range(RUNS)]
    median = statistics.median(r["rays_per_second"] for r in runs)
    return min(runs, key=lambda r: abs(r["rays_per_second"] - median))


def row(name, report, reference):
    rate = report["rays_per_second"]
    kernel = report.get("kernel", {})
    per_sample = report["rays"]["total"] / report["rays"]["camera"]
    brightness = sum(report["mean_radiance"]) / 3
    cells = [name, f"{rate / 1e6:,.1f}", f"{rate / reference:.2f}", f"{per_sample:.3f}",
             f"{brightness:.4f}"]
    if kernel:
        cells += [str(kernel["registers"]), str(kernel["local_bytes"]), str(kernel["spill_bytes"]),
                  f"{100 * kernel['occupancy']:.0f} %"]
    print("| " + " | ".join(cells) + " |", flush=True)


def header(first, kernel):
    cells = [first, "M rays/s", "ratio", "rays/sample", "mean radiance"]
    if kernel:
        cells += ["registers", "local B", "spilled B", "occupancy"]
    print("| " + " | ".join(cells) + " |\n|" + "---|" * len(cells), flush=True)


def main():
    program = sys.argv[1]
    backend = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    info = run(program, ["info", "--json", "-"])
    print(f"{info[backend]['name']} ({info[backend]['detail']}), Rayscope {info['version']}\n")

    scenes = [("vt9", []), ("vt9", ["light_sampling=on"]), ("vt46", []),
              ("vt46", ["light_sampling=on"]), ("cornell", []), ("card", []), ("weekend", [])]
    reference = measure(program, backend, "vt9", [])
    kernel = "kernel" in reference
    header("scene", kernel)
    for scene, settings in scenes:
        row(" ".join([scene, *settings]), measure(program, backend, scene, settings),
            reference["rays_per_second"])

    print()
    header("vt9, one axis changed", kernel)
    row("default", reference, reference["rays_per_second"])
    for axis in info["axes"]:
        if not axis[backend] or axis["id"] in ("backend", "display", "light_sampling", "launches"):
            continue
        values = axis.get("values") or {"depth": [1, 2, 5, 20], "samples": [1, 4, 16, 64],
                                        "threads": [1, 2]}[axis["id"]]
        for value in values:
            name = f"{axis['id']}={value}"
            if str(reference["settings"][axis["id"]]) == str(value):
                continue
            try:
                row(name, measure(program, backend, "vt9", [name]), reference["rays_per_second"])
            except RuntimeError as error:
                print(f"| {name} | error: {error} |" + " |" * 3, flush=True)


if __name__ == "__main__":
    main()
