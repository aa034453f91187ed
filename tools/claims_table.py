#!/usr/bin/env python3
"""Prints the claims of replayed figures as a Markdown table.

    claims_table.py FILE.json...

FILE.json is what `leeway replay --out FOLDER` writes, one a figure. The figures are sorted by name, their numbers by value.
Of claims decided by real time neither verdict nor numbers are printed, because they differ between runs.
"""
import json
import re
import sys


def natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def main(paths):
    if not paths:
        sys.exit(__doc__)
    figures = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            figures.append(json.load(file))
    agreed = claimed = 0
    print("| figure | claim | measured | agrees | here | verdict |\n|---|---|---|---|---|---|")
    for figure in sorted(figures, key=lambda each: natural(each["figure"])):
        for claim in figure["claims"]:
            agrees = claim.get("agrees")
            outcome = [claim["here"], claim["verdict"] if agrees else f"**{claim['verdict']}**"]
            if claim.get("timed"):
                outcome = ["real time", "by machine"]
            elif agrees is not None:
                claimed += 1
                agreed += agrees
            cells = [figure["figure"], claim["claim"], claim["rule"], claim["band"], *outcome]
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    print(f"\n{agreed} of {claimed} claims agree.")


main(sys.argv[1:])
