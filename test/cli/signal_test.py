"""The command ended by a signal: ends quickly, prints one line, leaves no files."""
import os
import random
import signal
import subprocess
import sys
import time

from command_case import LEEWAY, CommandTest, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from machine_load import slack  # noqa: E402

SEED = int(os.environ.get("LEEWAY_SEED", "1"))
RUNS = int(os.environ.get("LEEWAY_SIGNALS", "12"))


class SignalTest(CommandTest):
    def start(self, *arguments, **more):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LEEWAY_")}
        process = subprocess.Popen([LEEWAY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, env=clean,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        self.addCleanup(process.kill)
        return process

    def end(self, process, which, pause):
        """Exit code and output, or None if the command ended before the signal."""
        time.sleep(pause)
        process.send_signal(which)
        out, err = process.communicate(timeout=60)  # a hang fails here
        return None if process.returncode == 0 else (process.returncode, out, err)

    def test_a_signal_at_any_time_ends_a_run_quickly_and_leaves_no_files(self):
        draw = random.Random(SEED)
        ended = 0
        for turn in range(RUNS):
            which = draw.choice([signal.SIGINT, signal.SIGTERM])
            process = self.start("run", "pagerank", "--graph", "kron:14", "--nodes", "3", "--partition", "block",
                                 "--consistency", "scp", "--out", "pr.out", "--report", "pr.json", "--quiet")
            outcome = self.end(process, which, draw.uniform(0.03, 1.0))
            if outcome is None:
                for name in self.left():
                    os.remove(os.path.join(self.folder, name))
                continue
            ended += 1
            case = f"LEEWAY_SEED={SEED}, turn {turn}: {outcome}"
            self.assertEqual(outcome[0], 128 + which, case)
            self.assertEqual(outcome[2].count("\n"), 1, case)
            self.assertIn(which.name, outcome[2], case)
            self.assertEqual(self.left(), [], case)
        self.assertGreater(ended, RUNS // 4)

    def test_a_job_of_mpi_is_ended_in_one_line_with_the_code_of_the_signal(self):
        draw = random.Random(SEED)
        lost = 0
        for turn in range(RUNS):
            which = draw.choice([signal.SIGINT, signal.SIGTERM])
            to_all = draw.random() < 0.7  # Ctrl-C in a terminal signals the process group
            process = subprocess.Popen(["mpiexec.mpich", "-n", "3", LEEWAY, "run", "pagerank", "kron:13", "--partition", "block",
                                        "--consistency", draw.choice(["scp", "rcp+push"]), "--quiet", "--out", "pr.out",
                                        "--verify=false", "--iterations", "1000000"],
                                       cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, start_new_session=True)
            self.addCleanup(process.kill)
            time.sleep(draw.uniform(0.9, 1.6) * slack())
            if to_all:
                os.killpg(process.pid, which)
            else:
                process.send_signal(which)
            _, err = process.communicate(timeout=60)
            case = f"LEEWAY_SEED={SEED}, turn {turn}, {which.name} to {'all' if to_all else 'mpiexec'}: {process.returncode}\n{err}"
            own = [line for line in err.splitlines() if line and not line.startswith("[mpiexec@")]
            self.assertEqual(own, [f"leeway: ended by {which.name} before it was done"], case)
            # If mpiexec ends its proxy before the proxy has reported the processes' exit codes, mpiexec returns 0.
            lost += 1 if process.returncode == 0 else 0
            self.assertIn(process.returncode, (0, 128 + which), case)
            until = time.monotonic() + 10
            while self.left() and time.monotonic() < until:
                time.sleep(0.02)
            self.assertEqual(self.left(), [], case)
        self.assertLess(lost, RUNS // 2)

    def test_a_signal_during_partitioning_is_not_reported_as_a_metis_failure(self):
        draw = random.Random(SEED)
        ended = 0
        for _ in range(2 * RUNS):
            process = self.start("partition", "grid2d:300x300", "64", "--partition", "metis", "--quiet")
            outcome = self.end(process, signal.SIGTERM, draw.uniform(0.15, 0.5))
            if outcome is None:
                continue
            ended += 1
            code, out, err = outcome
            self.assertEqual((code, err), (143, "leeway: ended by SIGTERM before it was done\n"))
            # A signal can arrive after the last line, but the output never ends amid a line.
            self.assertTrue(out == "" or out.endswith("\n"), out)
        self.assertGreater(ended, 0)

    def test_a_signal_during_writing_leaves_no_file(self):
        for name in ["g.lwg", "g.txt", "g.txt.zst"]:
            process = self.start("generate", "kron:17", name, "--quiet")
            until = time.monotonic() + 30
            while not self.left() and process.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            outcome = self.end(process, signal.SIGTERM, 0)
            if outcome is not None:
                self.assertEqual(outcome[0], 143, outcome)
                self.assertEqual(self.left(), [])
            for left in self.left():
                os.remove(os.path.join(self.folder, left))

    def test_a_job_is_ended_by_its_launcher_in_one_line(self):
        for which in [signal.SIGINT, signal.SIGTERM]:
            for to_all in [False, True]:
                process = self.start("launch", "-n", "3", "--", "run", "pagerank", "--graph", "kron:15",
                                     "--consistency", "scp", "--partition", "block", "--out", "pr.out", "--quiet",
                                     start_new_session=True)
                time.sleep(1.2)
                if to_all:  # as Ctrl-C does
                    os.killpg(process.pid, which)
                else:
                    process.send_signal(which)
                _, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 128 + which, err)
                self.assertEqual(err.count("\n"), 1, err)
                self.assertIn(which.name, err)
                self.assertEqual(self.left(), [])

    def test_a_signal_that_is_ignored_stays_ignored(self):
        done = subprocess.run(["bash", "-c", "trap '' INT; \"$0\" generate kron:12 g.lwg & sleep 0.1; "
                               "kill -INT $!; wait $!", LEEWAY], cwd=self.folder, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_commands_that_need_no_library_start_quickly(self):
        took = []
        for _ in range(7):
            begun = time.monotonic()
            self.succeeds("--version")
            took.append(time.monotonic() - begun)
        # A library that sleeps while it is loaded takes 0.1 s or more; the machine can be busy.
        self.assertLess(min(took), 0.06 * slack(), took)


if __name__ == "__main__":
    main()
