"""Leeway compared with the GAP Benchmark Suite on one machine: PageRank, breadth-first search, shortest paths and components on graphs
of every kind, with one thread and with all. Every round runs all rows in turn, so that drifts of the machine's speed affect both
alike. Shown are medians of the rounds, of computing and of the whole process from file to answer.

  GAPBS=FOLDER ./dev bench gap [GRAPH...] [--rounds N] [--only WORD] [--json FILE]

FOLDER holds a build of the suite (`make`), with doubles for PageRank: `typedef double ScoreT` in src/pr.cc. Without it, only
Leeway's columns are filled. GRAPH is `kron`, `urand`, `sparse` (directed, four arcs a vertex), `road` or `web`; default: all; the
last two are real graphs of the folder LEEWAY_DATA; a file or a generator's spec works, too. Graphs have no loops and no
duplicate edges; Leeway reads a .lwg file, GAPBS its own binary format. PageRank runs 20 sweeps, and in a second row until the
sum of changes is at most 1e-8. Searches start at vertex 3. GAPBS gets the bucket width for shortest paths that is best for it
among powers of two. --only selects the rows that contain the word."""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

KNOWN = {
    "kron": (["kron:20", "--undirected"], "kron:20"),
    "urand": (["uniform:1048576:16", "--undirected"], "uniform, 2^20 x 16"),
    "sparse": (["uniform:2000000:4", "--directed"], "uniform, 2 million x 4, directed"),
    "road": (["USA-road-d.NY.gr.zst"], "roads of New York"),
    "web": (["cnr-2000.txt.zst"], "web pages, cnr-2000"),
}
SOURCE = 3
WIDTHS = [2 ** k for k in range(0, 17, 2)]


def complain(text):
    sys.exit(f"bench-gap: {text}")


def run(command, **environment):
    """Standard output and the seconds of the process."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    if done.returncode != 0:
        complain(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[:300]}")
    return done.stdout, time.monotonic() - start


class Input:
    """One graph in the formats of both."""

    def __init__(self, leeway, suite, name, folder):
        words, self.title = KNOWN.get(name, ([name], name))
        source = words[0]
        in_data = os.path.join(os.environ.get("LEEWAY_DATA", ""), source)
        if name in ("road", "web"):
            found = found_below(os.environ.get("LEEWAY_DATA", ""), source)
            if found is None:
                complain(f"{source} is not in the folder LEEWAY_DATA; choose other graphs")
            in_data = found
        made = in_data if os.path.exists(in_data) else source
        self.graph = os.path.join(folder, f"{name.replace('/', '-').replace(':', '-')}.lwg")
        plain = [leeway, "convert" if os.path.exists(made) else "generate", made, self.graph, *words[1:], "--quiet", "--force",
                 "--duplicates", "merge", "--merge-weights", "min", "--self-loops", "drop"]
        run(plain)
        self.facts = json.loads(run([leeway, "info", self.graph, "--json"])[0])
        if self.facts["weights"] == "none":
            run(plain + ["--weights", "random"])
        self.directed = self.facts["direction"] == "directed"
        self.sg = self.graph.replace(".lwg", ".sg")
        self.wsg = self.graph.replace(".lwg", ".wsg")
        if suite:
            self.convert(leeway, suite, folder)

    def convert(self, leeway, suite, folder):
        text, edges = os.path.join(folder, "edges.txt"), os.path.join(folder, "edges.wel")
        run([leeway, "convert", self.graph, text, "--quiet", "--force"])
        with open(text, encoding="utf-8") as lines, open(edges, "w", encoding="utf-8") as out:
            out.writelines(line for line in lines if not line.startswith("#"))
        both_ways = [] if self.directed else ["-s"]
        converter = os.path.join(suite, "converter")
        run([converter, "-f", edges, *both_ways, "-w", "-b", self.wsg])
        plain = edges[:-3] + "el"
        with open(edges, encoding="utf-8") as lines, open(plain, "w", encoding="utf-8") as out:
            out.writelines(" ".join(line.split()[:2]) + "\n" for line in lines)
        run([converter, "-f", plain, *both_ways, "-b", self.sg])
        for path in (text, edges, plain):
            os.remove(path)


def found_below(folder, name):
    for path, _, files in os.walk(folder):
        if name in files:
            return os.path.join(path, name)
    return None


class Row:
    """One kernel on one graph: seconds of computing and of the process, by (who, threads)."""

    def __init__(self, kernel, given, leeway, suite, folder):
        self.kernel, self.given, self.leeway, self.suite = kernel, given, leeway, suite
        self.report = os.path.join(folder, "report.json")
        self.computing, self.whole, self.iterations = {}, {}, {}
        self.width = None
        self.threads = sorted({1, os.cpu_count()})

    def name(self):
        return f"{self.kernel}, {self.given.title}"

    def words(self):
        source = ["--source", str(SOURCE)]
        return {"PageRank 20": ["pagerank", "--iterations", "20"], "PageRank to rest": ["pagerank", "--tolerance-of", "sum"],
                "BFS": ["bfs", *source], "SSSP": ["sssp", *source], "CC": ["cc"]}[self.kernel]

    def rival(self):
        sg, source = ["-f", self.given.sg], ["-r", str(SOURCE)]
        return {"PageRank 20": ["pr", *sg, "-i", "20", "-t", "0"], "PageRank to rest": ["pr", *sg, "-i", "1000", "-t", "1e-8"],
                "BFS": ["bfs", *sg, *source], "SSSP": ["sssp", "-f", self.given.wsg, *source, "-d", str(self.width)],
                "CC": ["cc", *sg]}[self.kernel]

    def take(self, who, threads, computing, whole):
        self.computing.setdefault((who, threads), []).append(computing)
        self.whole.setdefault((who, threads), []).append(whole)

    def run_rival(self, threads):
        kernel, *flags = self.rival()
        text, whole = run([os.path.join(self.suite, kernel), *flags, "-n", "1"], OMP_NUM_THREADS=str(threads))
        found = re.search(r"Average Time: +([0-9.]+)", text)
        if not found:
            complain(f"GAPBS {kernel} printed no time")
        return float(found.group(1)), whole

    def tune(self):
        """The bucket width that is best for the suite."""
        seconds = {}
        for self.width in WIDTHS:
            seconds[self.width] = min(self.run_rival(1)[0] for _ in range(2))
        self.width = min(seconds, key=seconds.get)

    def round(self):
        if self.suite and self.kernel == "SSSP" and self.width is None:
            self.tune()
        for threads in self.threads:
            program, *flags = self.words()
            _, whole = run([self.leeway, "run", program, self.given.graph, "--threads", str(threads), "--quiet", "--verify=false",
                            "--force", "--report", self.report, *flags])
            with open(self.report, encoding="utf-8") as file:
                report = json.load(file)
            self.iterations[threads] = report["iterations"]
            self.take("leeway", threads, report["seconds"]["compute"], whole)
            if self.suite:
                self.take("gap", threads, *self.run_rival(threads))

    def line(self):
        cells = []
        for seconds in (self.computing, self.whole):
            median = {key: statistics.median(each) for key, each in seconds.items()}
            for who in ("leeway", "gap"):
                cells.append("; ".join(shown(median[who, t]) for t in self.threads) if (who, 1) in median else "")
            cells.append("; ".join(f"{median['leeway', t] / median['gap', t]:.2f}" for t in self.threads) if self.suite else "")
        return f"| {self.name()} | " + " | ".join(cells) + " |"


def shown(seconds):
    return f"{seconds:.3f}".lstrip("0") if seconds < 1 else f"{seconds:.2f}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("leeway", help=argparse.SUPPRESS)
    parser.add_argument("graphs", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    given = parser.parse_args()
    if given.rounds < 1:
        complain("--rounds: give at least 1")
    suite = os.environ.get("GAPBS", "")
    if suite and not os.path.exists(os.path.join(suite, "converter")):
        complain(f"GAPBS: {suite} has no program 'converter'; run make in it, or give another folder")
    rows = []
    folder = tempfile.mkdtemp(prefix="leeway-bench-gap-")
    try:
        for name in given.graphs or KNOWN:
            graph = Input(given.leeway, suite, name, folder)
            kernels = ["PageRank 20", "PageRank to rest", "BFS", "SSSP"] + ([] if graph.directed else ["CC"])
            rows += [Row(kernel, graph, given.leeway, suite, folder) for kernel in kernels]
        rows = [row for row in rows if given.only in row.name()]
        if not rows:
            complain(f"no row contains '{given.only}'; rows are named as 'BFS, kron:20'")
        for _ in range(given.rounds):
            for row in rows:
                row.round()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"seconds with one thread; with {os.cpu_count()}; medians of {given.rounds}\n")
    print("| kernel, graph | Leeway | GAPBS | ratio | process: Leeway | GAPBS | ratio |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        print(row.line())
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump([{"row": row.name(), "iterations": row.iterations, "width": row.width,
                        "computing": {f"{who} {t}": each for (who, t), each in row.computing.items()},
                        "process": {f"{who} {t}": each for (who, t), each in row.whole.items()}} for row in rows], file, indent=1)


main()
