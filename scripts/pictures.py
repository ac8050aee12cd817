#!/usr/bin/env python3
"""Makes the pictures of the README and docs/guide.md: drives the window on a virtual screen, and has it take
screenshots.

Usage: pictures.py [PROGRAM [FOLDER [NAME ...]]]

The defaults are build/rayscope and docs. NAMEs choose some of the pictures (guide-window, viewer ...). Without
a GPU, those called guide-* show the CPU backend, and the others stay as they are. All together take five to
eight minutes on two cores. The program's own state goes into a temporary folder.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

SIZE, LARGE = (1280, 720), (1600, 900)
LEVELS_APART = 4  # of 256; the noise of a path tracer compresses badly, and the repository is to stay small
MESSAGE_SECONDS = 4.3  # a message is shown over the picture for four seconds
TOOLS = {"Xvfb": "xvfb", "xdotool": "xdotool"}  # by the Debian packages that contain them
# The font that make run and the package install: what most users see. The window takes the first of FONTS that
# there is (kFonts in ui/theme.cpp); others before it would make other pictures.
FONT_FOLDER, FONT_PACKAGE = "/usr/share/fonts/truetype", "fonts-dejavu-core"
FONTS = ["dejavu/DejaVuSans.ttf", "dejavu/DejaVuSans-Bold.ttf", "dejavu/DejaVuSansMono.ttf"]
OTHER_FONTS = ["inter/Inter-Regular.ttf", "noto/NotoSans-Regular.ttf", "ubuntu/Ubuntu-R.ttf",
               "open-sans/OpenSans-Regular.ttf", "roboto/unhinted/RobotoTTF/Roboto-Regular.ttf"]


def fail(sentence):
    sys.exit(f"pictures.py: {sentence}")


def unfiltered(data, width, height):
    """Undoes the filters of a PNG's rows; three channels of a byte each."""
    stride = 3 * width
    pixels, above = bytearray(), bytes(stride)
    for y in range(height):
        start = y * (stride + 1)
        kind, row = data[start], bytearray(data[start + 1:start + 1 + stride])
        for x in range(stride) if kind else ():
            left = row[x - 3] if x >= 3 else 0
            corner = above[x - 3] if x >= 3 else 0
            if kind == 4:  # Paeth
                guess = left + above[x] - corner
                row[x] = (row[x] + min((left, above[x], corner),
                                       key=lambda near: abs(guess - near))) & 255
            else:
                row[x] = (row[x] + (left, above[x], (left + above[x]) // 2)[kind - 1]) & 255
        pixels += row
        above = row
    return pixels


def write_small(source, target):
    """Copies a screenshot, with the state that it carries, in fewer colours."""
    with open(source, "rb") as file:
        png = file.read()
    at, packed, chunks = 8, b"", []
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        content = png[at + 8:at + 8 + length]
        if kind == b"IDAT":
            packed += content
        else:
            chunks.append((kind, content))
        at += length + 12
    width, height, depth, color, *_ = struct.unpack(">IIBBBBB", chunks[0][1])
    if (depth, color) != (8, 2):
        fail(f"{source} has another format than the screenshots so far.")
    levels = bytes(min(255, round(v / LEVELS_APART) * LEVELS_APART) for v in range(256))
    pixels = unfiltered(zlib.decompress(packed), width, height).translate(levels)
    rows = b"".join(b"\0" + pixels[y * 3 * width:(y + 1) * 3 * width] for y in range(height))
    chunks.insert(len(chunks) - 1, (b"IDAT", zlib.compress(rows, 9)))
    with open(target, "wb") as file:
        file.write(png[:8])
        for kind, content in chunks:
            file.write(struct.pack(">I", len(content)) + kind + content +
                       struct.pack(">I", zlib.crc32(kind + content)))


class Screen:
    """A virtual X server."""

    def __enter__(self):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "{}x{}x24".format(*LARGE),
             "-nolisten", "tcp"],
            pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as file:
            number = file.readline().strip()
        if not number:
            fail("Xvfb does not start: run it by hand to see why.")
        self.name = ":" + number
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


class Window:
    """The program in a window, driven by mouse and keys, and watched through the status file that it writes."""

    def __init__(self, program, screen, folder, size, words):
        self.size = size
        self.folder = folder
        self.status_file = os.path.join(folder, "status.json")
        self.log = os.path.join(folder, "log")
        if os.path.exists(self.status_file):
            os.remove(self.status_file)
        self.environment = dict(
            os.environ, DISPLAY=screen.name, RAYSCOPE_STATUS=self.status_file,
            XDG_STATE_HOME=os.path.join(folder, "state"), XDG_PICTURES_DIR=folder)
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.environment.pop("RAYSCOPE_FONT", None)
        kept = os.path.join(folder, "state", "rayscope", "window.json")
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        with open(kept, "w", encoding="utf-8") as file:
            file.write("{}")  # nothing is explained to a newcomer
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [program, *words, "--size", "{}x{}".format(*size)], cwd=folder,
                env=self.environment, stdout=log, stderr=log)

    def __enter__(self):
        self.wait("the first picture", lambda s: s["samples"] > 0)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def status(self):
        try:
            with open(self.status_file, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def wait(self, what, condition, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                with open(self.log, encoding="utf-8") as log:
                    fail(f"the program ended before {what}: {log.read().strip()}")
            now = self.status()
            if now and condition(now):
                return now
            time.sleep(.05)
        fail(f"{what} did not come within {seconds} s.")

    def frames(self, count=2):
        """Waits for some frames: they must pass between moving, pressing and releasing, as with a real hand."""
        first = (self.status() or {"frame": 0})["frame"]
        self.wait("a frame", lambda s: s["frame"] >= first + count)

    def act(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True,
                       stderr=subprocess.DEVNULL)

    def key(self, name):
        self.act("key", name)
        self.frames()

    def move(self, name):
        """Moves onto a named control once it stays in place: a list that opens needs some frames for that."""
        seen = {"rect": None, "frame": 0}

        def rests(now):
            rect = now["drawn"].get(name)
            if rect is None or rect != seen["rect"]:
                seen.update(rect=rect, frame=now["frame"])
                return False
            return now["frame"] > seen["frame"]

        x, y, width, height = self.wait(name, rests)["drawn"][name][:4]
        self.act("mousemove", int(x + width / 2), int(y + height / 2))
        self.frames()

    def click(self, name):
        self.move(name)
        self.act("mousedown", 1)
        self.frames()
        self.act("mouseup", 1)
        self.frames()

    def choose(self, axis, value):
        self.click(f"axis.{axis}")
        self.click(f"axis.{axis}.{value}")
        self.wait(f"{axis}={value}", lambda s: s["settings"].get(axis) == value)

    def shown(self, *names):
        self.wait(", ".join(names), lambda s: all(name in s["drawn"] for name in names))

    def samples(self, count, seconds=45):
        """Waits until the film has so many samples per pixel, at most so many seconds."""
        end = time.monotonic() + seconds
        self.wait("samples", lambda s: s["samples"] >= count or time.monotonic() > end,
                  seconds + 15)

    def picture(self, target):
        """Takes a screenshot with the program's Shift+F12, with the cursor out of the way."""
        self.act("mousemove", self.size[0] // 2, self.size[1] // 3)
        time.sleep(MESSAGE_SECONDS)
        before = self.status()["screenshot"]
        self.act("key", "shift+F12")
        path = self.wait("the screenshot", lambda s: s["screenshot"] != before)["screenshot"]
        folder = os.path.dirname(self.status_file)
        write_small(os.path.join(folder, path), target)
        print(f"{target}  {os.path.getsize(target) / 1000:.0f} kB", flush=True)


def throughput(window):
    """What a switch does to the rate, and the timeline."""
    window.wait("a settled rate", lambda s: s["rays_per_second"] > 0)
    time.sleep(8)  # so that the plot shows the rate before the switch
    window.click("axis.light_sampling")
    window.wait("the ratio of the switch", lambda s: s["ratio"] > 0, 90)
    window.samples(400)
    window.key("t")
    window.wait("the timeline", lambda s: s["timeline"]["shown"])
    window.shown("panel.timeline", "plot.rates")
    time.sleep(1)  # so that the frames in view are ordinary ones


def why(window):
    window.click("tab.why")
    window.wait("recorded paths", lambda s: s["why"]["lanes"] > 0 and not s["why"]["busy"], 90)
    window.shown("plot.divergence")
    window.samples(400)


def versus(window):
    """A race of light sampling off and on."""
    window.click("tab.versus")
    window.click("button.pin")
    window.click("axis.light_sampling")
    window.click("button.race")
    window.wait("the lead of a side",
                lambda s: s["pinned"]["lead"] > 0 and
                min(s["pinned"][side]["samples"] for side in "ab") >= 100, 180)


def laboratory(window):
    """What each switch is worth."""
    window.click("tab.lab")
    window.click("button.measure")
    window.wait("the laboratory at work", lambda s: s["lab"]["running"])
    window.wait("what each switch is worth", lambda s: not s["lab"]["running"], 400)
    window.move("lab.items")
    window.act("click", "--repeat", 15, "--delay", 60, 4)  # the wheel, up to the fastest
    window.samples(400)


def code(window):
    """The machine code of an explicit stack, compared with a loop's; needs a compiler."""
    if window.status()["settings"]["engine"] == "packets":  # which have no stack
        window.choose("engine", "megakernel")
    window.samples(200)
    window.key("p")
    window.wait("A", lambda s: s["pinned"])
    window.choose("path", "stack")
    window.click("tab.code")
    read = window.wait("the code", lambda s: "problem" in s["code"] and not s["code"]["busy"], 120)
    if read["code"]["problem"]:
        return read["code"]["problem"]
    window.click("code.sass")
    window.click("code.diff")
    window.wait("lines that differ", lambda s: s["code"]["changes"] > 0)
    window.samples(200)


def hot(window):
    """The hottest line in the kernel's source, with what its neighbours cost; needs counters."""
    window.click("tab.code")
    window.wait("the code", lambda s: "problem" in s["code"] and not s["code"]["busy"], 120)
    window.click("code.count")
    window.wait("hot lines", lambda s: s["code"].get("hot", 0) > 0, 120)
    window.click("code.hot.0")


def lesson(window):
    """A lesson of whose weak places one is mended; needs NVRTC."""
    read = window.wait("the code", lambda s: "problem" in s["code"] and not s["code"]["busy"], 120)
    if read["code"]["problem"]:
        return read["code"]["problem"]
    name = os.path.join(window.folder, "rayscope-lesson-doubles", "renderer", "core", "shapes.h")
    with open(name, encoding="utf-8") as file:
        text = file.read()
    with open(name, "w", encoding="utf-8") as file:
        file.write(text.replace(".5 * sqrt(4.0 * x.discriminant)", "sqrt(x.discriminant)"))
    window.wait("what moves", lambda s: s["lesson"]["code"] == 2 and not s["lesson"]["running"], 120)
    window.samples(100)


def ladder(window):
    window.click("tab.ladder")
    window.click("ladder")
    window.click("ladder.weekend")
    window.click("button.climb")
    window.wait("the climb", lambda s: s["ladder"]["climbing"])
    window.wait("the last rung", lambda s: not s["ladder"]["climbing"], 300)
    window.samples(200, 20)


def tour(window):
    window.click("tab.ladder")
    window.click("ladder")
    window.click("ladder.weekend")
    window.click("button.tour")
    for rung in range(4):
        window.wait(f"rung {rung}", lambda s: s["ladder"]["rung"] == rung and
                    s["ladder"]["rungs"][rung]["value"] > 0, 120)
        if rung < 3:
            window.key("Next")
    window.samples(60, 20)


def scene(window):
    """A sphere added to the ground."""
    window.click("tab.scene")
    window.click("button.add")
    window.wait("the wish for a place", lambda s: s["editor"]["placing"])
    window.act("mousemove", window.size[0] // 2, window.size[1] * 9 // 10)
    window.frames()
    window.act("click", 1)
    window.wait("the sphere", lambda s: s["editor"]["spheres"] == 10)
    window.samples(400)


def simulation(window):
    """Two discs of bodies that have met, as they move, and what the GPU does meanwhile."""
    if window.status()["settings"]["backend"] != "cuda":
        return "it is of a GPU"
    window.click("tab.scene")
    window.key("t")
    window.wait("steps", lambda s: s["simulation"]["step"] >= 2500 and s["samples"] > 0, 120)
    return None


def on_gpu(drive):
    """The same picture on a GPU, with less noise."""
    def drive_on_gpu(window):
        if window.status()["settings"]["backend"] != "cuda":
            return "it is of a GPU"
        reason = drive(window)
        window.samples(15000)
        return reason
    return drive_on_gpu


def rate(window):
    """The picture and the rate of the default kernel."""
    window.wait("a settled rate", lambda s: s["rays_per_second"] > 0)


# Each picture's name, size, scene (or the command that opens the window), and the function that drives its
# window. If that returns a reason, the picture cannot be made here.
PICTURES = {"guide-window": (SIZE, "vt9", throughput), "guide-why": (SIZE, "vt9", why),
            "guide-versus": (SIZE, "vt9", versus), "guide-lab": (SIZE, "vt9", laboratory),
            "guide-code": (SIZE, "vt9", code), "guide-lesson": (SIZE, "lesson doubles", lesson),
            "guide-ladder": (SIZE, "weekend", ladder),
            "guide-tour": (SIZE, "vt9", tour), "guide-scene": (SIZE, "vt9", scene),
            "viewer": (LARGE, "vt9", on_gpu(rate)), "why": (LARGE, "vt9", on_gpu(why)),
            "versus": (SIZE, "vt9", on_gpu(versus)), "code": (SIZE, "vt9", on_gpu(code)),
            "hot": (LARGE, "vt9", on_gpu(hot)), "triangles": (LARGE, "city-1000000", on_gpu(rate)),
            "simulation": (LARGE, "nbody", simulation)}


def main(words):
    names = words[2:] or list(PICTURES)
    for name in names:
        if name not in PICTURES:
            fail(f"there is no picture {name}: there are {', '.join(PICTURES)}.")
    program = os.path.abspath(words[0] if words else "build/rayscope")
    folder = os.path.abspath(words[1] if len(words) > 1 else "docs")
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            fail(f"{tool} is not installed: install the package {package}.")
    for font in FONTS:
        if not os.path.isfile(os.path.join(FONT_FOLDER, font)):
            fail(f"{font} is missing: install the package {FONT_PACKAGE}, which has the font that users see.")
    for font in OTHER_FONTS:
        if os.path.isfile(os.path.join(FONT_FOLDER, font)):
            fail(f"the window would be drawn with {font}, which few users have: remove it for the pictures.")
    if not os.access(program, os.X_OK):
        fail(f"there is no program {program}: build it with make build, or name another.")
    if not os.path.isdir(folder):
        fail(f"there is no folder {folder}.")
    for name in names:
        size, scene, drive = PICTURES[name]
        with tempfile.TemporaryDirectory(prefix="rayscope-pictures-") as scratch, \
                Screen() as screen, Window(program, screen, scratch, size,
                                            scene.split() if " " in scene else ["--scene", scene]) as window:
            reason = drive(window)
            if reason:
                print(f"{name}.png stays as it is: {reason}", file=sys.stderr)
            else:
                window.picture(os.path.join(folder, f"{name}.png"))


if __name__ == "__main__":
    main(sys.argv[1:])
