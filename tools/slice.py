#!/usr/bin/env python3
"""Runs the slice of a campaign for this commit: N seeds, following those of all earlier commits.

usage: slice.py PROGRAM [FLAG...] --seeds N [FLAG...]

So over weeks the tests cover more seeds than any single run, and one commit always runs the same seeds. Outside of a
git checkout the first slice is run.
"""
import os
import subprocess
import sys


def commits():
    counted = subprocess.run(["git", "-C", os.path.dirname(os.path.abspath(__file__)), "rev-list", "--count", "HEAD"],
                             capture_output=True, text=True, check=False)
    return int(counted.stdout) if counted.returncode == 0 else 0


def main(command):
    seeds = int(command[command.index("--seeds") + 1])
    command = [*command, "--first", str(commits() * seeds)]
    print("slice:", *command, flush=True)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
