"""`leeway run`: results, reports, traces, and settings refused before any work."""
import json
import re
import os
import shutil
import subprocess
import unittest

from command_case import LEEWAY, CommandTest, main

PROGRAMS = ["pagerank", "sssp", "bfs", "paths", "shortest-path-counts", "cc", "cdlp", "coloring", "heat", "wave", "lcc", "triangles", "degree"]
# A directed graph as LDBC's test graphs: sparse ids, a vertex without out-arcs, an unreachable vertex.
LDBC = "2 3\n2 4\n3 4\n4 10\n7 2\n"


class RunTest(CommandTest):
    def values(self, *arguments):
        self.succeeds("run", *arguments, "--out", "values.txt", "--quiet")
        with open(os.path.join(self.folder, "values.txt"), encoding="utf-8") as file:
            return dict(line.split(" ", 1) for line in file.read().splitlines())

    def report(self, *arguments):
        self.succeeds("run", *arguments, "--report", "r.json", "--quiet")
        with open(os.path.join(self.folder, "r.json"), encoding="utf-8") as file:
            return json.load(file)

    def film(self, *arguments):
        text = self.succeeds("run", *arguments, "--frames", "f.json", "--report", "r.json", "--out", "o.txt", "--quiet", "--force")
        with open(os.path.join(self.folder, "f.json"), encoding="utf-8") as file:
            film = json.load(file)
        with open(os.path.join(self.folder, "r.json"), encoding="utf-8") as file:
            return film, json.load(file), text

    def test_ranks_in_single_precision(self):
        for scheduler in ("do-work", "bsp", "ap", "asytick"):
            done = self.succeeds("run", "pagerank", "kron:9:8", "--undirected", "--precision", "single", "--scheduler", scheduler,
                                 "--nodes", "2", "--quiet", "--verify")
            self.assertRegex(done, r"verified +within [0-9.e-]+ of the sequential oracle in the sum of all differences")
        self.succeeds("run", "pagerank", "kron:9:8", "--precision", "single", "--iterations", "6", "--snapshot", "single", "--snapshot-every", "2",
                      "--quiet")
        self.refuses("run", "pagerank", "kron:9:8", "--iterations", "9", "--resume", "single", "--quiet", text=["precision"])

    def test_what_a_tolerance_bounds(self):
        graph = ["run", "pagerank", "kron:12:8", "--undirected", "--quiet", "--verify"]
        iterations = {}
        for of in ("sum", "each", "mean"):
            done = self.succeeds(*graph, "--tolerance-of", of)
            iterations[of] = int(re.search(r"iterations +(\d+)", done).group(1))
            within = "in the sum of all differences" if of != "each" else "of the sequential oracle\n"
            self.assertIn(within, done)
        self.assertLess(iterations["sum"], iterations["each"])
        kept = self.succeeds(*graph, "--tolerance-of", "sum", "--rescale=false")
        self.assertGreater(int(re.search(r"iterations +(\d+)", kept).group(1)), iterations["sum"])

    def test_frames_show_the_cells_of_a_plane(self):
        for program, graph, more in [("wave", "grid2d:12x9", []), ("heat", "matrix:poisson2d:12x9", ["--frame-every", "7"]),
                                     ("wave", "grid2d:12x9", ["--scheduler", "bsp"]), ("wave", "grid2d:12x9", ["--fabric", "sim", "--scheduler", "ap"])]:
            film, report, _ = self.film(program, "--graph", graph, "--nodes", "3", *more)
            every = 7 if "--frame-every" in more else 1
            ticks = [frame["tick"] for frame in film["frames"]]
            self.assertEqual((film["width"], film["height"], ticks[0], ticks[-1]), (12, 9, 0, report["iterations"]), more)
            self.assertEqual(ticks[:-1], list(range(0, every * (len(ticks) - 1), every)))
            self.assertEqual({len(frame["cells"]) for frame in film["frames"]}, {108})
            self.assertGreater(len({tuple(frame["cells"]) for frame in film["frames"]}), len(ticks) // 4)
            with open(os.path.join(self.folder, "o.txt"), encoding="utf-8") as file:
                values = [float(line.split()[1]) for line in file]
            scaled = [(value - film["low"]) / (film["high"] - film["low"]) * film["steps"] for value in values]
            for cell, value in zip(film["frames"][-1]["cells"], scaled):
                self.assertAlmostEqual(cell, value, delta=0.51)
        self.succeeds("compare", "r.json", "--page", "p.html", "--force")
        with open(os.path.join(self.folder, "p.html"), encoding="utf-8") as file:
            self.assertIn('"cells"', file.read())
        for done in (self.run_under_mpi(3, "run", "wave", "--graph", "grid2d:12x9", "--frames", "m.json", "--quiet"),
                     self.run_leeway("launch", "-n", "2", "--", LEEWAY, "run", "wave", "--graph", "grid2d:12x9", "--frames", "m.json", "--quiet",
                                     "--force")):
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(self.folder, "m.json"), encoding="utf-8") as file:
                frames = json.load(file)["frames"]
            self.assertEqual({len(frame["cells"]) for frame in frames}, {108})
        self.refuses("run", "wave", "--graph", "kron:5", "--undirected", "--frames", "g.json", text=["--frames", "grid2d:WxH"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "g.json")))

    def test_optimizations_change_no_answer(self):
        for program in ("sssp", "cc", "pagerank", "cdlp"):
            graph = ["--graph", "kron:7:6", "--undirected", "--nodes", "4", "--fabric", "sim"]
            for way in ([], ["--scheduler", "bsp"], ["--scheduler", "ap"], ["--consistency", "scp"], ["--visit", "all"]):
                for flag in ("collocate", "aggregate", "flatten", "replicate"):
                    if flag == "replicate" and program in ("sssp", "cc") and way in ([], ["--scheduler", "ap"], ["--consistency", "scp"]):
                        continue
                    if program == "pagerank" and way == ["--visit", "all"]:
                        continue
                    text = self.succeeds("run", program, *graph, *way, f"--{flag}=false", "--quiet", "--verify")
                    self.assertRegex(text, r"verified +(equals|within|proper|stable)", [program, way, flag])
        for fabric in (["launch", "-n", "3", "--", LEEWAY], None):
            asked = ["run", "sssp", "--graph", "kron:7:6", "--collocate=false", "--quiet", "--verify"]
            done = self.run_leeway(*fabric, *asked) if fabric else self.run_under_mpi(3, *asked)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"verified +equals")
        self.refuses("run", "cc", "--graph", "kron:6", "--nodes", "2", "--collocate=false", "--cache", "16",
                     text=["--collocate", "--cache"])
        self.refuses("run", "cc", "--graph", "kron:6", "--engine", "pie", "--flatten=false", "--strict", text=["--flatten", "--engine vertex"])

    def test_a_run_stopped_early_is_reported_as_not_converged(self):
        early = ["run", "sssp", "--graph", "known:karate", "--source", "17", "--iterations", "1", "--quiet"]
        for verify in ([], ["--verify"], ["--verify=no"]):
            text = self.succeeds(*early, *verify, "--report", "r.json")
            self.assertRegex(text, r"converged +no")
            self.assertFalse(json.loads(self.read("r.json"))["converged"])
            self.assertEqual("not checked" in text, verify == ["--verify"])
        self.assertRegex(self.succeeds("run", "cc", "--graph", "known:karate", "--quiet"), r"converged +yes")

    def test_a_run_without_progress_stops_with_a_distinct_exit_code(self):
        # The last digits of these ranks oscillate forever.
        swing = ["--scheduler", "bsp", "--tolerance", "0", "--patience", "500", "--quiet", "--report", "r.json"]
        for start, graph in (([], "kron:8:8"), (["launch", "-n", "2", "--", LEEWAY], "kron:9:8")):
            done = self.run_leeway(*start, "run", "pagerank", graph, *swing)
            self.assertEqual(done.returncode, 5, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"\ANOT FINAL +stopped after")
            self.assertRegex(done.stdout, r"converged +no")
            self.assertNotIn("verified", done.stdout)
            self.assertRegex(json.loads(self.read("r.json"))["why"], r"stopped after \d+ iterations, .* no progress .*--patience 500")

    def test_a_run_that_makes_progress_is_not_stopped_by_its_number_of_rounds(self):
        for program in ("bfs", "paths"):
            text = self.succeeds("run", program, "path:400", "--partition", "hash", "--nodes", "2", "--scheduler", "ssp", "--quiet", "--verify")
            self.assertRegex(text, r"converged +yes")
        for scheduler in ("do-work", "ssp"):
            self.succeeds("run", "bfs", "path:500000", "--partition", "hash", "--nodes", "2", "--scheduler", scheduler, "--quiet",
                          "--fabric", "sim", "--report", "r.json", "--force")
            self.assertGreater(json.loads(self.read("r.json"))["iterations"], 100_000)

    def test_asytick_with_distance_priority_alone_runs_every_piece(self):
        for nodes in ("1", "3"):
            text = self.succeeds("run", "pagerank", "kron:7:8", "--scheduler", "asytick", "--alpha", "1", "--beta", "0", "--quiet",
                                 "--nodes", nodes)
            self.assertRegex(text, r"converged +yes")
            self.assertLess(int(re.search(r"iterations +([\d,]+)", text)[1].replace(",", "")), 10000)

    def test_verification_of_a_badly_scaled_matrix_uses_the_program_s_norm(self):
        for high, low in (("1e15", "2e9"), ("3e12", "7e7"), ("1e9", "5")):
            self.write("scales.mtx", f"%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 {high}\n1 2 1\n2 1 {high}\n2 2 {low}\n")
            for program in ("heat", "wave"):
                done = self.run_leeway("run", program, "scales.mtx", "--quiet")
                self.assertIn(done.returncode, (0, 2), done.stderr)
                self.assertNotIn("bug of Leeway", done.stderr)

    def test_verification_of_a_nearly_singular_matrix_uses_the_residual(self):
        self.write("near.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 0.9999\n2 1 0.9999\n2 2 1\n")
        self.assertIn("the equations hold", self.succeeds("run", "heat", "--graph", "near.mtx", "--quiet"))

    def test_every_program_is_listed_and_agrees_with_its_oracle(self):
        listed = json.loads(self.succeeds("programs", "--json"))
        self.assertEqual([p["name"] for p in listed], [*PROGRAMS, "cf", "fish", "fish-food", "jacobi", "linear-system", "nbody"])
        for program in PROGRAMS:
            for where in (["--nodes", "3"], ["--nodes", "16", "--fabric", "sim"]):
                text = self.succeeds("run", program, "--graph", "known:karate", *where)
                self.assertRegex(text, r"converged +yes")
                self.assertRegex(text, r"verified +(equals|within|proper|stable)")

    def test_paths_and_shortest_path_counts(self):
        self.write("g.txt", "0 1\n0 2\n1 2\n2 3\n1 3\n3 4\n4 5\n5 4\n5 6\n")
        many = "more than 9223372036854775807"
        for where in ([], ["--nodes", "3"], ["--nodes", "3", "--fabric", "sim", "--consistency", "stale-2"], ["--scheduler", "bsp"]):
            self.assertEqual(self.values("paths", "g.txt", "--force", *where),
                             {"0": "1", "1": "1", "2": "2", "3": "3", "4": many, "5": many, "6": many})
            self.assertEqual(self.values("shortest-path-counts", "g.txt", "--force", *where),
                             {"0": "1", "1": "1", "2": "1", "3": "2", "4": "2", "5": "2", "6": "2"})

    def test_heat_and_wave_take_right_side_start_and_fixed_cells_from_files(self):
        # The second difference operator; its solution between two fixed ends is a straight line.
        rows = [f"{i} {i} 2" for i in range(1, 10)] + [f"{i} {i + d} -1" for i in range(1, 10) for d in (-1, 1) if 1 <= i + d <= 9]
        self.write("line.mtx", f"%%MatrixMarket matrix coordinate real general\n9 9 {len(rows)}\n" + "\n".join(rows) + "\n")
        self.write("ends.txt", "# cell value\n1 0\n9 8\n")
        self.write("none.mtx", "%%MatrixMarket matrix array real general\n9 1\n" + "0\n" * 9)
        self.write("start.txt", "".join(f"{v}\n" for v in (9, 1, 7, 3, 5, 5, 2, 8, 4)))
        line = ["line.mtx", "--rhs", "none.mtx", "--fixed", "ends.txt", "--start", "start.txt", "--tolerance", "1e-12"]
        for program in ("heat", "wave"):
            for where in ([], ["--nodes", "3"], ["--nodes", "2", "--scheduler", "bsp"], ["--nodes", "3", "--consistency", "stale-2"]):
                values = self.values(program, *line, "--verify", "--force", *where)
                for i in range(1, 10):
                    self.assertAlmostEqual(float(values[str(i)]), i - 1, places=6)
        # A start at the solution converges immediately.
        self.write("straight.mtx", "%%MatrixMarket matrix coordinate real general\n9 1 8\n" +
                   "".join(f"{i} 1 {i - 1}\n" for i in range(2, 10)))
        text = self.succeeds("run", "heat", *line[:5], "--start", "straight.mtx", "--quiet")
        self.assertRegex(text, r"iterations +[12]\b")
        self.write("source.txt", "5 1\n")
        grid = ["grid2d:3x3", "--rhs", "source.txt", "--verify"]
        values = self.values("heat", *grid, "--force")
        self.assertEqual(max(values, key=lambda name: float(values[name])), "5")

    def test_malformed_cell_values_are_refused_with_file_and_line(self):
        for text, part in [("0 1\n0 2\n", ":2: vertex '0' is named twice"), ("99 1\n", ":1: the graph has no vertex '99'"),
                           ("0 x\n", ":1: 'x' is not a finite number"), ("0 nan\n", "not a finite number"), ("0 1\n2\n", ":2: '2' does not have the form"),
                           ("1\n2\n", "2 values, but the graph has 9"), ("", "0 values, but"), ("1\n" * 10, ":10: more lines"),
                           ("%%MatrixMarket matrix array real general\n8 1\n" + "1\n" * 8, "8 rows and 1 columns, but the graph has 9"),
                           ("%%MatrixMarket matrix coordinate real general\n9 1 1\n10 1 1\n", "not an entry of a matrix with one column"),
                           ("%%MatrixMarket matrix array real general\n9 1\n1\n2\n", "fewer than the 9 entries"),
                           ("%%MatrixMarket matrix coordinate real general\n9 1 1\n1 1 5\n2 1 5\n", "more than the 1 entries")]:
            self.write("cells.txt", text)
            for flag in ("--rhs", "--start", "--fixed"):
                self.refuses("run", "heat", "grid2d:3x3", flag, "cells.txt", "--out", "o.txt", text=["cells.txt", part])
        self.refuses("run", "heat", "grid2d:3x3", "--rhs", "nowhere.txt", text="nowhere.txt")
        self.refuses("run", "pagerank", "grid2d:3x3", "--rhs", "cells.txt", text=["--rhs", "rhs is a setting of heat, linear-system or wave"])

    def test_labels_that_oscillate_under_bsp_converge_with_updates_in_place(self):
        self.write("g.txt", "# undirected\n0 1\n1 2\n2 3\n2 4\n3 5\n4 5\n")
        done = self.run_leeway("run", "cdlp", "g.txt", "--scheduler", "bsp")
        self.assertEqual(done.returncode, 5, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"stopped after 10\d\d iterations, .*--patience 1000")
        for arguments in ([], ["--nodes", "2"], ["--nodes", "3", "--consistency", "scp"], ["--scheduler", "ap"]):
            self.assertRegex(self.succeeds("run", "cdlp", "g.txt", *arguments), "converged +yes")
        ten = self.values("cdlp", "g.txt", "--ldbc")
        self.assertEqual(ten, self.values("cdlp", "g.txt", "--ldbc", "--iterations", "10", "--nodes", "3", "--force"))

    def test_the_reason_for_the_end_names_the_iteration_limit(self):
        self.write("two.txt", "# undirected\n0 1\n")
        # LDBC's rule excludes a vertex's own label, so both vertices swap labels forever.
        self.assertRegex(self.succeeds("run", "cdlp", "two.txt", "--ldbc"), "converged +no\nbecause +the iterations that define")
        self.write("three.txt", "# undirected\n0 1\n1 2\n0 2\n")
        self.assertRegex(self.succeeds("run", "cdlp", "three.txt", "--ldbc"), "converged +yes\nbecause +nothing changes")
        users = "".join(f"{user},{item},{1 + (user * item) % 5}\n" for user in range(30) for item in range(20))
        self.write("r.csv", users)
        text = self.succeeds("run", "cf", "r.csv", "--format", "ratings")
        if re.search("iterations +100", text):
            self.assertRegex(text, "converged +no\nbecause +all 100 passes are complete")
        else:
            self.assertRegex(text, "converged +yes\nbecause +nothing changes")
        for scheduler in ("ap", "bsp", "ssp", "do-work"):
            text = self.succeeds("run", "pagerank", "known:karate", "--nodes", "3", "--scheduler", scheduler, "--iterations", "5")
            self.assertRegex(text, "converged +no\nbecause +the requested iterations are complete")
        text = self.succeeds("run", "bfs", "known:karate", "--iterations", "100", "--scheduler", "ap", "--nodes", "3")
        at_rest = int(re.search("iterations +([0-9]+)", text)[1]) < 100
        self.assertRegex(text, "converged +" + ("yes\nbecause +nothing changes" if at_rest else "no\nbecause +the requested iterations"))

    def test_every_program_in_ticks_runs_under_the_engines_it_is_listed_with(self):
        listed = {p["name"]: p["engines"] for p in json.loads(self.succeeds("programs", "--json"))}
        for program in ("fish", "fish-food", "jacobi", "nbody"):
            for engine in listed[program]:
                text = self.succeeds("run", program, "--engine", engine, "--nodes", "2", "--iterations", "3")
                self.assertRegex(text, r"verified +bitwise equal")

    def test_values_are_written_with_the_vertex_names_of_the_input(self):
        self.write("g.txt", "10 20\n20 30\n40 50\n")
        self.assertEqual(self.values("bfs", "--graph", "g.txt", "--undirected", "--source", "10"),
                         {"10": "0", "20": "1", "30": "2", "40": "unreachable", "50": "unreachable"})
        self.assertEqual(self.values("cc", "--graph", "g.txt", "--undirected"),
                         {"10": "10", "20": "10", "30": "10", "40": "40", "50": "40"})

    def test_ldbc_results_have_the_ldbc_format(self):
        self.write("g.txt", LDBC)
        graph = ["--graph", "g.txt", "--directed", "--ldbc"]
        self.assertEqual(self.values("bfs", *graph, "--source", "2")["7"], "9223372036854775807")
        self.assertEqual(self.values("sssp", *graph, "--source", "2")["7"], "infinity")
        self.assertEqual(set(self.values("cc", *graph).values()), {"2"})
        self.assertRegex(self.values("pagerank", *graph)["2"], r"^\d\.\d{15}e-\d\d$")
        self.assertEqual(self.values("lcc", *graph)["3"], "5.000000000000000e-01")

    def test_both_engines_compute_weakly_connected_components(self):
        self.write("g.txt", "1 2\n3 2\n4 5\n")
        for engine in ("vertex", "pie"):
            self.assertEqual(self.values("cc", "--graph", "g.txt", "--directed", "--engine", engine),
                             {"1": "1", "2": "1", "3": "1", "4": "4", "5": "4"})

    def test_the_properties_file_of_an_ldbc_graph_sets_parameters(self):
        self.write("g.v", "2\n3\n4\n7\n10\n")
        self.write("g.e", LDBC)
        properties = {"directed": "true", "meta.vertices": "5", "meta.edges": "5", "pr.num-iterations": "7",
                "pr.damping-factor": "0.5", "cdlp.max-iterations": "3", "bfs.source-vertex": "3",
                "sssp.source-vertex": "4"}
        self.write("g.properties", "# all of it\n" + "".join(f"graph.g.{k} = {v}\n" for k, v in properties.items()))
        for name in ("g", "g.v", "g.e", "g.properties"):
            graph = ["--graph", name]
            pagerank = self.report("pagerank", *graph)["configuration"]
            self.assertEqual((pagerank["iterations"], pagerank["damping"], pagerank["scheduler"]), (7, 0.5, "bsp"))
            self.assertIn("iterations 7 (g.properties:5)", pagerank["from_properties"])
            self.assertIn("damping 0.5 (g.properties:6)", pagerank["from_properties"])
            self.assertEqual(self.report("cdlp", *graph, "--ldbc")["configuration"]["iterations"], 3)
            self.assertEqual(self.values("bfs", *graph), {"2": "unreachable", "3": "0", "4": "1", "7": "unreachable",
                                                          "10": "2"})
            self.assertEqual(self.values("sssp", *graph, "--engine", "pie")["4"], "0")
            self.assertIn("source 3", self.succeeds("run", "bfs", *graph, "--quiet"))
        # Flags override the properties file, and properties that the engine does not use are ignored.
        flags = self.report("pagerank", "--graph", "g", "--iterations", "4", "--damping", "0.85")["configuration"]
        self.assertEqual((flags["iterations"], flags["damping"]), (4, 0.85))
        self.assertNotIn("from_properties", flags)
        self.assertEqual(self.values("bfs", "--graph", "g", "--source", "4")["10"], "1")
        self.assertEqual(self.values("bfs", "--graph", "g", "--undirected")["7"], "2")
        pie = self.report("pagerank", "--graph", "g", "--engine", "pie")["configuration"]
        self.assertEqual(pie["damping"], 0.5)
        self.assertNotIn("iterations", pie)
        self.write("g.properties", "graph.g.meta.edges = 99\n")
        self.refuses("run", "cc", "--graph", "g", text=["g.properties:1", "99 edges, but the graph has 5"])

    def test_a_fixed_number_of_in_place_sweeps_is_not_verified(self):
        for program in ("cdlp", "pagerank"):
            text = self.succeeds("run", program, "--graph", "known:karate", "--scheduler", "do-work", "--iterations", "1",
                                 "--verify", "--quiet", "--nodes", "2", "--fabric", "sim")
            self.assertRegex(text, "verified +not checked: a fixed number of sweeps in place")

    def test_a_report_describes_the_run(self):
        report = self.report("pagerank", "--graph", "kron:8:8", "--nodes", "4", "--fabric", "sim")
        self.assertTrue(report["simulated"] and report["converged"])
        self.assertEqual(report["virtual_seconds"], ["compute"])
        self.assertEqual(report["iterations"], len(report["series"]))
        self.assertEqual(len(report["nodes"]), 4)
        self.assertEqual(sum(node["vertices"] for node in report["nodes"]), 256)
        self.assertEqual(report["configuration"]["consistency"], "rcp+push")
        self.assertGreater(report["messages"]["invalidate"]["bytes"], 8 * report["messages"]["invalidate"]["count"])
        self.assertGreater(sum(report["staleness"]), 0)
        self.succeeds("compare", "r.json", "--page", "none")

    def test_the_time_spans_of_each_node_are_few_and_contiguous(self):
        report = self.report("pagerank", "--graph", "kron:8:8", "--nodes", "3", "--fabric", "sim",
                             "--consistency", "scp", "--replicate=false", "--visit", "all")
        for node in report["nodes"]:
            spans = node["spans"]
            self.assertTrue(1 < len(spans) <= 400)
            self.assertTrue(all(begin < end for _, begin, end in spans))
            self.assertTrue(all(one[2] <= next_one[1] + 1e-12 for one, next_one in zip(spans, spans[1:])))
            self.assertLessEqual(spans[-1][2], node["end"] + 1e-9)
        self.assertIn("blocked", {span[0] for node in report["nodes"] for span in node["spans"]})

    def test_the_virtual_cluster_gives_the_same_report_twice(self):
        command = ["pagerank", "--graph", "kron:7:8", "--nodes", "5", "--fabric", "sim"]
        first, second = self.report(*command), self.report(*command)
        for key in ("digest", "iterations", "staleness", "messages", "series"):
            self.assertEqual(first[key], second[key])

    def test_a_trace_separates_computing_refreshing_and_waiting(self):
        self.succeeds("run", "pagerank", "--graph", "kron:8", "--nodes", "3", "--fabric", "sim", "--net", "infiniband",
                      "--consistency", "rcp", "--trace", "t.json")
        with open(os.path.join(self.folder, "t.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.assertLessEqual({"compute", "refresh", "barrier"}, {e["name"] for e in events if e["ph"] == "X"})

    def test_a_trace_has_one_lane_per_node(self):
        self.succeeds("run", "cc", "--graph", "known:karate", "--nodes", "3", "--trace", "t.json")
        with open(os.path.join(self.folder, "t.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.assertEqual({e["args"]["name"] for e in events if e["ph"] == "M"}, {"node 0", "node 1", "node 2"})
        self.assertLessEqual({"compute", "barrier"}, {e["name"] for e in events if e["ph"] == "X"})
        self.assertTrue(any(e["ph"] == "C" for e in events))

    def test_more_nodes_than_vertices_and_tiny_graphs_work(self):
        self.succeeds("run", "pagerank", "--graph", "path:3", "--nodes", "9")
        self.succeeds("run", "cc", "--graph", "path:1", "--nodes", "2")

    @unittest.skipUnless(shutil.which("mpiexec"), "needs MPICH's mpiexec")
    def test_processes_are_nodes_under_a_launcher(self):
        done = subprocess.run(["mpiexec", "-n", "2", LEEWAY, "run", "pagerank", "--graph", "known:karate"],
                              cwd=self.folder, stdin=subprocess.DEVNULL, timeout=120, capture_output=True, text=True)
        self.assertRegex(done.stdout, r"nodes +2")
        self.assertRegex(done.stdout, r"verified +within")


class RefusedTest(CommandTest):
    def refused(self, program, *arguments, text, **more):
        self.refuses("run", program, *arguments, text=text, **more)
        self.assertNotIn("o.txt", self.left())

    def test_graphs_that_a_program_cannot_use(self):
        self.write("weights.txt", "1 2 3\n2 3 -1\n")
        self.write("arcs.txt", "1 2\n2 3\n")
        self.write("matrix.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 4\n1 2 1\n")
        self.write("wild.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 3\n2 1 3\n2 2 1\n")
        self.refused("bfs", "--graph", "arcs.txt", "--source", "9", text="no vertex '9'")
        self.refused("sssp", "--graph", "weights.txt", "--out", "o.txt", text=["arc 2 -> 3", "-1"])
        self.refused("cdlp", "--graph", "arcs.txt", "--directed", text=["both ways", "--undirected", "--ldbc"])
        self.refused("coloring", "--graph", "arcs.txt", "--directed", text=["both ways", "--symmetrize"])
        self.refused("coloring", "--graph", "arcs.txt", "--directed", "--ldbc", text=["--ldbc", "ldbc is a setting of bfs, cc, cdlp, lcc, pagerank or sssp"])
        for engine in ("vertex", "pie"):
            self.refused("pagerank", "--graph", "arcs.txt", "--source", "1", "--engine", engine,
                         text=["--source", "source is a setting of"])
        self.refused("heat", "--graph", "matrix.mtx", text=["row 2", "diagonal"])
        self.refused("wave", "--graph", "wild.mtx", text=["diverge", "3.0"])

    def test_arguments_that_do_not_fit(self):
        graph = ["--graph", "known:karate"]
        self.refused("pagerang", *graph, text="did you mean 'pagerank'")
        self.refused("pagerank", text="the graph is missing")
        self.refused("pagerank", *graph, "--threads", "0", text="--threads")
        self.refused("pagerank", *graph, "--order", "priority", text=["--order", "bfs, cc and sssp"])
        self.refused("cdlp", *graph, "--ldbc", "--scheduler", "ap", text="--scheduler bsp")
        self.refused("pagerank", *graph, "--consistency", "rpc", text="did you mean 'rcp'")
        self.refused("pagerank", *graph, "--nodes", "2", "--deterministic", text="--fabric sim")
        self.refused("pagerank", *graph, "--fabric", "sim", "--threads", "2", "--strict", text=["--threads", "--fabric sim"])

    def test_outputs_that_cannot_be_written(self):
        self.refuses("run", "cc", "--graph", "known:karate", "--out", "/nonexistent/o.txt", code=3, text="/nonexistent")
        self.refuses("run", "cc", "--graph", "known:karate", "--report", "/nonexistent/r.json", code=3, text="/nonexistent")
        self.refuses("run", "cc", "--graph", "known:karate", "--out", "/dev/full", code=3, text="/dev/full")


if __name__ == "__main__":
    main()
