"""Every setting with every kind of run: applied and reported, ignored with a warning, or refused by name."""
import itertools
import json
import os
import re

from command_case import LEEWAY, CommandTest, main

# One valid value for each setting of `leeway run`; none is the default.
SAMPLES = {
    "format": "edge-list", "directed": None, "undirected": None, "symmetrize": None, "duplicates": "merge",
    "merge-weights": "max", "self-loops": "drop", "weights": "random", "weight-low": "2", "weight-high": "7",
    "partition": "hash", "balance": "vertices", "edge-weights": None, "tries": "2", "skew": "1.5", "nodes": "2",
    "fabric": "sim", "consistency": "scp", "scheduler": "bsp", "staleness": "1", "visit": "active", "order": "owner",
    "service": "inline", "collocate": "false", "aggregate": "false", "flatten": "false", "replicate": "false", "cache": "20", "eviction": "clock", "deterministic": None, "engine": "pie", "workers": "3", "cut": "vertex",
    "aap-floor": "2", "aap-equation": None, "aap-senders": None, "paced": "false", "gather-fraction": "0.4", "rate-window": "3", "hsync-ratio": "1.5", "hops": "1", "source": "2", "rhs": "cells.txt", "start": "cells.txt", "fixed": "cells.txt", "damping": "0.5", "rate": "0.03", "changes": "changes.txt", "from": "cells.txt", "samples": "2", "by-weight": None, "personalization": "cells.txt", "resolution": "1.5", "attenuation": "0.01",
    "regulariser": "0.1", "tolerance": "1e-5", "tolerance-of": "each", "rescale": "false", "precision": "single", "patience": "5000", "ldbc": None, "verify": None, "cost": None, "report": "r.json",
    "trace": "t.json", "scene": "scene.csv", "fish": "30", "food": "9", "informed": "2", "goals": "2", "basin": "50x40", "visibility": "4",
    "reach": "0.3", "plate": "20x10", "frames": "f.json", "frame-every": "2", "sync": "barrier", "depth": "2",
    "every": "1", "replicas": "3", "split": "quadtree", "rebalance": "2", "check": None, "system": "oritick", "pieces": "3",
    "alpha": "0.4", "beta": "0.4", "piece-order": "arrival", "compress": None, "balance-every": "3", "bodies": "20", "groups": "2",
    "box": "90x80", "cutoff": "6", "graph": "known:kite", "net": "ec2", "iterations": "3", "out": "o.txt", "out-parts": None,
    "columns": "1,2", "delimiter": "space", "header": "false", "force": None, "top": "2",
    "snapshot": "snaps", "snapshot-every": "5", "snapshots-kept": "3", "resume": "none",
    "quiet": None, "log-level": "warning", "strict": None, "json": None, "threads": "2", "seed": "5",
}
# Settings whose effect is visible outside the configuration section of the report.
FILES = {"report", "trace", "frames", "out", "snapshot"}
SPOKEN = {"quiet", "log-level", "strict", "json", "graph", "force", "top"}
# Settings that determine the result or request an output: never ignored.
MUST_APPLY = {"changes", "from", "source", "samples", "by-weight", "personalization", "resolution", "attenuation", "precision", "damping", "rate", "regulariser", "rhs", "start", "fixed", "ldbc", "iterations", "deterministic", "net", "cost", "out-parts",
              "scene", "fish", "food", "informed", "basin", "visibility", "reach", "plate", "bodies", "groups", "box", "cutoff", "check"}
# Settings that apply to the run but contradict its input or schedule: what the error message contains.
ELSEWHERE = {"ldbc": "LDBC defines", "graph": "cf needs ratings", "directed": "arcs that go both ways", "format": "is not a weight",
             "columns": "cf needs ratings", "delimiter": "columns, but", "header": "is not a weight"}
# The same for linear-system, which refuses a matrix on which Jacobi's method has no result.
MATRIX = {"undirected": "diverges", "symmetrize": "diverges", "self-loops": "its diagonal entry is zero", "weights": "diverges",
          "graph": "it has no numbers"}
GRAPHS = {"cf": "r.csv", "linear-system": "matrix:poisson2d:3x2"}
SCENES = {"fish": ["--fish", "12", "--basin", "40x30"], "fish-food": ["--fish", "12"], "nbody": ["--bodies", "12"], "jacobi": ["--plate", "12x9"]}
RUNS = [
    *[(program, "vertex", scheduler) for program, scheduler in
      [("pagerank", "do-work"), ("pagerank", "ap"), ("sssp", "ssp"), ("sssp", "bsp"), ("pagerank", "asytick"),
       ("cc", "aap"), ("cdlp", "bsp"), ("heat", "do-work")]],
    *[("cc", "pie", scheduler) for scheduler in ("aap", "ssp", "bsp")], ("pagerank", "pie", "hsync"),
    ("cf", "pie", "aap"),
    ("fish", "tick", None), ("fish-food", "tick", None), ("jacobi", "tick", None), ("pagerank", "tick", None),
    ("fish", "piece", None), ("jacobi", "piece", None), ("nbody", "piece", None), ("pagerank", "piece", None),
    ("linear-system", "piece", None),
]
RATINGS = "userId,movieId,rating\n" + "".join(f"{u},{i},{1 + (u * i) % 5}\n" for u in range(9) for i in range(5))


class ApplicabilityTest(CommandTest):
    def flags(self):
        self.succeeds("--generate-documents", self.folder)
        with open(os.path.join(self.folder, "leeway.bash"), encoding="utf-8") as file:
            words = re.search(r"\*\) words='([^']*)' ;;\n +esac", file.read()).group(1)
        return [word[2:] for word in words.split() if word not in ("--config", "--help")]

    @staticmethod
    def value_of(run, name):
        """Each run gets a separate snapshot folder, because a folder belongs to one job."""
        return "-".join(["snaps", *(str(part) for part in run)]) if name == "snapshot" else SAMPLES[name]

    def command_line(self, run, name):
        """The full command line, the words that set `name`, and the report file."""
        program, engine, scheduler = run
        value = self.value_of(run, name)
        given = [f"--{name}"] if value is None else [f"--{name}={value}"] if value == "false" else [f"--{name}", value]
        mine = {"--engine": engine, "--nodes": "2"}
        if scheduler:
            mine["--scheduler"] = scheduler
        if program not in SCENES:
            mine["--graph"] = GRAPHS.get(program, "path:4")
        scene = SCENES.get(program, [])
        words = [*itertools.chain(*(pair for pair in mine.items() if pair[0] not in given))]
        words += [word for pair in zip(scene[::2], scene[1::2]) if pair[0] not in given for word in pair]
        if engine != "pie" and "--iterations" not in given and program not in ("cdlp", "cf") and program in SCENES:
            words += ["--iterations", "4"]
        report = "-".join(str(part) for part in (*run, name)) + ".json"
        if name not in FILES:
            words += ["--report", report]
        return ["run", program, *words, *given], given, report

    def wrong_with(self, run, name, done):
        """A description of how the run mishandled the setting, or None."""
        program = run[0]
        arguments, given, report = self.command_line(run, name)
        path = os.path.join(self.folder, report)
        if done.returncode != 0:
            refused = done.returncode == 2 and done.stderr.count("\n") == 1 and "; " in done.stderr
            named = f"--{name}" in done.stderr or name in ("resume", "source", "scheduler", "engine") or \
                (MATRIX if program == "linear-system" else ELSEWHERE).get(name, "--" + name) in done.stderr
            return None if refused and named else f"{arguments}: {done.stderr}"
        if f"--{name} has no effect here" in done.stderr:
            if name in FILES or name in MUST_APPLY:
                return f"{arguments}: ignored, but must be refused"
            with open(path, encoding="utf-8") as file:
                reported = str(json.load(file)["configuration"].get(name))
            return f"{arguments}: reported, but ignored" if reported == self.value_of(run, name) else None
        if name in FILES:
            left = os.path.join(self.folder, self.value_of(run, name))
            return None if os.path.exists(left) else f"{arguments}: left no file"
        with open(path, encoding="utf-8") as file:
            configuration = json.load(file)["configuration"]
        if name in SPOKEN or name == "directed":
            return None
        return None if name in configuration else f"{arguments}: the report does not list it: {configuration}"

    def test_every_setting_applies_or_is_ignored_or_refused_by_name(self):
        self.write("r.csv", RATINGS)
        self.write("cells.txt", "1 0.5\n")
        self.write("scene.csv", "x,y,vx,vy\n" + "".join(f"{i},{2 * i},1,0\n" for i in range(12)))
        flags = self.flags()
        self.assertEqual(sorted(flags), sorted(SAMPLES))
        pairs = list(itertools.product(RUNS, flags))
        every = self.run_all([self.command_line(*pair)[0] for pair in pairs])
        wrong = [each for pair, done in zip(pairs, every) if (each := self.wrong_with(*pair, done))]
        self.assertEqual(wrong, [], "\n".join(wrong))
        # The command itself must exit and complain like the batch runner; compare a sample.
        for at in [at for at, done in enumerate(every) if done.returncode == 2][::40]:
            alone = self.run_leeway(*self.command_line(*pairs[at])[0])
            self.assertEqual((alone.returncode, alone.stderr), (2, every[at].stderr))

    def test_a_setting_without_effect_causes_a_warning_and_strict_refuses_it(self):
        graph = ["--graph", "path:4"]
        for arguments, part in [
            (["cc", *graph, "--engine", "pie", "--consistency", "scp"], ["--consistency", "cc runs on the pie engine", "give --engine vertex"]),
            (["cc", *graph, "--engine", "pie", "--fabric", "sim", "--threads", "2"], ["--threads", "one thread each"]),
            (["pagerank", *graph, "--sync", "local"], ["--sync", "give --engine tick"]),
            (["pagerank", *graph, "--pieces", "4"], ["--pieces", "give --"]),
            (["cc", *graph, "--engine", "pie", "--nodes", "2", "--workers", "2", "--rebalance", "3"], ["--rebalance", "no worker can move"]),
            (["pagerank", *graph, "--hops", "0"], ["--hops", "pagerank runs on the vertex engine"]),
            (["pagerank", *graph, "--engine", "pie", "--cut", "vertex", "--hops", "1"], ["--hops", "give --cut edge"]),
            (["pagerank", *graph, "--scheduler", "bsp", "--staleness", "2"], ["--staleness", "the scheduler is bsp"]),
            (["pagerank", *graph, "--consistency", "scp"], ["--consistency", "the run has one node", "give --nodes 2 or more"]),
            (["pagerank", *graph, "--net", "ec2", "--nodes", "1"], ["--net", "the run has one node", "give --nodes 2 or more"]),
            (["pagerank", *graph, "--iterations", "3", "--tolerance", "0.1"], ["--tolerance", "--iterations fixes", "drop one of them"]),
            (["sssp", *graph, "--tolerance", "0.1"], ["--tolerance", "is a setting of eigenvector, heat, hits, katz, pagerank, wave, jacobi or linear-system"]),
            (["sssp", *graph, "--replicate=false"], ["--replicate", "worklist", "--visit all"]),
            (["cc", *graph, "--engine", "pie", "--cache", "20"], ["--cache", "--engine vertex"]),
            (["cc", *graph, "--eviction", "clock"], ["--eviction", "give --cache"]),
            (["degree", *graph, "--seed", "3"], ["--seed", "nothing in this run is random"]),
            (["degree", *graph, "--weight-low", "3"], ["--weight-low", "give --weights random"]),
            (["degree", *graph, "--format", "edge-list"], ["--format", "the graph is generated"]),
            (["degree", *graph, "--partition", "hash", "--balance", "arcs"], ["--balance", "does not balance"]),
            (["fish", "--frame-every", "3"], ["--frame-every", "give --frames"]),
            (["fish", "--rebalance", "3"], ["--rebalance", "give --split quadtree"]),
            (["fish", "--scheduler", "bsp"], ["--scheduler", "fish runs on the tick engine"]),
            (["fish", "--directed"], ["--directed", "fish takes no graph"]),
            (["nbody", "--system", "asytick", "--balance-every", "4"], ["--balance-every", "--system comtick"]),
        ]:
            done = self.run_leeway("run", *arguments, "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            for words in [*part, "has no effect here: "]:
                self.assertIn(words, done.stderr)
            self.refuses("run", *arguments, "--strict", text=part)

    def test_summary_and_report_have_the_mode_that_was_used(self):
        run = ["run", "pagerank", "kron:6", "--report", "r.json", "--force"]
        for more, mode in [([], None), (["--nodes", "2"], "rcp+push"), (["--nodes", "2", "--scheduler", "bsp"], "rcp+push"),
                           (["--nodes", "2", "--scheduler", "bsp", "--consistency", "scp"], "scp")]:
            done = self.run_leeway(*run, *more)
            self.assertEqual((done.returncode, done.stderr), (0, ""), more)
            self.assertEqual(re.findall(r"^consistency +(.*)$", done.stdout, re.MULTILINE), [mode] if mode else [])
            configuration = json.loads(self.read("r.json"))["configuration"]
            self.assertEqual(configuration.get("consistency"), mode)
            self.assertEqual("net" in configuration, "--nodes" in more)

    def test_a_setting_that_must_not_be_ignored_is_refused(self):
        graph = ["--graph", "path:4"]
        for arguments, part in [
            (["sssp", *graph, "--damping", "0.5"], ["--damping: ", "damping is a setting of pagerank"]),
            (["pagerank", *graph, "--source", "1"], ["--source: ", "betweenness, bfs, paths, shortest-path-counts or sssp"]),
            (["coloring", *graph, "--undirected", "--ldbc"], ["--ldbc: ", "bfs, cc, cdlp"]),
            (["fish", "--graph", "path:4"], ["--graph: ", "fish takes no graph"]),
            (["cc", *graph, "--out", "o.txt", "--out-parts"], ["--out-parts: ", "--fabric"]),
            (["cc", *graph, "--engine", "pie", "--iterations", "3"], ["--iterations: ", "--engine vertex"]),
            (["pagerank", *graph, "--order", "priority"], ["--order: priority needs a worklist"]),
            (["sssp", *graph, "--order", "priority", "--visit", "all"], ["--order: priority needs a worklist"]),
            (["pagerank", *graph, "--visit", "active", "--iterations", "3"], ["--visit: ", "drop one of them"]),
            (["cc", *graph, "--collocate=false", "--cache", "9"], ["--collocate: ", "--cache"]),
        ]:
            self.refuses("run", *arguments, text=part)

    def test_a_setting_without_effect_on_a_command_that_reads_a_graph_causes_a_warning(self):
        done = self.run_leeway("info", "known:karate", "--seed", "3")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--seed has no effect here: nothing in this run is random", done.stderr)
        self.refuses("info", "known:karate", "--seed", "3", "--strict", text="--seed")

    def test_a_renamed_setting_is_refused_with_its_new_name(self):
        self.refuses("run", "fish", "--ticks", "3", text=["--ticks", "--iterations"])
        self.refuses("partition", "known:karate", "2", "--method", "hash", text=["--method", "--partition"])
        self.refuses("run", "fish", environment={"LEEWAY_TICKS": "3"}, text=["LEEWAY_TICKS", "LEEWAY_ITERATIONS"])
        self.write("c.toml", "method = 'hash'\n")
        self.refuses("plan", "known:karate", "--config", "c.toml", text=["c.toml:1:", "'partition'"])
        self.refuses("run", "fish", "--scheduler", "tick", text=["--scheduler", "--engine tick"])
        self.refuses("run", "jacobi", "--scheduler", "asytick", "--strict", text=["--scheduler", "--engine piece"])

    def test_errors_name_the_source_of_a_setting_and_shared_files_apply_where_they_can(self):
        fish = ["run", "fish", "--fish", "9", "--iterations", "2", "--quiet", "--report", "r.json"]
        strict = [*fish, "--strict"]
        self.refuses(*strict, environment={"LEEWAY_HOPS": "2"}, text=["LEEWAY_HOPS: has no effect here", "tick engine"])
        self.write("own.toml", "[run]\nhops = 2\n")
        self.refuses(*strict, "--config", "own.toml", text=["own.toml:2: hops has no effect here"])
        self.assertIn("own.toml:2: hops has no effect here", self.run_leeway(*fish, "--config", "own.toml").stderr)
        self.write("other.toml", "[info]\nhops = 2\n")
        self.refuses("info", "known:karate", "--config", "other.toml", text=["other.toml:2:", "info"])
        self.write("shared.toml", "hops = 2\nscheduler = 'aap'\npartition = 'hash'\nseed = 4\n")
        self.succeeds(*fish, "--config", "shared.toml")
        with open(os.path.join(self.folder, "r.json"), encoding="utf-8") as file:
            configuration = json.load(file)["configuration"]
        self.assertEqual(configuration["seed"], 4)
        self.assertTrue({"hops", "scheduler", "partition"}.isdisjoint(configuration))

    def test_the_engine_follows_from_the_program(self):
        graph = ["--graph", "path:4"]
        self.write("r.csv", RATINGS)
        for program, engine, more in [("fish", "tick", []), ("jacobi", "tick", ["--plate", "9x9"]),
                                      ("nbody", "piece", []), ("pagerank", "vertex", graph),
                                      ("cc", "vertex", [*graph, "--scheduler", "hsync"]), ("cf", "pie", ["--graph", "r.csv"])]:
            self.succeeds("run", program, *more, "--quiet", "--report", "r.json")
            with open(os.path.join(self.folder, "r.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["configuration"]["engine"], engine)
        self.refuses("run", "degree", *graph, "--engine", "tick", text=["no program called 'degree'", "vertex"])
        self.refuses("run", "cc", *graph, "--engine", "pie", "--scheduler", "do-work",
                     text=["pie engine does not run do-work", "aap"])

    def test_a_source_that_reaches_nothing_causes_a_warning(self):
        self.write("g.txt", "1 2\n2 3\n")
        done = self.run_leeway("run", "bfs", "--graph", "g.txt", "--directed", "--source", "3", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("source '3' reaches no other vertex; --source 1 is the vertex with most arcs", done.stderr)
        self.assertEqual(self.run_leeway("run", "bfs", "--graph", "g.txt", "--quiet", "--report", "r.json").stderr, "")
        with open(os.path.join(self.folder, "r.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["configuration"]["source"], "1 (the first)")

    def test_the_default_source_has_an_arc_to_another_vertex(self):
        self.write("g.txt", "# directed\n# Nodes: 6\n0 0\n1 3\n3 3\n2 3\n2 5\n2 0\n")
        self.write("w.txt", "alone alone\n'x' y\ny 'x'\ny z\n")
        job = ["launch", "-n", "3", "--", LEEWAY]
        for start in ([], job):
            for words in (["sssp"], ["bfs"], ["paths"], ["sssp", "--engine", "pie"]):
                done = self.run_leeway(*start, "run", words[0], "g.txt", *words[1:], "--json")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                report = json.loads(done.stdout)
                self.assertEqual(report["configuration"]["source"], "1 (the first with an arc to another vertex)")
                self.assertEqual(report["answer"]["reached"], 2, words)
            for source, better in (("0", "--source 2 is"), ("4", "--source 2 is"), ("3", "--source 2 is")):
                done = self.run_leeway(*start, "run", "bfs", "g.txt", "--source", source, "--quiet")
                self.assertIn(f"source '{source}' reaches no other vertex; {better} the vertex with most arcs\n", done.stderr)
            done = self.run_leeway(*start, "run", "bfs", "w.txt", "--source", "z", "--quiet")
            self.assertIn("--source y is the vertex with most arcs\n", done.stderr)
        self.write("n.txt", "# directed\n# Nodes: 3\n1 1\n")
        for start in ([], job):
            done = self.run_leeway(*start, "run", "bfs", "n.txt", "--json")
            self.assertIn("source '0' reaches no other vertex; no vertex has an arc to another\n", done.stderr)
            self.assertEqual(json.loads(done.stdout)["configuration"]["source"], "0 (the first)")
        self.succeeds("check", "sssp", "g.txt")

    def test_help_lists_applicable_settings_program_specific_ones_first(self):
        fish = self.succeeds("run", "fish", "--help-all")
        self.assertLess(fish.index("--informed"), fish.index("--sync"))
        self.assertLess(fish.index("--sync"), fish.index("--nodes"))
        for other in ("--graph", "--damping", "--hops", "--bodies"):
            self.assertNotIn(f"  {other} ", fish)
        short = self.succeeds("run", "pagerank", "--help")
        self.assertIn("--damping", short)
        self.assertNotIn("--informed", short)
        self.assertIn("more: leeway run pagerank --help-all", short)
        self.assertLess(short.count("\n"), 65)
        common = self.succeeds("run", "--help")
        self.assertIn("leeway run PROGRAM --help", common)
        self.assertNotIn("--informed", common)
        self.refuses("run", "fsh", "--help", text=["'fsh'", "'fish'"])

    def test_a_fixed_iteration_count_is_not_verified_against_the_converged_result(self):
        output = self.succeeds("run", "heat", "--graph", "grid2d:8x8", "--iterations", "3", "--quiet")
        self.assertNotIn("verified", output)

    def test_the_tick_engine_uses_a_partition_file(self):
        self.succeeds("partition", "known:karate", "3", "owners.txt", "--partition", "hash")
        output = self.succeeds("run", "pagerank", "--graph", "known:karate", "--engine", "tick", "--nodes", "3",
                             "--partition", "file:owners.txt", "--quiet")
        self.assertRegex(output, r"verified +within")


if __name__ == "__main__":
    main()
