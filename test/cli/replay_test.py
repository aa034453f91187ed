"""Replays of the papers' figures."""
import csv
import json
import os
import re
import shutil
import subprocess
import unittest

from command_case import LEEWAY, CommandTest, main

CLAIMS_TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "claims_table.py")

class ReplayTest(CommandTest):
    SMALL = ["--graph", "powerlaw:400:2.2", "--nodes", "4", "--seeds", "1", "--quiet"]
    ASPIRE = ["aspire-prices", "table3", "table4", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11", "stale-readings", "aspire-threshold",
              "fig12", "fig13", "fig14", "fig15", "fig16", "table5"]
    CLAIMS = {"fig12": 3, "fig13": 4, "fig14": 2, "fig15": 2}
    VERDICTS = ("agrees", "same direction, other size", "disagrees", "not testable here", "calibration")

    def test_every_figure_gives_a_table(self):
        for figure in self.ASPIRE:
            small = self.SMALL[:2] + self.SMALL[4:] if figure == "fig6" else self.SMALL
            text = self.succeeds("replay", figure, *small, "--out", "numbers")
            for words in [f"{figure}:", "simulated", "virtual seconds", "infiniband", " virtual, METIS", "seed        1"]:
                self.assertIn(words, text)
            with open(f"{self.folder}/numbers/{figure}.json", encoding="utf-8") as file:
                report = json.load(file)
            self.assertTrue(report["simulated"])
            self.assertEqual(report["claims"], [])  # the paper's claims hold for its graphs only
            if figure != "stale-readings":  # without claims
                self.assertIn("not graded", text)
            with open(f"{self.folder}/numbers/{figure}.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), len(report["rows"]))
            self.assertEqual(list(rows[0]), list(report["rows"][0]))
            self.assertEqual({row["seed"] for row in rows}, {"1"})
        self.assertEqual(len(os.listdir(f"{self.folder}/numbers")), 2 * len(self.ASPIRE) + 1)

    def test_every_claim_has_a_verdict(self):
        for figure in self.CLAIMS:
            text = self.succeeds("replay", figure, "--iterations", "1", "--nodes", "2", "--seeds", "2", "--quiet", "--out", "numbers")
            with open(f"{self.folder}/numbers/{figure}.json", encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual(len(report["claims"]), self.CLAIMS[figure])
            for claim in report["claims"]:
                self.assertIn(claim["verdict"].split(";")[0], self.VERDICTS)
                self.assertIn(f"  {claim['verdict']}: {claim['claim']}\n", text)
                for measure in claim["measures"]:
                    self.assertEqual(len(measure["here"]), 2)

    def test_a_flag_that_does_not_apply_to_a_figure_is_refused(self):
        for figure, *flag in [("fig6", "--nodes", "4"), ("tick-fig13", "--nodes", "4"), ("aap-fig1", "--nodes", "4"),
                              ("tick-fig5", "--graph", "known:karate"), ("asytick-fig5", "--graph", "known:karate"),
                              ("fig7", "--iterations", "3"), ("asytick-fig5", "--iterations", "3"),
                              ("loopback", "--nodes", "4"), ("cache", "--net", "ec2"), ("cache", "--graph", "known:karate"),
                              ("cache", "--full-scale")]:
            self.refuses("replay", figure, *flag, text=flag[0])

    def test_a_paper_s_name_replays_all_its_figures(self):
        """`replay tick` writes all ten figures of the Tick paper and no others, and a page."""
        self.succeeds("replay", "tick", "--nodes", "2", "--iterations", "4", "--seeds", "2", "--quiet", "--out", "tick")
        found = sorted(name for name in os.listdir(f"{self.folder}/tick") if name.endswith(".json"))
        self.assertEqual(found, sorted(["tick-fig1.json", *[f"tick-fig{n}.json" for n in range(5, 14)]]))
        table = subprocess.run([CLAIMS_TABLE, *[f"{self.folder}/tick/{name}" for name in reversed(found)]],
                               capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(table[0], "| figure | claim | measured | agrees | here | verdict |")
        figures = [line.split(" | ")[0][2:] for line in table if line.startswith("| tick")]
        self.assertEqual(list(dict.fromkeys(figures)), ["tick-fig1", *[f"tick-fig{n}" for n in range(5, 14)]])
        page = self.read("tick/tick.md")
        agreed, graded = page.count(" | agrees") - 1, re.search(r"Of (\d+) claims", page).group(1)
        self.assertEqual(table[-1], f"{agreed} of {graded} claims agree.")
        self.assertIn("<svg", self.read("tick/tick.svg"))
        self.assertEqual(sorted(name for name in os.listdir(f"{self.folder}/tick") if name.endswith((".md", ".svg"))),
                         ["tick.md", "tick.svg"])

    def test_a_claim_s_number_follows_from_the_raw_numbers(self):
        """fig13's shares of SCP's time, recomputed from the CSV of two seeds."""
        self.succeeds("replay", "fig13", "--nodes", "3", "--seeds", "2", "--seed", "4", "--quiet", "--out", "raw")
        rows = list(csv.DictReader(self.read("raw/fig13.csv").splitlines()))
        claim = next(each for each in json.loads(self.read("raw/fig13.json"))["claims"] if each["claim"] == "RCP performs better than SCP")
        seconds = {(row["seed"], row["mode"], row["writes"]): float(row["seconds"]) for row in rows if row["spread_writes"] == "no"}
        held = [sum(seconds[seed, "rcp", writes] < seconds[seed, "scp", writes] for writes in "1234") for seed in "45"]
        self.assertEqual(claim["measures"][0]["here"], held)

    def test_asytick_figures_run_on_the_requested_number_of_workers(self):
        for figure, claims in {"asytick-fig5": 2, "asytick-fig8": 2, "asytick-fig9": 4}.items():
            text = self.succeeds("replay", figure, "--nodes", "4", "--seeds", "1", "--quiet", "--out", "asytick")
            for words in [f"{figure}:", "simulated", "gigabit", "4 virtual"]:
                self.assertIn(words, text)
            with open(f"{self.folder}/asytick/{figure}.json", encoding="utf-8") as file:
                self.assertEqual(len(json.load(file)["claims"]), claims)

    def test_replays_on_real_threads_are_labelled_as_measured(self):
        for figure, claims in {"tick-loopback": 6, "asytick-loopback": 4}.items():
            text = self.succeeds("replay", figure, "--iterations", "5", "--net", "gigabit", "--quiet", "--out", "real")
            for words in [f"{figure}:", "measured", "real seconds", "gigabit, in real time"]:
                self.assertIn(words, text)
            self.assertNotIn("virtual", text)
            with open(f"{self.folder}/real/{figure}.json", encoding="utf-8") as file:
                report = json.load(file)
            self.assertFalse(report["simulated"])
            self.assertEqual(len(report["claims"]), claims)

    # Takes a minute: runs nightly (LEEWAY_LONG=1).
    @unittest.skipUnless("LEEWAY_LONG" in os.environ, "takes a minute; LEEWAY_LONG=1 runs it")
    def test_all_replays_every_figure(self):
        text = self.succeeds("replay", "all", *self.SMALL, "--iterations", "3")
        for figure in [*self.ASPIRE, "tick-fig1", "tick-fig13", "asytick-fig4", "asytick-fig14"]:
            self.assertIn(f"{figure}:", text)

    def test_the_same_seed_writes_the_same_files_and_another_does_not(self):
        for folder, seed in [("a", "1"), ("b", "1"), ("c", "2")]:
            self.succeeds("replay", "fig15", *self.SMALL, "--seed", seed, "--out", folder)
        texts = []
        for folder in "abc":
            with open(f"{self.folder}/{folder}/fig15.json", encoding="utf-8") as file:
                texts.append(file.read())
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_a_substitute_graph_is_labelled_as_such(self):
        done = self.run_leeway("replay", "fig14", "--iterations", "1", "--nodes", "2", "--net", "ideal", "--seeds", "1", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("replaces a social one", done.stdout)
        self.assertNotIn("replaces a social one", self.succeeds("replay", "fig14", *self.SMALL))

    def test_a_missing_leeway_replay_program_is_reported(self):
        alone = shutil.copy(LEEWAY, f"{self.folder}/leeway")
        done = subprocess.run([alone, "replay", "fig14"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stdout, "")
        for words in [f"{self.folder}/leeway-replay", "in the folder of leeway"]:
            self.assertIn(words, done.stderr)
        text = subprocess.run([alone, "replay", "--help"], capture_output=True, text=True, check=True).stdout
        self.assertIn("--full-scale", text)

    def test_modes_compare_programs_on_one_graph(self):
        text = self.succeeds("replay", "modes", "kron:6:4", "--nodes", "3", "--programs", "pagerank,CC,heat", "--schedulers",
                             "ap,aap", "--out", "modes")
        rows = json.loads(self.read("modes/modes.json"))["rows"]
        self.assertEqual(len(rows), 3 * 11)
        for row in rows:
            self.assertEqual(row["right"], row["converged"], row)
        self.assertEqual({row["program"] for row in rows}, {"pagerank", "cc", "heat"})
        base = {row["program"]: float(row["seconds"]) for row in rows if row["mode"] == "SCP"}
        shown = re.search(r"^ +pagerank +(.*)$", text, re.M).group(1).split()
        rcp = next(row for row in rows if (row["program"], row["mode"]) == ("pagerank", "RCP"))
        self.assertAlmostEqual(float(shown[6]), float(rcp["seconds"]) / base["pagerank"], delta=0.006)
        for title in ("time over SCP's", "remote reads that waited", "versions behind", "iterations", "messages over SCP's"):
            self.assertIn(title, text)
        page = self.read("modes/replay.html")
        self.assertIn("mean of the programs", page)
        self.assertIn('"data">{"title": "cc, pagerank and heat under every mode, on kron:6:4"', page)
        self.assertIn("modes: cc, pagerank and heat under every mode, on kron:6:4\n", text)
        self.assertNotIn("claims agree", text)
        self.assertIn(f"{len(rows)} of the {len(rows)} runs that converged give", text)
        one = self.succeeds("replay", "modes", "kron:6:4", "--nodes", "2", "--programs", "cc", "--out", "one")
        for words in (one, self.read("one/replay.html").split("</script>", 1)[0]):
            self.assertNotIn("geometric mean", words)
        self.assertIn("modes: cc under every mode, on kron:6:4\n", one)
        self.assertIn("time over SCP's, cc", self.read("one/replay.html"))
        whole = self.succeeds("replay", "optimizations", "kron:6:4", "--nodes", "2")
        self.assertIn("optimizations: the eight programs of ASPIRE's Table 1 under RCP without each of ASPIRE's optimizations, on kron:6:4\n", whole)
        cached = self.succeeds("replay", "modes", "kron:6:4", "--nodes", "3", "--programs", "cc", "--cache", "16", "--quiet")
        self.assertIn("of 16 copies, lru", cached)

    def test_processes_measure_modes_together(self):
        done = self.run_under_mpi(2, "replay", "modes", "kron:6:4", "--programs", "cc,sssp", "--out", "real", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("measured: every time"), 1)
        rows = json.loads(self.read("real/modes.json"))["rows"]
        self.assertEqual((len(rows), all(row["right"] == "yes" for row in rows)), (18, True))
        text = self.succeeds("launch", "-n", "2", "--", LEEWAY, "replay", "modes", "kron:6:4", "--programs", "cc", "--quiet")
        self.assertIn("2 processes of a job", text)
        alone = self.run_under_mpi(2, "replay", "fig12", "--quiet")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("is replayed by one process", alone.stderr)

    def test_each_optimization_is_switched_off_in_turn(self):
        self.succeeds("replay", "optimizations", "kron:6:4", "--nodes", "3", "--programs", "pagerank,sssp", "--out", "o", "--quiet")
        rows = json.loads(self.read("o/optimizations.json"))["rows"]
        self.assertEqual((len(rows), all(row["right"] == "yes" for row in rows)), (12, True))
        of = {(row["program"], row["mode"]): row for row in rows}
        for program in ("pagerank", "sssp"):
            self.assertGreater(of[program, "none"]["messages"], of[program, "all four"]["messages"])

    def test_what_cannot_be_replayed_is_refused(self):
        self.refuses("replay", text="NAME is missing")
        self.refuses("replay", "fig21", text=["'fig21'", "did you mean"])
        self.refuses("replay", "fig12", "--net", "infinband", text=["--net", "'infiniband'"])
        self.refuses("replay", "fig12", "--nodes", "0", text="--nodes")
        self.refuses("replay", "fig12", "--seeds", "0", text="--seeds")
        self.refuses("replay", "modes", "--programs", "pagerank,lcc", text=["--programs", "'lcc'"])
        self.refuses("replay", "modes", "--programs", "pagerank,", text=["--programs", "empty"])
        self.refuses("replay", "modes", "--schedulers", "bsp", text=["--schedulers", "ap, ssp and aap"])
        self.refuses("replay", "modes", "nowhere.txt", text="nowhere.txt")
        self.refuses("replay", "modes", "kron:6", "--graph", "kron:5", text=["GRAPH", "--graph"])
        self.refuses("replay", "modes", "--eviction", "clock", text=["--eviction", "--cache"])
        self.refuses("replay", "fig15", "--cache", "20", text=["--cache", "fig15"])
        self.refuses("replay", "fig12", "--nodes", "99999", text="--nodes")
        self.refuses("replay", "fig12", "--graph", "nowhere.txt", text="nowhere.txt")
        self.refuses("replay", "fig12", *self.SMALL, "--out", "/dev/null/x", text="/dev/null/x", code=3)
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    main()
