"""Programs on the pie engine: every scheduler, ratings, and refused settings."""
import json
import os
import random
import subprocess

from command_case import LEEWAY, CommandTest, main

SCHEDULERS = ["bsp", "ap", "ssp", "aap", "hsync"]
PIE = ["--engine", "pie", "--graph", "uniform:300:4", "--undirected", "--quiet"]


def ratings(users=120, items=30, each=12, low=1, high=4):
    """Ratings of two kinds of users, who like two kinds of items."""
    draw = random.Random(3)
    lines = []
    for user in range(users):
        for item in sorted(draw.sample(range(items), each)):
            liked = user % 2 == item % 2
            lines.append(f"{user},{item},{(high if liked else low) + draw.random():.2f}")
    return "userId,movieId,rating\n" + "\n".join(lines) + "\n"


class PieTest(CommandTest):
    def test_every_scheduler_agrees_with_the_oracle_on_64_virtual_workers(self):
        for scheduler in SCHEDULERS:
            for program in ("sssp", "cc"):
                text = self.succeeds("run", program, *PIE, "--scheduler", scheduler, "--workers", "64", "--nodes", "3",
                                     "--partition", "hash")
                self.assertRegex(text, r"verified +(equals|within|proper)")

    def test_checkpoints_hold_the_workers_states_and_the_messages_in_flight(self):
        draw = random.Random(11)
        for scheduler in SCHEDULERS:
            for program in ("sssp", "cc", "pagerank"):
                run = ["run", program, *PIE, "--fabric", "sim", "--net", "ec2", "--workers", "7", "--verify"]
                folder = f"{program}-{scheduler}"
                self.succeeds(*run, "--scheduler", scheduler, "--nodes", "3", "--snapshot", folder, "--snapshot-every", "1",
                              "--snapshots-kept", "1000")
                numbers = sorted(name for name in os.listdir(os.path.join(self.folder, folder)) if name.isdigit())
                self.assertTrue(numbers, folder)
                begin = f"{folder}/{draw.choice(numbers)}"
                same = self.succeeds(*run, "--resume", begin, "--scheduler", draw.choice(SCHEDULERS), "--nodes",
                                     str(draw.randint(1, 5)), "--report", "same.json", "--force")
                self.assertIn("(states and messages)", same, begin)
                self.assertIn("verified", same, begin)
                self.assertTrue(json.loads(self.read("same.json"))["resumed"]["from_states"])
                other = self.succeeds(*run, "--workers", "4", "--resume", begin, "--scheduler", scheduler, "--nodes", "2")
                self.assertNotIn("(states and messages)", other, begin)
                self.assertIn("verified", other, begin)

    def test_the_parameters_of_aap_change_a_run(self):
        def digest(*more):
            self.succeeds("run", *more, "--scheduler", "aap", "--fabric", "sim", "--partition", "hash", "--nodes", "6", "--report",
                          "r.json", "--force", "--quiet")
            return json.loads(self.read("r.json"))["digest"]

        for run in (["sssp", "--graph", "kron:12", "--engine", "pie"], ["pagerank", "--graph", "kron:10", "--net", "ec2"]):
            changes = [[], ["--aap-floor", "4"], ["--gather-fraction", "1.5"], ["--rate-window", "0.2"]]
            digests = [digest(*run, *change) for change in changes]
            self.assertEqual(len(set(digests[:3])), 3, run)
            if "pie" in run:
                self.assertNotIn(digests[3], digests[:3])

    def test_the_ratio_of_hsync_changes_a_run(self):
        def digest(*more):
            self.succeeds("run", *more, "--scheduler", "hsync", "--fabric", "sim", "--partition", "hash", "--nodes", "6",
                          "--report", "r.json", "--force", "--quiet")
            return json.loads(self.read("r.json"))["digest"]

        for run in (["sssp", "--graph", "kron:12", "--engine", "pie"], ["pagerank", "--graph", "kron:10", "--net", "ec2"]):
            self.assertNotEqual(digest(*run, "--hsync-ratio", "100"), digest(*run, "--hsync-ratio", "0.01"), run)
            self.assertEqual(digest(*run), digest(*run, "--hsync-ratio", "2"), run)

    def test_workers_move_during_a_run_and_the_answer_stays(self):
        for scheduler in SCHEDULERS:
            run = ["run", "pagerank", "--graph", "kron:12:8", "--undirected", "--engine", "pie", "--nodes", "4", "--partition", "block",
                   "--fabric", "sim", "--scheduler", scheduler, "--report", "r.json", "--force", "--quiet"]
            text = self.succeeds(*run, "--rebalance", "4")
            self.assertRegex(text, r"workers moved between nodes +[1-9]\d*, at [1-9]\d* moments", scheduler)
            self.assertIn("verified", text, scheduler)
            report = json.loads(self.read("r.json"))
            self.assertEqual(sorted(report["rebalanced"]), ["times", "workers"])
            self.assertEqual(len(report["workers"]), 16, scheduler)  # four for each node, so that some can move
            self.assertNotIn("workers moved", self.succeeds(*run, "--rebalance", "0"))
        self.assertRegex(self.succeeds("run", "cf", "--graph", self.write("r.csv", ratings()), "--nodes", "2", "--workers", "6",
                                       "--iterations", "30", "--rebalance", "2", "--scheduler", "bsp", "--quiet"), "verified +RMSE")
        # A worker's iterations count on whichever nodes it runs them.
        text = self.succeeds("run", "pagerank", "--graph", "kron:10:8", "--engine", "pie", "--nodes", "2", "--workers", "3", "--skew", "5",
                             "--fabric", "sim", "--scheduler", "bsp", "--rebalance", "1", "--report", "r.json", "--force", "--quiet")
        self.assertRegex(text, r"workers moved between nodes +[1-9]")
        most = max(worker["rounds"] for worker in json.loads(self.read("r.json"))["workers"])
        self.assertEqual(json.loads(self.read("r.json"))["iterations"], most)

    def test_cf_with_bounded_staleness_learns_as_well_as_one_thread(self):
        self.write("r.csv", ratings())
        for where in (["--nodes", "3"], ["--nodes", "4", "--scheduler", "ssp", "--staleness", "2"],
                      ["--nodes", "3", "--scheduler", "bsp", "--fabric", "sim"]):
            text = self.succeeds("run", "cf", "--graph", "r.csv", "--report", "r.json", "--out", "f.txt", "--quiet",
                                 "--iterations", "60", *where)
            self.assertRegex(text, r"verified +RMSE of unseen ratings")
            figures = json.loads(self.read("r.json"))["figures"]
            self.assertLess(0, figures["rmse_train"])
            self.assertLess(figures["rmse_test"], 1.2)
            self.assertEqual([len(line.split()) for line in self.read("f.txt").splitlines()], [9] * 150)

    def test_the_iterations_of_cf_are_the_passes_of_each_worker(self):
        self.write("r.csv", ratings())
        for where in (["--workers", "8"], ["--workers", "8", "--nodes", "2"], ["--workers", "3", "--scheduler", "bsp"],
                      ["--workers", "5", "--nodes", "2", "--fabric", "sim", "--scheduler", "ssp", "--staleness", "2"]):
            for passes in (3, 100):
                asked = [] if passes == 100 else ["--iterations", str(passes)]
                text = self.succeeds("run", "cf", "r.csv", "--report", "r.json", "--force", "--quiet", *asked, *where)
                report = json.loads(self.read("r.json"))
                self.assertEqual(report["iterations"], passes)
                self.assertEqual(len(report["series"]), passes)
                self.assertFalse(report["converged"])
                self.assertIn("the requested iterations are complete" if asked else "100 passes", text)

    def test_a_snapshot_of_cf_counts_passes_so_that_a_resumed_run_makes_the_rest(self):
        self.write("r.csv", ratings())
        cf = ["run", "cf", "r.csv", "--workers", "8", "--scheduler", "ssp", "--staleness", "3", "--quiet", "--verify=no"]
        self.succeeds(*cf, "--iterations", "4", "--snapshot", "snaps", "--snapshot-every", "1")
        info = json.loads(self.succeeds("snapshot", "info", "snaps", "--json"))
        self.assertLessEqual(info["progress"], 4)
        self.assertGreater(info["progress"], 0)

    def test_the_iterations_of_a_run_by_fragments_are_the_most_rounds_of_a_worker(self):
        for scheduler in SCHEDULERS:
            self.succeeds("run", "cc", *PIE, "--scheduler", scheduler, "--workers", "7", "--nodes", "2", "--report", "r.json", "--force")
            report = json.loads(self.read("r.json"))
            self.assertEqual(report["iterations"], max(worker["rounds"] for worker in report["workers"]))
            self.assertEqual(len(report["series"]), report["iterations"])

    def test_the_report_has_vertices_visits_and_arcs_of_every_worker(self):
        self.write("r.csv", ratings())
        for program, graph in (("cc", PIE), ("pagerank", PIE), ("cf", ["r.csv", "--iterations", "2", "--quiet"])):
            self.succeeds("run", program, *graph, "--workers", "6", "--nodes", "2", "--report", "r.json", "--force")
            report = json.loads(self.read("r.json"))
            lanes = report["nodes"]
            self.assertEqual(sum(lane["vertices"] for lane in lanes), report["input"]["vertices"])
            self.assertEqual(sum(lane["visited"] for lane in lanes), sum(worker["vertices"] for worker in report["workers"]))
            self.assertEqual(sum(lane["walked"] for lane in lanes), sum(worker["edges"] for worker in report["workers"]))
            for lane in lanes:
                self.assertLess(0, lane["arcs"])
                self.assertLess(0, lane["copies"])
                self.assertLess(0, lane["bytes"])
                self.assertLessEqual(lane["iterations"], report["iterations"])
                for absent in ("inputs", "remote", "stale_hits", "blocked_fetches"):
                    self.assertNotIn(absent, lane)

    def test_a_tolerance_of_0_ends_with_the_right_ranks(self):
        for scheduler in SCHEDULERS:
            for graph in ("path:5", "kron:6:4"):
                text = self.succeeds("run", "pagerank", graph, "--engine", "pie", "--tolerance", "0", "--scheduler", scheduler, "--quiet",
                                     "--workers", "3", "--nodes", "2", "--verify")
                self.assertRegex(text, r"converged +yes")
                self.assertRegex(text, r"verified +within")

    def test_what_a_tolerance_bounds(self):
        for of in ("sum", "each", "mean"):
            for workers in (["--threads", "1"], ["--threads", "2"], ["--workers", "3"], ["--nodes", "2"], ["--nodes", "2", "--fabric", "sim"]):
                done = self.succeeds("run", "pagerank", "kron:12:8", "--undirected", "--engine", "pie", "--tolerance-of", of, *workers, "--quiet",
                                     "--verify")
                within = "of the sequential oracle" + ("\n" if of == "each" else " in the sum of all differences")
                self.assertIn(within, done)

    def test_one_fragment_uses_all_threads_unless_digits_would_differ(self):
        run = ["run", "pagerank", "kron:12:8", "--engine", "pie", "--tolerance-of", "sum", "--threads", "2", "--quiet"]
        for more, workers in [([], 1), (["--deterministic", "--scheduler", "bsp"], 2), (["--nodes", "2"], 4),
                              (["--workers", "2"], 2)]:
            self.succeeds(*run, *more, "--report", "r.json", "--force")
            report = json.loads(self.read("r.json"))
            self.assertEqual(report["configuration"]["workers"], workers)
        self.refuses(*run, "--workers", "1", "--deterministic", "--scheduler", "bsp", text=["--deterministic", "timing"])

    def test_many_workers_of_one_node_cost_little_each(self):
        self.write("r.csv", ratings(users=400))
        for scheduler in ("aap", "ssp", "bsp"):
            self.succeeds("run", "cf", "r.csv", "--workers", "500", "--scheduler", scheduler, "--iterations", "2", "--quiet", "--verify=no")
            self.succeeds("run", "bfs", "known:karate", "--engine", "pie", "--workers", "4096", "--scheduler", scheduler, "--quiet")

    def test_ratings_are_read_from_the_given_columns(self):
        plain = ratings()
        rows = [line.split(",") for line in plain.splitlines() if line[:1].isdigit()]
        self.write("ratings.csv", "user,item,rating\n" + "".join(f"{u},{i},{r}\n" for u, i, r, *_ in rows))
        self.write("table.csv", "stars,time,what,who\n" + "".join(f"{r},7,{i},{u}\n" for u, i, r, *_ in rows))
        same = ["--iterations", "9", "--seed", "3", "--quiet"]
        self.succeeds("run", "cf", "ratings.csv", "--format", "ratings", "--out", "a.txt", *same)
        for columns in ("who,what,stars", "4,3,1"):
            self.succeeds("run", "cf", "table.csv", "--columns", columns, "--out", "b.txt", "--force", *same)
            self.assertEqual(self.read("a.txt"), self.read("b.txt"))
        text = self.succeeds("info", "table.csv", "--columns", "who,what,stars", "--format", "ratings")
        self.assertRegex(text, r"users \(then items\) +120")
        self.refuses("run", "cf", "table.csv", "--columns", "who,what", text=["--columns", "USER,ITEM,RATING"])
        self.refuses("run", "cf", "table.csv", "--columns", "who,what,likes", text="no column has the title 'likes'")

    def test_a_wide_scale_of_ratings_does_not_overshoot(self):
        self.write("wide.csv", ratings(low=-10, high=9))
        text = self.succeeds("run", "cf", "--graph", "wide.csv", "--nodes", "3", "--iterations", "60", "--report",
                             "r.json", "--quiet")
        self.assertRegex(text, r"verified +RMSE of unseen ratings")
        figures = json.loads(self.read("r.json"))["figures"]
        self.assertLess(figures["rmse_test"], 5)  # predicting the mean has RMSE 9.5

    def test_cf_learns_as_well_with_many_workers_and_the_default_number_of_passes(self):
        self.write("r.csv", ratings())
        for where in (["--workers", "1", "--scheduler", "bsp"], ["--workers", "64", "--scheduler", "bsp"],
                      ["--workers", "16", "--nodes", "4", "--fabric", "sim"],
                      ["--workers", "16", "--cut", "vertex", "--scheduler", "ssp", "--staleness", "1"]):
            text = self.succeeds("run", "cf", "--graph", "r.csv", "--quiet", *where)
            self.assertRegex(text, r"verified +RMSE of unseen ratings")

    def test_verification_of_few_ratings_allows_for_their_variance(self):
        self.write("few.ratings", "".join(f"{user}::{item}::1\n" for user, item in
                                          ((1, 3), (1, 4), (1, 6), (2, 5), (3, 6), (4, 1), (5, 2))))
        self.write("owners", "0\n" * 10 + "2\n")
        for _ in range(5):
            text = self.succeeds("run", "cf", "--graph", "few.ratings", "--nodes", "3", "--partition", "file:owners",
                                 "--quiet")
            self.assertRegex(text, r"verified +RMSE of unseen ratings")

    def test_a_descent_that_runs_away_is_an_error_and_leaves_no_file(self):
        self.write("r.csv", ratings())
        self.refuses("run", "cf", "--graph", "r.csv", "--rate", "1", "--verify=false", "--out", "f.txt",
                     text=["--rate", "smaller"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "f.txt")))

    def test_what_does_not_apply_to_an_engine_is_refused(self):
        self.refuses("run", "pagerank", *PIE, "--iterations", "3", text=["--iterations", "--engine vertex"])
        self.refuses("run", "pagerank", *PIE, "--ldbc", "--scheduler", "bsp", text="--engine vertex")
        self.refuses("run", "cc", *PIE, "--visit", "all", "--strict", text="--visit")

    def test_two_outputs_under_one_name_are_refused(self):
        self.refuses("run", "cc", *PIE, "--out", "x.txt", "--trace", "x.txt", text=["--trace", "x.txt"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "x.txt")))

    def test_a_graph_without_ratings_is_refused(self):
        self.refuses("run", "cf", "--graph", "known:karate", text="ratings")
        self.write("r.csv", ratings(20, 10, 5))
        self.refuses("run", "cf", "--graph", "r.csv", "--scheduler", "ap", text=["--scheduler", "bound"])
        self.refuses("run", "cf", "--graph", "r.csv", "--rate", "7", text="--rate")

    def check(self, code, *words):
        done = self.run_leeway("check", *words, "--json")
        self.assertEqual(done.returncode, code, [words, done.stderr])
        return json.loads(done.stdout)

    def test_check_finds_no_counterexample_to_min_programs_and_some_to_pagerank_and_cf(self):
        self.write("ratings.csv", ratings(users=40, items=10, each=5))
        for words in (["sssp", "kron:7:8", "--weights", "random"], ["bfs", "grid2d:12x12", "--source", "5"],
                      ["cc", "kron:8:4", "--workers", "7", "--cut", "vertex"], ["sssp", "kron:12:16", "--schedules", "3"]):
            report = self.check(0, *words)
            for condition in ("T1", "T2", "T3", "same_answer"):
                self.assertEqual(report[condition], {"state": "no counterexample", "counterexample": ""}, words)
            self.assertGreater(report["comparisons"], 0)
        report = self.check(1, "pagerank", "kron:6:8", "--schedules", "4", "--tolerance", "1e-4")
        self.assertEqual([report[each]["state"] for each in ("T1", "T2", "T3")], ["violated"] * 3)
        self.assertRegex(report["T2"]["counterexample"], r"vertex \d+: from .* to .* in round \d+; but vertex")
        report = self.check(1, "cf", "ratings.csv", "--schedules", "4", "--rate", "0.02")
        self.assertEqual(report["T2"]["state"], "violated")

    def test_check_refuses_what_it_cannot_check(self):
        self.refuses("check", "coloring", "kron:5", text=["coloring", "sssp"])
        self.refuses("check", "sspp", "kron:5", text="sssp")
        self.refuses("check", "sssp", "nowhere.txt", text="nowhere.txt")
        self.refuses("check", "sssp", "kron:5", "--source", "missing", text="missing")
        self.refuses("check", "sssp", "kron:5", "--damping", "0.5", text="--damping")
        self.refuses("check", "sssp", "kron:5", "--scheduler", "ap", text="--scheduler")
        self.refuses("check", "sssp", "kron:5", "--schedules", "0", text="--schedules")


if __name__ == "__main__":
    main()
