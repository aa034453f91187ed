#!/usr/bin/env python3
"""One process of a job fails alone: all end, soon, with its exit code, and each one's last line says who and why.

usage: failures_test.py LEEWAY [TEST...]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("leeway")
parser.add_argument("tests", nargs="*")
GIVEN = parser.parse_intermixed_args()
LEEWAY = os.path.abspath(GIVEN.leeway)
VERDICT = 10  # seconds, as a job has it unless told
ENGINES = {
    "vertex": ["run", "cc", "--graph", "known:karate", "--undirected"],
    "pie": ["run", "cc", "--engine", "pie", "--graph", "known:karate", "--undirected"],
    "tick": ["run", "fish", "--fish", "50", "--iterations", "5"],
    "piece": ["run", "nbody", "--bodies", "50", "--iterations", "5"],
}
# Each process in a folder of its own, with standard error and exit code kept apart.
ALONE = """n=${LEEWAYJOB_NODE:-$PMI_RANK}; cd "$AREA/$n" || exit 9
[ -z "$ONE" ] || [ "$n" != "$ONE" ] || eval "$DOES"
exec "$0" "$@" 2>"$AREA/$n/errors" """


class Failures(unittest.TestCase):
    def setUp(self):
        area = tempfile.TemporaryDirectory()
        self.addCleanup(area.cleanup)
        self.area = area.name

    def folder(self, node):
        path = os.path.join(self.area, str(node))
        os.makedirs(path, exist_ok=True)
        return path

    def run_job(self, fabric, nodes, words, one="", does=""):
        """(exit code, seconds, the last line of each process)"""
        for node in range(nodes):
            self.folder(node)
        start = ["mpiexec.mpich", "-n", str(nodes)] if fabric == "mpi" else [LEEWAY, "launch", "-n", str(nodes), "--"]
        begin = time.monotonic()
        done = subprocess.run([*start, "/bin/sh", "-c", ALONE, LEEWAY, *words, "--quiet"], timeout=60,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "AREA": self.area, "ONE": str(one), "DOES": does})
        took = time.monotonic() - begin
        last = []
        for node in range(nodes):
            with open(os.path.join(self.folder(node), "errors")) as file:
                last.append((file.read().splitlines() or [""])[-1])
        return done.returncode, took, last

    def fails(self, nodes, words, *, code, node, says, own=None, **how):
        """All fail as `node` does; `own`: what a node with an error of its own says instead."""
        for fabric in ("ofi", "mpi"):
            with self.subTest(fabric=fabric, words=" ".join(words)):
                found, took, last = self.run_job(fabric, nodes, words, **how)
                self.assertEqual(found, code, last)
                self.assertLess(took, VERDICT + 2)
                for each, line in enumerate(last):
                    who, what = (own or {}).get(each, (node, says))
                    self.assertRegex(line, rf"node {who} failed: .*{what}")

    def test_the_first_node_cannot_open_an_output(self):
        for words in ENGINES.values():
            self.fails(2, [*words, "--out", "/nonexistent/o.txt"], code=3, node=0, says="/nonexistent/o.txt")
        self.fails(4, [*ENGINES["vertex"], "--report", "/nonexistent/r"], code=3, node=0, says="/nonexistent/r")

    def graph_in(self, *nodes):
        for node in nodes:
            with open(os.path.join(self.folder(node), "graph.el"), "w") as file:
                file.writelines(f"{i} {(i + 1) % 500}\n" for i in range(500))

    def test_one_node_cannot_read_the_graph(self):
        self.graph_in(0, 2)
        graph = ["--graph", "graph.el", "--undirected"]
        for words in (["run", "cc", *graph], ["run", "cc", "--engine", "pie", *graph],
                      ["run", "pagerank", "--engine", "tick", *graph],
                      ["run", "pagerank", "--engine", "piece", *graph]):
            self.fails(3, words, code=2, node=1, says="graph.el")

    def test_the_first_node_cannot_read_the_graph(self):
        self.graph_in(1)
        self.fails(2, ["run", "bfs", "--graph", "graph.el"], code=2, node=0, says="graph.el")

    def test_none_can_read_the_graph(self):
        self.fails(3, ["run", "cc", "--graph", "graph.el"], code=2, node=0, says="graph.el",
                   own={node: (node, "graph.el") for node in range(3)})

    def test_the_lowest_node_decides_where_several_fail(self):
        self.graph_in(0, 2)
        self.fails(3, ["run", "cc", "--graph", "graph.el", "--undirected", "--out", "/nonexistent/o"], code=3, node=0,
                   says="/nonexistent/o", own={1: (1, "graph.el")})

    def test_the_graph_cannot_be_divided_so(self):
        with open(os.path.join(self.folder(0), "owners.txt"), "w") as file:
            file.write("0\n1\n")  # of a graph of 34 vertices
        graph = ["--graph", "known:karate", "--partition", "file:owners.txt"]
        for words in (["run", "cc", "--undirected", *graph], ["run", "cc", "--undirected", "--engine", "pie", *graph],
                      ["run", "pagerank", "--engine", "tick", *graph],
                      ["run", "pagerank", "--engine", "piece", *graph]):
            self.fails(2, words, code=2, node=0, says="owners.txt")

    def test_a_checkpoint_cannot_be_written_during_the_run(self):
        self.fails(2, ["run", "fish", "--iterations", "50", "--checkpoint", "/nonexistent/c", "--checkpoint-every", "5"],
                   code=3, node=0, says="/nonexistent/c", own={1: (1, "/nonexistent/c")})  # the engine tells all

    def test_a_result_cannot_be_written_after_the_run(self):
        for words in ENGINES.values():
            self.fails(2, [*words, "--out", "/dev/full"], code=3, node=0, says="/dev/full")

    def test_one_node_cannot_read_its_configuration(self):
        with open(os.path.join(self.folder(0), "leeway.toml"), "w") as file:
            file.write("")
        found, took, last = self.run_job("ofi", 2, [*ENGINES["vertex"], "--config", "leeway.toml"])
        self.assertEqual(found, 2, last)
        self.assertLess(took, VERDICT + 2)
        self.assertRegex(last[0], "node 1 failed: it ended with code 2")
        self.assertRegex(last[1], "leeway.toml")

    def test_more_processes_than_fit_are_refused(self):
        # Few enough that nothing is lost where they are not.
        done = subprocess.run(["/bin/sh", "-c", 'ulimit -n 64; exec "$0" launch -n 24 -- touch "$1/started"', LEEWAY,
                               self.area], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2, done.stderr)
        fits = re.search(r"-n: 24 processes .*: (\d+) fit, by ulimit -n; give -n (\d+) or fewer", done.stderr)
        self.assertTrue(fits, done.stderr)
        self.assertEqual(fits[1], fits[2])
        self.assertFalse(os.path.exists(os.path.join(self.area, "started")))


loader = unittest.TestLoader()
suite = loader.loadTestsFromTestCase(Failures)
if GIVEN.tests:
    suite = unittest.TestSuite(t for t in suite if any(name in t.id() for name in GIVEN.tests))
result = unittest.TextTestRunner(verbosity=1).run(suite)
bad = len({str(test) for test, _ in result.failures + result.errors})
print(f"{result.testsRun - min(bad, result.testsRun)} passed, {bad} failed, 0 skipped")
sys.exit(1 if bad else 0)
