#!/usr/bin/env python3
"""The campaign must find each mutant of mutants.py.

    mutants_test.py ANSWERS
"""
import subprocess
import sys

# Arguments of the campaign, and the expected output.
FOUND = {
    "components lose an arc": (["--only", "cc", "--seeds", "200", "--stop"], "FAILED cc by vertex"),
    "chunks that are no multiples of a word": (["--only", "bfs", "--large", "--seeds", "8", "--stop"],
                                               "FAILED bfs by vertex"),
    # Other mutants crash some of these runs, which must not end the search.
    "buckets without an end": (["--only", "sssp", "--large", "--seeds", "16"], "FAILED sssp by pie, memory"),
}

missed = 0
for name, (flags, expected) in FOUND.items():
    run = subprocess.run([sys.argv[1], "--shrink", "0", *flags], capture_output=True, text=True, timeout=150, check=False)
    found = run.returncode == 1 and expected in run.stdout
    missed += not found
    print(f"{name}: {'found' if found else 'MISSED'}\n{run.stdout}" if not found else f"{name}: found")
sys.exit(1 if missed else 0)
