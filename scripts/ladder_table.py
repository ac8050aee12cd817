#!/usr/bin/env python3
"""Prints the results of `rayscope ladder NAME --json FILE` as Markdown tables.

Usage: ladder_table.py FILE.json...
"""
import json
import sys


def figure(value, unit):
    digits = 0 if value >= 1000 else 1 if value >= 100 else 2 if value >= 10 else 3
    return f"{value:,.{digits}f} {unit}"


def factor(value):
    return "" if value is None else f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def row(rung):
    published = rung.get("published")
    cells = [rung["name"], f"{published['value']:g} {published['unit']}" if published else ""]
    if "problem" in rung:
        return cells + [rung["problem"], "", "", "", "", ""]
    measured = rung["measured"]
    scaled = "*" if measured["scaled"] else ""
    return cells + [figure(measured["median"], measured["unit"]) + scaled, rung["clock"],
                    factor(rung.get("x_before")), factor(rung.get("x_first")),
                    *picture(rung)]


def picture(rung):
    if "brightness" not in rung:  # a simulation's
        return ["", ""]
    return [f"{rung['rays_per_sample']:.3f}",
            f"{rung['brightness']:.3f}" + (" !" if rung["differs"] else "")]


def main():
    for path in sys.argv[1:]:
        with open(path) as file:
            ladder = json.load(file)
        size = "x".join(str(side) for side in ladder["size"])
        samples = f", {ladder['spp']} samples a pixel" if ladder.get("spp") else ""
        devices = sorted({r["published"]["device"] for r in ladder["rungs"] if "published" in r})
        print(f"### {ladder['ladder']}\n\n{ladder['title']}; {size}{samples}; published on: "
              f"{', '.join(devices)}.\n")
        heads = ["rung", "published", "measured", "clock", "× before", "× first", "rays/sample",
                 "brightness"]
        print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
        for rung in ladder["rungs"]:
            print("| " + " | ".join(row(rung)) + " |")
        print()


if __name__ == "__main__":
    main()
