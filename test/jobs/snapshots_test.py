#!/usr/bin/env python3
"""Jobs whose processes are killed at random times, supervised or with spare processes: all end with the right answer.

usage: snapshots_test.py LEEWAY [--runs N] [--seconds S] [--seed K]
       [--only FABRIC:PROGRAM] [--once FABRIC:PROGRAM:SCHEDULE:NODES:KILLS:REBALANCE]

Ends after N runs or S seconds, whichever is first. --only draws runs whose name begins so. A failed run prints the arguments that repeat it, except the times
of the kills.
"""
import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("leeway")
parser.add_argument("--runs", type=int, default=10)
parser.add_argument("--seconds", type=float, default=35)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--once", default="")
parser.add_argument("--only", default="")
GIVEN = parser.parse_args()
LEEWAY = os.path.abspath(GIVEN.leeway)
PROGRAMS = {
    "pagerank": ["kron:15"],
    "sssp": ["grid2d:400x400", "--weights", "random"],
    "cc": ["grid2d:500x500"],
    "bfs": ["grid2d:500x500"],
    "cdlp": ["kron:13", "--undirected", "--iterations", "60"],
    "paths": ["grid2d:200x200"],
    "shortest-path-counts": ["grid2d:200x200"],
    "wave": ["grid2d:120x120"],
    "heat": ["matrix:poisson2d:150x150"],
    "coloring": ["grid2d:500x500"],
    "lcc": ["kron:14", "--undirected"],
    "pie-pagerank": ["grid2d:200x200", "--engine", "pie", "--workers", "5", "--damping", "0.97"],
    "pie-sssp": ["grid2d:400x400", "--engine", "pie", "--weights", "random", "--workers", "5", "--partition", "hash"],
    "pie-cc": ["grid2d:500x500", "--engine", "pie", "--workers", "5", "--partition", "hash"],
    "pie-cf": ["ratings.csv", "--engine", "pie", "--workers", "5", "--iterations", "600"],
    "piece-nbody": ["--engine", "piece", "--bodies", "1500", "--iterations", "300"],
    "piece-jacobi": ["--engine", "piece", "--plate", "300x300", "--iterations", "800"],
    "piece-pagerank": ["kron:13", "--engine", "piece"],
    "tick-fish": ["--engine", "tick", "--fish", "1500", "--iterations", "300"],
    "tick-fish-food": ["--engine", "tick", "--fish", "1200", "--food", "400", "--iterations", "300"],
    "tick-jacobi": ["--engine", "tick", "--plate", "300x300", "--iterations", "3000"],
}
SCHEDULES = ["do-work", "bsp", "ap", "ssp", "aap", "hsync", "asytick"]
WHOLE = GIVEN.runs >= 100 or GIVEN.once
# Time limit of a run in seconds. With more processes than cores, pagerank under aap over MPI takes minutes, with or
# without snapshots; only the whole campaign runs that combination.
LONGEST = 400 if WHOLE else 120


def write_ratings(folder):
    """Ratings of two kinds of users, who like two kinds of items."""
    drawn = random.Random(1)
    with open(os.path.join(folder, "ratings.csv"), "w", encoding="utf-8") as file:
        file.write("userId,movieId,rating\n")
        for user in range(2000):
            for item in drawn.sample(range(300), 20):
                file.write(f"{user},{item},{(4 if user % 2 == item % 2 else 1) + drawn.random():.2f}\n")


def processes_under(root):
    """All descendants of a process, and those of them that run a program (by cmdline)."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="latin1") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                pass
    below = {root}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    below.discard(root)
    found = []
    for pid in sorted(below):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="latin1") as file:
                words = file.read().split("\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if words[0] == LEEWAY and words[1] == "run":
            found.append(pid)
    return below, found


def lock_in(folder):
    try:
        with open(os.path.join(folder, "snaps", "lock"), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Trial:
    def __init__(self, drawn):
        self.fabric = drawn.choice(["ofi", "spares", "spares", "mpi", "threads"])  # spares: ofi with --spares
        self.program = drawn.choice(list(PROGRAMS))
        schedules = [each for each in SCHEDULES if WHOLE or self.fabric != "mpi" or each != "aap"]
        self.schedule = "bsp" if self.program == "cdlp" else drawn.choice(schedules)
        if self.program.startswith("pie-") and self.schedule in ("do-work", "asytick"):
            self.schedule = "bsp"
        if self.program == "pie-cf":
            self.schedule = drawn.choice(["aap", "bsp", "ssp"] if WHOLE or self.fabric != "mpi" else ["bsp", "ssp"])
        if self.program.startswith("piece-"):
            self.schedule = drawn.choice(["oritick", "comtick", "asytick", "asytick-plb"])
        if self.program.startswith("tick-"):
            self.schedule = drawn.choice(["barrier", "local", "schedule", "replicate", "combined"])
        self.nodes = drawn.randint(2, 4)
        self.kills = drawn.choice([1, 1, 2, 3, 4])
        self.rebalance = drawn.choice(["-", "1", "3", "10"]) if self.program.startswith("pie-") else "-"

    @classmethod
    def called(cls, name):
        trial = cls(random.Random(0))
        trial.fabric, trial.program, trial.schedule, nodes, kills, trial.rebalance = name.split(":")
        trial.nodes, trial.kills = int(nodes), int(kills)
        return trial

    def name(self):
        return f"{self.fabric}:{self.program}:{self.schedule}:{self.nodes}:{self.kills}:{self.rebalance}"

    def command(self):
        launch = [LEEWAY, "launch", "-n", str(self.nodes), "--verdict", "2"]
        supervise = [LEEWAY, "supervise", "--pause", "0.05", "--restarts", "20", "--"]
        start = {"ofi": [*supervise, *launch, "--"], "spares": [*launch, "--spares", "20", "--"], "threads": [*supervise, LEEWAY],
                 "mpi": [*supervise, "mpiexec.mpich", "-n", str(self.nodes), LEEWAY]}[self.fabric]
        nodes = ["--nodes", str(self.nodes)] if self.fabric == "threads" else []
        engine, _, of_engine = self.program.partition("-")
        how, every = {"tick": ("--sync", "20"), "piece": ("--system", "20")}.get(engine, ("--scheduler", "0.05s"))
        name = of_engine if engine in ("pie", "piece", "tick") else self.program
        if self.rebalance != "-":
            nodes += ["--rebalance", self.rebalance]
        return [*start, "run", name, *PROGRAMS[self.program], how, self.schedule, *nodes, "--verify", "--quiet",
                "--snapshot", "snaps", "--snapshot-every", every, "--report", "report.json", "--force"]

    def run(self, drawn, folder):
        """What went wrong (empty: nothing), and the number of kills."""
        if self.program == "pie-cf":
            write_ratings(folder)
        with open(os.path.join(folder, "errors"), "w+", encoding="utf-8") as errors:
            job = subprocess.Popen(self.command(), cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True)
            begin = time.monotonic()
            killed = 0
            # The lock of the run to kill while it computes: a run locks the folder just before it computes.
            computing = "" if drawn.random() < 0.6 else None
            next_kill = begin + (drawn.uniform(0.1, 1.5) if computing is None else 0)
            while job.poll() is None and time.monotonic() - begin < LONGEST:
                time.sleep(0.005)
                if killed == self.kills or time.monotonic() < next_kill:
                    continue
                if computing is not None:
                    if lock_in(folder) == computing:
                        continue
                    computing = None
                    next_kill = time.monotonic() + drawn.uniform(0, 0.4)
                    continue
                _, living = processes_under(job.pid)
                if not living:
                    continue
                try:
                    os.kill(drawn.choice(living), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
                if drawn.random() < 0.3:  # probably before the others have recovered
                    next_kill = time.monotonic() + drawn.uniform(0, 0.4)
                elif drawn.random() < 0.6:
                    computing = lock_in(folder)
                    next_kill = time.monotonic()
                else:
                    next_kill = time.monotonic() + drawn.uniform(0.1, 1.5)
            errors.seek(0)
            if job.poll() is None:
                below, _ = processes_under(job.pid)
                for pid in [job.pid, *below]:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                job.wait()
                return f"no end within {LONGEST} s: {errors.read()[-2000:]}", killed
            output = job.stdout.read()
            log = errors.read()
        if job.returncode != 0:
            return f"exit code {job.returncode}: {log[-2000:]}", killed
        if crash := re.search(r".*(Segmentation fault|Aborted).*", log):
            return f"a process crashed: {crash.group()}", killed
        if not re.search(r"^verified +\S", output, re.M):
            return f"the answer was not checked: {output}", killed
        return "", killed


def main():
    drawn = random.Random(GIVEN.seed)
    begin = time.monotonic()
    kills = restarts = replaced = done = 0
    for index in range(GIVEN.runs):
        if time.monotonic() - begin > GIVEN.seconds:
            break
        trial = Trial.called(GIVEN.once) if GIVEN.once else Trial(drawn)
        while not trial.name().startswith(GIVEN.only):
            trial = Trial(drawn)
        with tempfile.TemporaryDirectory() as folder:
            wrong, killed = trial.run(drawn, folder)
            with open(os.path.join(folder, "errors"), encoding="utf-8") as errors:
                log = errors.read()
                restarts += log.count("; restarting ")
                replaced += log.count("; replacing it alone ")
        if wrong:
            print(f"run {index}, --once {trial.name()}: {wrong}")
            sys.exit(1)
        kills += killed
        done += 1
    print(f"{done} runs, {kills} processes killed, {restarts} restarts, {replaced} replaced alone, every answer the oracle's; {time.monotonic() - begin:.0f} s")


main()
