#!/usr/bin/env python3
"""Programs of a user on every engine, killed at random times and resumed from their snapshots: all end with the right answer.

usage: own_saving_test.py LEEWAY EXAMPLES OWN_PIE [--kills N] [--seed K]
"""
import argparse
import contextlib
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("leeway")
parser.add_argument("examples", help="folder of the examples")
parser.add_argument("own_pie")
parser.add_argument("--kills", type=int, default=2, help="of each program over each fabric")
parser.add_argument("--seed", type=int, default=1)
GIVEN = parser.parse_args()


def example(name, *words):
    return [os.path.join(os.path.abspath(GIVEN.examples), "example-" + name), *words]


# Their results depend on nothing but the input.
PROGRAMS = {
    "vertex": example("vertex", "grid2d:700x700", "--weights", "random", "--snapshot-every", "1"),
    "pie": [os.path.abspath(GIVEN.own_pie), "--snapshot-every", "0.02s"],
    "tick": example("tick", "--iterations", "6000", "--snapshot-every", "100"),
    "piece": example("piece", "--iterations", "6000", "--snapshot-every", "100"),
}
FABRICS = {
    "threads": [],
    "mpi": ["mpiexec.mpich", "-n", "3"],
    "ofi": [GIVEN.leeway, "launch", "-n", "3", "--"],
}


def command(program, fabric, folder, resumes=False):
    words = [*FABRICS[fabric], *PROGRAMS[program], "--snapshot", folder]
    if fabric == "threads":
        words += ["--nodes", "3"]
    return words + (["--resume", folder] if resumes else [])


def finish(words):
    begin = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, timeout=200, check=False)
    return done, time.monotonic() - begin


def snapshots_in(folder):
    return [name for name in os.listdir(folder) if name.isdigit()]


class OwnSavingTest(unittest.TestCase):
    def kill_and_resume(self, program, fabric, expected, longest, drawn):
        """Returns whether the second run resumed a snapshot."""
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.Popen(command(program, fabric, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
            while run.poll() is None and not snapshots_in(folder):
                time.sleep(0.01)
            time.sleep(drawn.uniform(0, 0.5) * longest)
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            if not snapshots_in(folder):
                return False
            done, _ = finish(command(program, fabric, folder, resumes=True))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stdout.split(", 0 recoveries")[0], expected, done.stderr)
            return True

    def test_a_killed_program_resumes_where_its_last_snapshot_was(self):
        drawn = random.Random(GIVEN.seed)
        for program in PROGRAMS:
            for fabric in FABRICS:
                with self.subTest(program=program, fabric=fabric), tempfile.TemporaryDirectory() as folder:
                    whole, longest = finish(command(program, fabric, folder))
                    self.assertEqual(whole.returncode, 0, whole.stderr)
                    expected = whole.stdout.split(", 0 recoveries")[0]
                    resumed = sum(self.kill_and_resume(program, fabric, expected, longest, drawn) for _ in range(GIVEN.kills))
                    self.assertGreater(resumed, 0)

    def test_a_snapshot_of_another_program_or_input_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(finish(command("tick", "threads", folder))[0].returncode, 0)
            for words in (command("piece", "threads", folder, resumes=True), command("piece", "threads", folder)):
                done, _ = finish(words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("example-tick", done.stderr)

    def test_a_run_by_ticks_takes_no_seconds(self):
        with tempfile.TemporaryDirectory() as folder:
            done, _ = finish(example("piece", "--snapshot", folder, "--snapshot-every", "5s"))
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("needs an interval in ticks", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=["own_saving_test.py"])
