"""Programs on the piece engine: the four systems, files, and refused settings."""
import json
import os

from command_case import CommandTest, main

SYSTEMS = ["oritick", "comtick", "asytick", "asytick-plb"]
PIECE = ["--engine", "piece", "--quiet", "--pieces", "6", "--iterations", "9"]
BODIES = ["run", "nbody", *PIECE, "--bodies", "200", "--box", "120x90"]
FISH = ["run", "fish", *PIECE, "--fish", "200", "--basin", "60x40"]
PLATE = ["run", "jacobi", *PIECE, "--plate", "40x30"]


class PieceTest(CommandTest):
    def test_every_system_gives_the_bits_of_the_sequential_program(self):
        for program in (BODIES, FISH, PLATE):
            for system in SYSTEMS:
                for where in (["--nodes", "3"], ["--nodes", "16", "--fabric", "sim", "--net", "gigabit"]):
                    output = self.succeeds(*program, "--system", system, *where)
                    self.assertRegex(output, r"verified +bitwise equal to the sequential program's result")

    def test_ranks_agree_with_the_textbook(self):
        output = self.succeeds("run", "pagerank", "--engine", "piece", "--graph", "kron:8", "--nodes", "3", "--quiet")
        self.assertRegex(output, r"because +the values converged")
        self.assertRegex(output, r"verified +within \S+ of the textbook")

    def test_nbody_selects_the_piece_engine(self):
        self.assertRegex(self.succeeds("run", "nbody", "--iterations", "2", "--quiet"), r"engine +piece")

    def test_the_report_has_skew_and_the_trace_shows_waits(self):
        self.succeeds(*BODIES, "--nodes", "5", "--fabric", "sim", "--net", "gigabit", "--report", "r.json", "--trace",
                      "t.json", "--frames", "f.json")
        report = json.loads(self.read("r.json"))
        self.assertTrue(report["simulated"])
        self.assertEqual(len(report["piece"]["lambda_l"]), 9)
        self.assertEqual(len(report["piece"]["lambda_c"]), 9)
        self.assertGreater(report["piece"]["asynchronous_share"], 0)
        self.assertEqual(len(report["nodes"]), 5)
        self.succeeds("compare", "r.json", "--page", "c.html")
        events = json.loads(self.read("t.json"))["traceEvents"]
        self.assertTrue({"update", "set", "wait"} <= {event.get("cat") for event in events})
        self.assertTrue(any("waits_for_node" in event.get("args", {}) for event in events))

    def test_runtime_overhead_is_the_time_without_computing_and_waiting(self):
        for system in ("asytick", "oritick"):
            self.succeeds("run", "nbody", "--quiet", "--bodies", "300", "--iterations", "20", "--nodes", "4", "--groups", "1",
                          "--system", system, "--report", "r.json")
            report = json.loads(self.read("r.json"))
            all_time = sum(node["end"] - node["begin"] for node in report["nodes"])
            known = sum(node["compute_seconds"] + node["wait_seconds"] for node in report["nodes"])
            self.assertLessEqual(known, all_time * (1 + 1e-6))
            self.assertAlmostEqual(report["piece"]["runtime_share"], 1 - known / all_time, places=6)
            self.assertGreater(report["piece"]["runtime_share"], 0)
            for absent in ("converged", "blocked_fetches"):
                self.assertNotIn(absent, report)

    def test_frames_show_every_body_from_the_start_to_the_end(self):
        self.succeeds(*BODIES, "--nodes", "2", "--frames", "f.json", "--frame-every", "4")
        film = json.loads(self.read("f.json"))
        self.assertEqual([frame["tick"] for frame in film["frames"]], [0, 4, 8, 9])
        self.assertEqual({len(frame["at"]) for frame in film["frames"]}, {400})

    def test_invalid_settings_are_refused(self):
        self.refuses(*BODIES, "--pieces", "0", text=["--pieces", "zero pieces"])
        self.refuses(*BODIES, "--pieces", "4000000000", text=["--pieces", "memory"])
        self.refuses("run", "jacobi", "--engine", "piece", "--plate", "900000x900000", code=3, text=["--plate", "TiB"])
        self.refuses(*BODIES, "--alpha", "0.4", "--beta", "0.4", text="--alpha, --beta")
        self.refuses(*BODIES, "--system", "asytock", text=["asytock", "did you mean"])
        self.refuses(*PLATE, "--frames", "f.json", text=["--frames", "fish, heat, nbody or wave"])
        self.refuses("run", "pagerank", "--engine", "piece", text="the graph is missing")
        self.refuses("run", "fisch", "--engine", "piece", text=["'fisch'", "did you mean"])


if __name__ == "__main__":
    main()
