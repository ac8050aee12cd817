#!/usr/bin/env python3
"""Measures the window's frames: python3 scripts/measure_frames.py PROGRAM [SECONDS [AXIS=VALUE ...]]

For scenes and sizes, at rest and while a key flies, by turns with pace=fill and pace=fixed: frames a
second, the longest frame, rays a second by the wall clock and by the kernels' own, and how many samples a
pixel has. Needs xdotool and a display whose OpenGL is the GPU's.
"""

import bisect
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

SIZES = ["1280x720", "1920x1080"]
SCENES = ["vt9", "vt46"]
PACES = ["fixed", "fill"]


class Window:
    """A rayscope window, and what its status file says."""

    def __init__(self, program, arguments):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "status.json")
        self.timeline = os.path.join(self.folder.name, "timeline.json")
        home = dict.fromkeys(["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"], self.folder.name)
        environment = {**os.environ, **home, "RAYSCOPE_STATUS": self.path}
        self.process = subprocess.Popen([program, *arguments, "--trace", self.timeline], env=environment, cwd=self.folder.name)

    def status(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                return json.load(file)
        except (FileNotFoundError, json.JSONDecodeError):
            return {}

    def wait(self, holds, seconds=60):
        end = time.time() + seconds
        while time.time() < end and self.process.poll() is None:
            status = self.status()
            if status and holds(status):
                return status
            time.sleep(.05)
        raise SystemExit("the window did not get there: " + json.dumps(self.status())[:2000])

    def watch(self, seconds):
        """All different statuses of so many seconds."""
        seen = {}
        end = time.time() + seconds
        while time.time() < end:
            status = self.status()
            if status:
                seen[status["frame"]] = status
            time.sleep(.02)
        return list(seen.values())

    def end(self):
        """The zones of its own thread, as (name, begin, milliseconds)."""
        self.process.terminate()
        self.process.wait()
        with open(self.timeline, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        track = next(e["tid"] for e in events if e.get("name") == "frame")
        return [(e["name"], e["ts"], e["dur"] / 1e3) for e in events if e["ph"] == "X" and e["tid"] == track]

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def keys(*arguments):
    subprocess.run(["xdotool", *arguments], check=True)


def per_second(statuses):
    first, last = statuses[0], statuses[-1]
    return (last["frame"] - first["frame"]) / (last["time"] - first["time"])


def median(statuses, key):
    return statistics.median(status[key] for status in statuses)


def own_work(zones, seconds):
    """Milliseconds of each frame of the last seconds that were no waiting, sorted."""
    frames = sorted((begin, ms) for name, begin, ms in zones if name == "frame")
    frames = [f for f in frames if f[0] > frames[-1][0] - 1e6 * seconds]
    begins = [begin for begin, _ in frames]
    work = [ms for _, ms in frames]
    for name, begin, ms in zones:
        if name in ("poll", "swap") and begin >= begins[0]:
            work[bisect.bisect_right(begins, begin) - 1] -= ms
    return sorted(work)


def measure(program, scene, size, settings, pace, seconds):
    words = [word for setting in [*settings, "pace=" + pace] for word in ("--set", setting)]
    window = Window(program, ["--scene", scene, "--size", size, *words])
    try:
        window.wait(lambda s: s["rate_settled"] and s["samples"] > 500)
        time.sleep(2)
        rest = window.watch(seconds)
        flight = []
        for key in ["d", "a", "a", "d"]:
            keys("keydown", key)
            flight += window.watch(seconds / 4)
            keys("keyup", key)
        flight = [s for s in flight if s["moving"] and s["samples"] > 0]
        work = own_work(window.end(), 2 * seconds)
        kernel, wall = median(rest, "rays_per_second"), median(rest, "wall_rays_per_second")
        print(f"| {scene} | {size} | {pace} | {per_second(rest):.0f} | "
              f"{max(s['longest_frame_ms'] for s in rest):.1f} | {kernel / 1e9:.1f} | {wall / 1e9:.1f} | "
              f"{100 * wall / kernel:.0f} % | {per_second(flight):.0f} | "
              f"{max(s['longest_frame_ms'] for s in flight):.1f} | {median(flight, 'samples'):.0f} / "
              f"{min(s['samples'] for s in flight)} | {max(s['divisor'] for s in flight):g} | {statistics.median(work):.1f} / "
              f"{work[int(.99 * (len(work) - 1))]:.1f} / {work[-1]:.1f} |", flush=True)
    finally:
        window.close()


def main():
    program = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 6
    settings = sys.argv[3:]
    paces = [s.removeprefix("pace=") for s in settings if s.startswith("pace=")] or PACES
    settings = [s for s in settings if not s.startswith("pace=")]
    print("| scene | size | pace | frames/s | longest, ms | kernel, G rays/s | end to end, G rays/s | share | "
          "flying: frames/s | longest, ms | samples, median / fewest | divisor | own work, ms: median / 99 % / longest |")
    print("|" + "---|" * 13)
    for scene in SCENES:
        for size in SIZES:
            for pace in paces:
                measure(program, scene, size, settings, pace, seconds)


if __name__ == "__main__":
    main()
