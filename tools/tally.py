#!/usr/bin/env python3
"""Adds up the results of the test programs of one or more `meson test` runs.

usage: tally.py testlog.json...

A Catch2 program counts by test case, a script by its closing line, anything else as one test, and so
does a program that fails as expected. A case that could not run prints a line "skipped: why". A test
that failed and passed when it ran again (run_tests.py) is listed as "unsteady: NAME (failures of runs)". The last
line printed is "N passed, N failed, N skipped"; the exit code is 1 if something failed or nothing ran.
"""
import json
import re
import sys

ALL_PASSED = re.compile(r"^All tests passed \(.*?(\d+) test cases?\)", re.M)
SOME_FAILED = re.compile(r"^test cases: *(\d+)(.*)$", re.M)
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
SKIPPED = re.compile(r"^skipped: ", re.M)
SKIP_RESULTS = {"SKIP", "IGNORED"}
PASS_RESULTS = {"OK"}


def reported(output):
    """(passed, failed, skipped) as printed by the program, or None if it printed no counts."""
    if closing := CLOSING.findall(output):
        return tuple(map(int, closing[-1]))
    skipped = len(SKIPPED.findall(output))
    if match := ALL_PASSED.search(output):
        return max(int(match[1]) - skipped, 0), 0, skipped
    if match := SOME_FAILED.search(output):
        counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed)", match[2])}
        failed = counts.get("failed", 0)
        return max(int(match[1]) - failed - skipped, 0), failed, skipped
    return None


def tally(test):
    result = test["result"]
    if result in SKIP_RESULTS:
        return 0, 0, 1
    if result == "EXPECTEDFAIL":
        return 1, 0, 0  # its reported failures are the expected ones
    counts = reported(test.get("stdout") or "")
    if counts is None:
        return (1, 0, 0) if result in PASS_RESULTS else (0, 1, 0)
    passed, failed, skipped = counts
    if result not in PASS_RESULTS:
        failed = max(failed, 1)  # it crashed, or failed in a way that its counts do not show
    return passed, failed, skipped


def main(paths):
    total = [0, 0, 0]
    for path in paths:
        with open(path, encoding="utf-8") as log:
            for line in log:
                test = json.loads(line)
                counts = tally(test)
                total = [a + b for a, b in zip(total, counts)]
                if counts[1]:
                    print(f"failed: {test['name']} ({test['result'].lower()})")
                elif before := test.get("failed_before"):
                    print(f"unsteady: {test['name']} ({before} of {before + 1})")
                for match in SKIPPED.finditer(test.get("stdout") or ""):
                    print((test["stdout"][match.start():].splitlines() or [""])[0])
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
