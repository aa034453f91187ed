"""Progress lines and log messages of a running command."""
import os
import pty
import re
import subprocess
import time

from command_case import LEEWAY, CommandTest, main


class ProgressTest(CommandTest):
    WORK = ["generate", "kron:17:16", "out.lwg"]

    def on_a_terminal(self, *arguments):
        """Standard error of the command when it is a terminal."""
        master, terminal = pty.openpty()
        with subprocess.Popen([LEEWAY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=terminal, env={**os.environ, "TERM": "xterm"}) as run:
            os.close(terminal)
            shown = b""
            try:
                while piece := os.read(master, 4096):
                    shown += piece
            except OSError:
                pass  # a pseudo-terminal without writers reports EIO
            os.close(master)
        self.assertEqual(run.returncode, 0, shown)
        return shown.decode()

    def assert_shown(self, phases, sizes, command):
        """Tries growing sizes, because phases that end quickly are not shown, and speed depends on the machine."""
        for size in sizes:
            shown = self.on_a_terminal(*command(size))
            if all(re.search(phase, shown) for phase in phases):
                return
        self.fail(f"{phases} not in {shown!r}")

    def test_a_terminal_shows_a_progress_line_and_clears_it(self):
        shown = self.on_a_terminal(*self.WORK)
        lines = [line for line in shown.split("\r\x1b[K") if line]
        self.assertGreater(len(lines), 0)
        self.assertRegex(lines[0], r"^(generating: [\d,]+ items of 2,097,152 \(\d+ %\)|arranging the edges:)")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)
        self.assertNotIn("\n", shown)
        self.assertEqual(self.on_a_terminal(*self.WORK, "--quiet"), "")

    def test_partitioning_a_file_shows_progress(self):
        def partition(scale):
            self.succeeds("generate", f"kron:{scale}:16", "out.txt", "--quiet", "--force")
            return "partition", "out.txt", "8", "--threads", "1", "--force"
        self.assert_shown([r"partitioning by METIS: \d"], range(15, 20), partition)

    def test_every_phase_of_a_run_has_its_name(self):
        self.assert_shown(
            [r"partitioning by METIS: \d", r"computing: \d+ iterations, [\d.]+ s, [\d.]+ a second, the last changed [\d,]+ values of node 0"],
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

    def test_log_levels_info_and_debug_list_steps_and_files(self):
        text = self.run_leeway("run", "cc", "known:karate", "--nodes", "2", "--log-level", "info", "--quiet").stderr
        for words in ["known:karate: 34 vertices", "running cc on the vertex engine"]:
            self.assertIn(words, text)
        text = self.run_leeway("run", "cc", "known:karate", "--out", "o.txt", "--log-level", "debug", "--quiet").stderr
        self.assertIn("o.txt", text)

    def test_without_a_terminal_progress_is_whole_lines(self):
        start = time.monotonic()
        text = self.run_leeway(*self.WORK).stderr
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\r", text)
        if time.monotonic() - start > 2:  # the first plain line is due after one second
            self.assertRegex(text, r"^\w[^\n]*: [^\n]* s(, [\d.,]+ a second)?(, \d+ (s|min|h) left)?\n")
        self.assertEqual(self.run_leeway(*self.WORK, "--quiet").stderr, "")


if __name__ == "__main__":
    main()
