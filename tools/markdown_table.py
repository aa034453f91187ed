#!/usr/bin/env python3
"""Converts what the command prints to Markdown.

usage: leeway replay modes | markdown_table.py [--bars ROW] [TITLE]
       leeway programs --json | markdown_table.py --json KEY...

TITLE is the beginning of the line above a table. Without it, the widest table is converted and the text before it is skipped.
--bars ROW prints one row as a bar chart. --json KEY... makes a table of an array of objects, one column per key.
"""
import json
import re
import sys


def below(title, lines):
    """The lines after the title, up to the next empty line."""
    at = next((i for i, line in enumerate(lines) if line.startswith("  ") and line.strip().startswith(title)), None)
    if at is None:
        sys.exit(f"no table is called '{title}'")
    end = next((i for i in range(at + 1, len(lines)) if not lines[i].strip()), len(lines))
    return lines[at + 1:end]


def table_in(lines):
    """The rows of the widest table; the first is the heading."""
    rows = [re.split(r" {2,}", line.strip()) for line in lines]
    width = max(len(row) for row in rows)
    heading = next(i for i, row in enumerate(rows) if len(row) == width)
    return [row for row in rows[heading:] if len(row) == width]


def print_table(table, aligned):
    print("| " + " | ".join(table[0]) + " |")
    print("|" + "|".join(["---"] + [aligned] * (len(table[0]) - 1)) + "|")
    for row in table[1:]:
        print("| " + " | ".join(row) + " |")


def print_bars(table, name):
    """A bar per column of the row `name`, as long as its value; 40 characters are 1."""
    row = next((row for row in table[1:] if row[0] == name), None)
    if row is None:
        sys.exit(f"no row is called '{name}'")
    print("```")
    for title, value in zip(table[0][1:], row[1:]):
        print(f"{title:<9} {'█' * max(1, round(40 * float(value)))} {value}")
    print("```")


def main(text, words):
    if words and words[0] == "--json":
        print_table([words[1:], *([str(each[key]) for key in words[1:]] for each in json.loads(text))], "---")
        return
    bars = words[1] if words and words[0] == "--bars" else ""
    title = words[2 if bars else 0:]
    table = table_in(below(title[0], text.splitlines()) if title else text.splitlines())
    if bars:
        print_bars(table, bars)
    else:
        print_table(table, "---:")


main(sys.stdin.read(), sys.argv[1:])
