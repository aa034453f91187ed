#!/usr/bin/env python3
"""Shortens the output of ninja for a log: of the progress lines, which NINJA_STATUS begins with `building [`, one every
ten seconds and the last; of everything else, all."""

import sys
import time

SECONDS = 10


def main():
    shown = time.monotonic()
    last = None
    for line in sys.stdin:
        if not line.startswith("building ["):
            print(line, end="", flush=True)
            continue
        last = line
        if time.monotonic() - shown >= SECONDS:
            print(line, end="", flush=True)
            shown, last = time.monotonic(), None
    if last is not None:
        print(last, end="", flush=True)


main()
