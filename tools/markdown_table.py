#!/usr/bin/env python3
"""The table that `leeway compare` prints, as Markdown. What stands before it is left out."""
import re
import sys


def main(lines):
    rows = [re.split(r" {2,}", line.strip()) for line in lines]
    width = max(len(row) for row in rows)
    heading = next(i for i, row in enumerate(rows) if len(row) == width)
    table = [row for row in rows[heading:] if len(row) == width]
    print("| " + " | ".join(table[0]) + " |")
    print("|" + "|".join(["---"] + ["---:"] * (width - 1)) + "|")
    for row in table[1:]:
        print("| " + " | ".join(row) + " |")


main(sys.stdin.read().splitlines())
