"""Runs that choose their way by the law: that they do what they say, and give the right answer."""
import json

from command_case import LEEWAY, CommandTest, main

GRAPH = ["--graph", "kron:8:8", "--undirected", "--weights", "random"]
PLAIN = ["--graph", "kron:8:8", "--undirected"]
MODES = ["scp", "scp+rw", "stale-1", "stale-2", "stale-3", "rcp", "rcp+push", "bsp", "ap", "ssp", "aap", "pie-bsp", "pie-aap"]


class AutoTest(CommandTest):
    def report(self, *arguments):
        said = self.succeeds("run", *arguments, "--verify", "--quiet", "--report", "r.json")
        report = json.loads(self.read("r.json"))
        self.assertTrue(report["converged"], said)
        self.assertRegex(said, r"verified +(equals|within)")
        return report

    def test_every_program_of_the_law_chooses_and_says_what_it_expected(self):
        for program in ("pagerank", "sssp", "cc", "heat"):
            graph = PLAIN if program == "heat" else GRAPH
            for net in ("infiniband", "ec2"):
                report = self.report(program, *graph, "--nodes", "4", "--fabric", "sim", "--net", net, "--scheduler", "auto")
                choice = report["choice"]
                self.assertIn(choice["mode"], MODES)
                self.assertIn(net, choice["basis"])
                self.assertGreater(choice["expected_seconds"], 0)
                self.assertLessEqual(choice["expected_seconds"], choice["runner_up_seconds"])
                self.assertEqual(choice["seconds"], report["seconds"]["compute"])
                self.assertEqual(choice["checked"], not choice["mode"].startswith("pie"))
                self.assertEqual(len(choice["ways"]) > 0, choice["checked"])
                self.assertNotEqual(report["configuration"]["scheduler"], "auto")

    def test_it_chooses_as_advise_does(self):
        asked = ["kron:8:8", "pagerank", "--undirected", "--nodes", "4", "--net", "ec2", "--json", "--quiet"]
        advice = json.loads(self.succeeds("advise", *asked))["programs"][0]["by_nodes"][-1]
        choice = self.report("pagerank", *PLAIN, "--nodes", "4", "--fabric", "sim", "--net", "ec2", "--consistency", "auto")["choice"]
        self.assertEqual((choice["mode"], choice["expected_seconds"]), (advice["mode"], advice["expected_seconds"]))

    def test_what_else_is_said_closes_the_choice(self):
        base = ["pagerank", *PLAIN, "--nodes", "4", "--fabric", "sim", "--net", "ec2"]
        for more, may in [(["--scheduler", "auto", "--engine", "vertex"], MODES[:11]),
                          (["--scheduler", "auto", "--engine", "pie"], MODES[11:]),
                          (["--consistency", "auto", "--scheduler", "do-work"], MODES[:7]),
                          (["--consistency", "auto", "--scheduler", "ssp"], ["ssp"]),
                          (["--scheduler", "auto", "--consistency", "stale-2"], ["stale-2", "bsp"])]:
            self.assertIn(self.report(*base, *more)["choice"]["mode"], may)

    def test_threads_and_processes_choose_alike(self):
        self.report("cc", *PLAIN, "--nodes", "3", "--scheduler", "auto")
        self.assertIn("one node", self.succeeds("run", "cc", *PLAIN, "--scheduler", "auto", "--quiet"))
        cut = ["run", "pagerank", *PLAIN, "--scheduler", "auto", "--quiet", "--verify", "--report", "r.json", "--force"]
        for start in (["launch", "-n", "3", "--"], None):
            done = self.run_leeway(*start, LEEWAY, *cut) if start else self.run_under_mpi(3, *cut)
            self.assertEqual(done.returncode, 0, done.stderr)
            choice = json.loads(self.read("r.json"))["choice"]
            self.assertIn("round trips between 3 processes", choice["basis"])

    def test_what_goes_with_no_choice_is_refused_by_name(self):
        auto = [*PLAIN, "--nodes", "2", "--scheduler", "auto"]
        for program, more, says in [("bfs", [], ["--scheduler", "not fitted on 'bfs'", "pagerank"]),
                                    ("cc", ["--visit", "all"], ["--visit"]),
                                    ("cc", ["--cache", "20"], ["--cache"]),
                                    ("pagerank", ["--iterations", "3"], ["--iterations"]),
                                    ("cc", ["--snapshot", "snaps"], ["--snapshot"]),
                                    ("heat", ["--engine", "pie"], ["--engine"])]:
            self.refuses("run", program, *auto, *more, says=says)
        self.refuses("run", "fish", "--scheduler", "auto", says="--scheduler")


main()
