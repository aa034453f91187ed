#!/usr/bin/env python3
"""PIE programs as jobs of processes: every scheduler over MPI, and over libfabric by leeway launch.

usage: pie_test.py LEEWAY PIE-QUERIES OWN-PIE OWN-RUNS
"""
import itertools
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LEEWAY = os.path.abspath(sys.argv[1])
QUERIES = os.path.abspath(sys.argv[2])
OWN = [os.path.abspath(each) for each in sys.argv[3:5]]
SCHEDULERS = ["bsp", "ap", "ssp", "aap", "hsync"]


def start(fabric, nodes):
    return ["mpiexec.mpich", "-n", str(nodes)] if fabric == "mpi" else [LEEWAY, "launch", "-n", str(nodes), "--"]


def run(fabric, nodes, *words):
    return subprocess.run([*start(fabric, nodes), LEEWAY, "run", *words, "--engine", "pie", "--quiet", "--verify"],
                          capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


class PieJobsTest(unittest.TestCase):
    def agrees(self, done, nodes):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(re.search(rf"nodes +{nodes}\n", done.stdout), done.stdout)
        self.assertTrue(re.search(r"verified +(equals|within)", done.stdout), done.stdout)

    def test_processes_under_every_scheduler_agree_with_the_oracle(self):
        for i, scheduler in enumerate(SCHEDULERS):
            for j, program in enumerate(("sssp", "cc", "pagerank", "bfs")):
                nodes = 2 + (i + j) % 3
                with self.subTest(scheduler=scheduler, program=program, nodes=nodes):
                    self.agrees(run("mpi", nodes, program, "--graph", "kron:8", "--undirected", "--scheduler", scheduler),
                                nodes)

    def test_more_workers_than_processes_and_a_vertex_cut(self):
        self.agrees(run("mpi", 2, "cc", "--graph", "kron:9", "--undirected", "--workers", "16", "--scheduler", "aap"), 2)
        self.agrees(run("mpi", 3, "sssp", "--graph", "kron:9", "--cut", "vertex", "--scheduler", "aap"), 3)

    def test_processes_over_libfabric(self):
        for nodes, scheduler in ((2, "aap"), (3, "bsp")):
            self.agrees(run("ofi", nodes, "cc", "--graph", "kron:8", "--undirected", "--scheduler", scheduler), nodes)

    def test_workers_move_between_processes_during_a_run(self):
        for i, (fabric, program, scheduler) in enumerate(itertools.product(("mpi", "ofi"), ("pagerank", "cc"), SCHEDULERS)):
            nodes = 2 + i % 3
            with self.subTest(fabric=fabric, program=program, scheduler=scheduler, nodes=nodes):
                done = run(fabric, nodes, program, "--graph", "kron:13", "--undirected", "--scheduler", scheduler, "--partition", "block",
                           "--rebalance", "1")
                self.agrees(done, nodes)
                if program == "pagerank":
                    self.assertRegex(done.stdout, r"workers moved between nodes +[1-9]\d*, at [1-9]\d* moments")

    def kill_some(self, program, drawn, folder, second):
        """Runs a program with two runs in a job, and kills one or two processes at random times, in the first or in the second run. Returns how
        many were replaced."""
        job = subprocess.Popen([LEEWAY, "launch", "-n", "3", "--spares", "5", "--", program, "--snapshot", "snaps", "--snapshot-every", "0.02s"],
                               cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if second:
            self.assertEqual(job.stdout.readline(), "one run\n")
        for _ in range(drawn.randint(1, 2)):
            time.sleep(drawn.uniform(0, 0.2) if second else drawn.uniform(0.05, 0.8))
            with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as file:
                children = file.read().split()
            if children and job.poll() is None:
                os.kill(int(drawn.choice(children)), signal.SIGKILL)
        out, errors = job.communicate(timeout=120)
        self.assertEqual(job.returncode, 0, out + errors)
        self.assertRegex(out, r"(?m)^0 wrong, \d+ recoveries$")
        self.assertEqual([name for name in os.listdir(os.path.join(folder, "snaps")) if name.startswith("graph-")], [])
        return errors.count("replacing it alone")

    def test_own_programs_with_two_runs_survive_the_loss_of_processes(self):
        drawn = random.Random(2)
        replaced = {False: 0, True: 0}
        for program, second, _ in itertools.product(OWN, (False, True), range(4)):
            with self.subTest(program=program, second=second), tempfile.TemporaryDirectory() as folder:
                replaced[second] += self.kill_some(program, drawn, folder, second)
        self.assertGreater(replaced[True], 0, replaced)

    def test_a_job_answers_many_queries_in_sequence(self):
        for fabric, nodes in (("mpi", 2), ("mpi", 3), ("ofi", 4)):
            with self.subTest(fabric=fabric, nodes=nodes):
                done = subprocess.run([*start(fabric, nodes), QUERIES], capture_output=True, text=True, timeout=60,
                                      stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("150 queries, 0 wrong", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
