#!/usr/bin/env python3
"""Jobs of processes over failing networks and machines. Each must end in time with the right answer or a reason.

usage: faults.py NET.SH RELAY LEEWAY [--runs N] [--seed K] [--seconds S] [--only KIND] [--jobs J] [--keep FOLDER] [--describe]

Run K+i is drawn from the seed K+i. "In time": all processes are gone within the verdict time and two seconds of when the fault
took effect; to which comes a second, and how late timers fired meanwhile, for machines that have more to do.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from fault_kinds import KINDS
from fault_trial import PROGRAMS, Drawn, reference_name

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
LONGEST = 170  # seconds per run, including set-up

parser = argparse.ArgumentParser()
parser.add_argument("net")
parser.add_argument("relay")
parser.add_argument("leeway")
parser.add_argument("--runs", type=int, default=100)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--seconds", type=float, default=1e9, help="start no more after so long")
parser.add_argument("--only", default="", choices=["", *KINDS], metavar="KIND", help=", ".join(KINDS))
parser.add_argument("--jobs", type=int, default=4, help="how many run side by side")
parser.add_argument("--keep", default="", help="where the logs of failures go; else a new folder under /tmp")
parser.add_argument("--describe", action="store_true", help="print the trials of the seeds without running them")


class Tally:
    def __init__(self):
        self.runs = self.hit = self.right = self.gave_up = self.wrong = 0
        self.spare = []

    def add(self, result):
        self.runs += 1
        self.hit += result["hit"]
        self.right += result["outcome"] == "right"
        self.gave_up += result["outcome"] == "gave up"
        self.wrong += result["outcome"] == "wrong"
        if result["outcome"] == "gave up" and result["spare"]:
            self.spare.append(result["spare"])

    def line(self, name):
        least = f"{min(self.spare):6.2f}" if self.spare else "     -"
        return f"{name:18} {self.runs:6} {self.hit:6} {self.right:6} {self.gave_up:8} {self.wrong:6} {least}"


def make_references(leeway, folder):
    for words in {program.partition("|")[0].strip() for program in PROGRAMS}:
        subprocess.run([leeway, "run", *words.split(), "--quiet", "--verify=false", "--out",
                        os.path.join(folder, reference_name(words.split()))], check=True, stdout=subprocess.DEVNULL)


def run(given, seed, references):
    """The result of the run; None: network namespaces are not available."""
    drawn = Drawn(seed, given.only)
    folder = tempfile.mkdtemp(prefix=f"faults-{seed}-")
    command = [given.net, given.relay, str(drawn.hosts), "--net", drawn.net, "--seed", str(seed), "--", sys.executable,
               os.path.join(HERE, "fault_trial.py"), given.leeway, str(seed), given.only, folder, references]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, errors = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        out, errors = process.communicate(timeout=30)
    if process.returncode == SKIPPED:
        shutil.rmtree(folder)
        return None
    try:
        result = json.loads(out.strip().split("\n")[-1])
    except json.JSONDecodeError:
        result = {"outcome": "wrong", "wrong": f"no judgement: {out[-500:]} {errors[-1500:]}", "hit": False, "spare": 0, "late": 0}
    result.update(seed=seed, kind=drawn.kind, folder=folder, described=drawn.describe())
    return result


def close(given, result):
    """Deletes the files of a run, or keeps them and prints what was wrong."""
    if result["outcome"] != "wrong":
        shutil.rmtree(result["folder"])
        return
    kept = result["folder"]
    if given.keep:
        os.makedirs(given.keep, exist_ok=True)
        kept = os.path.join(given.keep, os.path.basename(result["folder"]))
        shutil.move(result["folder"], kept)
    with open(os.path.join(kept, "described"), "w") as file:
        file.write(f"{result['described']}\n{result['wrong']}\n")
    only = f" --only {given.only}" if given.only else ""
    print(f"seed {result['seed']}: {result['wrong']}\n  {result['described']}\n  log: {kept}\n"
          f"  again: ./dev faults --runs 1 --seed {result['seed']}{only}", flush=True)


def main():
    given = parser.parse_args()
    given.net, given.relay, given.leeway = (os.path.abspath(path) for path in (given.net, given.relay, given.leeway))
    seeds = range(given.seed, given.seed + given.runs)
    if given.describe:
        for seed in seeds:
            print(f"{seed}: {Drawn(seed, given.only).describe()}")
        return 0
    begin = time.monotonic()
    tallies = {}
    everything = Tally()
    with tempfile.TemporaryDirectory() as references, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        make_references(given.leeway, references)

        def one(seed):
            return run(given, seed, references) if time.monotonic() - begin < given.seconds else "late"

        for result in pool.map(one, seeds):
            if result is None:
                print("skipped: no network namespaces here")
                return SKIPPED
            if result == "late":
                continue
            tallies.setdefault(result["kind"], Tally()).add(result)
            everything.add(result)
            close(given, result)
    print(f"{'fault':18} {'runs':>6} {'hit':>6} {'right':>6} {'gave up':>8} {'wrong':>6} {'spare s':>7}")
    for name in KINDS:
        if name in tallies:
            print(tallies[name].line(name))
    print(everything.line("all"))
    print(f"{everything.hit} faults hit a running job, in {time.monotonic() - begin:.0f} s")
    print(f"{everything.right + everything.gave_up} passed, {everything.wrong} failed, 0 skipped")
    return 1 if everything.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
