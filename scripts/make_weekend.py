#!/usr/bin/env python3
"""Writes assets/scenes/weekend.json: the cover of "Ray Tracing in One Weekend" (Peter Shirley), a random
scene with a fixed seed, so that everybody measures the same spheres.

    scripts/make_weekend.py > assets/scenes/weekend.json
"""

import math
import random

# Python guarantees that random() gives the same numbers for a seed in all versions; other methods may change.
SEED = 1


def number(x):
    text = f"{x:.5f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def vector(v):
    return "[" + ", ".join(number(x) for x in v) + "]"


def sphere(center, radius, kind, albedo, **more):
    fields = "".join(f', "{key}": {number(value)}' for key, value in more.items())
    return (f'    {{"center": {vector(center)}, "radius": {number(radius)}, "material": '
            f'{{"kind": "{kind}", "albedo": {vector(albedo)}{fields}}}}}')


def small_sphere(center, r):
    choice = r()
    if choice < 0.8:
        return sphere(center, 0.2, "lambert", [r() * r() for _ in range(3)])
    if choice < 0.95:
        return sphere(center, 0.2, "metal", [0.5 + 0.5 * r() for _ in range(3)], roughness=0.5 * r())
    return sphere(center, 0.2, "dielectric", (1, 1, 1), index=1.5)


def spheres():
    r = random.Random(SEED).random
    yield sphere((0, -1000, 0), 1000, "lambert", (0.5, 0.5, 0.5))
    for a in range(-11, 11):
        for b in range(-11, 11):
            center = (a + 0.9 * r(), 0.2, b + 0.9 * r())
            if math.dist(center, (4, 0.2, 0)) > 0.9:
                yield small_sphere(center, r)
    yield sphere((0, 1, 0), 1, "dielectric", (1, 1, 1), index=1.5)
    yield sphere((-4, 1, 0), 1, "lambert", (0.4, 0.2, 0.1))
    yield sphere((4, 1, 0), 1, "metal", (0.7, 0.6, 0.5), roughness=0)


HEAD = """{
  "title": "The cover of Ray Tracing in One Weekend (Peter Shirley), written by scripts/make_weekend.py",
  "size": [1280, 720],
  "spp": 30,
  "depth": 50,
  "epsilon": 0.001,
  "camera": {"from": [13, 2, 3], "to": [0, 0, 0], "up": [0, 1, 0], "vfov": 20, "lens_radius": 0.05, "focus": 10},
  "display": {"gamma": 2},
  "sky": {"kind": "gradient", "bottom": [1, 1, 1], "top": [0.5, 0.7, 1]},
  "spheres": ["""

if __name__ == "__main__":
    print(HEAD)
    print(",\n".join(spheres()))
    print("  ]\n}")
