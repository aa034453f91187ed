"""leeway-predictor: logs of rounds, forests trained on them, and predictions during a run."""
import json
import os
import subprocess
import sys

from command_case import CommandTest, main

PREDICTOR = os.path.abspath(sys.argv[4])
GRAPH = "uniform:300:4"
SIMULATED = ["--undirected", "--fabric", "sim", "--net", "gigabit", "--nodes", "4", "--workers", "16"]


class PredictorTest(CommandTest):
    def run_leeway(self, *arguments, environment=None, **more):
        return subprocess.run([PREDICTOR, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, timeout=600, capture_output=True,
                              text=True, **more)

    def found(self, *words):
        return json.loads(self.succeeds(*words, "--json"))

    def test_a_forest_learns_from_a_file_or_from_the_first_rounds(self):
        far = ["sssp", GRAPH, *SIMULATED, "--source", "5"]
        logged = self.found("log", *far, "--out", "log.txt")
        self.succeeds("train", "log.txt", "--out", "sssp.forest")
        lines = self.read("log.txt").splitlines()
        self.assertGreater(len(lines), 20)
        self.assertEqual(logged["rounds"], len(lines) - 1)
        self.assertEqual(self.found("run", *far)["trained_on"], 0)  # no rank had 64 rounds
        for forest in ("log.txt", "sssp.forest"):
            found = self.found("run", *far, "--forest", forest)
            self.assertTrue(found["converged"])
            self.assertLess(0, found["scored"])
            self.assertLessEqual(found["scored"], found["predictions"])
            self.assertLess(0, found["msre"])
            self.assertLess(0, found["msre_of_mean"])
            self.assertEqual(found["trained_on"], len(lines) - 1)
        found = self.found("run", "sssp", "grid2d:60x60", "--workers", "32", "--nodes", "2", "--fabric", "sim", "--partition", "hash",
                           "--net", "gigabit")
        self.assertIn(found["trained_on"], [64 * k for k in range(1, 17)])
        self.assertLess(0, found["predictions"])
        # A log and the forest trained on it give the same predictions, in virtual time.
        times = [self.found("run", *far, "--forest", forest)["compute_seconds"] for forest in ("log.txt", "log.txt", "sssp.forest")]
        self.assertEqual(times, [times[0]] * 3)

    def test_a_forest_is_trained_on_several_queries_and_tested_on_others(self):
        for program in ("sssp", "cc", "pagerank"):
            for seed in range(1, 5):
                query = ["--source", str(seed)] if program == "sssp" else ["--partition", "hash", "--seed", str(seed)]
                self.succeeds("log", program, "grid2d:40x40", *SIMULATED, "--out", f"{program}{seed}.log", *query)
            logs = [f"{program}{seed}.log" for seed in (1, 2, 3)]
            train = ["train", *logs, "--out", program + ".forest", "--test", program + "4.log"]
            found = self.found(*train)
            self.assertEqual((found["program"], found["queries"], found["folds"]), (program, 3, 3))
            self.assertLess(found["validated_msre"], 1)
            self.assertLess(found["test_msre"], 1)  # virtual times
            self.assertLess(found["test_msre"], found["test_msre_of_mean"])
            self.assertIn(found["validated_msre"], [step["msre"] for step in found["pruning"]])
            self.write("all.log", "".join(self.read(log) for log in logs))
            whole = self.found("train", "all.log", "--out", "all.forest", "--threads", "1", "--force")
            self.assertEqual(whole["queries"], 3)
            self.assertEqual(self.read("all.forest"), self.read(program + ".forest"))
            self.assertIn("chosen", self.succeeds(*train, "--force"))

    def test_a_broken_log_or_forest_is_refused_by_its_line(self):
        run = ["run", "sssp", GRAPH, "--undirected"]
        head = "# leeway rounds 2 sssp 64 4 : seconds\n"
        self.write("log.txt", head + "0.5 1 1 2 3 4 5 6 7 8 9 0:1\n0.5 1 1 2 3 4 5 6 7 8 9 4:1\n")
        self.refuses(*run, "--forest", "log.txt", text="log.txt:3")
        self.refuses("train", "log.txt", text="log.txt:3")
        self.refuses(*run, "--forest", "none.txt", text="none.txt")
        self.refuses("train", "none.txt", text="none.txt")
        self.refuses("train", text="LOG is missing")
        row = "0.5 1 1 2 3 4 5 6 7 8 9 0:1\n"
        self.write("one.log", head + row * 3)
        self.write("cc.log", head.replace("sssp", "cc") + row * 3)
        self.write("long.log", head.replace("64 4", "64 5") + row * 3)
        self.write("nan.log", head + row + row.replace("0.5", "nan"))
        self.write("short.log", head + row)
        self.write("cut.log", head + row + row[:-1])
        self.refuses("train", "one.log", "cc.log", text=["cc.log", "of cc", "of sssp"])
        self.refuses("train", "one.log", "long.log", text=["long.log", "L = 5", "L = 4"])
        self.refuses("train", "one.log", "--test", "cc.log", text=["--test", "cc"])
        self.refuses("train", "nan.log", text="nan.log:3")
        self.refuses("train", "short.log", text=["short.log", "2 or more"])
        self.refuses("train", "cut.log", text="cut.log:3")
        self.refuses("train", "one.log", "--out", "one.log", text="one.log")
        self.succeeds("train", "one.log", "--out", "one.forest")
        self.refuses("run", "cc", GRAPH, "--forest", "one.forest", text=["one.forest", "sssp", "cc"])
        forest = self.read("one.forest")
        self.write("cut.forest", forest[:len(forest) // 2])
        self.refuses(*run, "--forest", "cut.forest", text="cut.forest:")
        self.write("nan.forest", forest.replace("leaf 2", "leaf nan", 1))
        self.refuses(*run, "--forest", "nan.forest", text="nan.forest:3")
        self.write("new.forest", forest.replace("forest 1", "forest 2", 1))
        self.refuses(*run, "--forest", "new.forest", text="new.forest:1")

    def test_invalid_words_are_refused(self):
        self.assertIn("leeway-predictor train", self.succeeds("--help"))
        self.refuses(text="log, train or run")
        self.refuses("lgo", text="'lgo'")
        self.refuses("log", "sssp", GRAPH, text="--out")
        self.refuses("log", "sssp", "--out", "l.txt", text="a program and a graph")
        self.refuses("log", "sps", GRAPH, "--out", "l.txt", text="sssp")
        self.refuses("log", "sssp", "no.txt", "--out", "l.txt", text="no.txt")
        self.refuses("log", "sssp", GRAPH, "--out", "l.txt", "--woods", text="--woods")
        self.refuses("log", "sssp", GRAPH, "--out", "l.txt", "--workers", text=["--workers", "value"])
        self.refuses("log", "sssp", GRAPH, "--out", "l.txt", "--workers", "many", text="--workers")
        self.refuses("log", "heat", GRAPH, "--out", "l.txt", text="heat")
        self.refuses("run", "sssp", GRAPH, "--scheduler", "bsp", text=["--scheduler", "aap"])
        self.refuses("run", "sssp", GRAPH, "--out", "x.txt", text="--out")
        self.refuses("train", "a.log", "--workers", "2", text="--workers")
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    main()
