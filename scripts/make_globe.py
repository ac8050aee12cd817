#!/usr/bin/env python3
"""Writes assets/scenes/globe.glb, a globe on a wooden table, and globe.hdr, the sky above it."""

import json
import math
import random
import struct
import zlib
from pathlib import Path

SCENES = Path(__file__).resolve().parent.parent / "assets/scenes"


# --- Pictures: rows of pixels from the top -----------------------------------------------------------


def png(rows):
    """Of rows of (r, g, b), 0 to 255."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    size = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    raw = b"".join(b"\0" + bytes(v for pixel in row for v in pixel) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(raw, 9))
            + chunk(b"IEND", b""))


def rgbe(colour):
    most = max(colour)
    if most < 1e-32:
        return (0, 0, 0, 0)
    exponent = math.frexp(most)[1]
    return (*(int(c * 2.0 ** (8 - exponent)) for c in colour), exponent + 128)


def packed(values):
    """Runs of a component, as Radiance packs them."""
    out, at = bytearray(), 0
    while at < len(values):
        run = 1
        while at + run < len(values) and run < 127 and values[at + run] == values[at]:
            run += 1
        if run >= 4:
            out += bytes((128 + run, values[at]))
        else:
            run = 1
            while (at + run < len(values) and run < 128
                   and len(set(values[at + run:at + run + 4])) > 1):
                run += 1
            out += bytes((run, *values[at:at + run]))
        at += run
    return bytes(out)


def hdr(rows):
    """Of rows of (r, g, b), radiance."""
    out = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {len(rows)} +X {len(rows[0])}\n".encode()
    for row in rows:
        out += struct.pack(">BBH", 2, 2, len(row))
        for component in zip(*(rgbe(c) for c in row)):
            out += packed(component)
    return out


def mix(a, b, t):
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def clamped(x):
    return min(1, max(0, x))


# --- Globe -------------------------------------------------------------------------------------------

dice = random.Random(7)
WAVES = [(octave, [dice.gauss(0, 1) for _ in range(3)], dice.uniform(0, 2 * math.pi))
         for octave in range(6) for _ in range(6)]


def height(x, y, z):
    """Sums of waves in all directions; above 0 is land."""
    total = 0
    for octave, (a, b, c), phase in WAVES:
        scale = 1.3 * 1.9 ** octave
        total += math.sin(scale * (a * x + b * y + c * z) + phase) * .6 ** octave
    return total


def map_colour(u, v):
    latitude, longitude = math.pi * (.5 - v), 2 * math.pi * u
    x, y, z = (math.cos(latitude) * math.cos(longitude), math.sin(latitude),
               math.cos(latitude) * math.sin(longitude))
    h = height(x, y, z)
    line = min(abs((u * 24 + .5) % 1 - .5), abs((v * 12 + .5) % 1 - .5)) < .025
    if abs(y) + .06 * h > .9:
        colour = (236, 240, 245)
    elif h < .35:
        colour = mix((22, 58, 112), (92, 160, 186), clamped((h + 3) / 3.35) ** 2)
    else:
        colour = mix(mix((96, 140, 70), (208, 186, 120), clamped(1.6 - abs(abs(y) - .3) * 6)),
                     (122, 96, 74), clamped((h - 2.2) / 2.5))
    return tuple(round(c * (.8 if line else 1)) for c in colour)


def wood_colour(u, v):
    plank = int(v * 6)
    shade = random.Random(plank).uniform(.82, 1.05)
    grain = math.sin(90 * (v + .012 * math.sin(2 * math.pi * u + plank) +
                           .006 * math.sin(6 * math.pi * u + 2 * plank)) + 5 * plank)
    joint = min(v * 6 % 1, 1 - v * 6 % 1) < .03 or abs(u - (.25 + .37 * plank) % 1) < .003
    base = mix((150, 98, 58), (186, 132, 84), .5 + .5 * grain)
    return tuple(round(min(255, c * shade * (.45 if joint else 1))) for c in base)


def picture(width, rows, colour):
    return [[colour((x + .5) / width, (y + .5) / rows) for x in range(width)] for y in range(rows)]


def ball(rings, sectors):
    """Positions, which are normals too, places in the picture, and triangles."""
    points, places, faces = [], [], []
    for j in range(rings + 1):
        for i in range(sectors + 1):
            theta, phi = math.pi * j / rings, 2 * math.pi * i / sectors
            points.append((math.sin(theta) * math.cos(phi), math.cos(theta),
                           -math.sin(theta) * math.sin(phi)))
            places.append((i / sectors, j / rings))
    for j in range(rings):
        for i in range(sectors):
            a = j * (sectors + 1) + i
            b = a + sectors + 1
            faces += [(a, b, b + 1), (a, b + 1, a + 1)]
    return points, places, faces


def table(half, repeats):
    corners = [(-half, 0, half), (half, 0, half), (half, 0, -half), (-half, 0, -half)]
    places = [(0, repeats), (repeats, repeats), (repeats, 0), (0, 0)]
    return corners, places, [(0, 1, 2), (0, 2, 3)]


def model():
    binary, views, accessors = bytearray(), [], []

    def view(data):
        binary.extend(b"\0" * (-len(binary) % 4))
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        binary.extend(data)
        return len(views) - 1

    def accessor(values, kind, form, component):
        flat = [x for v in values for x in v]
        accessors.append({"bufferView": view(struct.pack(f"<{len(flat)}{form}", *flat)),
                          "componentType": component, "type": kind,
                          "count": len(flat) if kind == "SCALAR" else len(values)})
        if kind == "VEC3":
            accessors[-1] |= {"min": [min(c) for c in zip(*values)],
                              "max": [max(c) for c in zip(*values)]}
        return len(accessors) - 1

    def mesh(points, places, faces, material, smooth):
        attributes = {"POSITION": accessor(points, "VEC3", "f", 5126),
                      "TEXCOORD_0": accessor(places, "VEC2", "f", 5126)}
        if smooth:
            attributes["NORMAL"] = accessor(points, "VEC3", "f", 5126)
        return {"primitives": [{"attributes": attributes, "material": material,
                                "indices": accessor(faces, "SCALAR", "H", 5123)}]}

    def material(texture):
        return {"pbrMetallicRoughness": {"baseColorTexture": {"index": texture},
                                         "metallicFactor": 0}}

    meshes = [mesh(*table(6, 4), 0, False), mesh(*ball(24, 48), 1, True)]
    images = [{"mimeType": "image/png", "bufferView": view(png(p))}
              for p in (picture(128, 128, wood_colour), picture(256, 128, map_colour))]
    tilt = math.radians(-23.4) / 2
    root = {
        "asset": {"version": "2.0", "generator": "scripts/make_globe.py"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1, 2]}],
        "nodes": [{"mesh": 0}, {"mesh": 1, "translation": [0, 1, 0],
                                "rotation": [0, 0, math.sin(tilt), math.cos(tilt)]},
                  {"camera": 0, "translation": [0, 1.6, 5],
                   "rotation": [math.sin(-.07), 0, 0, math.cos(-.07)]}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": .6, "znear": .01}}],
        "meshes": meshes,
        "materials": [material(0), material(1)],
        "textures": [{"source": 0, "sampler": 0}, {"source": 1, "sampler": 1}],
        "samplers": [{"wrapS": 10497, "wrapT": 10497}, {"wrapS": 10497, "wrapT": 33071}],
        "images": images,
        "accessors": accessors,
        "bufferViews": views,
    }
    binary.extend(b"\0" * (-len(binary) % 4))
    root["buffers"] = [{"byteLength": len(binary)}]
    text = json.dumps(root, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary))
            + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(binary), b"BIN\0") + bytes(binary))


# --- Sky ---------------------------------------------------------------------------------------------


def sky_colour(u, v):
    """A veiled sun behind the left shoulder, a bright horizon, and dark ground."""
    latitude, longitude = math.pi * (.5 - v), 2 * math.pi * (u - .5)
    y = math.sin(latitude)
    direction = (math.cos(latitude) * math.sin(longitude), y, -math.cos(latitude) * math.cos(longitude))
    sun = (-.62, .55, .56)
    cosine = sum(a * b for a, b in zip(direction, sun)) / math.hypot(*sun)
    if y < 0:
        return mix((.32, .28, .25), (.12, .1, .09), clamped(-3 * y))
    colour = mix((.95, .9, .82), (.16, .32, .68), clamped(1.4 * y) ** .6)
    sunlight = 9 * math.exp(14 * (cosine - 1))
    return tuple(c + sunlight * s for c, s in zip(colour, (1, .85, .62)))


if __name__ == "__main__":
    (SCENES / "globe.glb").write_bytes(model())
    (SCENES / "globe.hdr").write_bytes(hdr(picture(128, 64, sky_colour)))
