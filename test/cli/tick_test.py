"""Programs on the tick engine: every synchronization, files, snapshots, and refused settings."""
import json
import os

from command_case import CommandTest, main

SYNCS = ["barrier", "local", "schedule", "replicate", "combined"]
FISH = ["run", "fish", "--quiet", "--fish", "200", "--basin", "60x40", "--iterations", "12"]
POND = ["run", "fish-food", "--quiet", "--fish", "150", "--food", "60", "--basin", "40x30", "--iterations", "12"]
PLATE = ["run", "jacobi", "--engine", "tick", "--quiet", "--plate", "40x30", "--iterations", "12"]


class TickTest(CommandTest):
    def test_every_synchronization_gives_the_bits_of_the_sequential_update(self):
        for program in (FISH, POND, PLATE):
            for sync in SYNCS:
                for where in (["--nodes", "3"], ["--nodes", "16", "--fabric", "sim", "--net", "ec2"]):
                    text = self.succeeds(*program, "--sync", sync, *where)
                    self.assertRegex(text, r"verified +bitwise equal to the sequential program's result")

    def test_ranks_agree_with_the_plain_iteration_and_with_the_vertex_program(self):
        for sync in SYNCS:
            text = self.succeeds("run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--nodes", "3",
                                 "--sync", sync, "--quiet", "--out", "a.txt")
            self.assertRegex(text, r"verified +within 1e-12 of the plain iteration")
        self.succeeds("run", "pagerank", "--graph", "known:karate", "--tolerance", "1e-12", "--quiet", "--out", "b.txt")
        ours, theirs = ([line.split() for line in self.read(name).splitlines()] for name in ("a.txt", "b.txt"))
        for (name, rank), (other, expected) in zip(ours, theirs):
            self.assertEqual(name, other)
            self.assertAlmostEqual(float(rank), float(expected), places=9)

    def test_fish_and_jacobi_select_the_tick_engine(self):
        self.assertRegex(self.succeeds("run", "fish", "--iterations", "3", "--quiet"), r"engine +tick")

    def test_the_report_counts_steps_ahead_and_steps_for_others(self):
        self.succeeds(*FISH, "--nodes", "6", "--fabric", "sim", "--net", "ec2", "--sync", "combined", "--visibility",
                      "2", "--report", "r.json", "--trace", "t.json")
        report = json.loads(self.read("r.json"))
        self.assertTrue(report["simulated"])
        self.assertEqual(report["configuration"]["replicas"], 3)
        self.assertEqual(report["iterations"], 12)
        self.assertEqual(report["ticks"]["stepped"], 200 * 12)
        self.assertGreater(report["ticks"]["copied"], 0)
        self.assertEqual(len(report["nodes"]), 6)
        self.assertEqual(len(report["series"]), 12)
        self.succeeds("compare", "r.json", "--page", "c.html")
        events = json.loads(self.read("t.json"))["traceEvents"]
        self.assertTrue({"step", "wait", "replica"} <= {event.get("cat") for event in events})
        self.assertTrue(any("waits_for_node" in event.get("args", {}) for event in events))

    def test_frames_show_every_fish_at_the_ticks_asked_for(self):
        self.succeeds(*FISH, "--nodes", "2", "--frames", "f.json", "--frame-every", "5", "--informed", "7", "--report",
                      "r.json")
        film = json.loads(self.read("f.json"))
        self.assertEqual(json.loads(self.read("r.json"))["frames"], "f.json")
        self.succeeds("compare", "r.json", "--page", "c.html")
        self.assertIn('"leeway_film"', self.read("c.html"))  # the page contains the film
        self.assertEqual([frame["tick"] for frame in film["frames"]], [5, 10])
        self.assertEqual({len(frame["at"]) for frame in film["frames"]}, {400})
        self.assertEqual(sum(film["kinds"]), 7)

    def test_a_run_resumes_on_another_number_of_nodes(self):
        for name, program in (("fish", FISH), ("pond", POND), ("plate", PLATE)):
            self.succeeds(*program, "--nodes", "3", "--snapshot", name, "--snapshot-every", "5", "--fabric", "sim")
            text = self.succeeds(*program[:-1], "24", "--nodes", "7", "--resume", name, "--out", "a.txt", "--sync", "barrier",
                                 "--force")
            self.assertRegex(text, r"verified +bitwise equal to the sequential program's result")
            self.assertRegex(text, r"resumed from tick +10\n")
            self.succeeds(*program[:-1], "24", "--out", "b.txt", "--force")
            self.assertEqual(self.read("a.txt"), self.read("b.txt"))

    def test_the_default_snapshot_interval_is_a_tenth_of_the_ticks(self):
        self.succeeds(*PLATE[:-1], "50", "--snapshot", "snaps", "--snapshots-kept", "20", "--fabric", "sim", "--report", "r.json")
        self.assertEqual(json.loads(self.read("r.json"))["ticks"]["snapshots"]["taken"], 10)
        info = json.loads(self.succeeds("snapshot", "info", "snaps", "--json"))
        self.assertEqual((info["program"], info["engine"], info["progress"]), ("jacobi", "tick", 50))
        self.assertIn("whole", self.succeeds("snapshot", "verify", "snaps"))
        self.refuses("snapshot", "values", "snaps", text="--resume")
        self.refuses(*PLATE, "--snapshot", "snaps", "--snapshot-every", "2s", text=["--snapshot-every", "a number of ticks"])
        self.refuses(*PLATE[:-1], "49", "--resume", "snaps", text=["tick 50", "--iterations 50 or more"])

    def test_a_finished_run_resumes_from_its_last_tick(self):
        for program in (FISH, POND, PLATE):
            for sync in ("barrier", "local", "schedule", "replicate", "combined"):
                self.succeeds(*program[:-1], "6", "--snapshot", "snaps", "--snapshot-every", "3", "--nodes", "3", "--fabric", "sim",
                              "--out", "a.txt", "--force")
                text = self.succeeds(*program[:-1], "6", "--resume", "snaps", "--nodes", "4", "--sync", sync, "--out", "b.txt",
                                     "--force")
                self.assertRegex(text, r"verified +bitwise equal to the sequential program's result")
                self.assertEqual(self.read("a.txt"), self.read("b.txt"))
        ranks = ["run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--quiet", "--iterations", "6", "--force"]
        self.succeeds(*ranks, "--snapshot", "snaps", "--snapshot-every", "3", "--fabric", "sim", "--nodes", "3", "--out", "a.txt")
        text = self.succeeds(*ranks, "--resume", "snaps", "--nodes", "2", "--out", "b.txt")
        self.assertRegex(text, r"verified +within 1e-12 of the plain iteration")
        self.assertEqual(self.read("a.txt"), self.read("b.txt"))

    def test_pagerank_resumes_from_a_snapshot(self):
        ranks = ["run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--quiet", "--iterations"]
        self.succeeds(*ranks, "12", "--nodes", "3", "--snapshot", "snaps", "--snapshot-every", "5", "--fabric", "sim")
        text = self.succeeds(*ranks, "24", "--nodes", "5", "--resume", "snaps", "--out", "a.txt")
        self.assertRegex(text, r"verified +within 1e-12 of the plain iteration")
        self.succeeds(*ranks, "24", "--out", "b.txt")
        for ours, theirs in zip(self.read("a.txt").split(), self.read("b.txt").split()):
            self.assertAlmostEqual(float(ours), float(theirs), places=12)
        self.refuses(*ranks, "24", "--damping", "0.5", "--resume", "snaps", text=["damping 0.85", "0.5"])
        self.refuses("run", "pagerank", "--graph", "known:petersen", "--engine", "tick", "--resume", "snaps",
                     text=["snaps/", "graph"])
        self.refuses(*PLATE, "--resume", "snaps", text=["program pagerank", "jacobi"])

    def test_rebalancing_changes_no_rank(self):
        text = self.succeeds("run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--quiet", "--nodes", "4",
                             "--iterations", "30", "--rebalance", "7", "--partition", "random")
        self.assertRegex(text, r"divided again +4")
        self.assertRegex(text, r"verified +within 1e-12")

    def test_rebalancing_changes_no_bit(self):
        for program in (FISH, POND):
            text = self.succeeds(*program, "--nodes", "5", "--split", "quadtree", "--rebalance", "4")
            self.assertRegex(text, r"divided again +2")
            self.assertRegex(text, r"verified +bitwise equal")

    def test_two_tables_are_one_state_in_outputs(self):
        self.succeeds(*POND, "--nodes", "3", "--check", "--informed", "5", "--goals", "2", "--frames", "f.json", "--frame-every",
                      "6", "--out", "o.csv", "--report", "r.json", "--sync", "combined", "--trace", "t.json")
        film = json.loads(self.read("f.json"))
        self.assertEqual([film["kinds"].count(kind) for kind in range(4)], [140, 5, 5, 60])  # food is of kind 3
        self.assertEqual([len(frame["at"]) for frame in film["frames"]], [420, 420])
        self.succeeds("compare", "r.json", "--page", "c.html")
        report = json.loads(self.read("r.json"))
        self.assertEqual(report["ticks"]["stepped"], 210 * 12)
        self.assertEqual(report["configuration"]["food"], 60)
        title, *rows = (line.split(",") for line in self.read("o.csv").splitlines())
        self.assertEqual(title, ["table", "id", "x", "y", "vx", "vy", "bites"])
        self.assertEqual([row[:2] for row in rows], [["fish", str(i)] for i in range(150)] + [["food", str(i)] for i in range(60)])
        self.assertGreater(sum(int(row[6]) for row in rows if row[0] == "fish"), 20)  # fish have eaten
        self.assertTrue(all(1 <= int(row[6]) <= 6 for row in rows if row[0] == "food"))
        self.succeeds(*POND, "--nodes", "2", "--out", "o.npz")

    def test_fish_without_food_swim_like_the_school(self):
        self.succeeds(*FISH, "--informed", "9", "--out", "fish.txt")
        self.succeeds("run", "fish-food", *FISH[2:], "--informed", "9", "--food", "0", "--nodes", "2", "--out", "pond.txt")
        pond = [line.split()[1:-1] for line in self.read("pond.txt").splitlines()]
        self.assertEqual(pond, [line.split() for line in self.read("fish.txt").splitlines()])

    def test_invalid_settings_are_refused_by_name(self):
        self.refuses(*FISH, "--sync", "replicate", "--every", "4", "--replicas", "2", text=["--every", "3 ticks"])
        self.refuses(*FISH, "--depth", "2", "--strict", text=["--depth", "--sync schedule"])
        self.refuses(*FISH, "--sync", "locl", text=["locl", "local"])
        self.refuses(*FISH, "--visibility", "nan", text=["visibility"])
        self.refuses(*FISH, "--basin", "0x10", text=["basin"])
        self.refuses(*FISH, "--reach", "50", text=["reach", "basin"])
        self.refuses(*PLATE, "--frames", "f.json", text=["--frames", "fish, fish-food, heat, nbody or wave"])
        self.refuses(*POND, "--engine", "piece", text=["no program called 'fish-food'", "tick"])
        self.refuses(*FISH, "--food", "3", text=["--food", "food is a setting of fish-food"])
        self.refuses(*POND, "--reach", "40", text=["reach", "basin"])
        self.refuses(*POND, "--informed", "151", text="informed")
        self.refuses("run", "fsh", text=["fsh", "fish"])
        self.refuses("run", "jacobi", "--plate", "1000000x1000000", "--out", "o.txt", "--nodes", "2", code=3,
                     text=["--plate", "cells take", "this machine has"])
        self.refuses("run", "fish", "--fish", "100", "--informed", "60", "--goals", "2", text="informed")
        self.assertEqual(self.left(), [])

    def test_two_outputs_cannot_have_the_same_name(self):
        for first, second, where in (("--out", "--report", "x"), ("--out", "--frames", "x"), ("--report", "--trace", "x"),
                                     ("--out", "--frames", "./x")):
            self.refuses(*FISH, first, "x", second, where, text=[first, second, "a different name"])
        self.refuses("run", "nbody", "--bodies", "20", "--iterations", "2", "--out", "x", "--report", "x", text="--out")
        self.assertEqual(self.left(), [])

    def hash_of(self, *words):
        self.succeeds(*words, "--report", "r.json", "--verify=no")
        return json.loads(self.read("r.json"))["input"]["hash"]

    def test_the_hash_of_a_scene_covers_all_its_parameters(self):
        same = self.hash_of(*FISH)
        self.assertEqual(self.hash_of(*FISH, "--nodes", "3", "--sync", "barrier"), same)
        self.assertEqual(self.hash_of(*FISH, "--engine", "piece"), same)
        for other in (["--visibility", "5"], ["--reach", "0.3"], ["--basin", "61x40"], ["--informed", "3"], ["--seed", "7"]):
            self.assertNotEqual(self.hash_of(*FISH, *other), same)
        same = self.hash_of(*POND)
        self.assertEqual(self.hash_of(*POND, "--nodes", "3"), same)
        for other in (["--food", "61"], ["--fish", "151"], ["--visibility", "5"], ["--informed", "3"], ["--seed", "7"]):
            self.assertNotEqual(self.hash_of(*POND, *other), same)
        bodies = ["run", "nbody", "--quiet", "--bodies", "40", "--iterations", "3"]
        same = self.hash_of(*bodies)
        for other in (["--cutoff", "7"], ["--groups", "2"], ["--seed", "7"]):
            self.assertNotEqual(self.hash_of(*bodies, *other), same)
        self.assertNotEqual(self.hash_of(*PLATE), self.hash_of(*PLATE, "--plate", "30x40"))

    def test_a_resumed_run_has_the_scene_of_the_snapshot(self):
        first = self.hash_of(*FISH, "--snapshot", "snaps", "--snapshot-every", "5", "--fabric", "sim")
        self.assertEqual(self.hash_of(*FISH, "--resume", "snaps", "--force"), first)

    def test_a_partition_file_is_used_and_named_in_the_report(self):
        with open(os.path.join(self.folder, "owners.txt"), "w", encoding="utf-8") as file:
            file.writelines(f"{vertex % 2}\n" for vertex in range(34))
        for engine in ("tick", "piece"):
            self.succeeds("run", "pagerank", "--graph", "known:karate", "--engine", engine, "--nodes", "2",
                          "--partition", "owners.txt", "--report", "r.json", "--quiet")
            report = json.loads(self.read("r.json"))
            self.assertEqual(report["configuration"]["partition"], "file:owners.txt")

    def test_a_report_has_only_measured_numbers(self):
        self.succeeds(*FISH, "--report", "r.json")
        report = json.loads(self.read("r.json"))
        for absent in ("converged", "blocked_fetches"):
            self.assertNotIn(absent, report)
        self.assertEqual(set(report["seconds"]), {"setup", "compute", "check", "output", "total"})
        self.assertGreater(report["seconds"]["setup"], 0)
        self.succeeds("run", "pagerank", "--graph", "kron:8", "--engine", "tick", "--report", "r.json", "--quiet")
        self.assertGreater(json.loads(self.read("r.json"))["seconds"]["load"], 0)
        self.succeeds("compare", "r.json", "--page", "c.html")

    def test_figures_are_replayed_and_judged(self):
        for name in ("tick-fig1", "tick-fig6", "tick-fig9", "tick-fig12"):
            few = [] if name == "tick-fig1" else ["--nodes", "9", "--iterations", "20"]
            text = self.succeeds("replay", name, *few, "--quiet", "--out", "figures")
            self.assertRegex(text, r"calibration: " if name == "tick-fig1" else r"\d of \d claims agree")
            with open(os.path.join(self.folder, "figures", name + ".json"), encoding="utf-8") as file:
                self.assertGreater(len(json.load(file)["rows"]), 1)

    def test_a_snapshot_that_does_not_fit_is_refused(self):
        self.succeeds(*FISH, "--snapshot", "snaps", "--snapshots-kept", "1", "--fabric", "sim")
        self.refuses(*PLATE, "--resume", "snaps", text=["program fish", "jacobi"])
        self.refuses(*FISH, "--engine", "piece", "--resume", "snaps", text="--resume")
        self.refuses(*FISH, "--visibility", "3", "--resume", "snaps", text=["visibility 6", "visibility 3"])
        self.refuses(*FISH, "--seed", "3", "--resume", "snaps", text=["seed 1", "seed 3"])
        self.refuses(*FISH, "--resume", "none", text="none", code=2)
        self.succeeds(*POND, "--snapshot", "pond", "--snapshots-kept", "1", "--fabric", "sim")
        self.refuses(*POND, "--food", "61", "--resume", "pond", text=["60 pieces of food", "61 pieces of food"])
        self.refuses(*FISH, "--resume", "pond", text=["program fish-food", "fish"])
        number, = (name for name in os.listdir(os.path.join(self.folder, "snaps")) if name.isdigit())
        with open(os.path.join(self.folder, "snaps", number, "part-00000"), "r+b") as file:
            file.seek(200)
            file.write(b"\0\0\0\0\1")
        self.refuses(*FISH, "--resume", "snaps", text="damaged")


if __name__ == "__main__":
    main()
