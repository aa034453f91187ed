"""Measures complete runs of the command, from file to answer: each program on each engine, on one node with one thread,
on one node with all cores, and on two nodes that are threads, MPI processes or libfabric processes. The last two columns are
relative to the first row of the program and engine. In every round, all rows run in turn, so that drifts of the machine's
speed affect all of them equally. Shown are medians of the rounds, next to the tuned kernels of `bench-peers` in the same
rounds, which get the graph in memory and are timed without loading and output.

Every round also runs `bench-cores`, which measures the machine's present speedup by a second core, the limit of two threads
or nodes. If the environment variable GAPBS names a folder with a build of the GAP Benchmark Suite, its kernels run in the
rounds as well, on an edge list; they read the graph and report the kernel's own time only.

  ./dev bench end-to-end [GRAPH...] [--rounds N] [--only WORD] [--with "FLAGS"] [--json FILE]

GRAPH is a file or a spec (default: kron:16). It is read from a .lwg file without loops and duplicate edges, with random weights
if it has none. PageRank runs 20 iterations; shortest paths start at the vertex with the most arcs. --only selects the rows that
contain the word (program, engine or place); --with adds flags to every run."""
import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time

from inputs import complain, kernel_seconds, prepared, run, write_edges

PHASES = ["load", "partition", "setup", "compute", "output", "total"]
# The question of `bench-peers` for each program.
QUESTIONS = {"pagerank": "pagerank", "sssp": "sssp", "cc": "components"}
PLACES = {
    "1 thread": ([], ["--nodes", "1", "--threads", "1"]),
    "1 node": ([], ["--nodes", "1"]),
    "2 nodes": ([], ["--nodes", "2"]),
    "2 x mpi": (["mpiexec.mpich", "-n", "2"], []),
    "2 x ofi": ("launch", []),
}


class Rival:
    """Seconds of the tuned kernels in each round, by program."""

    def __init__(self, command, graph):
        self.command, self.graph = command, graph
        self.seconds = {program: [] for program in QUESTIONS}

    def run(self):
        for line in run([self.command, "--only", "tuned", self.graph])[0].splitlines():
            if not line.startswith("{"):
                continue
            row = json.loads(line)
            for program, question in QUESTIONS.items():
                if row["question"] == question:
                    self.seconds[program].append(row["seconds"])


class Cores:
    """The speedup by a second core, by round."""

    def __init__(self, command):
        self.command, self.rounds = command, []

    def run(self):
        self.rounds.append(json.loads(run([self.command])[0].splitlines()[-1]))

    def worth(self, what):
        return statistics.median(each[what] for each in self.rounds)


class Gapbs:
    """Seconds of the suite's kernels in each round, by program and number of threads; empty without the suite."""

    KERNELS = {"pagerank": ["pr_spmv", "-i", "20", "-t", "0"], "cc": ["cc"]}

    def __init__(self, command, graph, folder):
        self.suite = os.environ.get("GAPBS", "")
        self.seconds = {}
        if not self.suite:
            return
        self.edges = os.path.join(folder, "edges.el")
        write_edges(command, graph, self.edges, "--weights", "none")

    def run(self):
        if not self.suite:
            return
        for program, kernel in self.KERNELS.items():
            for threads in [1, 2]:
                seconds, _ = kernel_seconds(self.suite, [kernel[0], "-s", "-f", self.edges, *kernel[1:]], threads)
                self.seconds.setdefault((program, threads), []).append(seconds)


class Row:
    def __init__(self, program, engine, place, command, graph, source, folder, extra):
        self.program, self.engine, self.place = program, engine, place
        before, flags = PLACES[place]
        before = [command, "launch", "-n", "2", "--"] if before == "launch" else before + [command]
        self.report = os.path.join(folder, "report.json")
        self.command = before + ["run", program, graph, "--engine", engine, "--quiet", "--verify=false", "--force",
                                 "--report", self.report, "--out", os.path.join(folder, "values.txt")] + flags + extra
        # PIE's PageRank has no fixed number of iterations; it runs until convergence.
        counted = ["--iterations", "20"] if engine == "vertex" else []
        self.command += {"pagerank": counted, "sssp": ["--source", source], "cc": []}[program]
        self.rounds, self.refused = [], None

    def name(self):
        return f"{self.program} {self.engine} {self.place}"

    def run(self):
        if self.refused:
            return
        start = time.monotonic()
        done = subprocess.run(self.command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        wall = time.monotonic() - start
        if done.returncode != 0:
            self.refused = next((line for line in done.stderr.splitlines() if line.strip()), "failed")
            return
        with open(self.report, encoding="utf-8") as file:
            report = json.load(file)
        self.rounds.append({"wall": wall, "memory": report["peak_memory_bytes"], "bytes": report["wire_bytes"],
                            "messages": sum(kind["count"] for kind in report["messages"].values()),
                            "partition_by": report["configuration"].get("partition", ""),
                            **{phase: report["seconds"][phase] for phase in PHASES}})

    def median(self, key):
        return statistics.median(each[key] for each in self.rounds)


def busiest_of(command, graph, folder):
    """The vertex with the most arcs."""
    degrees = os.path.join(folder, "degrees.txt")
    run([command, "run", "degree", graph, "--quiet", "--force", "--out", degrees])
    with open(degrees, encoding="utf-8") as file:
        return max((line.rsplit(" ", 1) for line in file), key=lambda row: float(row[1]))[0]


def show(name, facts, rows, rival, suite, cores):
    print(f"\n{name}: {facts['vertices']:,} vertices, {facts['arcs']:,} arcs; seconds, medians")
    print(f"two cores are worth {cores.worth('reads'):.2f} in random reads, {cores.worth('arithmetic'):.2f} in arithmetic")
    titles = ["program", "engine", "where", "divided by", *PHASES, "wall", "MB", "messages", "compute / kernel", "compute / 1", "total / 1"]
    table = [titles]
    for row in rows:
        if row.refused or not row.rounds:
            table.append([row.program, row.engine, row.place, "refused: " + (row.refused or "")])
            continue
        alone = next((other for other in rows if other.rounds and other.place.startswith("1 ") and
                      (other.program, other.engine) == (row.program, row.engine)), None)
        over = [f"{row.median(phase) / alone.median(phase):.2f}" if alone else "" for phase in ["compute", "total"]]
        kernel = statistics.median(rival.seconds[row.program])
        table.append([row.program, row.engine, row.place, row.rounds[0]["partition_by"],
                      *[f"{row.median(phase):.3f}" for phase in PHASES], f"{row.median('wall'):.3f}",
                      f"{row.median('memory') / 1e6:.0f}", f"{row.median('messages'):,.0f}",
                      f"{row.median('compute') / kernel:.2f}", *over])
    for program, seconds in rival.seconds.items():
        if seconds and any(row.program == program for row in rows):
            table.append([program, "tuned kernel", "1 thread", "", "", "", "", f"{statistics.median(seconds):.3f}"])
    for (program, threads), seconds in suite.seconds.items():
        if any(row.program == program for row in rows):
            table.append([program, "GAPBS", f"{threads} thread{'s' if threads > 1 else ''}", "", "", "", "",
                          f"{statistics.median(seconds):.3f}"])
    widths = [max(len(line[i]) for line in table if i < len(line) and len(line) > 4) for i in range(len(titles))]
    for line in table:
        print("  ".join(text.ljust(width) if i < 4 else text.rjust(width)
                        for i, (text, width) in enumerate(zip(line, widths))).rstrip())


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command", help=argparse.SUPPRESS)
    parser.add_argument("kernels", help=argparse.SUPPRESS)
    parser.add_argument("cores", help=argparse.SUPPRESS)
    parser.add_argument("graphs", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--with", dest="extra", default="")
    parser.add_argument("--json")
    given = parser.parse_args()
    if given.rounds < 1:
        complain("--rounds: give at least 1")
    extra, results = shlex.split(given.extra), []
    for name in given.graphs or ["kron:16"]:
        folder = tempfile.mkdtemp(prefix="leeway-end-to-end-")
        try:
            graph, facts = prepared(given.command, name, folder)
            source = busiest_of(given.command, graph, folder)
            rows = [Row(program, engine, place, given.command, graph, source, folder, extra)
                    for program in QUESTIONS for engine in ["vertex", "pie"] for place in PLACES
                    if engine == "vertex" or place != "1 thread"]
            rows = [row for row in rows if given.only in row.name()]
            if not rows:
                complain(f"no row contains '{given.only}'; rows are named as 'sssp pie 2 x mpi'")
            rival, suite, cores = Rival(given.kernels, graph), Gapbs(given.command, graph, folder), Cores(given.cores)
            for _ in range(given.rounds):
                cores.run()
                rival.run()
                suite.run()
                for row in rows:
                    row.run()
            show(name, facts, rows, rival, suite, cores)
            results += [{"graph": name, "program": row.program, "engine": row.engine, "where": row.place,
                         "refused": row.refused, "rounds": row.rounds, "kernel": rival.seconds[row.program], "cores": cores.rounds}
                        for row in rows]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


main()
