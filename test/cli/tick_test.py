"""Programs that go by ticks: every synchronization, files, snapshots, and what is refused before any work."""
import json
import os

from command_case import CommandTest, main

SYNCS = ["barrier", "local", "schedule", "replicate", "combined"]
FISH = ["run", "fish", "--quiet", "--fish", "200", "--basin", "60x40", "--iterations", "12"]
PLATE = ["run", "jacobi", "--engine", "tick", "--quiet", "--plate", "40x30", "--iterations", "12"]


class TickTest(CommandTest):
    def test_every_synchronization_gives_the_bits_of_the_sequential_update(self):
        for program in (FISH, PLATE):
            for sync in SYNCS:
                for where in (["--nodes", "3"], ["--nodes", "16", "--fabric", "sim", "--net", "ec2"]):
                    said = self.succeeds(*program, "--sync", sync, *where)
                    self.assertRegex(said, r"verified +all bits are those of the sequential program")

    def test_ranks_agree_with_the_plain_iteration_and_with_the_vertex_program(self):
        for sync in SYNCS:
            said = self.succeeds("run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--nodes", "3",
                                 "--sync", sync, "--quiet", "--out", "a.txt")
            self.assertRegex(said, r"verified +within 1e-12 of the plain iteration")
        self.succeeds("run", "pagerank", "--graph", "known:karate", "--tolerance", "1e-12", "--quiet", "--out", "b.txt")
        ours, theirs = ([line.split() for line in self.read(name).splitlines()] for name in ("a.txt", "b.txt"))
        for (name, rank), (other, expected) in zip(ours, theirs):
            self.assertEqual(name, other)
            self.assertAlmostEqual(float(rank), float(expected), places=9)

    def test_a_program_that_ticks_needs_no_engine_named(self):
        self.assertRegex(self.succeeds("run", "fish", "--iterations", "3", "--quiet"), r"engine +tick")

    def test_a_report_tells_what_was_stepped_ahead_and_for_others(self):
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
        self.assertIn('"leeway_film"', self.read("c.html"))  # which the page plays
        self.assertEqual([frame["tick"] for frame in film["frames"]], [5, 10])
        self.assertEqual({len(frame["at"]) for frame in film["frames"]}, {400})
        self.assertEqual(sum(film["kinds"]), 7)

    def test_a_run_goes_on_from_a_snapshot_on_another_number_of_nodes(self):
        for name, program in (("fish", FISH), ("plate", PLATE)):
            self.succeeds(*program, "--nodes", "3", "--snapshot", name, "--snapshot-every", "5", "--fabric", "sim")
            said = self.succeeds(*program[:-1], "24", "--nodes", "7", "--resume", name, "--out", "a.txt", "--sync", "barrier",
                                 "--force")
            self.assertRegex(said, r"verified +all bits are those of the sequential program")
            self.assertRegex(said, r"goes on from tick +10\n")
            self.succeeds(*program[:-1], "24", "--out", "b.txt", "--force")
            self.assertEqual(self.read("a.txt"), self.read("b.txt"))

    def test_a_tenth_of_the_ticks_lies_between_snapshots_unless_said(self):
        self.succeeds(*PLATE[:-1], "50", "--snapshot", "snaps", "--snapshots-kept", "20", "--fabric", "sim", "--report", "r.json")
        self.assertEqual(json.loads(self.read("r.json"))["ticks"]["snapshots"]["taken"], 10)
        told = json.loads(self.succeeds("snapshot", "info", "snaps", "--json"))
        self.assertEqual((told["program"], told["engine"], told["progress"]), ("jacobi", "tick", 50))
        self.assertIn("whole", self.succeeds("snapshot", "verify", "snaps"))
        self.refuses("snapshot", "values", "snaps", says="--resume")
        self.refuses(*PLATE, "--snapshot", "snaps", "--snapshot-every", "2s", says=["--snapshot-every", "a count of ticks"])
        self.refuses(*PLATE[:-1], "49", "--resume", "snaps", says=["tick 50", "--iterations 50 or more"])

    def test_a_run_that_had_only_to_end_goes_on_from_its_last_tick(self):
        for program in (FISH, PLATE):
            for sync in ("barrier", "local", "schedule", "replicate", "combined"):
                self.succeeds(*program[:-1], "6", "--snapshot", "snaps", "--snapshot-every", "3", "--nodes", "3", "--fabric", "sim",
                              "--out", "a.txt", "--force")
                said = self.succeeds(*program[:-1], "6", "--resume", "snaps", "--nodes", "4", "--sync", sync, "--out", "b.txt",
                                     "--force")
                self.assertRegex(said, r"verified +all bits are those of the sequential program")
                self.assertEqual(self.read("a.txt"), self.read("b.txt"))
        ranks = ["run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--quiet", "--iterations", "6", "--force"]
        self.succeeds(*ranks, "--snapshot", "snaps", "--snapshot-every", "3", "--fabric", "sim", "--nodes", "3", "--out", "a.txt")
        said = self.succeeds(*ranks, "--resume", "snaps", "--nodes", "2", "--out", "b.txt")
        self.assertRegex(said, r"verified +within 1e-12 of the plain iteration")
        self.assertEqual(self.read("a.txt"), self.read("b.txt"))

    def test_ranks_go_on_from_a_snapshot_too(self):
        ranks = ["run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--quiet", "--iterations"]
        self.succeeds(*ranks, "12", "--nodes", "3", "--snapshot", "snaps", "--snapshot-every", "5", "--fabric", "sim")
        said = self.succeeds(*ranks, "24", "--nodes", "5", "--resume", "snaps", "--out", "a.txt")
        self.assertRegex(said, r"verified +within 1e-12 of the plain iteration")
        self.succeeds(*ranks, "24", "--out", "b.txt")
        for ours, theirs in zip(self.read("a.txt").split(), self.read("b.txt").split()):
            self.assertAlmostEqual(float(ours), float(theirs), places=12)
        self.refuses(*ranks, "24", "--damping", "0.5", "--resume", "snaps", says=["damping 0.85", "0.5"])
        self.refuses("run", "pagerank", "--graph", "known:petersen", "--engine", "tick", "--resume", "snaps",
                     says=["snaps/", "graph"])
        self.refuses(*PLATE, "--resume", "snaps", says=["program pagerank", "jacobi"])

    def test_dividing_anew_changes_no_rank(self):
        said = self.succeeds("run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--quiet", "--nodes", "4",
                             "--iterations", "30", "--rebalance", "7", "--partition", "random")
        self.assertRegex(said, r"divided anew +4")
        self.assertRegex(said, r"verified +within 1e-12")

    def test_dividing_anew_changes_no_bit(self):
        said = self.succeeds(*FISH, "--nodes", "5", "--split", "quadtree", "--rebalance", "4")
        self.assertRegex(said, r"divided anew +2")
        self.assertRegex(said, r"verified +all bits")

    def test_what_cannot_be_is_refused_by_name(self):
        self.refuses(*FISH, "--sync", "replicate", "--every", "4", "--replicas", "2", says=["--every", "3 ticks"])
        self.refuses(*FISH, "--depth", "2", says=["--depth", "--sync schedule"])
        self.refuses(*FISH, "--sync", "locl", says=["locl", "local"])
        self.refuses(*FISH, "--visibility", "nan", says=["visibility"])
        self.refuses(*FISH, "--basin", "0x10", says=["basin"])
        self.refuses(*FISH, "--reach", "50", says=["reach", "basin"])
        self.refuses(*PLATE, "--frames", "f.json", says=["--frames", "fish, heat, nbody or wave"])
        self.refuses("run", "fsh", says=["fsh", "fish"])
        self.refuses("run", "jacobi", "--plate", "1000000x1000000", "--out", "o.txt", "--nodes", "2", code=3,
                     says=["--plate", "cells take", "this machine has"])
        self.refuses("run", "fish", "--fish", "100", "--informed", "60", "--goals", "2", says="informed")
        self.assertEqual(self.left(), [])

    def test_no_output_takes_the_place_of_another(self):
        for first, second, where in (("--out", "--report", "x"), ("--out", "--frames", "x"), ("--report", "--trace", "x"),
                                     ("--out", "--frames", "./x")):
            self.refuses(*FISH, first, "x", second, where, says=[first, second, "a name of its own"])
        self.refuses("run", "nbody", "--bodies", "20", "--iterations", "2", "--out", "x", "--report", "x", says="--out")
        self.assertEqual(self.left(), [])

    def hash_of(self, *words):
        self.succeeds(*words, "--report", "r.json", "--verify=no")
        return json.loads(self.read("r.json"))["input"]["hash"]

    def test_a_scene_s_hash_is_of_all_that_it_is(self):
        same = self.hash_of(*FISH)
        self.assertEqual(self.hash_of(*FISH, "--nodes", "3", "--sync", "barrier"), same)
        self.assertEqual(self.hash_of(*FISH, "--engine", "piece"), same)
        for other in (["--visibility", "5"], ["--reach", "0.3"], ["--basin", "61x40"], ["--informed", "3"], ["--seed", "7"]):
            self.assertNotEqual(self.hash_of(*FISH, *other), same)
        bodies = ["run", "nbody", "--quiet", "--bodies", "40", "--iterations", "3"]
        same = self.hash_of(*bodies)
        for other in (["--cutoff", "7"], ["--groups", "2"], ["--seed", "7"]):
            self.assertNotEqual(self.hash_of(*bodies, *other), same)
        self.assertNotEqual(self.hash_of(*PLATE), self.hash_of(*PLATE, "--plate", "30x40"))

    def test_a_run_from_a_snapshot_is_of_the_same_scene(self):
        first = self.hash_of(*FISH, "--snapshot", "snaps", "--snapshot-every", "5", "--fabric", "sim")
        self.assertEqual(self.hash_of(*FISH, "--resume", "snaps", "--force"), first)

    def test_a_file_divides_the_graph_and_is_named_in_the_report(self):
        with open(os.path.join(self.folder, "owners.txt"), "w", encoding="utf-8") as file:
            file.writelines(f"{vertex % 2}\n" for vertex in range(34))
        for engine in ("tick", "piece"):
            self.succeeds("run", "pagerank", "--graph", "known:karate", "--engine", engine, "--nodes", "2",
                          "--partition", "owners.txt", "--report", "r.json", "--quiet")
            report = json.loads(self.read("r.json"))
            self.assertEqual(report["configuration"]["partition"], "file:owners.txt")

    def test_a_report_has_no_number_that_was_not_measured(self):
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
            said = self.succeeds("replay", name, *few, "--quiet", "--out", "figures")
            self.assertRegex(said, r"\d of \d claims agree")
            with open(os.path.join(self.folder, "figures", name + ".json"), encoding="utf-8") as file:
                self.assertGreater(len(json.load(file)["rows"]), 1)

    def test_a_snapshot_that_does_not_fit_is_refused(self):
        self.succeeds(*FISH, "--snapshot", "snaps", "--snapshots-kept", "1", "--fabric", "sim")
        self.refuses(*PLATE, "--resume", "snaps", says=["program fish", "jacobi"])
        self.refuses(*FISH, "--engine", "piece", "--resume", "snaps", says="--resume")
        self.refuses(*FISH, "--visibility", "3", "--resume", "snaps", says=["visibility 6", "visibility 3"])
        self.refuses(*FISH, "--seed", "3", "--resume", "snaps", says=["seed 1", "seed 3"])
        self.refuses(*FISH, "--resume", "none", says="none", code=2)
        number, = (name for name in os.listdir(os.path.join(self.folder, "snaps")) if name.isdigit())
        with open(os.path.join(self.folder, "snaps", number, "part-00000"), "r+b") as file:
            file.seek(200)
            file.write(b"\0\0\0\0\1")
        self.refuses(*FISH, "--resume", "snaps", says="damaged")


if __name__ == "__main__":
    main()
