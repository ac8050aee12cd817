#!/usr/bin/env python3
"""Writes assets/figures/h200.json: what an NVIDIA H200 measured, for windows on machines without one. The figures
are those of docs/measurements.md; run it whenever its tables of an H200 change.

Usage: stored_figures.py
"""

import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def rows(lines):
    """The cells of each row of a table, and the heading that stands above it."""
    section, head = "", []
    for line in lines:
        if line.startswith("#"):
            section = line.strip("# \n")
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            head = []
        elif not head:
            head = cells
        elif not set(line.strip()) <= set("|-: "):
            yield section, head, cells


def main():
    with open(os.path.join(ROOT, "docs/measurements.md"), encoding="utf-8") as file:
        text = file.read()
    part = re.search(r"^## NVIDIA H200\n(.*?)^## ", text, re.M | re.S).group(1)
    stored = {"device": "NVIDIA H200", "date": re.search(r"\d{4}-\d\d-\d\d", part).group(0),
              "source": "docs/measurements.md", "scene": "vt9", "values": {}, "rungs": {}}
    for section, head, cells in rows(part.splitlines()):
        kind = re.fullmatch(r"vt9 ?(\S*) \(one axis changed\)", head[0])
        if kind and cells[0] != "default" and re.fullmatch(r"[\d.]+", cells[3] if len(cells) > 3 else ""):
            stored["values"].setdefault(kind.group(1), {})[cells[0]] = float(cells[3])
        if head[:3] == ["rung", "published", "measured"] and " " not in section and cells[2]:
            stored["rungs"].setdefault(section, {}).setdefault(cells[0], cells[2].rstrip("*"))
    with open(os.path.join(ROOT, "assets/figures/h200.json"), "w", encoding="utf-8") as file:
        json.dump(stored, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
