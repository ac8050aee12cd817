#!/usr/bin/env python3
"""Opens pages of reports in headless Chromium: light and dark, wide, narrow and printed.

usage: page_in_chromium.py RAYSCOPE
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib


def pixels(path):
    """Width, height and rows of RGB of a PNG as Chromium writes it: 8 bits, not interlaced."""
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    assert depth == 8 and colour in (2, 6)
    step = 3 if colour == 2 else 4
    raw, rows, before = zlib.decompress(packed), [], bytes(step * width)
    for y in range(height):
        begin = y * (step * width + 1)
        kind, line = raw[begin], bytearray(raw[begin + 1:begin + 1 + step * width])
        for i in range(len(line)):
            a, b = (line[i - step] if i >= step else 0), before[i]
            c = before[i - step] if i >= step else 0
            if kind == 1:
                line[i] = line[i] + a & 255
            elif kind == 2:
                line[i] = line[i] + b & 255
            elif kind == 3:
                line[i] = line[i] + (a + b) // 2 & 255
            elif kind == 4:
                p = a + b - c
                line[i] = line[i] + min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2] & 255
        rows.append(bytes(line))
        before = bytes(line)
    return width, height, step, rows


def share_of_ink(path, paper):
    """The part of the pixels that differ from the paper."""
    width, height, step, rows = pixels(path)
    other = sum(any(abs(row[x * step + c] - paper[c]) > 40 for c in range(3))
                for row in rows[::2] for x in range(0, width, 2))
    return other / (width * height / 4)


def main(program):
    folder = tempfile.mkdtemp()
    page = folder + "/page.html"

    def run(*words):
        return subprocess.run(words, check=True, capture_output=True, text=True, cwd=folder, timeout=300)

    run(program, "compare", "--backend", "cpu", "--scene", "vt9", "--size", "64x36", "--time", "1", "--a",
        "engine=megakernel", "--b", "engine=packets", "--json", "pair.json")
    run(program, "render", "--backend", "cpu", "--scene", "vt9", "--size", "160x90", "--spp", "8", "--out",
        "shot.png")
    run(program, "report", "pair.json", "shot.png", "--html", "page.html")
    run(program, "render", "--backend", "cpu", "--scene", "vt9", "--size", "64x36", "--spp", "1",
        "--json", "a.json", "--html", "a.html")
    assert json.load(open(folder + "/a.json"))["command"].startswith("rayscope render --backend cpu"), "command"

    def chromium(*words):
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--user-data-dir=" + folder + "/profile", "--enable-logging=stderr", *words, "file://" + page],
            capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        refused = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        assert not refused, refused

    for name, size, scheme, paper in (("light", "1040,1400", "1", (255, 255, 255)),
                                      ("dark", "1040,1400", "0", (20, 23, 27)),
                                      ("narrow", "420,1400", "1", (255, 255, 255))):
        picture = f"{folder}/{name}.png"
        chromium("--window-size=" + size, "--blink-settings=preferredColorScheme=" + scheme,
                 "--screenshot=" + picture)
        width, height, step, rows = pixels(picture)
        corner = tuple(rows[2][2 * step:2 * step + 3])
        assert corner == paper, f"{name}: the paper is {corner}"
        ink = share_of_ink(picture, paper)
        assert .01 < ink < .6, f"{name}: {ink:.3f} of the page is inked"
        edge = sum(any(abs(row[(width - 2) * step + c] - paper[c]) > 40 for c in range(3)) for row in rows)
        assert edge == 0, f"{name}: {edge} rows reach the right edge"
        print(f"{name}: {100 * ink:.1f} % inked")
    chromium("--print-to-pdf=" + folder + "/page.pdf")
    assert open(folder + "/page.pdf", "rb").read(5) == b"%PDF-"
    print("printed", os.path.getsize(folder + "/page.pdf"), "bytes")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
