"""Leeway compared with the GAP Benchmark Suite on one machine: PageRank, breadth-first search, shortest paths, components, triangles
and betweenness on graphs of every kind, with one thread and with all. Every round runs all rows in turn, so that drifts of the
machine's speed affect both alike. Shown are medians of the rounds, of computing and of the whole process from file to answer.

  GAPBS=FOLDER ./dev bench gap [GRAPH...] [--rounds N] [--only WORD] [--json FILE]

FOLDER holds a build of the suite (`make`), with doubles for PageRank: `typedef double ScoreT` in src/pr.cc. Without it, only
Leeway's columns are filled. GRAPH is `kron`, `urand`, `sparse` (directed, four arcs a vertex), `road` or `web`; default: all; the
last two are real graphs of the folder LEEWAY_DATA; a file or a generator's spec works, too. Graphs have no loops and no
duplicate edges; Leeway reads a .lwg file, GAPBS its own binary format. PageRank runs 20 sweeps, and in a second row until the
sum of changes is at most 1e-8. Searches start at vertex 3, and betweenness counts the shortest paths from there. Triangles are
counted in a symmetric graph: a directed one first gets the reverse of every arc. GAPBS gets the bucket width for shortest paths
that is best for it among powers of two. A program that `leeway programs` does not list has no rows. --only selects the rows that
contain the word."""
import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile

from inputs import complain, kernel_seconds, prepared, run, write_edges

KNOWN = {
    "kron": (["kron:20", "--undirected"], "kron:20"),
    "urand": (["uniform:1048576:16", "--undirected"], "uniform, 2^20 x 16"),
    "sparse": (["uniform:2000000:4", "--directed"], "uniform, 2 million x 4, directed"),
    "road": (["USA-road-d.NY.gr.zst"], "roads of New York"),
    "web": (["cnr-2000.txt.zst"], "web pages, cnr-2000"),
}
SOURCE = 3
WIDTHS = [2 ** k for k in range(0, 17, 2)]


class Input:
    """One graph in the formats of both."""

    def __init__(self, leeway, suite, name, folder):
        words, self.title = KNOWN.get(name, ([name], name))
        self.graph, self.facts = prepared(leeway, found(words[0]), folder, *words[1:])
        self.directed = self.facts["direction"] == "directed"
        self.symmetric = self.symmetrized(leeway) if self.directed else self.graph
        self.sg = self.graph.replace(".lwg", ".sg")
        self.wsg = self.graph.replace(".lwg", ".wsg")
        self.symmetric_sg = self.symmetric.replace(".lwg", ".sg")
        if suite:
            self.convert(leeway, suite, folder)

    def symmetrized(self, leeway):
        made = self.graph.replace(".lwg", "-symmetric.lwg")
        run([leeway, "convert", self.graph, made, "--symmetrize", "--duplicates", "merge", "--merge-weights", "min", "--quiet", "--force"])
        return made

    def convert(self, leeway, suite, folder):
        kinds = [("wel", self.wsg, ["-w"]), ("el", self.sg, []), ("el", self.symmetric_sg, ["-s"])]
        for ending, made, flags in kinds if self.directed else kinds[:2]:
            edges = os.path.join(folder, "edges." + ending)
            write_edges(leeway, self.graph, edges, *(["--weights", "none"] if ending == "el" else []))
            run([os.path.join(suite, "converter"), "-f", edges, *flags, *([] if self.directed else ["-s"]), "-b", made])
            os.remove(edges)


def found(source):
    """The path of a real graph in the folder LEEWAY_DATA; another source unchanged."""
    if not source.endswith(".zst") or os.path.exists(source):
        return source
    path = os.path.join(os.environ.get("LEEWAY_DATA", ""), source)
    if not os.path.exists(path):
        complain(f"{source} is not in the folder LEEWAY_DATA; choose other graphs")
    return path


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
                "BFS": ["bfs", *source], "SSSP": ["sssp", *source], "CC": ["cc"], "Triangles": ["triangles"],
                "Betweenness": ["betweenness", *source]}[self.kernel]

    def graph(self):
        return self.given.symmetric if self.kernel == "Triangles" else self.given.graph

    def rival(self):
        sg, source = ["-f", self.given.sg], ["-r", str(SOURCE)]
        return {"PageRank 20": ["pr", *sg, "-i", "20", "-t", "0"], "PageRank to rest": ["pr", *sg, "-i", "1000", "-t", "1e-8"],
                "BFS": ["bfs", *sg, *source], "SSSP": ["sssp", "-f", self.given.wsg, *source, "-d", str(self.width)],
                "CC": ["cc", *sg], "Triangles": ["tc", "-f", self.given.symmetric_sg],
                "Betweenness": ["bc", *sg, *source, "-i", "1"]}[self.kernel]

    def take(self, who, threads, computing, whole):
        self.computing.setdefault((who, threads), []).append(computing)
        self.whole.setdefault((who, threads), []).append(whole)

    def run_rival(self, threads):
        return kernel_seconds(self.suite, self.rival(), threads)

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
            _, whole = run([self.leeway, "run", program, self.graph(), "--threads", str(threads), "--quiet", "--verify=false",
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


def available(leeway, kernels):
    """The kernels whose program Leeway has; a line on stderr names the others."""
    listed = {each["name"] for each in json.loads(run([leeway, "programs", "--json"])[0])}
    lacking = [kernel for kernel in kernels if kernel in ("Triangles", "Betweenness") and kernel.lower() not in listed]
    for kernel in lacking:
        print(f"bench-gap: no rows '{kernel}': leeway programs does not list {kernel.lower()}", file=sys.stderr)
    return [kernel for kernel in kernels if kernel not in lacking]


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
        kernels = available(given.leeway, ["PageRank 20", "PageRank to rest", "BFS", "SSSP", "CC", "Triangles", "Betweenness"])
        for name in given.graphs or KNOWN:
            graph = Input(given.leeway, suite, name, folder)
            rows += [Row(kernel, graph, given.leeway, suite, folder) for kernel in kernels if kernel != "CC" or not graph.directed]
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
