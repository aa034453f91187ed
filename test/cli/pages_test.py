"""What the tutorials show in blocks marked `sh` is run, block after block, in one folder a page."""
import os
import pathlib
import re
import subprocess

from command_case import LEEWAY, CommandTest, main

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


class PagesTest(CommandTest):
    def check(self, page, least):
        blocks = re.findall(r"^```sh\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
        self.assertGreaterEqual(len(blocks), least)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LEEWAY_")}
        clean["PATH"] = os.path.dirname(LEEWAY) + ":" + clean["PATH"]
        for block in blocks:
            done = subprocess.run(["bash", "-eu", "-c", block], cwd=self.folder, env=clean, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, f"{page}:\n{block}\n{done.stdout}\n{done.stderr}")

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
