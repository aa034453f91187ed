"""`leeway compare`: the table, the page, and the page in a browser."""
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
        self.succeeds("compare", *reports, "--page", "comparison.html", "--force")
        with open(os.path.join(self.folder, "comparison.html"), encoding="utf-8") as file:
            return file.read()


class CompareTest(CompareCase):
    def test_times_are_relative_to_the_first_run(self):
        fast = {**report()["seconds"], "compute": 0.5}
        output = self.succeeds("compare", self.save("scp.json"), self.save("rcp.json", seconds=fast))
        self.assertRegex(output, r"scp +2\.0000 +1\.00 ")
        self.assertRegex(output, r"rcp +0\.5000 +0\.25 +3 +90\.0 %")
        self.assertEqual(self.left(), ["rcp.json", "scp.json"])  # no page without --page

    def test_what_an_engine_does_not_count_is_not_shown(self):
        pieces = {key: value for key, value in report().items() if key not in ("staleness", "blocked_fetches")}
        output = self.succeeds("compare", self.save("all.json"), self.write("pieces.json", json.dumps(pieces)))
        self.assertRegex(output, r"all +2\.0000 +1\.00 +3 +90\.0 % +5 ")
        self.assertRegex(output, r"pieces +2\.0000 +1\.00 +3 +- +- ")

    def test_a_comparison_of_virtual_with_real_time_has_a_note(self):
        output = self.succeeds("compare", self.save("a.json"), self.save("b.json", simulated=False), "--page", "none")
        self.assertIn("virtual (simulated), others real", output)
        self.assertEqual(self.left(), ["a.json", "b.json"])

    def test_files_with_equal_names_get_distinct_labels(self):
        os.mkdir(os.path.join(self.folder, "x"))
        output = self.succeeds("compare", self.save("a.json"), self.save("x/a.json"))
        self.assertIn("a (2)", output)

    def test_the_page_fetches_nothing(self):
        addresses = set(re.findall(r"https?://[^\s'\"]+", self.page(self.save("a.json"))))
        self.assertEqual(addresses, {"http://www.w3.org/2000/svg"})
        self.assertNotRegex(self.page("a.json"), r"<(link|img|iframe)|src=")

    def test_text_in_a_report_cannot_end_the_script_element(self):
        page = self.page(self.save("a.json", program="</script><script>alert(1)</script>"))
        self.assertNotIn("alert(1)</script>", page)

    def test_a_file_that_is_not_a_report_is_refused(self):
        self.refuses("compare", self.write("a.json", "{}"), text=["a.json", "program"])
        self.refuses("compare", self.write("a.json", "[1"), text="not a JSON object")
        self.refuses("compare", self.save("a.json", iterations="many"), text="'iterations' has the wrong type")
        self.refuses("compare", "missing.json", text="missing.json")
        self.refuses("compare", text="REPORT is missing")
        self.refuses("compare", self.save("a.json"), "--page", "/nonexistent/p.html", code=3, text="/nonexistent")
        self.assertEqual(self.left(), ["a.json"])


@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class BrowserTest(CompareCase):
    def shown(self, width, *reports, then=""):
        """The page's DOM after its scripts and then `then` have run; fails if a script reports an error."""
        self.page(*(reports or [self.save("scp.json"), self.save("rcp.json", configuration={"consistency": "rcp"})]))
        self.write("comparison.html", self.read("comparison.html").replace("</body>", f"<script>{then}</script></body>"))
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
            self.assertIn("baseline</text>", page)

    def test_drawn_elements_have_names_and_are_reached_by_keyboard(self):
        page = self.shown(1100)
        for drawing in re.findall(r"<(?:svg|canvas)[^>]*>", page):
            self.assertRegex(drawing, r'aria-label="[^"]+"')
        self.assertGreater(len(re.findall(r'tabindex="0"[^>]*aria-label="[^"]+: ', page)), 4)
        for select in re.findall(r"<select[^>]*>", page):
            self.assertIn("aria-label=", select)

    def test_every_plot_is_saved_as_a_self_contained_file(self):
        page = self.shown(1100, then="""
            const saved = [];
            window.download = (name, blob) => blob.text().then((text) => saved.push(name + ' ' + text.length + ' ' +
              (name.endsWith('.svg') ? text.includes('var(') || !text.includes('xmlns') : !text.includes(','))));
            for (const button of document.querySelectorAll('figcaption button'))
              if (button.textContent !== 'PNG') button.click();
            setTimeout(() => { document.title = saved.join(';'); }, 500);""")
        saved = [one.split() for one in re.search(r"<title>(.*?)</title>", page)[1].split(";")]
        names = [name for name, _, _ in saved]
        for name in ["time.svg", "time.csv", "convergence.svg", "convergence.csv", "messages.csv"]:
            self.assertIn(name, names)
        for name, length, wrong in saved:
            self.assertGreater(int(length), 20, name)
            self.assertEqual(wrong, "false", name)

    def test_a_single_run_can_be_selected_on_either_axis(self):
        page = self.shown(1100, then="""
            const [axis, which] = ['time axis', 'runs shown'].map((name) => document.querySelector(`[aria-label="${name}"]`));
            const pick = (select, value) => { select.value = value; select.dispatchEvent(new Event('change')); };
            const lines = () => document.querySelectorAll('[aria-label="Convergence"] path').length;
            const logarithmic = () => document.querySelector('[aria-label="Convergence"]').textContent.includes('(logarithmic)');
            const seen = [lines()];
            pick(which, '1'); seen.push(lines()); pick(axis, 'log'); seen.push(logarithmic());
            pick(axis, 'linear'); seen.push(logarithmic());
            document.title = seen.join(' ');""")
        self.assertIn("<title>2 1 true false</title>", page)

    def test_residuals_are_drawn_on_logarithmic_axes(self):
        falling = [{"seconds": i + 1.0, "changed": 16, "visited": 16, "residual": {"sum": 10.0 ** -i, "most": 10.0 ** -i / 4}}
                   for i in range(12)]
        page = self.shown(1100, self.save("a.json", series=falling), self.save("b.json"), then="""
            const drawing = () => document.querySelector('[aria-label="Residual"]');
            const heights = () => [...drawing().querySelectorAll('circle')].slice(1).map((c) => Number(c.getAttribute('cy')));
            const show = (name, value) => document.body.append(el('p', {}, `${name}: ${value}`));
            const even = heights().slice(1).map((y, i) => Math.round(y - heights()[i]));
            show('steps', new Set(even).size);
            show('curves', drawing().querySelectorAll('path').length);
            const measure = document.querySelector('[aria-label="measure"]');
            measure.value = '1'; measure.dispatchEvent(new Event('change'));
            show('named', drawing().textContent.includes('largest change'));""")
        for line in ("steps: 1", "curves: 1", "named: true"):
            self.assertIn(f"<p>{line}</p>", page)
        self.assertIn(">1e-10</text>", page)
        self.assertNotIn("<h2>Residual</h2>", self.shown(1100))

    def test_runs_that_use_no_copies_have_no_staleness(self):
        page = self.shown(1100, self.save("a.json"), self.save("pie.json", staleness=[0]), self.save("tick.json", staleness=[]))
        self.assertIn('aria-label="Staleness of a"', page)
        for name in ("pie", "tick"):
            self.assertNotIn(f'aria-label="Staleness of {name}"', page)

    def test_repeats_are_one_bar_with_their_spread(self):
        runs = [self.save(f"r{seed}.json", configuration={"seed": seed}) for seed in "123"]
        page = self.shown(1100, self.save("scp.json", configuration={"consistency": "rcp"}), *runs)
        self.assertIn("(3 runs)", page)
        self.assertEqual(page.count('class="whisker"'), 1)

    def test_twenty_runs_have_twenty_colours_or_strokes(self):
        page = self.shown(1100, *[self.save(f"m{i}.json", configuration={"staleness": str(i)}) for i in range(20)], then="""
            const paints = [...document.querySelectorAll('[aria-label="Convergence"] path')].map((path) =>
              getComputedStyle(path).stroke + getComputedStyle(path).strokeDasharray);
            document.title = new Set(paints).size;""")
        self.assertIn("<title>20</title>", page)


if __name__ == "__main__":
    main()
