#!/usr/bin/env python3
"""Graphs loaded in parts by processes: the answers equal those of one process with the whole graph, for every kind of
input, and input errors are reported once, with the line of the file.

usage: parts_test.py LEEWAY [--first SEED] [--seeds N] [TEST...]
"""
import argparse
import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("leeway")
parser.add_argument("--first", type=int, default=1, help="the first seed")
parser.add_argument("--seeds", type=int, default=2, help="random graphs")
parser.add_argument("tests", nargs="*")
GIVEN = parser.parse_intermixed_args()
LEEWAY = os.path.abspath(GIVEN.leeway)
PIE = ["pagerank", "sssp", "bfs", "cc"]
CLOSE = {"pagerank": 1e-12, "heat": 1e-6, "wave": 1e-6}  # the least difference that counts
EXACT = ["sssp", "cc", "bfs", "degree", "paths", "shortest-path-counts"]


def job(fabric, nodes, *words):
    if fabric == "mpi":
        return ["mpiexec.mpich", "-n", str(nodes), LEEWAY, *words]
    return [LEEWAY, "launch", "-n", str(nodes), "--", LEEWAY, *words]


def run(command, timeout=120):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def random_edges(draw, weighted):
    """Lines of an edge list, with loops and parallel edges."""
    kind = draw.choice(["dense", "sparse", "wide", "words"])
    count = draw.randrange(1, 60)
    spread = {"dense": 1, "sparse": 7919, "wide": 1 << 40}.get(kind)
    name = (lambda v: f"v{v * 31 % 61}x") if kind == "words" else (lambda v: str(v * spread + draw_base))
    draw_base = draw.choice([0, 1, 5])
    lines = []
    for _ in range(draw.randrange(1, 300)):
        ends = [name(draw.randrange(count)) for _ in range(2)]
        lines.append("\t".join(ends + ([str(draw.randrange(1, 9))] if weighted else [])))
    return kind, lines


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.chdir(self.folder.name)

    def write(self, name, text):
        with open(name, "w") as file:
            file.write(text)
        return name

    def values(self, command, name):
        if os.path.exists(name):
            os.remove(name)
        done = run(command + ["--out", name, "--quiet"])
        self.assertEqual(done.returncode, 0, f"{' '.join(command)}\n{done.stderr}")
        with open(name) as file:
            return [line.split() for line in file]

    def check_same(self, fabric, nodes, words, program, extra=()):
        """`extra`: for the job only."""
        alone = self.values([LEEWAY, "run", program, *words, "--verify=no"], "alone.txt")
        parts = self.values(job(fabric, nodes, "run", program, *words, *extra), "parts.txt")
        context = f"{fabric} -n {nodes} run {program} {' '.join([*words, *extra])}"
        if program in CLOSE:
            self.assertEqual([n for n, _ in alone], [n for n, _ in parts], context)
            for (name, a), (_, b) in zip(alone, parts):
                self.assertTrue(math.isclose(float(a), float(b), rel_tol=1e-5, abs_tol=CLOSE[program]), f"{context}: {name} {a} {b}")
        else:
            self.assertEqual(alone, parts, context)


class SameAnswers(Case):
    def test_random_graphs_in_every_format(self):
        for seed in range(GIVEN.first, GIVEN.first + GIVEN.seeds):
            with self.subTest(repeat=f"parts_test.py LEEWAY --first {seed} --seeds 1 {self.id().split('.')[-1]}"):
                draw, fabric = random.Random(seed), ("ofi", "mpi")[seed % 2]
                weighted = draw.random() < 0.5
                kind, lines = random_edges(draw, weighted)
                plain = self.write("graph.txt", "# a comment\n" + "\n".join(lines) + draw.choice(["", "\n"]))
                options = draw.choice([[], ["--undirected"], ["--symmetrize", "--duplicates", "merge"],
                                       ["--self-loops", "drop"], ["--weights", "random", "--seed", "3"]])
                inputs = [plain, "graph.lwg", "graph.gr", "graph.mtx", "parts.lwg", "graph.txt.gz"]
                for name in inputs[1:4]:
                    done = run([LEEWAY, "convert", plain, name])
                    self.assertEqual(done.returncode, 0, done.stderr)
                done = run([LEEWAY, "partition", "graph.lwg", str(draw.randint(2, 5)), "parts.lwg", "--partition", "hash", "--force"])
                self.assertEqual(done.returncode, 0, done.stderr)
                with gzip.open("graph.txt.gz", "wt") as file:
                    file.write("\n".join(lines))
                for name in draw.sample(inputs, 3):
                    nodes = draw.choice([2, 3, 4])
                    division = draw.choice([[], ["--partition", "block"], ["--partition", "hash"], ["--partition", "ldg"]])
                    words = ["--graph", name, *options, *division]
                    for program in [draw.choice(EXACT), "pagerank"]:
                        if program in ("sssp", "bfs", "paths", "shortest-path-counts"):
                            source = [] if draw.random() < 0.5 else self.some_source(name)
                        else:
                            source = []
                        self.check_same(fabric, nodes, words + source, program)
                        if program in PIE:
                            self.check_same(fabric, nodes, words + source, program, self.on_fragments(draw, nodes))

    def on_fragments(self, draw, nodes):
        cut = draw.choice([[], ["--cut", "vertex"], ["--hops", "1"], ["--hops", "2"]])
        schedule = draw.choice(["bsp", "ap", "ssp", "aap", "hsync"])
        return ["--engine", "pie", "--scheduler", schedule, "--workers", str(draw.randint(nodes, 3 * nodes)), *cut,
                *(["--staleness", "2"] if schedule == "ssp" else [])]

    def some_source(self, name):
        names = [line[0] for line in self.values([LEEWAY, "run", "degree", "--graph", name], "names.txt")]
        return ["--source", names[len(names) // 2]]

    def test_programs_with_records_of_their_own(self):
        for seed in range(GIVEN.first, GIVEN.first + GIVEN.seeds):
            with self.subTest(repeat=f"parts_test.py LEEWAY --first {seed} --seeds 1 {self.id().split('.')[-1]}"):
                draw, fabric = random.Random(seed), ("mpi", "ofi")[seed % 2]
                plain = self.write("graph.txt", "\n".join(random_edges(draw, False)[1]))
                division = draw.choice([[], ["--partition", "block"], ["--partition", "hash"], ["--partition", "ldg"]])
                nodes = draw.choice([2, 3, 4])
                self.check_same(fabric, nodes, ["--graph", plain, "--ldbc", *division], "lcc")
                self.check_same(fabric, nodes, ["--graph", plain, "--undirected", "--duplicates", "merge", *division], "lcc")
                self.check_same(fabric, nodes, ["--graph", plain, "--undirected", *division], "triangles")
                rows = draw.randrange(2, 200)
                matrix = f"matrix:dominant:{rows}:{draw.randrange(1, min(rows, 12))}"
                for graph in (plain, matrix, "grid2d:9x7"):
                    self.check_same(fabric, nodes, ["--graph", graph, *division], draw.choice(["heat", "wave"]))

    def test_a_program_that_keeps_the_whole_graph_says_so(self):
        self.write("rhs.txt", "\n".join(str(i % 3) for i in range(63)))
        kept = "graph in each process"
        for words, line in [(["heat", "grid2d:9x7"], "its part"), (["heat", "grid2d:9x7", "--rhs", "rhs.txt"], "for --rhs"),
                            (["pagerank", "kron:7", "--engine", "tick"], "for this engine"),
                            (["pagerank", "kron:7", "--engine", "pie", "--workers", "1"], "for --workers")]:
            with self.subTest(words=words):
                done = run(job("mpi", 2, "run", *words))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(any(row.startswith(kept) and line in row for row in done.stdout.splitlines()), done.stdout)
        self.assertNotIn(kept, run([LEEWAY, "run", "heat", "grid2d:9x7", "--nodes", "2"]).stdout)

    def test_generated(self):
        programs = ("cc", "pagerank")
        for i, spec in enumerate(("kron:9", "uniform:300:3", "grid2d:17x9", "tree:50:3", "complete:12", "small-world:60:4:0.2",
                                  "powerlaw:200:2.5", "known:karate", "path:1", "star:0")):
            self.check_same("ofi", 3, ["--graph", spec, "--partition", "block"], programs[(i + GIVEN.first) % 2])

    def test_supersteps_and_labels(self):
        for division in ("block", "hash", "metis"):
            self.check_same("ofi", 3, ["--graph", "kron:8", "--scheduler", "bsp", "--iterations", "8",
                                       "--partition", division], "cdlp")
            self.check_same("mpi", 4, ["--graph", "kron:8", "--scheduler", "bsp", "--iterations", "8",
                                       "--partition", division], "pagerank")

    def test_every_partition_method(self):
        for fabric, nodes in (("ofi", 3), ("mpi", 4)):
            for i, division in enumerate(("random", "ldg", "fennel", "metis")):
                program = ("cc", "pagerank")[(i + nodes) % 2]
                self.check_same(fabric, nodes, ["--graph", "kron:8", "--partition", division], program)

    def test_a_graph_that_is_coarsened_before_partitioning(self):
        # A graph of more than a million arcs, the limit up to which node 0 partitions alone.
        for fabric, nodes, program in (("ofi", 3, "cc"), ("mpi", 4, "sssp")):
            self.check_same(fabric, nodes, ["--graph", "grid2d:520x500", "--partition", "metis"], program)

    def test_tables_arrays_and_pages_of_output(self):
        for name in ("out.txt", "out.txt.gz", "out.csv", "out.npy", "out.npz"):
            for nodes in (1, 3):
                command = [LEEWAY, "run", "sssp", "--graph", "kron:8", "--out", f"{nodes}{name}", "--quiet"]
                done = run(command if nodes == 1 else job("ofi", nodes, *command[1:]))
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(f"1{name}", "rb") as alone, open(f"3{name}", "rb") as parts:
                self.assertEqual(alone.read(), parts.read(), name)

    def test_a_stored_partition_is_used(self):
        for nodes, how in ((2, "hash"), (3, "metis")):
            done = run([LEEWAY, "partition", "grid2d:40x30", str(nodes), "parts.lwg", "--partition", how, "--force"])
            self.assertEqual(done.returncode, 0, done.stderr)
            for each in (nodes, 4):
                command = [LEEWAY, "run", "sssp", "parts.lwg", "--out", "o.txt", "--report", "r.json", "--force", "--log-level", "info"]
                values = []
                for words in (command, job("ofi", each, *command[1:]), job("mpi", each, *command[1:])):
                    done = run(words)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    with open("o.txt") as file:
                        values.append(file.read())
                    with open("r.json") as file:
                        divided = json.load(file)["configuration"]["partition"]
                    self.assertNotIn("distributes it", done.stderr)
                    if words is not command:
                        self.assertEqual(divided == "file:parts.lwg", each == nodes, divided)
                self.assertEqual(values[0], values[1])
                self.assertEqual(values[0], values[2])

    def test_the_graph_has_the_same_hash(self):
        self.write("graph.txt", "".join(f"{v * 7} {v * 13 % 101 * 7} {v % 5 + 1}\n" for v in range(1, 500)))
        hashes = set()
        for nodes in (1, 2, 3, 5):
            command = [LEEWAY, "run", "cc", "--graph", "graph.txt", "--report", f"r{nodes}.json", "--quiet"]
            done = run(command if nodes == 1 else job("ofi", nodes, *command[1:]))
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(f"r{nodes}.json") as file:
                graph = json.load(file)["input"]
                graph.pop("held", None)
                hashes.add(json.dumps(graph, sort_keys=True))
        self.assertEqual(len(hashes), 1, hashes)


class OwnFiles(Case):
    """--out-parts: each process writes the values of its vertices."""

    def written(self, fabric, nodes, name, program="sssp"):
        done = run(job(fabric, nodes, "run", program, "--graph", "kron:8", "--out", name, "--out-parts", "--quiet"))
        self.assertEqual(done.returncode, 0, done.stderr)
        stem, suffix = name.split(".", 1)
        parts = [f"{stem}-{i:05}-of-{nodes:05}.{suffix}" for i in range(nodes)]
        self.assertEqual(sorted(os.listdir(".")), sorted(["alone." + suffix, *parts]))
        contents = []
        for part in parts:
            with open(part, "rb") as file:
                contents.append(file.read())
            os.remove(part)
        return contents

    def alone(self, suffix, program="sssp"):
        done = run([LEEWAY, "run", program, "--graph", "kron:8", "--out", "alone." + suffix, "--quiet"])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open("alone." + suffix, "rb") as file:
            return file.read()

    def test_the_parts_together_are_the_whole_output(self):
        for fabric, nodes in (("ofi", 3), ("mpi", 4)):
            for program in ("sssp", "cc"):
                whole = self.alone("txt", program)
                self.assertEqual(b"".join(self.written(fabric, nodes, "out.txt", program)), whole)
                os.remove("alone.txt")

    def test_tables_and_arrays(self):
        for suffix in ("csv", "tsv"):
            whole = self.alone(suffix).splitlines()
            parts = [part.splitlines() for part in self.written("ofi", 3, "out." + suffix)]
            self.assertEqual({part[0] for part in parts}, {whole[0]})
            self.assertEqual([line for part in parts for line in part[1:]], whole[1:])
            os.remove("alone." + suffix)
        whole = self.alone("npy")
        header = 10 + int.from_bytes(whole[8:10], "little")
        parts = self.written("ofi", 3, "out.npy")
        self.assertEqual(b"".join(part[10 + int.from_bytes(part[8:10], "little"):] for part in parts), whole[header:])
        os.remove("alone.npy")
        whole = gzip.decompress(self.alone("txt.gz"))
        self.assertEqual(b"".join(map(gzip.decompress, self.written("mpi", 2, "out.txt.gz"))), whole)

    def test_out_parts_is_refused_for_a_single_output(self):
        words = ["run", "cc", "--graph", "kron:8", "--out-parts", "--quiet"]
        for command in ([LEEWAY, *words, "--out", "a.txt"], job("ofi", 2, *words), job("ofi", 2, *words, "--out", "-")):
            done = run(command)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--out-parts: ", done.stderr)
        self.assertEqual(os.listdir("."), [])

    def leaves_no_file_but(self, there, code, message):
        """If one process cannot write its part, no process leaves a file, and `message` is printed once."""
        for fabric in ("ofi", "mpi"):
            done = run(job(fabric, 3, "run", "cc", "--graph", "kron:8", "--out", "out.txt", "--out-parts"))
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(done.stderr.count(message), 1, done.stderr)
            self.assertEqual(os.listdir("."), [there])

    def test_a_file_that_one_process_cannot_write(self):
        os.mkdir("out-00002-of-00003.txt")
        self.leaves_no_file_but("out-00002-of-00003.txt", 2, "out-00002-of-00003.txt")

    def test_a_full_disk_at_one_process(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        os.symlink("/dev/full", "out-00001-of-00003.txt")
        self.leaves_no_file_but("out-00001-of-00003.txt", 3, "No space left")


class Faults(Case):
    def refused(self, fabric, nodes, words, code, *message):
        done = run(job(fabric, nodes, "run", *words, "--quiet"))
        self.assertEqual(done.returncode, code, done.stderr)
        for each in message:
            self.assertEqual(done.stderr.count(each), 1, done.stderr)
        return done

    def test_a_bad_line_in_the_third_share(self):
        lines = [f"{v} {v + 1}" for v in range(4000)]
        lines[2700] = "2700 oops"
        self.write("graph.txt", "# comment\n" + "\n".join(lines) + "\n")
        for fabric in ("ofi", "mpi"):
            self.refused(fabric, 4, ["cc", "--graph", "graph.txt", "--out", "out.txt"], 2, "graph.txt:2702")
        self.assertEqual(os.listdir("."), ["graph.txt"])

    def test_a_count_that_is_wrong(self):
        self.write("graph.gr", "p sp 10 9\n" + "".join(f"a {v} {v + 1} 1\n" for v in range(1, 9)))
        self.refused("ofi", 3, ["sssp", "--graph", "graph.gr"], 2, "graph.gr:1")

    def test_a_negative_weight(self):
        self.write("graph.txt", "".join(f"{v} {v + 1} {-1 if v == 77 else 1}\n" for v in range(100)))
        self.refused("ofi", 3, ["sssp", "--graph", "graph.txt"], 2, "arc 77 -> 78")

    def test_asymmetric_arcs(self):
        self.write("graph.txt", "0 1\n1 2\n2 1\n1 0\n2 3\n")
        self.refused("ofi", 2, ["cdlp", "--graph", "graph.txt"], 2, "needs arcs that go both ways")

    def test_a_truncated_binary_file(self):
        run([LEEWAY, "generate", "kron:10", "graph.lwg"])
        with open("graph.lwg", "r+b") as file:
            file.truncate(os.path.getsize("graph.lwg") - 5000)
        self.refused("ofi", 3, ["cc", "--graph", "graph.lwg"], 2, "graph.lwg")

    def test_damage_in_one_range(self):
        run([LEEWAY, "generate", "uniform:200000:8", "graph.lwg"])
        with open("graph.lwg", "r+b") as file:
            file.seek(os.path.getsize("graph.lwg") * 3 // 4)
            file.write(b"\xff" * 64)
        self.refused("ofi", 4, ["cc", "--graph", "graph.lwg"], 2, "graph.lwg")

    def test_no_such_source(self):
        self.refused("ofi", 2, ["bfs", "--graph", "kron:8", "--source", "99999"], 2, "no vertex '99999'")

    def test_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        self.refused("ofi", 2, ["cc", "--graph", "kron:12", "--out", "/dev/full"], 3, "No space left")


unittest.main(argv=[sys.argv[0], *GIVEN.tests], verbosity=2)
