#!/usr/bin/env python3
"""One process of a job fails: all processes end soon with its exit code, and their last lines give node and reason.

usage: failures_test.py LEEWAY [TEST...]
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from machine_load import slack  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("leeway")
parser.add_argument("tests", nargs="*")
GIVEN = parser.parse_intermixed_args()
LEEWAY = os.path.abspath(GIVEN.leeway)
VERDICT = 10  # seconds, the default of a job
ENGINES = {
    "vertex": ["run", "cc", "--graph", "known:karate", "--undirected"],
    "pie": ["run", "cc", "--engine", "pie", "--graph", "known:karate", "--undirected"],
    "tick": ["run", "fish", "--fish", "50", "--iterations", "5"],
    "piece": ["run", "nbody", "--bodies", "50", "--iterations", "5"],
}
ENDLESS = {
    "vertex": ["pagerank", "--graph", "kron:10", "--iterations", "100000000"],
    # One step along the path per round, so the run takes minutes.
    "pie": ["sssp", "--graph", "path:10000000", "--undirected", "--partition", "hash", "--engine", "pie"],
    "tick": ["jacobi", "--engine", "tick", "--iterations", "100000000"],
    "piece": ["jacobi", "--engine", "piece", "--iterations", "100000000"],
}
# Each process runs in a separate folder and keeps its standard error there.
ALONE = """n=${LEEWAYJOB_NODE:-$PMI_RANK}; cd "$AREA/$n" || exit 9
[ -z "$ONE" ] || [ "$n" != "$ONE" ] || eval "$DOES"
exec "$0" "$@" 2>"$AREA/$n/errors" """


def below(pid):
    """All descendants of a process."""
    found = []
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            children = [int(word) for word in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return found
    for child in children:
        found += [child, *below(child)]
    return found


def runs_leeway(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read().split("\0")[0] == LEEWAY
    except (FileNotFoundError, ProcessLookupError):
        return False


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
        """Exit code, seconds, and the last line of each process."""
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

    def fails(self, nodes, words, *, code, node, message, own=None, once=False, **how):
        """`node` reports its failure. `own`: other failures, by the node that reports its own.
        `once`: only `node` reports it, as for graphs in parts, where the nodes detect the failure together."""
        for fabric in ("ofi", "mpi"):
            with self.subTest(fabric=fabric, words=" ".join(words)):
                found, took, last = self.run_job(fabric, nodes, words, **how)
                self.assertEqual(found, code, last)
                self.assertLess(took, VERDICT + 2 * slack())
                for each, line in enumerate(last):
                    if each != node and each not in (own or {}):
                        # Only a process that was ended in the middle of its work prints why.
                        self.assertTrue(line == "" or (not once and f"node {node} failed: " in line), line)
                        continue
                    who, what = (own or {}).get(each, (node, message))
                    if each != node and what == message and line == "":
                        continue  # the same failure is printed once
                    self.assertRegex(line, rf"node {who} failed: .*{what}")

    def test_the_first_node_cannot_open_an_output(self):
        for words in ENGINES.values():
            self.fails(2, [*words, "--out", "/nonexistent/o.txt"], code=3, node=0, message="/nonexistent/o.txt")
        self.fails(4, [*ENGINES["vertex"], "--report", "/nonexistent/r"], code=3, node=0, message="/nonexistent/r")

    def test_processes_with_different_settings_are_refused(self):
        for does, message in [("export LEEWAY_DAMPING=0.5", "--damping: node 1 was given '0.5', and node 0 nothing"),
                           ("set -- \"$@\" --engine pie", "--engine: node 1 was given 'pie', and node 0 nothing"),
                           ("set -- \"$@\" --verify=false", "--verify: node 1 was given 'false'"),
                           ("set -- \"$@\" --out o.txt", "--out: node 1 was given 'o.txt'"),
                           ("set -- run cc --graph known:karate", "--.*: node 1 was given"),
                           ("set -- \"$@\" --partition block", "--partition: node 1 was given 'block'")]:
            self.fails(3, ["run", "pagerank", "--graph", "kron:8", "--partition", "hash"], code=2, node=1,
                       message=message, one=1, does=does, once=True)
        self.fails(2, ["run", "fish", "--fish", "50", "--iterations", "5"], code=2, node=1, one=1, once=True,
                   does="export LEEWAY_SEED=9", message="--seed: node 1 was given '9'")
        found, _, last = self.run_job("ofi", 3, ENGINES["vertex"], one=1, does="set -- \"$@\" --threads 2")
        self.assertEqual((found, last), (0, ["", "", ""]))  # settings that may differ between machines

    def graph_in(self, *nodes):
        for node in nodes:
            with open(os.path.join(self.folder(node), "graph.el"), "w") as file:
                file.writelines(f"{i} {(i + 1) % 500}\n" for i in range(500))

    def test_processes_that_run_independently_print_one_warning(self):
        done = subprocess.run([LEEWAY, "launch", "-n", "3", "--", LEEWAY, "run", "cc", "known:karate", "--fabric", "loopback"],
                              capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("each of the 3 processes of this job does all the work by itself"), 1, done.stderr)
        alone = subprocess.run([LEEWAY, "run", "cc", "known:karate", "--fabric", "loopback"], capture_output=True, text=True)
        self.assertEqual(alone.stderr, "")

    def test_one_node_cannot_read_the_graph(self):
        self.graph_in(0, 2)
        graph = ["--graph", "graph.el", "--undirected"]
        for words in (["run", "cc", *graph], ["run", "cc", "--engine", "pie", *graph],
                      ["run", "pagerank", "--engine", "tick", *graph],
                      ["run", "pagerank", "--engine", "piece", *graph]):
            self.fails(3, words, code=2, node=1, message="graph.el", once="--engine" not in words)

    def test_the_first_node_cannot_read_the_graph(self):
        self.graph_in(1)
        self.fails(2, ["run", "bfs", "--graph", "graph.el"], code=2, node=0, message="graph.el", once=True)

    def test_no_node_can_read_the_graph(self):
        self.fails(3, ["run", "cc", "--graph", "graph.el"], code=2, node=0, message="graph.el", once=True)
        self.fails(3, ["run", "cc", "--engine", "pie", "--graph", "graph.el"], code=2, node=0, message="graph.el",
                   own={node: (node, "graph.el") for node in range(3)})

    def test_the_lowest_node_decides_where_several_fail(self):
        self.graph_in(0)
        self.fails(3, ["run", "cc", "--engine", "pie", "--graph", "graph.el", "--undirected"], code=2, node=1, message="graph.el",
                   own={2: (2, "graph.el")})

    def test_the_partition_does_not_fit_the_graph(self):
        with open(os.path.join(self.folder(0), "owners.txt"), "w") as file:
            file.write("0\n1\n")  # the graph has 34 vertices
        graph = ["--graph", "known:karate", "--partition", "file:owners.txt"]
        for words in (["run", "cc", "--undirected", *graph], ["run", "cc", "--undirected", "--engine", "pie", *graph],
                      ["run", "pagerank", "--engine", "tick", *graph],
                      ["run", "pagerank", "--engine", "piece", *graph]):
            self.fails(2, words, code=2, node=0, message="owners.txt", once="--engine" not in words)

    def test_the_snapshot_folder_is_a_file(self):
        with open(os.path.join(self.folder(0), "file"), "w") as file:
            file.write("")
        self.fails(2, ["run", "fish", "--iterations", "50", "--snapshot", "file", "--snapshot-every", "5"], code=2, node=0,
                   message="not a folder")

    def test_a_rank_that_is_killed_while_it_starts_ends_the_job(self):
        for pause in (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1):
            job = subprocess.Popen(["mpiexec.mpich", "-n", "2", LEEWAY, "run", "pagerank", "kron:17", "--quiet"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                time.sleep(pause)
                ranks = [pid for pid in below(job.pid) if not below(pid) and runs_leeway(pid)]
                if ranks:
                    os.kill(ranks[-1], signal.SIGKILL)
                self.assertNotEqual(job.wait(timeout=VERDICT + 10), 0 if ranks else None, f"killed after {pause} s")
            finally:
                self.end_all(job)

    def start_long(self, *more, program=ENDLESS["vertex"]):
        """A job of two processes that does not end by itself, and the processes once they compute."""
        words = [*program, "--verify=false", "--log-level", "info", *more]
        errors = os.path.join(self.folder(0), "errors")
        self.folder(1)
        if os.path.exists(errors):
            os.remove(errors)
        job = subprocess.Popen([LEEWAY, "launch", "-n", "2", "--", "sh", "-c", ALONE, LEEWAY, "run", *words],
                               env={**os.environ, "AREA": self.area, "ONE": "", "DOES": "", "LEEWAYJOB_EVIDENCE": self.area},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end_all, job)
        until = time.monotonic() + 20
        while not os.path.exists(errors) or f"running {program[0]}" not in open(errors).read():
            self.assertLess(time.monotonic(), until, "it does not come to compute")
            time.sleep(0.05)
        node_of = {}
        for pid in below(job.pid):
            with open(f"/proc/{pid}/environ") as file:
                node_of[int(re.search("LEEWAYJOB_NODE=([0-9]+)", file.read())[1])] = pid
        return job, node_of

    @staticmethod
    def end_all(job):
        for pid in [*below(job.pid), job.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        job.wait()

    def test_a_peer_that_dies_leaves_no_unfinished_file(self):
        job, node_of = self.start_long("--out", "ranks.txt")
        self.assertTrue([name for name in os.listdir(self.folder(0)) if name.startswith("ranks.txt")])
        os.kill(node_of[1], signal.SIGKILL)
        self.assertNotEqual(job.wait(timeout=VERDICT + 2), 0)
        self.assertEqual(os.listdir(self.folder(0)), ["errors"])

    def test_every_engine_reports_what_it_waits_for(self):
        """The reply to SIGUSR1, and the last line after the loss of a peer."""
        for engine in ("pie", "tick", "piece"):
            with self.subTest(engine=engine):
                job, node_of = self.start_long(program=ENDLESS[engine])
                evidence = os.path.join(self.area, f"leeway-evidence-{job.pid}.txt")
                # A node replies nothing before its run has begun.
                text, until = "", time.monotonic() + 30
                while not all(re.search(rf"node {node} (computes|waits for )", text) for node in node_of):
                    self.assertLess(time.monotonic(), until, text)
                    job.send_signal(signal.SIGUSR2)
                    time.sleep(0.5)
                    if os.path.exists(evidence):
                        with open(evidence) as file:
                            text = file.read()
                os.kill(node_of[1], signal.SIGKILL)
                self.assertEqual(job.wait(timeout=VERDICT + 50), 128 + signal.SIGKILL)
                with open(os.path.join(self.folder(0), "errors")) as file:
                    self.assertRegex(file.read(), r"this node was waiting for: node \d (computes|waits for )")

    def test_without_their_launcher_all_processes_end_with_a_message(self):
        job, node_of = self.start_long()
        job.kill()
        job.wait()
        until = time.monotonic() + 5
        while any(os.path.exists(f"/proc/{pid}") and runs_leeway(pid) for pid in node_of.values()):
            self.assertLess(time.monotonic(), until, "some processes still run")
            time.sleep(0.02)
        for node in node_of:
            with open(os.path.join(self.folder(node), "errors")) as file:
                self.assertRegex(file.read().splitlines()[-1], "the launcher is gone")

    def test_a_result_cannot_be_written_after_the_run(self):
        for words in ENGINES.values():
            self.fails(2, [*words, "--out", "/dev/full"], code=3, node=0, message="/dev/full",
                       once=words == ENGINES["vertex"])

    def test_one_node_cannot_read_its_configuration(self):
        with open(os.path.join(self.folder(0), "leeway.toml"), "w") as file:
            file.write("")
        found, took, last = self.run_job("ofi", 2, [*ENGINES["vertex"], "--config", "leeway.toml"])
        self.assertEqual(found, 2, last)
        self.assertLess(took, VERDICT + 2 * slack())
        self.assertRegex(last[0], "node 1 failed: it ended with code 2")
        self.assertRegex(last[1], "leeway.toml")

    def test_more_processes_than_fit_are_refused(self):
        # The limit is low, so that a failure of this test starts few processes.
        done = subprocess.run(["/bin/sh", "-c", 'ulimit -n 64; exec "$0" launch -n 24 -- touch "$1/started"', LEEWAY,
                               self.area], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        fits = re.search(r"-n: 24 processes .*: (\d+) fit, by the hard limit of ulimit -n; give -n (\d+) or fewer", done.stderr)
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
