"""Bounded caches: same answers as unbounded ones, counts in the report, refused settings."""
import json

from command_case import LEEWAY, CommandTest, main

GRAPH = ["--graph", "kron:8:8", "--undirected", "--weights", "random", "--nodes", "4"]


class CacheTest(CommandTest):
    def report(self, *arguments):
        text = self.succeeds("run", *arguments, "--verify", "--quiet", "--report", "r.json", "--out", "o.txt", "--force")
        report = json.loads(self.read("r.json"))
        self.assertTrue(report["converged"], text)
        self.assertRegex(text, r"verified +(equals|within|proper)")
        return report, self.read("o.txt"), text

    def test_answers_equal_those_of_unbounded_caches(self):
        for program in ("pagerank", "sssp", "bfs", "cc", "paths", "shortest-path-counts", "coloring", "wave", "degree"):
            graph = ["--graph", "grid2d:16x16", "--nodes", "4", "--undirected"] if program == "wave" else GRAPH
            for way in (["--consistency", "scp"], ["--consistency", "scp+pb"], ["--consistency", "stale-2"],
                        ["--consistency", "rcp"], ["--consistency", "rcp+push"], ["--scheduler", "bsp"]):
                _, free, _ = self.report(program, *graph, "--fabric", "sim", *way)
                for size in ("16", "30%"):
                    report, values, _ = self.report(program, *graph, "--fabric", "sim", *way, "--cache", size)
                    if program in ("sssp", "bfs", "cc", "paths", "shortest-path-counts", "degree"):
                        self.assertEqual(values, free, [program, way, size])
                    self.assertEqual(str(report["configuration"]["cache"]), size)

    def test_every_schedule_visit_and_order_gives_the_answers_of_unbounded_caches(self):
        exact = ("sssp", "bfs", "cc", "shortest-path-counts", "degree")
        ways = [["--scheduler", name] for name in ("ap", "ssp", "aap", "hsync", "asytick", "bsp", "do-work")]
        ways += [["--visit", "active"], ["--visit", "all"], ["--scheduler", "bsp", "--visit", "active"]]
        for program in (*exact, "pagerank", "coloring", "paths"):
            more = [["--order", "priority"], ["--order", "degree"]] if program in ("sssp", "bfs", "cc") else []
            _, free, _ = self.report(program, *GRAPH, "--fabric", "sim")
            for way in (*ways, *more):
                if (program, way) == ("pagerank", ["--scheduler", "bsp", "--visit", "active"]):
                    continue
                for size in ("16", "25%"):
                    for eviction in ("lru", "clock"):
                        asked = [*way, "--engine", "vertex", "--cache", size, "--eviction", eviction]
                        report, values, _ = self.report(program, *GRAPH, "--fabric", "sim", *asked)
                        if program in exact:
                            self.assertEqual(values, free, [program, asked])
                        if size == "16" and program != "degree":
                            self.assertGreater(report["cache"]["evictions"], 0, [program, asked])

    def test_heat_and_synchronous_label_propagation(self):
        heat = ["heat", "--graph", "grid2d:20x20", "--nodes", "4", "--partition", "hash", "--fabric", "sim"]
        for way in (["--consistency", "rcp"], ["--scheduler", "bsp"]):
            report, _, _ = self.report(*heat, *way, "--cache", "10%")
            self.assertGreater(report["cache"]["evictions"], 0)
        labels = ["run", "cdlp", *GRAPH, "--scheduler", "bsp", "--iterations", "10", "--quiet", "--out", "-"]
        free = self.succeeds(*labels)
        for fabric in ("loopback", "sim"):  # on sim, a blocked read lets another node run on the same thread
            self.assertEqual(self.succeeds(*labels, "--fabric", fabric, "--cache", "20"), free)

    def test_threads_and_processes_respect_the_bound(self):
        for more in ([], ["--threads", "3"], ["--threads", "16"], ["--net", "infiniband"], ["--scheduler", "ap"],
                     ["--threads", "3", "--eviction", "clock"], ["--threads", "3", "--service", "thread"]):
            for program in ("pagerank", "cc"):
                report, _, _ = self.report(program, *GRAPH, "--fabric", "loopback", "--cache", "16", *more)
                self.assertGreater(report["cache"]["evictions"], 0)
        cut = [*GRAPH[:-2], "--quiet", "--report", "r.json", "--out", "o.txt", "--cache", "10%", "--verify", "--force"]
        self.succeeds("launch", "-n", "3", "--", LEEWAY, "run", "sssp", *cut)
        done = self.run_under_mpi(3, "run", "sssp", *cut)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(self.read("r.json"))["cache"]["evictions"], 0)

    def test_the_report_has_cache_counts_and_they_are_reproducible(self):
        asked = ["pagerank", *GRAPH, "--fabric", "sim", "--cache", "20"]
        report, values, text = self.report(*asked)
        self.assertEqual((report["cache"], values), (self.report(*asked)[0]["cache"], values))
        cache = report["cache"]
        self.assertEqual(cache["capacity"], 80)
        self.assertEqual(sum(lane["evictions"] for lane in report["nodes"]), cache["evictions"])
        self.assertEqual([lane["cache_capacity"] for lane in report["nodes"]], [20] * 4)
        hits = report["hits"]
        self.assertEqual(cache["hits"], hits["current"] + hits["stale"])
        self.assertEqual(cache["misses"], hits["stale_misses"] + hits["cache_misses"])
        self.assertRegex(text, r"bounded caches +80 copies")
        larger = self.report(*asked[:-1], "60%")[0]["cache"]
        self.assertLess(larger["misses"], cache["misses"])
        self.assertNotIn("cache", self.report(*asked[:-2])[0])
        whole = self.report(*asked[:-1], "100%")[0]["cache"]
        self.assertEqual(whole["evictions"], 0)

    def test_an_impossible_bound_is_refused_with_the_valid_range(self):
        for given, part in [("15", "at least 16"), ("0", "from 1"), ("0%", "from 0.001"), ("101%", "to 100"), ("-3", "number"),
                            ("x", "number"), ("%", "number"), ("", "number")]:
            self.refuses("run", "cc", *GRAPH, "--cache", given, text=["--cache", part])
        self.refuses("run", "cc", *GRAPH, "--threads", "20", "--cache", "19", text=["20 threads", "at least 20", "10%"])
        self.report("cc", *GRAPH, "--threads", "20", "--cache", "20")
        self.report("cc", *GRAPH, "--threads", "20", "--cache", "1%")
        self.refuses("run", "cc", *GRAPH, "--cache", "20", "--engine", "pie", "--strict", text=["--cache", "--engine vertex"])
        self.refuses("run", "cc", *GRAPH, "--eviction", "clock", "--strict", text=["--eviction", "--cache"])
        self.refuses("run", "cc", *GRAPH, "--eviction", "oldest", "--cache", "20", text=["'oldest'", "lru"])
        self.refuses("run", "fish", "--cache", "20", "--strict", text=["--cache", "fish runs on the tick engine"])


main()
