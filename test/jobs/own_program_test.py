#!/usr/bin/env python3
"""A user's program joins the job that its launcher started.

    own_program_test.py LEEWAY PROGRAM
"""
import subprocess
import sys
import unittest

LEEWAY, PROGRAM = sys.argv[1:3]
LAUNCHERS = {"mpiexec": ["mpiexec.mpich", "-n", "3"], "launch": [LEEWAY, "launch", "-n", "3", "--"]}


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)


class OwnProgramTest(unittest.TestCase):
    def test_every_launcher_makes_it_one_job(self):
        alone = run(PROGRAM)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        for launcher, words in LAUNCHERS.items():
            done = run(*words, PROGRAM)
            self.assertEqual(done.returncode, 0, f"{launcher}: {done.stderr}")
            self.assertEqual(done.stdout.splitlines()[:2], alone.stdout.splitlines()[:2], launcher)
            self.assertEqual(done.stdout.splitlines()[2:], ["3 nodes, whose numbers sum to 6"], launcher)

    def test_without_a_launcher_the_nodes_are_threads(self):
        done = run(PROGRAM, "nodes", "4")
        self.assertEqual(done.stdout.splitlines()[2:], ["4 nodes, whose numbers sum to 10"], done.stderr)

    def test_another_number_of_nodes_is_refused(self):
        for launcher, words in LAUNCHERS.items():
            done = run(*words, PROGRAM, "nodes", "2")
            self.assertEqual(done.returncode, 2, f"{launcher}: {done.stderr}")
            self.assertIn("asks for 2 nodes, and the launcher started 3 processes", done.stderr, launcher)
            self.assertEqual(run(*words, PROGRAM, "nodes", "3").returncode, 0, launcher)

    def test_a_process_that_ends_early_ends_the_job(self):
        for launcher, words in LAUNCHERS.items():
            done = run(*words, PROGRAM, "leave")
            self.assertNotEqual(done.returncode, 0, launcher)
            self.assertIn("ended with exit code 7", done.stderr, launcher)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
