"""Runs side by side: the table, the page, and the page in a browser."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from command_case import CommandTest, main


def report(**changes):
    plain = {
        "leeway": "0", "commit": "c", "program": "pagerank", "configuration": {"consistency": "scp"},
        "input": {"graph": "kron:4", "hash": "1f", "vertices": 16, "arcs": 64}, "simulated": True,
        "seconds": {"load": 0, "partition": 0, "setup": 0, "compute": 2.0, "output": 0},
        "iterations": 3, "converged": True, "why": "nothing changes", "staleness": [90, 10],
        "blocked_fetches": 5, "refreshes": 0, "messages": {"read": {"count": 7, "bytes": 70}},
        "series": [{"seconds": 1.0, "changed": 9, "visited": 16}, {"seconds": 2.0, "changed": 0, "visited": 16}],
        "nodes": [{"vertices": 16, "remote": 0, "begin": 0, "end": 2,
                   "spans": [["compute", 0, 1.5], ["barrier", 1.5, 2]]}],
    }
    return {**plain, **changes}


class CompareCase(CommandTest):
    def save(self, name, **changes):
        return self.write(name, json.dumps(report(**changes)))

    def page(self, *reports):
        self.succeeds("compare", *reports)
        with open(os.path.join(self.folder, "comparison.html"), encoding="utf-8") as file:
            return file.read()


class CompareTest(CompareCase):
    def test_times_are_set_beside_the_first(self):
        fast = {**report()["seconds"], "compute": 0.5}
        said = self.succeeds("compare", self.save("scp.json"), self.save("rcp.json", seconds=fast))
        self.assertRegex(said, r"scp +2\.0000 +1\.00x")
        self.assertRegex(said, r"rcp +0\.5000 +0\.25x +3 +90\.0 %")
        self.assertIn("comparison.html", self.left())

    def test_what_cannot_be_compared_is_said(self):
        said = self.succeeds("compare", self.save("a.json"), self.save("b.json", simulated=False), "--page", "none")
        self.assertIn("virtual (simulated), others real", said)
        self.assertEqual(self.left(), ["a.json", "b.json"])

    def test_files_of_one_name_stay_apart(self):
        os.mkdir(os.path.join(self.folder, "x"))
        said = self.succeeds("compare", self.save("a.json"), self.save("x/a.json"))
        self.assertIn("a (2)", said)

    def test_the_page_fetches_nothing(self):
        addresses = set(re.findall(r"https?://[^\s'\"]+", self.page(self.save("a.json"))))
        self.assertEqual(addresses, {"http://www.w3.org/2000/svg"})
        self.assertNotRegex(self.page("a.json"), r"<(link|img|iframe)|src=")

    def test_no_text_ends_the_data(self):
        page = self.page(self.save("a.json", program="</script><script>alert(1)</script>"))
        self.assertNotIn("alert(1)</script>", page)

    def test_what_is_no_report_is_refused(self):
        self.refuses("compare", self.write("a.json", "{}"), says=["a.json", "program"])
        self.refuses("compare", self.write("a.json", "[1"), says="not a JSON object")
        self.refuses("compare", self.save("a.json", iterations="many"), says="'iterations' is not")
        self.refuses("compare", "missing.json", says="missing.json")
        self.refuses("compare", says="REPORT is missing")
        self.refuses("compare", self.save("a.json"), "--page", "/nonexistent/p.html", code=3, says="/nonexistent")
        self.assertEqual(self.left(), ["a.json"])


@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class BrowserTest(CompareCase):
    def shown(self, width):
        """The page's elements once its scripts have run, and what they complained of."""
        self.page(self.save("scp.json"), self.save("rcp.json", configuration={"consistency": "rcp"}))
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 "--enable-logging=stderr", f"--user-data-dir={profile}", f"--window-size={width},900",
                 "--virtual-time-budget=2000", "--dump-dom", f"file://{self.folder}/comparison.html"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=True)
        self.assertNotRegex(done.stderr, r":CONSOLE")
        return done.stdout

    def test_every_part_is_drawn_on_a_desk_and_on_a_phone(self):
        for width in [1100, 500]:
            page = self.shown(width)
            for title in ["At a glance", "Time", "Convergence", "Staleness", "Messages", "Nodes over time",
                          "Configuration"]:
                self.assertIn(f"<h2>{title}</h2>", page)
            self.assertIn("pagerank on kron:4</h1>", page)
            self.assertGreater(page.count("<rect"), 10)
            self.assertIn("<canvas", page)


if __name__ == "__main__":
    main()
