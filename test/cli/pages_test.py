"""Runs the `sh` blocks of README.md and the tutorials in order, in one folder per page. Compares what the `console`
blocks show with the output of the commands after their dollar signs."""
import os
import pathlib
import re
import subprocess

from command_case import LEEWAY, CommandTest, main

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


class PagesTest(CommandTest):
    def shell(self, script):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LEEWAY_")}
        clean["PATH"] = os.path.dirname(LEEWAY) + ":" + clean["PATH"]
        return subprocess.run(["bash", "-eu", "-c", script], cwd=self.folder, env=clean, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300)

    def check_transcript(self, page, block):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.M)[1:]
        for command, shown in zip(parts[::2], parts[1::2]):
            done = self.shell(command)
            self.assertEqual(done.stdout + done.stderr, shown, f"{page}: {command}")

    def check(self, page, least):
        blocks = re.findall(r"^```(sh|console)\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
        self.assertGreaterEqual(len(blocks), least)
        for kind, block in blocks:
            if kind == "console":
                self.check_transcript(page, block)
                continue
            done = self.shell(block)
            self.assertEqual(done.returncode, 0, f"{page}:\n{block}\n{done.stdout}\n{done.stderr}")

    def test_readme(self):
        self.succeeds("generate", "kron:9:8", "web.txt.zst")
        self.succeeds("generate", "grid2d:40x30", "roads.gr", "--weights", "random")
        self.write("trades.csv", "buyer,seller,price\nAnn,Bob,12.5\nBob,Cy,3\n")
        self.write("leeway.toml", 'threads = 2\n[partition]\npartitoin = "block"\n')
        self.check("../README.md", 3)

    def test_your_own_data(self):
        self.check("tutorial-data.md", 8)
        self.assertEqual(self.read("distances.csv").splitlines()[1:], ['"Ann, Ltd",0', "Bob,12.5", "Cy,15.5"])

    def test_choosing_a_mode(self):
        self.check("tutorial-modes.md", 3)
        self.assertIn("modes.html", self.left())

    def test_from_mpi(self):
        self.check("tutorial-mpi.md", 1)


if __name__ == "__main__":
    main()
