#!/usr/bin/env python3
"""A table that `leeway compare` or `leeway replay` prints, as Markdown.

usage: leeway replay modes | markdown_table.py [TITLE]

TITLE is how the line above the table begins; without it the widest table is taken, and what stands before it is left out.
"""
import re
import sys


def below(title, lines):
    """The lines from the one behind the title to the next empty one."""
    at = next((i for i, line in enumerate(lines) if line.startswith("  ") and line.strip().startswith(title)), None)
    if at is None:
        sys.exit(f"no table is called '{title}'")
    end = next((i for i in range(at + 1, len(lines)) if not lines[i].strip()), len(lines))
    return lines[at + 1:end]


def main(lines, title):
    if title:
        lines = below(title, lines)
    rows = [re.split(r" {2,}", line.strip()) for line in lines]
    width = max(len(row) for row in rows)
    heading = next(i for i, row in enumerate(rows) if len(row) == width)
    table = [row for row in rows[heading:] if len(row) == width]
    print("| " + " | ".join(table[0]) + " |")
    print("|" + "|".join(["---"] + ["---:"] * (width - 1)) + "|")
    for row in table[1:]:
        print("| " + " | ".join(row) + " |")


main(sys.stdin.read().splitlines(), sys.argv[1] if len(sys.argv) > 1 else "")
