#!/usr/bin/env python3
"""Measures rays per second by scene and by variant with `rayscope ladder` and prints Markdown tables.

Usage: measure.py PROGRAM [cpu|cuda]

Kernel time at 1280x720: the median of passes that take SECONDS together, and the range in which half of
them lie. First all scenes, then the best settings known, then tables that change one axis at a time on vt9:
all axes from the backend's defaults, then with each other engine the axes that belong to it. A value that
cannot be had gives its reason.
"""
import json
import os
import subprocess
import sys
import tempfile

SECONDS = 0.3

SCENES = [("vt9", []), ("vt9", ["light_sampling=on"]), ("vt46", []), ("vt46", ["light_sampling=on"]),
          ("cornell", []), ("card", []), ("weekend", [])]
BEST = {
    "cuda": [("vt9", ["engine=regeneration", "scene_memory=baked", "material_dispatch=single"]),
             ("vt46", ["engine=regeneration", "scene_memory=baked", "material_dispatch=single"]),
             ("cornell", ["engine=regeneration", "scene_memory=baked"]),
             ("card", ["scene_memory=baked"]),
             ("weekend", ["engine=regeneration"])],
    "cpu": [],  # the defaults
}
NUMBERS = (1, 4, 16, 64)  # values of an axis of numbers, within its range


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def climb(program, backend, rungs):
    """Measures (scene, settings) one by one; returns the rungs of the report of `rayscope ladder`."""
    def rung(i, scene, settings):
        made = dict(s.split("=") for s in settings)
        made = {axis: int(value) if value.isdigit() else value for axis, value in made.items()}
        return {"name": str(i), "why": "To be measured.", "scene": scene, "settings": made,
                **({"from": "base"} if i else {})}

    base = rung(0, "vt9", []) | {"name": "base"}
    ladder = {"title": "Measurements", "source": "scripts/measure.py", "scene": "vt9",
              "size": [1280, 720], "measures": "rate", "clock": "kernel", "unit": "Mrays/s",
              "settings": {}, "rungs": [base, *(rung(i + 1, *r) for i, r in enumerate(rungs))]}
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "measure.json")
        with open(file, "w") as f:
            json.dump(ladder, f)
        report = run(program, "ladder", file, "--backend", backend, "--time", str(SECONDS),
                     "--json", "-")
    return report["rungs"][1:]


def cells(result, reference):
    if "problem" in result:
        return [result["problem"]]
    rate = result["kernel_rays_per_second"]
    row = [f"{rate['median'] / 1e6:,.1f}",
           f"{50 * (rate['upper'] - rate['lower']) / rate['median']:.1f} %",
           f"{rate['median'] / reference:.2f}", f"{result['rays_per_sample']:.3f}",
           f"{sum(result['mean_radiance']) / 3:.4f}"]
    if result["backend"] == "cuda":
        kernel = result["kernel"]
        row += [f"{kernel['registers']:.0f}", f"{kernel['local_bytes']:.0f}",
                f"{100 * kernel['occupancy']:.0f} %"]
    return row


def table(title, names, results):
    """Prints a table, with ratios relative to the first row."""
    heads = [title, "M rays/s", "±", "ratio", "rays/sample", "mean radiance"]
    if results[0]["backend"] == "cuda":
        heads += ["registers", "local B", "occupancy"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    reference = results[0]["kernel_rays_per_second"]["median"]
    for name, result in zip(names, results):
        row = [name, *cells(result, reference)]
        print("| " + " | ".join(row + [""] * (len(heads) - len(row))) + " |")
    print(flush=True)


def values_of(axis):
    return axis.get("values") or [n for n in NUMBERS if axis["minimum"] <= n <= axis["maximum"]]


def one_axis(program, backend, axes, base):
    """Prints a row for every value of the axes; without axes that do not apply to `base`."""
    names = [f"{a['id']}={v}" for a in axes for v in values_of(a)]
    results = climb(program, backend, [("vt9", base), *(("vt9", [*base, n]) for n in names)])
    kept = [(n, r) for n, r in zip(["default", *names], results)
            if "belongs to" not in r.get("problem", "")
            and (n == "default" or r.get("settings") != results[0]["settings"])]
    table(" ".join(["vt9", *base, "(one axis changed)"]), [n for n, _ in kept], [r for _, r in kept])


def main():
    program = sys.argv[1]
    backend = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    info = run(program, "info", "--json", "-")
    print(f"{info[backend]['name']} ({info[backend]['detail']}), Rayscope {info['version']}\n")

    for title, rungs in (("scene", SCENES), ("scene, best settings", BEST[backend])):
        if rungs:
            table(title, [" ".join([scene, *settings]) for scene, settings in rungs],
                  climb(program, backend, rungs))
    # axes that only the host reads change no kernel's time; the backend is an argument of this script
    axes = [a for a in info["axes"]
            if a[backend] and a["reader"] != "host" and a["id"] != "backend"]
    one_axis(program, backend, axes, [])
    for engine in next(a["values"] for a in axes if a["id"] == "engine"):
        theirs = [a for a in axes if engine in a["belongs_to"]]
        if engine != "megakernel" and theirs and (backend, engine) != ("cpu", "hybrid"):
            one_axis(program, backend, theirs, [f"engine={engine}"])


if __name__ == "__main__":
    main()
