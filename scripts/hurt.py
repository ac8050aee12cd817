#!/usr/bin/env python3
"""Hurts the program in every way that docs/reliability.md promises it stands, and counts what it does not.

    scripts/hurt.py build/rayscope                     # 1,000 trials of all kinds
    scripts/hurt.py build/rayscope --trials 50 --only signals --seed 7
    scripts/hurt.py build/rayscope --soak build/tests/soak --soak-seconds 3600

Each trial has a folder and a home of its own, and a seed of its own, which is printed with a fault:
--only KIND --first SEED --trials 1 does it again. Exits with 1 if there is a fault.
"""

import argparse
import glob
import json
import os
import random
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

COMMANDS = {
    "render": ["render", "--scene", "vt9", "--size", "160x90", "--spp", "20000", "--out", "out.png"],
    "checkpoint": ["render", "--scene", "cornell", "--size", "96x72", "--spp", "20000", "--out", "out.pfm",
                   "--checkpoint", "out.checkpoint", "--checkpoint-every", "0.1"],
    "made": ["render", "--scene", "terrain-2000000", "--size", "64x36", "--spp", "20000", "--out", "out.exr"],
    "simulate": ["simulate", "--scene", "nbody-50000", "--steps", "100000", "--json", "out.json"],
    "sequence": ["sequence", "--scene", "nbody-20000", "--frames", "10000", "--size", "64x36", "--spp", "4",
                 "--out", "frames/out.png"],
    "sweep": ["sweep", "--x", "path", "--size", "32x18", "--time", "1", "--json", "out.json"],
    "switches": ["switches", "--size", "32x18", "--time", "1", "--json", "out.json"],
    "ladder": ["ladder", "weekend", "--size", "32x18", "--time", "1", "--json", "out.json"],
    "bench": ["bench", "--size", "32x18", "--time", "1", "--json", "out.json"],
    "compare": ["compare", "--b", "path=stack", "--size", "32x18", "--time", "60", "--json", "out.json"],
    "autotune": ["autotune", "--size", "32x18", "--time", "1", "--json", "out.json"],
    "selfcheck": ["selfcheck", "--size", "32x18", "--time", "1", "--json", "out.json"],
    "divergence": ["divergence", "--size", "256x144", "--spp", "100", "--json", "out.json"],
    "info": ["info", "--json", "out.json"],
}
WITHOUT_BACKEND = {"info"}
STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
PATIENCE = 1.0   # seconds from a signal to the end: what is promised
CRASHES = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}


class Fault(Exception):
    """What was promised and is not so."""


def check(good, sentence):
    if not good:
        raise Fault(sentence)


class Trial:
    """One run of the program in a folder of its own."""

    def __init__(self, options, seed):
        self.options = options
        self.random = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="hurt-")
        self.home = os.path.join(self.folder, "home")
        os.mkdir(self.home)
        self.process = None

    def close(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def words(self, name):
        words = [self.options.program, *COMMANDS[name]]
        return words if name in WITHOUT_BACKEND else words + ["--backend", "cpu"]

    def start(self, words, before=None, **more):
        environment = {"HOME": self.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        if self.options.kernels:
            environment["XDG_CACHE_HOME"] = self.options.kernels
        environment.update(more.pop("env", {}))

        def child():
            for number in [*STOPS, signal.SIGPIPE]:
                signal.signal(number, signal.SIG_DFL)
            if before:
                before()

        self.process = subprocess.Popen(
            words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=child, stdout=more.pop("stdout", subprocess.DEVNULL),
            stderr=open(self.path("stderr"), "wb"), **more)
        return self.process

    def run(self, words, limit=120, **more):
        """The exit code, below 0 a signal's; a fault if it does not end or crashes."""
        process = self.start(words, **more)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            raise Fault(f"does not end within {limit} s: {' '.join(words[1:])}") from None
        check(-code not in CRASHES, f"{signal.Signals(-code).name if code < 0 else code}: {' '.join(words[1:])}")
        return code

    def said(self):
        return self.read("stderr").decode("utf-8", "replace").strip()

    def no_litter(self):
        left = [path for path in glob.glob(self.path("**/.rayscope-*"), recursive=True)]
        check(not left, f"left behind: {left}")


def whole(trial, name):
    """Whether a file is whole, as its kind says."""
    path = trial.path(name)
    if not os.path.exists(path):
        return
    content = trial.read(name)
    if name.endswith(".png"):
        check(content.startswith(b"\x89PNG") and content.endswith(b"IEND\xaeB`\x82"), f"{name} is cut off")
    elif name.endswith(".json"):
        try:
            json.loads(content)
        except ValueError:
            raise Fault(f"{name} is no JSON") from None
    elif name.endswith(".pfm"):
        check(content.startswith(b"PF\n") and len(content) >= 12 * 96 * 72, f"{name} is cut off")
    elif name.endswith(".exr"):
        check(content.startswith(b"\x76\x2f\x31\x01"), f"{name} is no EXR")


def signals(trial):
    """A signal at a random moment of a random command."""
    name = trial.random.choice(sorted(COMMANDS))
    number = trial.random.choice(STOPS + [signal.SIGKILL])
    process = trial.start(trial.words(name))
    time.sleep(trial.random.random() ** 2 * 8)
    early = process.poll() is not None
    begun = time.monotonic()
    if not early:
        process.send_signal(number)
    try:
        code = process.wait(30)
    except subprocess.TimeoutExpired:
        raise Fault(f"{name} goes on for 30 s after {number.name}") from None
    took = time.monotonic() - begun
    most = PATIENCE * trial.options.slow
    check(took <= most, f"{name} ends {took:.1f} s after {number.name}, not within {most:.1f}")
    check(code in (0, 1, -number), f"{name}: exit code {code} after {number.name}: {trial.said()[:200]}")
    for file in ("out.png", "out.json", "out.pfm", "out.exr"):
        whole(trial, file)
    if code != -signal.SIGKILL:
        trial.no_litter()
    if os.path.exists(trial.path("out.checkpoint")) and code == -signal.SIGKILL:
        words = [trial.options.program, "render", "--resume", "out.checkpoint", "--backend", "cpu", "--out", "r.pfm"]
        process = trial.start(words)
        time.sleep(.5)
        process.send_signal(signal.SIGTERM)
        check(process.wait(30) in (0, 1, -signal.SIGTERM), f"its checkpoint is not gone on from: {trial.said()[:200]}")
        check("damaged" not in trial.said(), trial.said()[:200])


SMALL = ["--backend", "cpu", "--size", "64x36", "--spp", "1"]


def discs(trial):
    """A disc that is full, or a file that may not grow."""
    old = trial.random.choice([None, b"old"])
    name = trial.random.choice(["out.png", "out.exr", "out.pfm", "out.json"])
    option = "--json" if name.endswith(".json") else "--out"
    if old:
        trial.write(name, old)
    if trial.random.random() < .3:
        code = trial.run([trial.options.program, "render", *SMALL, "--json", "/dev/full"])
        check(code == 1 and "No space left" in trial.said(), f"/dev/full: {code}, {trial.said()[:200]}")
        return
    most = trial.random.randrange(0, 2000)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    code = trial.run([trial.options.program, "render", *SMALL, option, name], before=limit)
    if code == 0:
        whole(trial, name)
    else:
        check(code == 1, f"exit code {code}: {trial.said()[:200]}")
        there = trial.read(name) if os.path.exists(trial.path(name)) else None
        check(there == old, f"{name} is not as it was")
    trial.no_litter()


def memory(trial):
    """Not enough memory, wherever that is noticed."""
    scene = trial.random.choice(["vt9", "cornell", "terrain-1000000", "city-16777216", "forest-1000", "nbody-200000"])
    most = trial.random.randrange(60, 1200) << 20

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    code = trial.run([trial.options.program, "render", *SMALL, "--scene", scene, "--out", "out.png"], before=limit)
    said = trial.said()
    if code == 127 and "error while loading shared libraries" in said:
        return  # the program did not even begin
    check(code in (0, 1), f"{scene} in {most >> 20} MiB: exit code {code}: {said[:200]}")
    check(code == 0 or "rayscope: " in said, f"{scene} in {most >> 20} MiB: it says {said[:200]!r}")
    check("damaged" not in said and "Resource temporarily" not in said, f"{most >> 20} MiB: it says {said[:200]!r}")


def pipes(trial):
    """A pipe that nobody reads, or whose reader stops."""
    os.mkfifo(trial.path("pipe"))
    words = trial.random.choice([
        ["render", *SMALL, "--json", "pipe"], ["render", *SMALL, "--out", "pipe.png"],
        ["simulate", "--backend", "cpu", "--scene", "nbody-500", "--steps", "1", "--json", "pipe"],
        ["sweep", "--backend", "cpu", "--x", "path", "--size", "16x9", "--time", "0.05", "--csv", "pipe"]])
    if "pipe.png" in words:
        os.rename(trial.path("pipe"), trial.path("pipe.png"))
    pipe = trial.path("pipe.png" if "pipe.png" in words else "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) if trial.random.random() < .5 else -1
    process = trial.start([trial.options.program, *words])
    time.sleep(trial.random.random() * 4)
    begun = time.monotonic()
    number = trial.random.choice([signal.SIGINT, signal.SIGTERM])
    if process.poll() is None:
        process.send_signal(number)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        raise Fault(f"waits for a reader 20 s after {number.name}: {' '.join(words)}") from None
    took = time.monotonic() - begun
    check(took <= PATIENCE * trial.options.slow, f"ends {took:.1f} s after {number.name}: {' '.join(words)}")
    if reader >= 0:
        os.close(reader)


def seeds_of_files(trial):
    """Files of each kind, which the program wrote or reads."""
    assets = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "assets")
    made = {}
    for kind in ("png", "exr", "pfm"):
        trial.run([trial.options.program, "render", *SMALL, "--out", f"seed.{kind}"])
        made[kind] = trial.read(f"seed.{kind}")
    for path in (*glob.glob(assets + "/scenes/*.json"), assets + "/scenes/globe.glb", assets + "/scenes/globe.hdr"):
        if os.path.exists(path):
            with open(path, "rb") as file:
                made[os.path.basename(path)] = file.read()
    made["obj"] = b"mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl a\nf 1/1/1 2/1/1 3/1/1\n"
    made["ply"] = (b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                   b"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    return made


def mutated(content, dice):
    content = bytearray(content)
    for _ in range(dice.choice([1, 1, 2, 5, 20])):
        if not content:
            break
        at = dice.randrange(len(content))
        kind = dice.randrange(6)
        if kind == 0:
            content[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            content[at] = dice.randrange(256)
        elif kind == 2:
            del content[at:at + dice.randrange(1, 64)]
        elif kind == 3:
            content[at:at] = content[at:at + dice.randrange(1, 64)] * dice.randrange(1, 50)
        elif kind == 4:
            content[at:at + 4] = struct.pack("<I", dice.choice([0, 1, 0x7fffffff, 0xffffffff, 1 << 24]))
        else:
            del content[at:]
    return bytes(content)


def files(trial, known={}):
    """A file that is damaged, or made to harm."""
    if not known:
        known.update(seeds_of_files(trial))
    name = trial.random.choice(sorted(known))
    ending = name.rsplit(".", 1)[-1]
    content = mutated(known[name], trial.random)
    if ending in ("exr", "hdr", "pfm") or (ending == "png" and trial.random.random() < .5):
        trial.write("sky." + ending, content)
        scene = trial.write("scene.json", json.dumps({"spheres": [{"center": [0, 0, 0], "radius": 1}],
                                                     "sky": {"picture": "sky." + ending}}))
    else:
        scene = trial.write("hostile." + ending, content)

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

    code = trial.run([trial.options.program, "render", scene, *SMALL, "--out", "out.pfm"], limit=30, before=limit)
    said = trial.said()
    check(code in (0, 1, 2), f"{name}: exit code {code}: {said[:200]}")
    check(code == 0 or said.startswith("rayscope: "), f"{name}: it says {said[:200]!r}")
    check(not any(mark in said for mark in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\x1b"), f"{name}: controls are shown")


def foreign(trial):
    """Folders and files that others can write, and links in the way of files."""
    kind = trial.random.randrange(4)
    if kind == 0:
        trial.write("victim", "precious")
        os.symlink("victim", trial.path("out.png"))  # a link of the user's own is followed
        trial.run([trial.options.program, "render", *SMALL, "--out", "out.png"])
        check(os.path.islink(trial.path("out.png")), "a link was replaced")
    elif kind == 1:
        mode = trial.random.choice([0o600, 0o640, 0o660, 0o604])
        trial.write("out.json", "old")
        os.chmod(trial.path("out.json"), mode)
        os.link(trial.path("out.json"), trial.path("other.json"))
        check(trial.run([trial.options.program, "info", "--json", "out.json"]) == 0, trial.said()[:200])
        info = os.stat(trial.path("out.json"))
        check(stat.S_IMODE(info.st_mode) == mode, f"mode {stat.S_IMODE(info.st_mode):o}, not {mode:o}")
        check(info.st_nlink == 2 and trial.read("other.json") != b"old", "its other name is another file now")
    elif kind == 2:
        kernels = os.path.join(trial.home, ".cache/rayscope/kernels")
        os.makedirs(kernels)
        os.chmod(kernels, 0o777)
        code = trial.run([trial.options.program, "render", *SMALL, "--out", "out.png"], env={"XDG_CACHE_HOME": ""})
        check(code == 0 and "can be written by other users" in trial.said(), f"{code}: {trial.said()[:200]}")
        check(not os.listdir(kernels), "kernels are kept where others can write")
    else:
        process = trial.start(trial.words("checkpoint"))
        begun = time.monotonic()
        while not os.path.exists(trial.path("out.checkpoint")) and time.monotonic() - begun < 20:
            time.sleep(.05)
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        check(os.path.exists(trial.path("out.checkpoint")), "there is no checkpoint")
        os.chmod(trial.path("out.checkpoint"), 0o666)
        code = trial.run([trial.options.program, "render", "--resume", "out.checkpoint", "--backend", "cpu"])
        check(code != 0 and "can be written by other users" in trial.said(), f"{code}: {trial.said()[:200]}")


def ranks(trial):
    """A rank that is killed, at work or before."""
    if not shutil.which("mpirun") or not os.path.exists(trial.options.program + "-mpi"):
        return False
    words = ["mpirun", "--oversubscribe", "--mca", "orte_startup_timeout", "20", "-n", "3", trial.options.program + "-mpi",
             "render", "--backend", "cpu", "--threads", "1", "--scene", "vt9", "--size", "160x90", "--spp", "3000",
             "--out", "out.png"]
    more = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "TMPDIR": trial.folder}
    process = trial.start(words, env=more)
    time.sleep(1.5 + trial.random.random() * 3)
    found = subprocess.run(["pgrep", "-g", str(process.pid), "-f", "rayscope-mpi render"],
                           capture_output=True, text=True, check=False).stdout.split()
    found += subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False).stdout.split()
    if found:
        os.kill(int(trial.random.choice(found)), signal.SIGKILL)
    try:
        code = process.wait(90)
    except subprocess.TimeoutExpired:
        raise Fault("a rank was killed, and the others go on for 90 s") from None
    check(code != 0 or not found or os.path.exists(trial.path("out.png")), "a rank was killed, and nothing is said")
    whole(trial, "out.png")
    return True


def windows(trial):
    """Two windows of one home, ended one way or the other."""
    if not shutil.which("Xvfb"):
        return False
    display = f":{trial.random.randrange(200, 60000)}"
    server = subprocess.Popen(["Xvfb", display, "-screen", "0", "1280x800x24"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    opened = []
    try:
        time.sleep(1)
        environment = dict(os.environ, HOME=trial.home, DISPLAY=display, LIBGL_ALWAYS_SOFTWARE="1")
        environment.pop("WAYLAND_DISPLAY", None)
        environment.pop("XDG_STATE_HOME", None)
        for _ in range(2):
            opened.append(subprocess.Popen([trial.options.program, "--backend", "cpu", "--size", "320x180"],
                                           cwd=trial.folder, env=environment, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL))
            time.sleep(trial.random.random() * 2)
        time.sleep(2 + trial.random.random() * 3)
        for process in opened:
            how = trial.random.choice([signal.SIGTERM, signal.SIGKILL, None])
            if how is None:
                server.kill()
            else:
                process.send_signal(how)
            time.sleep(trial.random.random())
        for process in opened:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                raise Fault("a window does not end within 10 s") from None
            check(-process.returncode not in CRASHES, f"a window crashes: {process.returncode}")
    finally:
        for process in [*opened, server]:
            if process.poll() is None:
                process.kill()
            process.wait()
    state = os.path.join(trial.home, ".local/state/rayscope")
    # where nobody has changed anything, only an orderly end writes the state
    orderly = any(process.returncode == 0 for process in opened)
    check(os.path.exists(state + "/last.json") or not orderly, "the last state is lost")
    if not os.path.exists(state):
        return True
    for name in os.listdir(state):
        if name.endswith(".json"):
            with open(os.path.join(state, name), encoding="utf-8") as file:
                json.load(file)
    check(stat.S_IMODE(os.stat(state).st_mode) == 0o700, "the folder of states is open to others")
    return True


KINDS = {"signals": (signals, .35), "discs": (discs, .1), "memory": (memory, .12), "pipes": (pipes, .08),
         "files": (files, .2), "foreign": (foreign, .06), "ranks": (ranks, .05), "windows": (windows, .04)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="of the whole run")
    parser.add_argument("--first", type=int, help="seed of the first trial of each kind, as a fault was printed with")
    parser.add_argument("--only", choices=sorted(KINDS), action="append")
    parser.add_argument("--slow", type=float, default=1, help="factor to the promised second, for a machine that is shared")
    parser.add_argument("--kernels", help="a folder for XDG_CACHE_HOME, so that trials need not compile")
    parser.add_argument("--soak", help="the soak's program: a random hour")
    parser.add_argument("--soak-seconds", type=int, default=3600)
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    kinds = options.only or list(KINDS)
    shares = sum(KINDS[kind][1] for kind in kinds)
    trials, faults = 0, 0
    for kind in kinds:
        run, share = KINDS[kind]
        count, failed, skipped = max(1, round(options.trials * share / shares)), 0, 0
        for i in range(count):
            seed = options.first + i if options.first is not None else options.seed * 1_000_003 + i
            trial = Trial(options, seed)
            try:
                if run(trial) is False:
                    skipped += 1
            except Fault as fault:
                failed += 1
                print(f"  {kind}, seed {seed}: {fault}", flush=True)
            finally:
                trial.close()
        print(f"{kind:<10} {count - skipped:>5} trials {failed:>4} faults"
              + (f"  ({skipped} left out: a program is missing)" if skipped else ""), flush=True)
        trials, faults = trials + count - skipped, faults + failed
    if options.soak:
        ended = subprocess.run([options.soak, options.program, "--seconds", str(options.soak_seconds), "--seed",
                                str(options.seed)], check=False).returncode
        print(f"{'soak':<10} {1:>5} trial  {int(ended != 0):>4} faults")
        trials, faults = trials + 1, faults + (ended != 0)
    print(f"{'all':<10} {trials:>5} trials {faults:>4} faults, seed {options.seed}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
