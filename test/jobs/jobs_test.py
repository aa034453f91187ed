#!/usr/bin/env python3
"""Jobs of processes: start, answers, failures, signals, security.

usage: jobs_test.py LEEWAY JOB-NODE EMBEDDED [--runs N] [--kills N] [TEST...]
"""
import argparse
import glob
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from machine_load import slack  # noqa: E402
from processes import listening, resident, runs  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("leeway")
parser.add_argument("node")
parser.add_argument("embedded")
parser.add_argument("--runs", type=int, default=3, help="short jobs in a row, each fabric")
parser.add_argument("--kills", type=int, default=2, help="random kills, each fabric")
parser.add_argument("tests", nargs="*")
GIVEN = parser.parse_intermixed_args()
LEEWAY, NODE, EMBEDDED = (os.path.abspath(p) for p in (GIVEN.leeway, GIVEN.node, GIVEN.embedded))
VERDICT = 3
TCP = {"UCX_TLS": "tcp,self"}


def command(fabric, nodes, *words):
    if fabric.startswith("mpi"):
        return ["mpiexec.mpich", "-n", str(nodes), *words]
    return [LEEWAY, "launch", "-n", str(nodes), "--verdict", str(VERDICT), "--", *words]


def environment(fabric, **more):
    return {**os.environ, **(TCP if fabric == "mpi-tcp" else {}), **more}


def run(fabric, nodes, *words, timeout=60, **more):
    return subprocess.run(command(fabric, nodes, NODE, *words), capture_output=True, text=True, timeout=timeout,
                          env=environment(fabric, **more))


class Running:
    """A job that runs until it is ended from outside."""

    def __init__(self, fabric, nodes, folder):
        self.errors = open(os.path.join(folder, "errors"), "w+")
        self.job = subprocess.Popen(command(fabric, nodes, NODE, "endless"), stdout=subprocess.PIPE, text=True,
                                    stderr=self.errors, env=environment(fabric, LEEWAYJOB_EVIDENCE=folder), cwd=folder)
        self.processes = sorted(int(self.job.stdout.readline().split()[1]) for _ in range(nodes))

    def wait(self, seconds):
        """Exit code, seconds until the end, and standard error."""
        start = time.monotonic()
        code = self.job.wait(timeout=seconds)
        took = time.monotonic() - start
        self.errors.seek(0)
        return code, took, self.errors.read()

    def close(self):
        for process in self.processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.job.kill()
        self.job.wait()
        self.job.stdout.close()
        self.errors.close()


def left_over():
    seen = subprocess.run(["pgrep", "-f", re.escape(NODE)], capture_output=True, text=True).stdout.split()
    return [process for process in seen if runs(process)]


def shared_memory():
    """Objects in shared memory, except the files of a campaign that runs at the same time."""
    return {path for path in glob.glob("/dev/shm/*") if "leeway-answers" not in path}


class Jobs(unittest.TestCase):
    def setUp(self):
        self.area = tempfile.TemporaryDirectory()
        self.addCleanup(self.area.cleanup)
        self.shared = shared_memory()

    def nothing_is_left(self):
        for _ in range(400):
            if not left_over():
                break
            time.sleep(0.05)
        self.assertEqual(left_over(), [])
        self.assertEqual(shared_memory() - self.shared, set())

    def test_short_jobs_end_with_0(self):
        for fabric in ("mpi", "mpi-tcp", "ofi"):
            for number in range(GIVEN.runs):
                with self.subTest(fabric=fabric, number=number):
                    done = run(fabric, 1 + number % 4, "short")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.nothing_is_left()

    def answer(self, start, *fabric):
        """Every vertex and its component; pagerank has been verified before."""
        ranked = subprocess.run([*start, "run", "pagerank", "--graph", "kron:9", "--verify", "--quiet", *fabric],
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(ranked.returncode, 0, ranked.stderr)
        self.assertIn("of the sequential oracle", ranked.stdout)
        out = os.path.join(self.area.name, "components")
        done = subprocess.run([*start, "run", "cc", "--graph", "uniform:600:2", "--out", out, "--quiet", *fabric],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out) as lines:
            text = lines.read()
        os.remove(out)
        return text

    def test_a_program_gives_one_answer_over_every_fabric(self):
        expected = self.answer([LEEWAY], "--fabric", "loopback", "--nodes", "1")
        self.assertEqual(expected.count("\n"), 600)
        for fabric in ("loopback", "sim"):
            self.assertEqual(self.answer([LEEWAY], "--fabric", fabric, "--nodes", "4"), expected)
        for fabric in ("mpi", "ofi"):
            for nodes in (1, 2, 4, 8):
                with self.subTest(fabric=fabric, nodes=nodes):
                    self.assertEqual(self.answer(command(fabric, nodes, LEEWAY)), expected)

    def kill_one(self, fabric, nodes, victim, delay):
        job = Running(fabric, nodes, self.area.name)
        try:
            time.sleep(delay)
            process = job.processes[victim]
            if fabric == "guardian":
                process = int(open(f"/proc/{process}/stat").read().split(")")[-1].split()[1])
            os.kill(process, signal.SIGKILL)
            return job.wait(30)
        finally:
            job.close()

    def test_a_killed_node_ends_the_job_and_is_named(self):
        dice = random.Random(7)
        for fabric in ("mpi", "ofi"):
            for number in range(GIVEN.kills):
                nodes = dice.choice([2, 3, 4])
                with self.subTest(fabric=fabric, number=number, nodes=nodes):
                    code, took, errors = self.kill_one(fabric, nodes, dice.randrange(nodes), dice.random() * 0.2)
                    self.assertNotEqual(code, 0)
                    self.assertLess(took, 2 * slack())
                    last = re.findall(r"^leeway: node (\d+): node (\d+) is gone.*this node was waiting for: (.+)$", errors, re.M)
                    last += re.findall(r"^leeway: node (\d+): node (\d+) is gone.*waiting for: (.+); look.*$", errors, re.M)
                    self.assertEqual(len({who for who, _, _ in last}), nodes - 1, errors)
                    self.assertEqual(len({dead for _, dead, _ in last}), 1, errors)
                    self.assertEqual("MPI ends the whole job when a process is lost: leeway launch --spares K" in errors, fabric == "mpi", errors)
        self.nothing_is_left()

    def test_a_death_over_tcp_is_reported_by_all_nodes_and_not_by_mpi(self):
        dice = random.Random(3)
        for number in range(6 * GIVEN.kills):
            with self.subTest(number=number):
                code, took, errors = self.kill_one("mpi-tcp", 3, dice.randrange(3), dice.random() * 0.3)
                self.assertNotEqual(code, 0)
                self.assertLess(took, 2 * slack())
                self.assertNotIn("Abort(", errors)
                self.assertEqual(len(re.findall(r"^leeway: node \d: node \d is gone", errors, re.M)), 2, errors)
        self.nothing_is_left()

    def test_a_killed_guardian_ends_the_job_too(self):
        job = Running("mpi", 3, self.area.name)
        try:
            parent = int(open(f"/proc/{job.processes[1]}/stat").read().split(")")[-1].split()[1])
            os.kill(parent, signal.SIGKILL)
            code, took, errors = job.wait(30)
        finally:
            job.close()
        self.assertNotEqual(code, 0)
        self.assertLess(took, 2 * slack())
        # Depends on which is faster: the launcher that ends all processes, or the nodes that detect the loss.
        self.assertRegex(errors, "ended by SIGTERM|is gone")
        self.nothing_is_left()

    def test_a_node_that_exits_ends_the_job(self):
        for fabric in ("mpi", "ofi"):
            with self.subTest(fabric=fabric):
                done = run(fabric, 3, "exit", "5", timeout=60)
                self.assertNotEqual(done.returncode, 0)
        self.nothing_is_left()

    def paused(self, job, processes, seconds):
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        time.sleep(seconds)
        for process in processes:
            os.kill(process, signal.SIGCONT)

    def test_a_pause_of_all_or_of_the_launcher_ends_no_job(self):
        for who in ("all", "launcher"):
            with self.subTest(who=who):
                job = Running("ofi", 3, self.area.name)
                try:
                    time.sleep(0.3)
                    self.paused(job, [job.job.pid, *(job.processes if who == "all" else [])], 1.5 * VERDICT)
                    with self.assertRaises(subprocess.TimeoutExpired):
                        job.wait(VERDICT)
                    # The job is still monitored after the pause.
                    os.kill(job.processes[1], signal.SIGKILL)
                    code, took, errors = job.wait(30)
                    self.assertNotEqual(code, 0)
                    self.assertLess(took, 2 * slack(), errors)
                finally:
                    job.close()
        self.nothing_is_left()

    def test_a_node_that_stays_stopped_is_declared_lost_and_killed(self):
        job = Running("ofi", 3, self.area.name)
        try:
            time.sleep(0.3)
            os.kill(job.processes[1], signal.SIGSTOP)
            code, took, errors = job.wait(VERDICT + 30)
            self.assertNotEqual(code, 0)
            self.assertLess(took, VERDICT + 2 * slack(), errors)
            self.assertEqual(len(re.findall("^leeway: node . ?.*is gone", errors, re.M)), 2, errors)
            self.nothing_is_left()
        finally:
            job.close()

    def test_the_launcher_obeys_a_signal_after_a_node_has_failed(self):
        job = Running("ofi", 3, self.area.name)
        try:
            # These two processes are stopped and cannot end, so the launcher waits for them.
            for process in (job.processes[0], job.processes[2]):
                os.kill(process, signal.SIGSTOP)
            os.kill(job.processes[1], signal.SIGKILL)
            time.sleep(0.5)
            self.assertIsNone(job.job.poll())
            job.job.send_signal(signal.SIGTERM)
            code, took, errors = job.wait(30)
            self.assertNotEqual(code, 0)
            self.assertLess(took, 1.5 * slack(), errors)
            self.nothing_is_left()
        finally:
            job.close()

    def test_a_signal_makes_every_node_report_what_it_waits_for(self):
        for fabric in ("mpi", "ofi"):
            with self.subTest(fabric=fabric):
                job = Running(fabric, 3, self.area.name)
                try:
                    os.kill(job.processes[1], signal.SIGUSR2)
                    found = []
                    for _ in range(100):
                        found = glob.glob(os.path.join(self.area.name, "leeway-evidence-*.txt"))
                        if found:
                            break
                        time.sleep(0.05)
                    self.assertEqual(len(found), 1)
                    with open(found[0]) as file:
                        text = file.read()
                    os.remove(found[0])
                finally:
                    job.close()
                for node in range(3):
                    self.assertRegex(text, rf"node {node}: messages sent \d+, handled \d+")

    def test_waiting_nodes_use_no_processor_time(self):
        for fabric in ("mpi", "ofi"):
            with self.subTest(fabric=fabric):
                done = run(fabric, 4, "idle", "2")
                self.assertEqual(done.returncode, 0, done.stderr)
                # The goal on a quiet machine is one per cent; load of other processes raises the number.
                self.assertLess(float(done.stdout.split()[1]), 2.0 * slack())

    def test_an_mpi_program_gives_ranks_to_leeway(self):
        done = subprocess.run(["mpiexec.mpich", "-n", "4", EMBEDDED], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_processes_that_cannot_connect_report_it(self):
        for variables, who in (({"OMPI_COMM_WORLD_SIZE": "4"}, "Open MPI"), ({"SLURM_STEP_NUM_TASKS": "2"}, "--mpi=pmi2")):
            done = subprocess.run([NODE, "short"], capture_output=True, text=True, timeout=60, env={**os.environ, **variables})
            self.assertEqual(done.returncode, 2)
            self.assertIn(who, done.stderr)

    def test_encrypted_frames_cannot_be_read_on_the_network(self):
        try:
            listener = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        except PermissionError:
            self.skipTest("listening to the loopback device is not allowed here")
        listener.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        listener.bind(("lo", 0))
        # All bytes of its frames are zero except every 4093rd byte.
        words = ["-n", "2", "--", os.path.join(os.path.dirname(NODE), "large-frame"), "400000"]
        for flags, readable in ([], True), (["--encrypt"], False):
            with self.subTest(flags=flags):
                job = subprocess.run([LEEWAY, "launch", *flags, *words], capture_output=True, text=True, timeout=60)
                self.assertEqual((job.returncode, job.stderr), (0, ""))
                listener.settimeout(0.3)
                packets = []
                try:
                    while True:
                        packets.append(listener.recv(1 << 17))
                except TimeoutError:
                    pass
                self.assertGreater(sum(map(len, packets)), 400000)
                self.assertEqual(any(bytes(1000) in packet for packet in packets), readable)
        listener.close()

    def test_processes_may_start_further_apart_than_the_verdict_time(self):
        late = '[ "$LEEWAYJOB_NODE" = 0 ] || sleep 2; exec "$0" short'
        done = subprocess.run([LEEWAY, "launch", "-n", "2", "--verdict", "1", "--", "sh", "-c", late, NODE],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_foreign_connections_are_refused_and_the_job_continues(self):
        with tempfile.TemporaryDirectory() as folder:
            job = Running("ofi", 2, folder)
            try:
                settings = dict(entry.split("=", 1) for entry in
                                open(f"/proc/{job.processes[0]}/environ").read().split("\0") if "=" in entry)
                self.assertNotIn("SECRET", open(f"/proc/{job.processes[0]}/cmdline").read())
                host, port = settings["LEEWAYJOB_RENDEZVOUS"].split(":")
                stranger = subprocess.run([NODE, "short"], capture_output=True, text=True, timeout=60,
                                          env={**settings, "LEEWAYJOB_SECRET": "ab" * 32})
                self.assertEqual(stranger.returncode, 2)
                self.assertIn("secret", stranger.stderr)
                twin = subprocess.run([NODE, "short"], capture_output=True, text=True, timeout=60, env=settings)
                self.assertEqual(twin.returncode, 2)
                self.assertIn("not expected", twin.stderr)
                self.bother(host, int(port))
                for each in listening(job.processes):
                    self.bother(host, each)
                self.assertIsNone(job.job.poll())
                self.assertLess(resident(job.job.pid), 200)
                for process in job.processes:
                    self.assertLess(resident(process), 400)
                os.kill(job.processes[1], signal.SIGKILL)
                self.assertNotEqual(job.wait(30)[0], 0)
            finally:
                job.close()

    def bother(self, host, port):
        """Sends random bytes, truncated and repeated greetings, and a flood of connections."""
        dice = random.Random(port)
        open_ones = []
        for number in range(300):
            try:
                stranger = socket.create_connection((host, port), timeout=1)
                stranger.settimeout(0.05)
                greeting = b"leeway-2" + dice.randbytes(64)
                stranger.send(dice.choice([dice.randbytes(200), greeting, greeting[:20], b"\0" * 5000, b"", b"GET / HTTP/1.0\r\n\r\n"]))
                open_ones.append(stranger)
            except OSError:
                pass
        time.sleep(0.2)
        for stranger in open_ones:
            stranger.close()


loader = unittest.TestLoader()
suite = loader.loadTestsFromTestCase(Jobs)
if GIVEN.tests:
    suite = unittest.TestSuite(t for t in suite if any(name in t.id() for name in GIVEN.tests))
result = unittest.TextTestRunner(verbosity=1).run(suite)
bad = len({str(test) for test, _ in result.failures + result.errors})
print(f"{result.testsRun - min(bad, result.testsRun)} passed, {bad} failed, 0 skipped")
sys.exit(1 if bad else 0)
