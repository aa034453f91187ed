#!/usr/bin/env python3
"""Runs the slice of a campaign that belongs to this commit: as many seeds as told, after those of all commits before it.

usage: slice.py PROGRAM [FLAG...] --seeds N [FLAG...]

So over weeks the gate covers what no single run does, and one commit always runs the same seeds. Outside of a
git checkout it is the first slice.
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
