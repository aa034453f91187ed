"""Runs the `sh` blocks of README.md and the tutorials in order, in one folder per page. Compares what the `console`
blocks show with the output of the commands after their dollar signs. Checks the texts of the HTML pages in a browser."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import compare_test
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
        self.check("../README.md", 1)

    def test_the_command(self):
        self.succeeds("generate", "kron:9:8", "web.txt.zst")
        self.succeeds("generate", "grid2d:40x30", "roads.gr", "--weights", "random")
        self.write("trades.csv", "buyer,seller,price\nAnn,Bob,12.5\nBob,Cy,3\n")
        self.write("leeway.toml", 'threads = 2\n[partition]\npartitoin = "block"\n')
        self.check("command.md", 3)

    def test_your_own_data(self):
        self.check("tutorial-data.md", 8)
        self.assertEqual(self.read("distances.csv").splitlines()[1:], ['"Ann, Ltd",0', "Bob,12.5", "Cy,15.5"])

    def test_choosing_a_mode(self):
        self.check("tutorial-modes.md", 3)
        self.assertIn("modes.html", self.left())

    def test_from_mpi(self):
        self.check("tutorial-mpi.md", 1)


@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class HtmlPageTest(compare_test.CompareCase):
    shown = compare_test.BrowserTest.shown

    def compared(self, then="", **changes):
        """The page of a strict run and of a faster bsp run."""
        fast = {**compare_test.report()["seconds"], "compute": 1.4}
        settings = {"nodes": 8, "fabric": "sim", "net": "ec2"}
        return self.shown(1100, self.save("scp.json", configuration={**settings, "consistency": "scp", "scheduler": "do-work"}),
                          self.save("bsp.json", seconds=fast, staleness=[100], **changes,
                                    configuration={**settings, "consistency": "stale-2", "scheduler": "bsp"}), then=then)

    def test_the_header_names_the_input_the_cluster_and_the_date(self):
        self.assertRegex(self.compared(), r"<p>16 vertices, 64 arcs · 8 nodes · network ec2 · fabric sim · "
                                          r"2 runs, virtual \(simulated\) times · written 20\d\d-\d\d-\d\d \d\d:\d\d UTC</p>")

    def test_modes_and_columns_are_explained(self):
        page = self.compared()
        for line in ["<b>scp</b>: strict", "<b>stale-2</b>: reads may return copies up to N versions old", "<b>bsp</b>: supersteps"]:
            self.assertIn(line, page)
        self.assertNotIn("<b>rcp</b>", page)
        for column in ["current copies", "blocked fetches", "of scp"]:
            self.assertRegex(page, f'<th scope="col" title="[^"]+">{column}</th>')
        self.assertRegex(page, r'<span title="request for[^"]*"><i [^>]*var\(--m\d\)[^>]*></i>read')

    def test_a_bsp_run_reads_the_previous_superstep(self):
        page = self.compared()
        self.assertIn("<td>previous superstep</td>", page)
        self.assertIn("Every read is of the previous superstep.", page)
        self.assertNotIn('aria-label="Staleness of bsp"', page)

    def test_times_are_quotients_everywhere(self):
        page = self.compared()
        self.assertIn("<td>0.70</td>", page)
        self.assertIn("0.70 of scp</text>", page)
        self.assertNotRegex(page, r"× (faster|slower)")

    def test_axes_are_linear_until_log_is_checked(self):
        page = self.compared(then="""
            const charts = ['Time', 'Convergence', 'Staleness', 'Messages'];
            const seen = (name) => [...document.querySelectorAll(`svg[aria-label^="${name}"]`)]
              .filter((chart) => chart.textContent.includes('(logarithmic)')).length;
            const before = charts.map(seen);
            for (const name of charts) document.querySelector(`[aria-label="${name}: logarithmic axis"]`).click();
            document.title = [...before, ...charts.map(seen)].join(' ');""")
        self.assertIn("<title>0 0 0 0 1 1 1 1</title>", page)

    def test_lanes_are_closed_and_their_colours_named(self):
        page = self.compared()
        self.assertRegex(page, r'<details class="part"><summary><h2>Nodes over time</h2>')
        for activity in ["compute: computes", "barrier: waits", "nothing recorded: "]:
            self.assertIn(activity, page)

    def test_a_simulation_alone_is_compared_with_nothing(self):
        self.succeeds("simulate", "fish", "--nodes", "4", "--iterations", "5", "--fabric", "sim", "--report", "fish.json", "--frames", "film.json")
        page = self.shown(1100, "fish.json", then="""
            const film = document.querySelector('canvas');
            document.title = film.clientWidth > 0.9 * film.closest('section').clientWidth;""")
        self.assertIn("<title>true</title>", page)
        body = page.split("</h1>")[1]
        self.assertIn("1,000 objects · 4 nodes", body)
        for text in ["onvergence", "<h2>Time</h2>", "baseline", " vertices", " arcs", "<th>converged"]:
            self.assertNotIn(text, body)

    def test_figures_have_charts_and_explanations(self):
        self.succeeds("replay", "fig7", "kron:6", "--nodes", "3", "--out", "figures", "--quiet")
        self.write("show.html", self.read("figures/replay.html"))
        self.page = lambda *reports: self.write("comparison.html", self.read("show.html"))
        page = self.shown(1100, "none")
        self.assertIn("not graded: the paper's claims are about its own graphs, not kron:6", page)
        self.assertNotIn("claims graded", page.split("</h1>")[1])  # a list of one figure would repeat the title
        self.assertNotIn("0 of 0", page)
        self.assertIn("<b>CD</b> = cdlp: ", page)
        self.assertIn('class="base"', page)
        self.assertIn("var(--good)", page.split("</h1>")[1])
        if re.search(r"<td>x</td>", page):
            self.assertIn("<b>x</b>: not converged within the limit of iterations", page)


if __name__ == "__main__":
    main()
