#!/usr/bin/env python3
"""A node that computes without touching the memory: with a service thread its peers are answered meanwhile.

usage: service_test.py LEEWAY BUSY-NODE [TEST...]
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from machine_load import slack  # noqa: E402

LEEWAY, BUSY = (os.path.abspath(path) for path in sys.argv[1:3])
STARTS = {"loopback": [], "mpi": ["mpiexec.mpich", "-n", "2"], "ofi": [LEEWAY, "launch", "-n", "2", "--"]}


class ServiceTest(unittest.TestCase):
    def told(self, fabric, service):
        run = subprocess.run([*STARTS[fabric], BUSY, service], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        numbers = {}
        for name, value in re.findall(r"(\w+) ([\d.]+)", run.stdout):
            numbers[name] = max(numbers.get(name, 0), float(value))
        return numbers

    def test_a_thread_answers_within_a_millisecond_and_refreshes(self):
        for fabric in STARTS:
            with self.subTest(fabric=fabric):
                told = self.told(fabric, "thread")
                self.assertGreater(told["reads"], 50)
                self.assertLess(told["median_ms"], 1 * slack())
                self.assertEqual(told["refreshed"], 1)

    def test_an_idle_thread_uses_no_processor(self):
        for fabric in STARTS:
            with self.subTest(fabric=fabric):
                self.assertLess(self.told(fabric, "thread")["idle_ms"], 40)  # of 1000

    def test_without_one_the_peers_wait(self):
        """Shows that the measurements can tell the difference."""
        for fabric in STARTS:
            with self.subTest(fabric=fabric):
                told = self.told(fabric, "inline")
                self.assertLess(told["reads"], 5)
                self.assertEqual(told["refreshed"], 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
