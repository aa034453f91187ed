#!/usr/bin/env python3
"""Converts a table printed by `leeway compare` or `leeway replay` to Markdown.

usage: leeway replay modes | markdown_table.py [TITLE]

TITLE is the beginning of the line above the table. Without it, the widest table is converted and the text before it is skipped.
"""
import re
import sys


def below(title, lines):
    """The lines after the title, up to the next empty line."""
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
