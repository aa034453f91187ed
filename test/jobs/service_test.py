#!/usr/bin/env python3
"""A node that computes without accessing the shared memory: its service thread answers its peers meanwhile.

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
    def measured(self, fabric, service):
        run = subprocess.run([*STARTS[fabric], BUSY, service], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        numbers = {}
        for name, value in re.findall(r"(\w+) ([\d.]+)", run.stdout):
            numbers[name] = max(numbers.get(name, 0), float(value))
        return numbers

    def test_a_thread_answers_within_a_millisecond_and_refreshes(self):
        for fabric in STARTS:
            with self.subTest(fabric=fabric):
                measured = self.measured(fabric, "thread")
                self.assertGreater(measured["reads"], 50)
                self.assertLess(measured["median_ms"], 1 * slack())
                self.assertEqual(measured["refreshed"], 1)

    def test_an_idle_thread_uses_no_processor_time(self):
        for fabric in STARTS:
            with self.subTest(fabric=fabric):
                self.assertLess(self.measured(fabric, "thread")["idle_ms"], 40)  # in a second

    def test_without_a_service_thread_the_peers_wait(self):
        """Without a service thread the reads block, which shows that the measurements detect the difference."""
        for fabric in STARTS:
            with self.subTest(fabric=fabric):
                measured = self.measured(fabric, "inline")
                self.assertLess(measured["reads"], 5)
                self.assertEqual(measured["refreshed"], 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
