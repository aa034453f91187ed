"""The ASPIRE paper's eight programs as users write them, compared with the programs of the command."""
import os
import subprocess

from command_case import LEEWAY, CommandTest, main

EXAMPLES = os.path.join(os.path.dirname(LEEWAY), "..", "examples", "aspire")
SCHEDULERS = ["do-work", "bsp", "ap", "ssp", "aap", "hsync", "asytick"]
MODES = ["scp", "scp+rw", "scp+pb", "stale-1", "stale-3", "rcp", "rcp+push"]
DAG = "".join(f"{a} {b}\n" for a in range(30) for b in (a + 1, a + 3, 2 * a + 1) if b < 40)
# Examples with exact results, by name: program, graph, and extra arguments of the command.
EXACT = {"components": ("cc", "kron:7", []), "shortest_paths": ("sssp", "dag.txt", []), "paths": ("paths", "dag.txt", [])}
NEAR = {"pagerank": ("pagerank", "kron:7"), "heat": ("heat", "grid2d:12x9"), "wave": ("wave", "grid2d:12x9")}


def flags(mode, scheduler=None, nodes=None):
    words = ["--consistency", mode]
    words += ["--scheduler", scheduler] if scheduler else []
    return words + (["--nodes", nodes] if nodes else [])


class ExamplesTest(CommandTest):
    def values(self, example, *arguments, start=()):
        done = subprocess.run([*start, os.path.join(EXAMPLES, example), *arguments], cwd=self.folder, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(line.split(" ", 1) for line in done.stdout.splitlines())

    def shipped(self, program, *graph):
        self.succeeds("run", program, *graph, "--quiet", "--out", "values.txt", "--force")
        return dict(line.split(" ", 1) for line in self.read("values.txt").splitlines())

    def setUp(self):
        super().setUp()
        self.write("dag.txt", DAG)
        self.write("cycle.txt", DAG + "39 41\n41 42\n42 41\n42 43\n")

    def check(self, example, *how, start=()):
        if example in EXACT:
            program, graph, more = EXACT[example]
            expected = self.shipped(program, graph, *more)
            for name, value in self.values(example, graph, *how, start=start).items():
                if value == "inf":
                    value = "infinity"
                self.assertEqual(value, expected[name], (example, how, name))
            return
        program, graph = NEAR[example]
        expected = {name: float(value) for name, value in self.shipped(program, graph).items()}
        largest = max(expected.values())
        for name, value in self.values(example, graph, *how, start=start).items():
            self.assertAlmostEqual(float(value) / largest, expected[name] / largest, delta=2e-6, msg=(example, how, name))

    def test_every_schedule_gives_the_answers_of_the_shipped_programs(self):
        for i, scheduler in enumerate(SCHEDULERS):
            for j, example in enumerate([*EXACT, *NEAR]):
                self.check(example, *flags(MODES[(i + j) % len(MODES)], scheduler, str(1 + (i + j) % 4)))

    def test_every_mode_gives_the_answers_of_the_shipped_programs(self):
        for mode in MODES:
            for example in [*EXACT, *NEAR]:
                self.check(example, *flags(mode, "do-work", "3"))

    def test_processes_are_nodes(self):
        for start in (["mpiexec.mpich", "-n", "3"], [LEEWAY, "launch", "-n", "2", "--"]):
            for example in ("components", "pagerank", "paths"):
                self.check(example, *flags("rcp", "do-work"), start=start)

    def test_unbounded_path_counts_are_detected(self):
        expected = self.shipped("paths", "cycle.txt")
        self.assertEqual(expected["43"], "more than 9223372036854775807")
        for scheduler in ("do-work", "bsp", "asytick"):
            self.assertEqual(self.values("paths", "cycle.txt", *flags("stale-2", scheduler, "3")), expected)

    def test_colours_differ_between_neighbours_and_labels_are_stable(self):
        self.write("edges.txt", "# undirected\n" + "".join(f"{v} {(3 * v + 1) % 50}\n{v} {(v + 7) % 50}\n" for v in range(50)))
        edges = [line.split() for line in self.read("edges.txt").splitlines()[1:]]
        near = {}
        for a, b in edges:
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
        for scheduler in SCHEDULERS:
            colours = self.values("coloring", "edges.txt", *flags("rcp", scheduler, "3"))
            for a, b in edges:
                self.assertTrue(a == b or colours[a] != colours[b], (scheduler, a, b))
        labels = self.values("communities", "edges.txt", *flags("scp", "do-work", "2"))
        for vertex, others in near.items():
            votes = [int(labels[each]) for each in [vertex, *others]]
            best = max(sorted(set(votes)), key=votes.count)
            self.assertEqual(int(labels[vertex]), best, vertex)

    def test_invalid_arguments_are_refused(self):
        for arguments in (["kron:x"], ["kron:5", *flags("rpc")], ["kron:5", *flags("rcp", "bps")], ["kron:5", *flags("rcp", "bsp", "0")], [],
                          ["kron:5", "--damping", "0.5"], ["kron:5", "--hops", "1", "--strict"], ["kron:5", "--nodse", "2"]):
            done = subprocess.run([os.path.join(EXAMPLES, "pagerank"), *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertRegex(done.stderr, "; |must be")

    def test_each_is_short(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "aspire")
        for name in os.listdir(folder):
            if name.endswith(".cc"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertLessEqual(len(file.readlines()), 60, name)


EACH = os.path.join(os.path.dirname(LEEWAY), "..", "examples")
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
TUTORIALS = {"tutorial-memory.md": "memory", "tutorial.md": "vertex", "tutorial-pie.md": "pie", "tutorial-tick.md": "tick",
             "tutorial-piece.md": "piece"}


def cells_alive(side=64, generations=100):
    """The game of life of examples/life.cc."""
    alive = {(i // side, i % side) for i in range(side * side) if (i * 2654435761 & 0xFFFFFFFF) >> 31}
    for _ in range(generations):
        near = {}
        for row, column in alive:
            for down in (-1, 0, 1):
                for right in (-1, 0, 1):
                    if down or right:
                        cell = (row + down) % side, (column + right) % side
                        near[cell] = near.get(cell, 0) + 1
        alive = {cell for cell, count in near.items() if count == 3 or (count == 2 and cell in alive)}
    return len(alive)


WIDEST = "600 vertices, the narrowest way is 13 wide\n"
ARGUMENTS = {"word_count": ["words.txt"]}
# The output of each example, which no setting below changes.
OUTPUT = {"memory": r"the cells of node 0 have 0\.\d{3} degrees on average\n", "life": f"{cells_alive()} cells are alive\n", "vertex": WIDEST, "pie": WIDEST,
          "ranks": r"0\.2\d{3} of the visits are to vertex 0, of 1\.0000 in all\n",
          "word_count": "a 3\nis 2\nrose 3\ntulip 1\n", "list_ranking": "".join(f"{i} {9 - i * 3 % 10}\n" for i in range(10)),
          "pregel": r"600 vertices, the farthest is at distance \d+\n",
          "tick": r"150 cars at \d\.\d\d m a tick\n", "tables": r"[1-9]\d* stops\n",
          "programs": r"at first the farthest vertex is 98 away\nwith a road less the farthest vertex is 98 away\n"
                      r"with a shortcut the farthest vertex is 50 away\n",
          "piece": r"2048 cells, \d+ of them warm, the warmest at [\d.]+ degrees\n"}
SETTINGS = {"memory": [["--consistency", "scp"], ["--config", "modes.toml"], ["--fabric", "sim", "--net", "ec2"]],
            "life": [["--consistency", mode] for mode in ("scp", "scp+pb", "stale-9", "rcp", "rcp-1")]
            + [["--fabric", "sim", "--net", "ec2"]],
            "vertex": [["--scheduler", "bsp"], ["--consistency", "stale-1", "--cache", "50%"], ["--threads", "2"]],
            "ranks": [["--scheduler", "bsp"], ["--scheduler", "aap", "--fabric", "sim", "--net", "ec2"], ["--consistency", "stale-2"]],
            "pie": [["--workers", "8"], ["--scheduler", "bsp", "--fabric", "sim"], ["--threads", "2"]],
            "programs": [["--scheduler", "bsp"], ["--consistency", "stale-1"], ["--fabric", "sim", "--net", "ec2"], ["--visit", "all"]],
            "word_count": [["--workers", "5"], ["--scheduler", "bsp"], ["--scheduler", "ap", "--fabric", "sim"]],
            "list_ranking": [["--workers", "4"], ["--scheduler", "ssp", "--staleness", "1"], ["--fabric", "sim", "--net", "ec2"]],
            "pregel": [["--workers", "6"], ["--scheduler", "bsp", "--fabric", "sim"], ["--scheduler", "ap"]],
            "tick": [["--sync", "combined"], ["--sync", "barrier", "--threads", "2"], ["--fabric", "sim"]],
            "tables": [["--sync", "combined"], ["--sync", "replicate", "--threads", "2"], ["--fabric", "sim", "--nodes", "5"]],
            "piece": [["--system", "oritick"], ["--piece-order", "arrival"], ["--fabric", "sim"]]}


class CompleteExamplesTest(CommandTest):
    """The programs of examples/: one file each, with the settings of leeway run, on threads and processes."""

    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCES, "modes.toml"), encoding="utf-8") as file:
            self.write("modes.toml", file.read())
        self.write("words.txt", "a rose is a rose\nis a rose\n\ntulip\n")

    def output(self, name, *arguments, start=(), environment=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LEEWAY_")}
        done = subprocess.run([*start, os.path.join(EACH, f"example-{name}"), *ARGUMENTS.get(name, []), *arguments], cwd=self.folder, capture_output=True,
                              env={**clean, **(environment or {})}, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, (name, arguments, done.stderr))
        self.assertRegex(done.stdout, "^" + OUTPUT[name] + "$")
        return done.stdout

    def test_no_setting_changes_the_answer(self):
        for name, choices in SETTINGS.items():
            answer = self.output(name, "--nodes", "2")
            for setting in choices:
                found = self.output(name, "--nodes", "2", *setting)
                if name != "memory":
                    self.assertEqual(found, answer, setting)

    def test_processes_are_nodes(self):
        for name in OUTPUT:
            answer = self.output(name, "--nodes", "2")
            for start in (["mpiexec.mpich", "-n", "2"], [LEEWAY, "launch", "-n", "2", "--"]):
                found = self.output(name, start=start)
                if name != "memory":
                    self.assertEqual(found, answer, start)

    def test_settings_come_from_file_environment_and_flags(self):
        wrong = subprocess.run([os.path.join(EACH, "example-memory"), "--config", "modes.toml", "--nodes", "0"], cwd=self.folder,
                               capture_output=True, text=True, timeout=60)
        self.assertEqual((wrong.returncode, wrong.stderr), (2, "--nodes: must be a whole number from 1 to 1048576, not '0'\n"))
        self.output("memory", "--config", "modes.toml", environment={"LEEWAY_NODES": "3"})
        help_text = subprocess.run([os.path.join(EACH, "example-tick"), "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(help_text.returncode, 0)
        self.assertIn("--sync", help_text.stdout)
        self.assertNotIn("--consistency", help_text.stdout)

    def test_a_setting_of_another_kind_of_program_is_a_warning(self):
        for name, setting, kind in (("pie", ["--consistency", "scp"], "a PIE program"), ("vertex", ["--hops", "1"], "a vertex program")):
            program = os.path.join(EACH, f"example-{name}")
            done = subprocess.run([program, *setting], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, WIDEST), done.stderr)
            self.assertIn(f"{setting[0]}: has no effect here: {kind} does not use it", done.stderr)
            done = subprocess.run([program, *setting, "--strict"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{setting[0]}: has no effect here", done.stderr)

    def test_a_failure_of_all_processes_is_printed_once(self):
        for start in (["mpiexec.mpich", "-n", "2"], [LEEWAY, "launch", "-n", "2", "--"]):
            done = subprocess.run([*start, os.path.join(EACH, "example-vertex"), "nosuch.txt"], cwd=self.folder, capture_output=True,
                                  text=True, timeout=60)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("no such file"), 1, done.stderr)

    def test_a_job_inside_an_mpi_program(self):
        done = subprocess.run(["mpiexec.mpich", "-n", "4", os.path.join(EACH, "example-in_mpi")], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "rank 1 heard from rank 0 that the nodes' numbers sum to 1\n"), done.stderr)

    def test_the_tutorials_show_the_programs_that_are_tested(self):
        def text(*path):
            with open(os.path.join(SOURCES, *path), encoding="utf-8") as file:
                return file.read()

        for page, name in TUTORIALS.items():
            self.assertIn("```cpp\n" + text(name + ".cc") + "```\n", text("..", "docs", page), page)
        self.assertEqual(text("ranks.cc"), text("..", "docs", "tutorial.md").split("```cpp\n")[2].split("```\n")[0])
        shown = text("..", "docs", "piece.md").split("```cpp\n")[1].split("```\n")[0]
        self.assertIn(shown, text("piece.cc"))
        second = text("..", "docs", "tutorial-tick.md").split("```cpp\n")[2].split("```\n")[0]
        self.assertIn(second, text("tables.cc"))

    def test_each_is_complete_and_short(self):
        for name in os.listdir(SOURCES):
            if name.endswith((".cc", ".py", ".sh", ".toml")):
                with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
                    self.assertLessEqual(len(file.readlines()), 80, name)


main()
