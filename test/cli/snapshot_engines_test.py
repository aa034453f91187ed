"""Snapshots and resumed runs of engines with more state than one value per vertex: pieces, and the factors of cf."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

from command_case import LEEWAY, CommandTest, main

SYSTEMS = ["oritick", "comtick", "asytick", "asytick-plb"]
# By name: the arguments of the program, and its number of ticks (None: until convergence).
PIECES = {
    "fish": (["--fish", "300", "--informed", "30", "--iterations", "12"], 12),
    "nbody": (["--bodies", "300", "--iterations", "12"], 12),
    "jacobi": (["--plate", "30x20", "--iterations", "12"], 12),
    "jacobi at rest": (["--plate", "12x10", "--tolerance", "1e-6"], None),
    "pagerank": (["kron:8"], None),
}


class EnginesTest(CommandTest):
    def numbers(self, folder="snaps"):
        return sorted(name for name in os.listdir(os.path.join(self.folder, folder)) if name.isdigit())

    def fresh(self):
        shutil.rmtree(os.path.join(self.folder, "snaps"), ignore_errors=True)

    def number_after(self, text, what):
        return int(re.search(rf"{what} +([0-9,]+)", text)[1].replace(",", ""))


class PieceTest(EnginesTest):
    def test_resuming_in_another_system_on_other_nodes_gives_the_same_bits(self):
        drawn = random.Random(8)
        for name, (scene, ticks) in PIECES.items():
            program = [name.split()[0], "--engine", "piece", *scene]
            self.succeeds("run", *program, "--out", "whole.txt")
            for system in SYSTEMS:
                self.fresh()
                self.succeeds("run", *program, "--system", system, "--nodes", str(drawn.randint(1, 4)), "--pieces", "5", "--fabric",
                              drawn.choice(["sim", "sim", "loopback"]), "--snapshot", "snaps", "--snapshot-every", "5", "--verify",
                              "--snapshots-kept", "1000")
                self.assertTrue(self.numbers(), f"{name} {system}")
                begin = drawn.choice(self.numbers())
                again = self.succeeds("run", *program, "--resume", f"snaps/{begin}", "--system", drawn.choice(SYSTEMS), "--nodes",
                                      str(drawn.randint(1, 5)), "--pieces", str(drawn.randint(1, 9)), "--verify", "--out",
                                      "rest.txt")
                self.assertIn("verified", again, f"{name} {system}")
                self.assertEqual(self.read("rest.txt"), self.read("whole.txt"), f"{name} {system}")
                self.assertGreater(self.number_after(again, "resumed from tick"), 0)
                if ticks:
                    self.assertEqual(self.number_after(again, "to tick"), ticks)

    def test_a_linear_system_resumes_on_any_division_and_refuses_another_right_side(self):
        program = ["linear-system", "matrix:dominant:80:7"]
        place = ["--nodes", "3", "--pieces", "4", "--partition", "block"]
        self.succeeds("run", *program, *place, "--out", "whole.txt")
        self.succeeds("run", *program, *place, "--system", "oritick", "--snapshot", "snaps", "--snapshot-every", "9",
                      "--snapshots-kept", "1000")
        begin = f"snaps/{self.numbers()[0]}"
        again = self.succeeds("run", *program, *place, "--resume", begin, "--verify", "--out", "rest.txt")
        self.assertGreater(self.number_after(again, "resumed from tick"), 0)
        self.assertEqual(self.read("rest.txt"), self.read("whole.txt"))  # one division: the same bits
        self.assertIn("verified", self.succeeds("run", *program, "--nodes", "2", "--resume", begin, "--verify"))
        self.write("b.txt", "".join(f"{i}\n" for i in range(80)))
        self.refuses("run", *program, "--rhs", "b.txt", "--resume", begin, text="rhs")

    def test_a_right_side_counts_by_its_content(self):
        self.write("b.txt", "".join(f"{i}\n" for i in range(81)))
        self.write("same.txt", self.read("b.txt"))
        self.write("other.txt", self.read("b.txt").replace("80", "79"))
        program = ["heat", "grid2d:9x9", "--nodes", "2"]
        self.succeeds("run", *program, "--rhs", "b.txt", "--snapshot", "snaps", "--snapshot-every", "3")
        self.assertIn("resumed", self.succeeds("run", *program, "--rhs", "same.txt", "--resume", "snaps"))
        self.refuses("run", *program, "--rhs", "other.txt", "--resume", "snaps", text="rhs")

    def test_resuming_from_the_last_tick_computes_nothing(self):
        scene = ["jacobi", "--engine", "piece", "--plate", "20x20", "--iterations", "9"]
        self.succeeds("run", *scene, "--fabric", "sim", "--snapshot", "snaps", "--snapshot-every", "4")
        self.succeeds("run", *scene[:-1], "8", "--resume", "snaps", "--out", "then.txt")
        self.succeeds("run", *scene[:-1], "8", "--out", "now.txt")
        self.assertEqual(self.read("then.txt"), self.read("now.txt"))
        self.refuses("run", *scene[:-1], "7", "--resume", "snaps", text=["tick 8", "--iterations 8"])

    def test_snapshot_values_are_those_of_the_tick(self):
        scene = ["jacobi", "--engine", "piece", "--plate", "5x4"]
        self.succeeds("run", *scene, "--iterations", "9", "--snapshot", "snaps", "--snapshot-every", "6")
        self.succeeds("run", *scene, "--iterations", "6", "--out", "six.txt")
        cells = [float(line.split()[1]) for line in self.succeeds("snapshot", "values", "snaps").splitlines()]
        plate = [float(line.split()[2]) for line in self.read("six.txt").splitlines()]
        self.assertEqual(cells, plate)
        info = json.loads(self.succeeds("snapshot", "info", "snaps", "--json"))
        self.assertEqual((info["engine"], info["progress"], info["vertices"]), ("piece", 6, 20))
        self.assertIn("whole, 1 parts", self.succeeds("snapshot", "verify", "snaps"))
        self.succeeds("run", "pagerank", "kron:7", "--engine", "piece", "--snapshot", "ranks", "--snapshot-every", "3")
        ranks = [float(line.split()[1]) for line in self.succeeds("snapshot", "values", "ranks").splitlines()]
        self.assertAlmostEqual(sum(ranks), 1, 9)

    def test_another_scene_is_refused(self):
        self.succeeds("run", "fish", "--engine", "piece", "--fish", "50", "--iterations", "6", "--snapshot", "snaps",
                      "--snapshot-every", "2")
        for other in (["fish", "--fish", "50", "--seed", "2"], ["fish", "--fish", "51"], ["nbody", "--bodies", "50"]):
            self.refuses("run", *other, "--engine", "piece", "--iterations", "6", "--resume", "snaps", text="snaps")
        self.refuses("run", "fish", "--engine", "tick", "--fish", "50", "--iterations", "6", "--resume", "snaps",
                     text=["engine piece", "tick"])
        self.refuses("run", "fish", "--engine", "piece", "--fish", "50", "--iterations", "6", "--snapshot", "snaps",
                     "--snapshot-every", "2s", text="ticks")

    def test_a_killed_run_can_be_resumed(self):
        scene = ["jacobi", "--engine", "piece", "--plate", "200x200", "--iterations", "4000"]
        job = subprocess.Popen([LEEWAY, "run", *scene, "--nodes", "3", "--quiet", "--snapshot", "snaps", "--snapshot-every", "20"],
                               cwd=self.folder)
        deadline = time.monotonic() + 60
        while job.poll() is None and time.monotonic() < deadline:
            if os.path.isdir(os.path.join(self.folder, "snaps")) and len(self.numbers()) > 1:
                break
            time.sleep(0.01)
        job.send_signal(signal.SIGKILL)
        job.wait()
        again = self.succeeds("run", *scene, "--resume", "snaps", "--nodes", "2", "--snapshot", "snaps", "--verify")
        self.assertGreater(self.number_after(again, "resumed from tick"), 0)
        self.assertEqual(self.number_after(again, "to tick"), 4000)


class FactorsTest(EnginesTest):
    RATINGS = ["cf", "ratings.csv", "--iterations", "30"]

    def setUp(self):
        super().setUp()
        drawn = random.Random(1)
        lines = ["userId,movieId,rating"]
        for user in range(150):
            for item in drawn.sample(range(40), 12):
                lines.append(f"{user},{item},{(4 if user % 2 == item % 2 else 1) + drawn.random():.2f}")
        self.write("ratings.csv", "\n".join(lines) + "\n")

    def test_cf_resumes_under_another_schedule_and_cut(self):
        drawn = random.Random(6)
        for schedule in ("aap", "bsp", "ssp"):
            self.fresh()
            self.succeeds("run", *self.RATINGS, "--scheduler", schedule, "--nodes", "3", "--fabric", "sim", "--workers", "5",
                          "--snapshot", "snaps", "--snapshot-every", "4", "--snapshots-kept", "100")
            begin = drawn.choice(self.numbers())
            before = json.loads(self.succeeds("snapshot", "info", f"snaps/{begin}", "--json"))["progress"]
            self.assertGreater(before, 0)
            again = self.succeeds("run", *self.RATINGS, "--resume", f"snaps/{begin}", "--scheduler",
                                  drawn.choice(["bsp", "ssp", "aap"]), "--nodes", str(drawn.randint(1, 4)), "--cut",
                                  drawn.choice(["edge", "vertex"]), "--verify", "--report", "report.json", "--force")
            self.assertIn("verified", again, schedule)
            rounds = json.loads(self.read("report.json"))["iterations"]
            self.assertLess(rounds, 30 + 5, f"{schedule}: those before the restart count")

    def test_a_restart_loses_little_accuracy(self):
        whole = self.error("--verify")
        self.succeeds("run", *self.RATINGS, "--nodes", "2", "--fabric", "sim", "--snapshot", "snaps", "--snapshot-every", "20",
                      "--snapshots-kept", "1")
        rest = self.error("--resume", "snaps")
        self.assertLess(abs(rest - whole), 0.1 * whole)

    def error(self, *words):
        self.succeeds("run", *self.RATINGS, *words, "--report", "report.json", "--force")
        return json.loads(self.read("report.json"))["figures"]["rmse_train"]

    def test_snapshot_values_of_cf_are_factors(self):
        self.succeeds("run", *self.RATINGS, "--snapshot", "snaps", "--snapshot-every", "5", "--out", "end.txt")
        lines = self.succeeds("snapshot", "values", "snaps").splitlines()
        self.assertEqual(len(lines), 190)
        self.assertTrue(all(len(line.split()) == 9 for line in lines))
        self.assertIn("whole", self.succeeds("snapshot", "verify", "snaps"))

    def test_another_split_into_training_and_tests_is_refused(self):
        self.succeeds("run", *self.RATINGS, "--snapshot", "snaps", "--snapshot-every", "5")
        self.refuses("run", *self.RATINGS, "--resume", "snaps", "--rate", "0.01", text="rate")
        self.refuses("run", *self.RATINGS, "--resume", "snaps", "--seed", "9", text="snaps")


main()
