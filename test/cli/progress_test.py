"""What is said while a command works."""
import os
import pty
import re
import subprocess
import time

from command_case import LEEWAY, CommandTest, main


class ProgressTest(CommandTest):
    WORK = ["generate", "kron:17:16", "out.lwg"]

    def on_a_terminal(self, *arguments):
        """Standard error as a terminal gets it, while the command runs."""
        master, terminal = pty.openpty()
        with subprocess.Popen([LEEWAY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=terminal, env={**os.environ, "TERM": "xterm"}) as run:
            os.close(terminal)
            shown = b""
            try:
                while piece := os.read(master, 4096):
                    shown += piece
            except OSError:
                pass  # how a terminal says that nobody writes any more
            os.close(master)
        self.assertEqual(run.returncode, 0, shown)
        return shown.decode()

    def assert_shown(self, phases, sizes, command):
        """What is over at once is not shown, so how much work shows its phases is the machine's affair."""
        for size in sizes:
            shown = self.on_a_terminal(*command(size))
            if all(re.search(phase, shown) for phase in phases):
                return
        self.fail(f"{phases} not in {shown!r}")

    def test_a_terminal_shows_a_line_that_moves_and_goes(self):
        shown = self.on_a_terminal(*self.WORK)
        lines = [line for line in shown.split("\r\x1b[K") if line]
        self.assertGreater(len(lines), 0)
        self.assertRegex(lines[0], r"^(generating: [\d,]+ items of 2,097,152 \(\d+ %\)|arranging the edges:)")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)
        self.assertNotIn("\n", shown)
        self.assertEqual(self.on_a_terminal(*self.WORK, "--quiet"), "")

    def test_a_file_reads_and_divides_visibly(self):
        def partition(scale):
            self.succeeds("generate", f"kron:{scale}:16", "out.txt", "--quiet", "--force")
            return "partition", "out.txt", "8", "--threads", "1", "--force"
        self.assert_shown([r"partitioning: \d tries of METIS of \d"], range(15, 20), partition)

    def test_every_phase_of_a_run_has_its_name(self):
        self.assert_shown(
            [r"partitioning: \d tries of METIS of \d", r"computing: \d+ iterations, [\d.]+ s, [\d.]+ a second"],
            range(15, 20),
            lambda scale: ("run", "pagerank", f"kron:{scale}", "--nodes", "4", "--partition", "metis", "--verify=false"))

    def test_ticks_pieces_and_rounds_are_counted(self):
        self.assert_shown(
            [r"computing: \d+ ticks of \d+ \(\d+ %\), [\d.]+ s, [\d.,]+ a second"], (150, 600, 2400),
            lambda ticks: ("simulate", "fish", "--fish", "3000", "--iterations", str(ticks), "--verify=false"))
        self.assert_shown(
            [r"making 5,000 pieces: "], (20, 80, 320),
            lambda ticks: ("simulate", "nbody", "--bodies", "2000", "--pieces", "5000", "--iterations", str(ticks),
                           "--verify=false"))
        self.assert_shown(
            [r"computing: \d+ rounds"], range(15, 20),
            lambda scale: ("run", "pagerank", f"kron:{scale}", "--engine", "pie", "--nodes", "4", "--verify=false"))

    def test_the_log_says_what_is_done(self):
        said = self.run_leeway("run", "cc", "known:karate", "--nodes", "2", "--log-level", "info", "--quiet").stderr
        for words in ["known:karate: 34 vertices", "running cc on the vertex engine"]:
            self.assertIn(words, said)
        said = self.run_leeway("run", "cc", "known:karate", "--out", "o.txt", "--log-level", "debug", "--quiet").stderr
        self.assertIn("o.txt", said)

    def test_elsewhere_it_says_whole_lines_or_nothing(self):
        start = time.monotonic()
        said = self.run_leeway(*self.WORK).stderr
        self.assertNotIn("\x1b", said)
        self.assertNotIn("\r", said)
        if time.monotonic() - start > 2:  # a plain line comes after a second
            self.assertRegex(said, r"^\w[^\n]*: [^\n]* s(, [\d.,]+ a second)?\n")
        self.assertEqual(self.run_leeway(*self.WORK, "--quiet").stderr, "")


if __name__ == "__main__":
    main()
