#!/usr/bin/env python3
"""Time from the loss of a process until the job computes again: with a spare process, and by a restart of the whole job.

usage: recovery_time.py LEEWAY [WORD...] [--nodes N] [--rounds N]

WORD...: what `leeway run` gets, default: pagerank kron:20 --snapshot-every 5. A job computes again when rank 0 locks the snapshot
folder again. Kills a process other than rank 0 after the first snapshot.
"""
import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("leeway")
parser.add_argument("words", nargs="*")
parser.add_argument("--nodes", type=int, default=4)
parser.add_argument("--rounds", type=int, default=3)
GIVEN, OTHERS = parser.parse_known_args()
LEEWAY = os.path.abspath(GIVEN.leeway)
WORDS = [*GIVEN.words, *OTHERS] or ["pagerank", "kron:20", "--snapshot-every", "5"]


def lock_in(folder):
    try:
        with open(os.path.join(folder, "lock"), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def ranks_under(launcher):
    with open(f"/proc/{launcher}/task/{launcher}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def seconds_until_computing(spare):
    with tempfile.TemporaryDirectory() as folder:
        snaps = os.path.join(folder, "snaps")
        launch = [LEEWAY, "launch", "-n", str(GIVEN.nodes)]
        start = [*launch, "--spares", "1", "--"] if spare else [LEEWAY, "supervise", "--pause", "0", "--", *launch, "--"]
        job = subprocess.Popen([*start, "run", *WORDS, "--quiet", "--snapshot", snaps], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while job.poll() is None and not os.path.exists(os.path.join(snaps, "000001")):
            time.sleep(0.001)
        launcher = job.pid if spare else ranks_under(job.pid)[0]
        before = lock_in(snaps)
        os.kill(ranks_under(launcher)[1], signal.SIGKILL)
        killed = time.monotonic()
        while job.poll() is None and lock_in(snaps) == before:
            time.sleep(0.001)
        took = time.monotonic() - killed
        _, errors = job.communicate()
        if job.returncode != 0 or (("replacing it alone" in errors) != spare):
            sys.exit(f"the job ended with code {job.returncode}: {errors}")
        return took


def main():
    times = {spare: statistics.median(seconds_until_computing(spare) for _ in range(GIVEN.rounds)) for spare in (True, False)}
    print(f"{' '.join(WORDS)} on {GIVEN.nodes} processes, medians of {GIVEN.rounds}: {times[True]:.2f} s with a spare process, "
          f"{times[False]:.2f} s by a restart, ratio {times[True] / times[False]:.2f}")


main()
