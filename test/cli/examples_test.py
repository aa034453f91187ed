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
                self.check(example, MODES[(i + j) % len(MODES)], scheduler, str(1 + (i + j) % 4))

    def test_every_mode_gives_the_answers_of_the_shipped_programs(self):
        for mode in MODES:
            for example in [*EXACT, *NEAR]:
                self.check(example, mode, "do-work", "3")

    def test_processes_are_nodes(self):
        for start in (["mpiexec.mpich", "-n", "3"], [LEEWAY, "launch", "-n", "2", "--"]):
            for example in ("components", "pagerank", "paths"):
                self.check(example, "rcp", "do-work", start=start)

    def test_unbounded_path_counts_are_detected(self):
        expected = self.shipped("paths", "cycle.txt")
        self.assertEqual(expected["43"], "more than 9223372036854775807")
        for scheduler in ("do-work", "bsp", "asytick"):
            self.assertEqual(self.values("paths", "cycle.txt", "stale-2", scheduler, "3"), expected)

    def test_colours_differ_between_neighbours_and_labels_are_stable(self):
        self.write("edges.txt", "# undirected\n" + "".join(f"{v} {(3 * v + 1) % 50}\n{v} {(v + 7) % 50}\n" for v in range(50)))
        edges = [line.split() for line in self.read("edges.txt").splitlines()[1:]]
        near = {}
        for a, b in edges:
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
        for scheduler in SCHEDULERS:
            colours = self.values("coloring", "edges.txt", "rcp", scheduler, "3")
            for a, b in edges:
                self.assertTrue(a == b or colours[a] != colours[b], (scheduler, a, b))
        labels = self.values("communities", "edges.txt", "scp", "do-work", "2")
        for vertex, others in near.items():
            votes = [int(labels[each]) for each in [vertex, *others]]
            best = max(sorted(set(votes)), key=votes.count)
            self.assertEqual(int(labels[vertex]), best, vertex)

    def test_invalid_arguments_are_refused(self):
        for arguments in (["kron:x"], ["kron:5", "rpc"], ["kron:5", "rcp", "bps"], ["kron:5", "rcp", "bsp", "0"], []):
            done = subprocess.run([os.path.join(EXAMPLES, "pagerank"), *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("; ", done.stderr)

    def test_each_is_short(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "aspire")
        for name in os.listdir(folder):
            if name.endswith(".cc"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertLessEqual(len(file.readlines()), 60, name)


main()
