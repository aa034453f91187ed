"""Programs that go by ticks: every synchronization, files, checkpoints, and what is refused before any work."""
import json
import os

from command_case import CommandTest, main

SYNCS = ["barrier", "local", "schedule", "replicate", "combined"]
FISH = ["run", "fish", "--quiet", "--fish", "200", "--basin", "60x40", "--iterations", "12"]
PLATE = ["run", "jacobi", "--engine", "tick", "--quiet", "--plate", "40x30", "--iterations", "12"]
GOES_ON = FISH[:3] + FISH[5:]  # a checkpoint has its own fish


class TickTest(CommandTest):
    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def test_every_synchronization_gives_the_bits_of_the_sequential_update(self):
        for program in (FISH, PLATE):
            for sync in SYNCS:
                for where in (["--nodes", "3"], ["--nodes", "16", "--fabric", "sim", "--net", "ec2"]):
                    said = self.succeeds(*program, "--sync", sync, *where)
                    self.assertRegex(said, r"verified +all bits are those of the sequential update")

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
        self.assertEqual(report["configuration"]["replicas"], "3")
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
        self.assertEqual(json.loads(self.read("r.json"))["film"], film)  # what the page of a comparison plays
        self.assertEqual([frame["tick"] for frame in film["frames"]], [5, 10])
        self.assertEqual({len(frame["at"]) for frame in film["frames"]}, {400})
        self.assertEqual(sum(film["kinds"]), 7)

    def test_a_run_goes_on_from_a_checkpoint_on_another_number_of_nodes(self):
        for program, goes_on in ((FISH, GOES_ON), (PLATE, PLATE)):
            self.succeeds(*program, "--nodes", "3", "--checkpoint", "c.ticks", "--checkpoint-every", "5")
            self.succeeds(*goes_on, "--nodes", "7", "--fabric", "sim", "--restart", "c.ticks", "--out", "a.txt")
            self.succeeds(*program[:-1], "24", "--out", "b.txt")
            self.assertEqual(self.read("a.txt"), self.read("b.txt"))

    def test_ranks_go_on_from_a_checkpoint_too(self):
        ranks = ["run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--quiet", "--iterations"]
        self.succeeds(*ranks, "12", "--nodes", "3", "--checkpoint", "c.ticks", "--checkpoint-every", "5")
        said = self.succeeds(*ranks, "12", "--nodes", "5", "--fabric", "sim", "--restart", "c.ticks", "--out", "a.txt")
        self.assertRegex(said, r"verified +within 1e-12 of the plain iteration")
        self.succeeds(*ranks, "24", "--out", "b.txt")
        for ours, theirs in zip(self.read("a.txt").split(), self.read("b.txt").split()):
            self.assertAlmostEqual(float(ours), float(theirs), places=12)
        self.refuses(*ranks, "12", "--damping", "0.5", "--restart", "c.ticks", says=["damping 0.85", "damping 0.5"])
        self.refuses("run", "pagerank", "--graph", "known:petersen", "--engine", "tick", "--restart", "c.ticks",
                     says=["c.ticks", "graph"])
        self.refuses(*PLATE, "--restart", "c.ticks", says=["checkpoint of pagerank"])

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
        self.refuses(*PLATE, "--frames", "f.json", says=["--frames", "fish or nbody"])
        self.refuses("run", "fsh", says=["fsh", "fish"])
        self.refuses("run", "jacobi", "--plate", "1000000x1000000", "--out", "o.txt", "--nodes", "2",
                     says=["--plate", "cells take", "this machine has"])
        self.refuses("run", "fish", "--fish", "100", "--informed", "60", "--goals", "2", says="informed")
        self.assertEqual(self.left(), [])

    def test_no_output_takes_the_place_of_another(self):
        for first, second, where in (("--out", "--report", "x"), ("--out", "--frames", "x"), ("--report", "--trace", "x"),
                                     ("--frames", "--checkpoint", "x"), ("--out", "--checkpoint", "./x")):
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

    def test_a_run_from_a_checkpoint_is_of_another_scene(self):
        first = self.hash_of(*FISH, "--checkpoint", "c.ticks")
        self.assertNotEqual(self.hash_of(*GOES_ON, "--restart", "c.ticks"), first)

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
        self.assertEqual(set(report["seconds"]), {"setup", "compute", "output"})
        self.assertGreater(report["seconds"]["setup"], 0)
        self.succeeds("run", "pagerank", "--graph", "kron:8", "--engine", "tick", "--report", "r.json", "--quiet")
        self.assertGreater(json.loads(self.read("r.json"))["seconds"]["load"], 0)
        self.succeeds("compare", "r.json", "--page", "c.html")

    def test_figures_are_replayed_and_judged(self):
        for name in ("tick-fig1", "tick-fig6", "tick-fig9", "tick-fig12"):
            said = self.succeeds("replay", name, "--nodes", "9", "--iterations", "20", "--quiet", "--out", "figures")
            self.assertRegex(said, r"\d of \d claims agree")
            with open(os.path.join(self.folder, "figures", name + ".json"), encoding="utf-8") as file:
                self.assertGreater(len(json.load(file)["rows"]), 1)

    def test_a_checkpoint_that_does_not_fit_is_refused(self):
        self.succeeds(*FISH, "--checkpoint", "c.ticks")
        self.refuses(*PLATE, "--restart", "c.ticks", says=["checkpoint of fish", "not of jacobi"])
        self.refuses(*GOES_ON, "--visibility", "3", "--restart", "c.ticks", says=["visibility 6", "visibility 3"])
        self.refuses(*GOES_ON, "--restart", "none.ticks", says="none.ticks", code=2)
        with open(os.path.join(self.folder, "c.ticks"), "r+b") as file:
            file.seek(200)
            file.write(b"\0\0\0\0\1")
        self.refuses(*GOES_ON, "--restart", "c.ticks", says="damaged")
        self.write("text.ticks", "hello")
        self.refuses(*GOES_ON, "--restart", "text.ticks", says="no checkpoint")


if __name__ == "__main__":
    main()
