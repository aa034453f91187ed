#!/usr/bin/env python3
"""Checks the rules of the project.

usage: check_house.py ROOT CACHE COMPILER...

Prints every complaint as "file:line: what" and a closing line that counts rules.
"""
import sys

from rules import RULES
from self_contained import self_contained
from source_tree import SourceTree


def main(root, cache, *compiler):
    tree = SourceTree(root)
    if not tree.library_files:
        print(f"{root}: no sources found")
        return 1
    outcomes = {rule.__name__: list(rule(tree)) for rule in RULES}
    outcomes["self_contained"] = list(self_contained(tree, list(compiler), cache))
    for name, complaints in outcomes.items():
        for complaint in complaints:
            print(f"{complaint} [{name}]")
    failed = sum(bool(complaints) for complaints in outcomes.values())
    print(f"{len(outcomes) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
