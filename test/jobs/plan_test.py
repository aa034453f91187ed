#!/usr/bin/env python3
"""The peaks that `leeway plan` predicts, compared with runs of one process and of several over MPI.

usage: plan_test.py LEEWAY [--graphs SPEC,...] [--programs NAME/ENGINE,...] [--nodes N] [--within PERCENT]

Prints a row for each run, and fails if a prediction is off by more than PERCENT of the measured peak.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("leeway")
parser.add_argument("--graphs", default="kron:18,uniform:300000:8,grid2d:700x700")
parser.add_argument("--programs", default="")
parser.add_argument("--nodes", type=int, default=4)
parser.add_argument("--within", type=float, default=25)
given = parser.parse_args()
LEEWAY = os.path.abspath(given.leeway)
LEAST = 80e6  # smaller peaks are mostly the program itself
ROUNDS = {"pagerank": ["--iterations", "3"]}


def peak_of(command, graph):
    """The greatest peak of the processes that run on this graph, in bytes, and the exit code. The kernel keeps the peak of a
    process while it exists, so it is read until the process ends."""
    job = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    most = 0
    while job.poll() is None:
        for status in glob.glob("/proc/[0-9]*/status"):
            try:
                with open(status) as file:
                    fields = dict(line.split(":\t", 1) for line in file if ":\t" in line)
                with open(status.replace("/status", "/cmdline")) as file:
                    is_ours = fields["Name"].strip() == "leeway" and graph in file.read()
                if is_ours:
                    most = max(most, int(fields["VmHWM"].split()[0]) << 10)
            except (OSError, KeyError, ValueError):
                pass  # it has ended meanwhile
        time.sleep(0.01)
    return most, job.returncode, job.stderr.read()


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for spec in given.graphs.split(","):
            graph = os.path.join(folder, spec.replace(":", "-") + ".lwg")
            subprocess.run([LEEWAY, "convert", spec, graph, "--undirected", "--quiet"], check=True)
            plan = subprocess.run([LEEWAY, "plan", graph, "--nodes", str(given.nodes), "--json", "--quiet"],
                                  capture_output=True, text=True, check=True)
            for peak in json.loads(plan.stdout)["peaks"]:
                name = f"{peak['program']}/{peak['engine']}"
                if given.programs and name not in given.programs.split(","):
                    continue
                words = ["run", peak["program"], graph, "--engine", peak["engine"], "--verify=no", "--quiet",
                         *(ROUNDS.get(peak["program"], []) if peak["engine"] in ("tick", "piece") else [])]
                for processes, planned in ((1, peak["one_process_bytes"]), (given.nodes, peak["largest_mpi_bytes"])):
                    launch = ["--threads", "1"] if processes == 1 else []
                    prefix = [] if processes == 1 else ["mpiexec.mpich", "-n", str(processes)]
                    measured, code, problem = peak_of(prefix + [LEEWAY, *words, *launch], graph)
                    if code not in (0, 5):  # 5: not final
                        sys.exit(f"{' '.join(words)}: {problem}")
                    ratio = planned / measured
                    far = measured > LEAST and abs(ratio - 1) * 100 > given.within
                    wrong += far
                    print(f"{spec:20} {name:30} {processes} process{'es' if processes > 1 else ''}: planned {planned / 1e6:.0f} MB, "
                          f"measured {measured / 1e6:.0f} MB, {ratio:.2f}{'  FAR' if far else ''}", flush=True)
    if wrong:
        sys.exit(f"{wrong} predictions are off by more than {given.within:g} %")


main()
