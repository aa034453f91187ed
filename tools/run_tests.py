#!/usr/bin/env python3
"""Runs the tests of a build folder: first the deterministic tests, several at a time, then the suite `clock`.

usage: run_tests.py FOLDER [--no-suite SUITE]... [--wrapper COMMAND] [SUITE...]

The suite `clock` contains the tests that need the real clock, signals, kills, pauses or networks. They run one at a
time after all others. One that fails is run again, alone, up to twice: if it passes then, it is listed as
unsteady, the output of its failures is kept in FOLDER/meson-logs/unsteady/, and it counts as passed. No
other test is ever run again. Ends with the line "N passed, N failed, N skipped".
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import time

import tally

AGAIN = 2


def suites_of(test):
    return {suite.split(":")[-1] for suite in test["suite"]}


class Runner:
    def __init__(self, folder, wrapper):
        self.folder = folder
        self.logs = os.path.join(folder, "meson-logs")
        self.wrapper = ["--wrapper", wrapper] if wrapper else []

    def known(self):
        found = subprocess.run(["meson", "introspect", "--tests", self.folder], check=True, capture_output=True, text=True)
        return json.loads(found.stdout)

    def forget(self):
        """Deletes the logs of earlier runs."""
        shutil.rmtree(os.path.join(self.logs, "unsteady"), ignore_errors=True)
        for pattern in ("tests*", "alone-*"):
            for path in glob.glob(os.path.join(self.logs, pattern)):
                os.remove(path)

    def meson(self, logbase, *arguments):
        """The records of the tests that ran."""
        subprocess.run(["meson", "test", "-C", self.folder, "--no-rebuild", "--print-errorlogs", "--logbase", logbase,
                        *self.wrapper, *arguments], stdin=subprocess.DEVNULL, check=False)
        found = []
        for path in glob.glob(os.path.join(self.logs, logbase + "*.json")):
            with open(path, encoding="utf-8") as file:
                found += [json.loads(line) for line in file]
        return found

    def alone(self, name):
        """Runs one test, again if it fails. Returns the record of the last run; `failed_before` counts the failures before it."""
        kept = os.path.join(self.logs, "unsteady")
        for failed in range(AGAIN + 1):
            records = self.meson(f"alone-{name}", "--num-processes", "1", name)
            if not records:
                return {"name": name, "result": "ERROR", "stdout": "it did not run", "failed_before": failed}
            record = records[-1]
            if not tally.tally(record)[1]:
                break
            os.makedirs(kept, exist_ok=True)
            with open(os.path.join(kept, f"{name}-{failed + 1}.txt"), "w", encoding="utf-8") as file:
                file.write((record.get("stdout") or "") + (record.get("stderr") or ""))
        return {**record, "name": name, "failed_before": failed}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--no-suite", action="append", default=[])
    parser.add_argument("--wrapper")
    parser.add_argument("suites", nargs="*")
    given = parser.parse_intermixed_args()
    runner = Runner(given.folder, given.wrapper)
    tests = runner.known()
    known = {suite for test in tests for suite in suites_of(test)}
    for suite in given.suites:
        if suite not in known:
            sys.exit(f"no suite '{suite}'; there are: {' '.join(sorted(known))}")

    left_out = set(given.no_suite) | ({"slow"} - set(given.suites))
    chosen = [test for test in tests
              if not suites_of(test) & left_out and (not given.suites or suites_of(test) & set(given.suites))]
    runner.forget()
    began = time.monotonic()
    if any("clock" not in suites_of(test) for test in chosen):
        runner.meson("tests", *(f"--suite={suite}" for suite in given.suites),
                     *(f"--no-suite={suite}" for suite in [*given.no_suite, "clock"]))
    halfway = time.monotonic()
    records = [runner.alone(test["name"]) for test in chosen if "clock" in suites_of(test)]
    os.makedirs(runner.logs, exist_ok=True)
    with open(os.path.join(runner.logs, "tests-clock.json"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    print(f"{given.folder}: {halfway - began:.0f} s of tests, {time.monotonic() - halfway:.0f} s of tests by the clock")
    return tally.main(glob.glob(os.path.join(runner.logs, "tests*.json")))


if __name__ == "__main__":
    sys.exit(main())
