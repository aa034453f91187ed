#!/usr/bin/env python3
"""Updates the command output in README.md and docs/.

    docs.py BUILD [--check] [--sample N] [--night] [PAGE...]

A page marks the output of a command:

    <!-- printed by: COMMAND -->
    ...
    <!-- end -->

COMMAND is a line of bash, run in an empty folder with BUILD/cli first in PATH and the checkout in ROOT. Its output
replaces the lines between the marks. `printed at night by` marks commands that take minutes: only --night runs them.
A command that names LEEWAY_DATA is left out if that variable is not set.

    --check     changes nothing; fails and prints the difference if a page differs from the output
    --only TEXT only blocks whose command contains TEXT
    --sample N  only N blocks, selected by the number of commits, so that all are checked over time
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from slice import commits

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^<!-- printed (at night )?by: (.*?) -->\n(.*?)^<!-- end -->\n", re.M | re.S)


class Block:
    def __init__(self, page, match):
        self.page = page
        self.at_night = match.group(1) is not None
        self.command = match.group(2)
        self.text = match.group(3)
        self.span = match.span(3)

    def needs_data(self):
        return "LEEWAY_DATA" in self.command

    def output(self, build):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LEEWAY_")}
        if self.needs_data():
            environment["LEEWAY_DATA"] = os.environ["LEEWAY_DATA"]
        environment["PATH"] = f"{build / 'cli'}:{build / 'benchmarks' / 'predictor'}:{environment['PATH']}"
        environment["ROOT"] = str(ROOT)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", self.command], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{self.page}: {self.command}\n{done.stderr}exit code {done.returncode}")
        return done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"


def pages(named):
    if named:
        return [pathlib.Path(name).resolve() for name in named]
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks_of(page):
    return [Block(page, match) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def chosen(blocks, count):
    """`count` consecutive blocks; the start advances by `count` with each commit."""
    first = commits() * count % len(blocks)
    return [blocks[(first + i) % len(blocks)] for i in range(min(count, len(blocks)))]


def check(blocks, build):
    wrong = 0
    for block in blocks:
        found = block.output(build)
        print(f"{'same' if found == block.text else 'OTHER'}: {block.page.relative_to(ROOT)}: {block.command}", flush=True)
        if found == block.text:
            continue
        wrong += 1
        sys.stdout.writelines(difflib.unified_diff(block.text.splitlines(True), found.splitlines(True),
                                                   str(block.page.relative_to(ROOT)), "what is printed now"))
    return wrong


def renew(blocks, build):
    """Replaces from the last block of a page to its first, so that earlier spans stay valid."""
    for block in reversed(blocks):
        found = block.output(build)
        if found == block.text:
            continue
        text = block.page.read_text(encoding="utf-8")
        block.page.write_text(text[:block.span[0]] + found + text[block.span[1]:], encoding="utf-8")
        print(f"renewed: {block.page.relative_to(ROOT)}: {block.command}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--night", action="store_true")
    given = parser.parse_intermixed_args()
    blocks = [block for page in pages(given.pages) for block in blocks_of(page)]
    blocks = [block for block in blocks if (given.night or not block.at_night) and given.only in block.command]
    left_out = [block for block in blocks if block.needs_data() and "LEEWAY_DATA" not in os.environ]
    blocks = [block for block in blocks if block not in left_out]
    if left_out:
        print(f"{len(left_out)} blocks left out: LEEWAY_DATA is not set")
    if given.sample and blocks:
        blocks = chosen(blocks, given.sample)
    build = given.build.resolve()
    if not given.check:
        renew(blocks, build)
        return 0
    wrong = check(blocks, build)
    print(f"{len(blocks) - wrong} passed, {wrong} failed, {len(left_out)} skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
