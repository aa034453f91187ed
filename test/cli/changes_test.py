"""Runs that continue from an old answer after changes of the graph."""
import os
import random

from command_case import CommandTest, main

EXACT = ["sssp", "bfs", "cc", "kcore"]
SCHEDULES = [[], ["--scheduler", "bsp"], ["--scheduler", "asytick"], ["--scheduler", "ssp"], ["--nodes", "3"],
             ["--nodes", "2", "--fabric", "sim", "--consistency", "stale-4"], ["--visit", "all"], ["--nodes", "2", "--cache", "16"],
             ["--nodes", "3", "--replicate=false"], ["--nodes", "3", "--collocate=false"], ["--nodes", "2", "--cache", "16", "--partition", "hash"]]
ON_PIE = [["--engine", "pie"], ["--engine", "pie", "--nodes", "2", "--cut", "vertex"], ["--engine", "pie", "--nodes", "3", "--scheduler", "bsp"]]


def drawn_changes(draw, arcs, directed, weighted):
    """Changes of a dictionary from ends to the list of weights, as lines; applies them to it."""
    lines = []
    touched = set()
    for _ in range(draw.randint(1, 5)):
        ends = draw.choice(sorted(arcs)) if arcs and draw.random() < 0.6 else (draw.randrange(20), draw.randrange(20))
        if not directed:
            ends = tuple(sorted(ends))
        if ends in touched:
            continue
        touched.add(ends)
        shown = ends if draw.random() < 0.5 or directed else ends[::-1]
        weight = draw.randint(0, 9)
        suffix = f" {weight}" if weighted else ""
        kind = draw.choice("+-=" if weighted else "+-") if ends in arcs else "+"
        if kind == "+":
            arcs.setdefault(ends, []).append(weight)
        elif kind == "-":
            del arcs[ends]
            suffix = ""
        else:
            arcs[ends] = [weight] * len(arcs[ends])
        lines.append(f"{kind} {shown[0]} {shown[1]}{suffix}\n")
    return "".join(lines)


def as_text(arcs, weighted):
    """A graph file with every vertex, as `leeway` reads it."""
    lines = [f"{a} {b} {weight}\n" if weighted else f"{a} {b}\n" for (a, b), weights in sorted(arcs.items()) for weight in weights]
    return "".join(lines)


class ChangesTest(CommandTest):
    def test_answers_equal_those_from_nothing(self):
        draw = random.Random(5)
        before, commands = [], []
        for case in range(80):
            program = EXACT[case % 4]
            directed, weighted = draw.random() < 0.5, draw.random() < 0.5
            arcs = {(v, v): [1] for v in range(20)}  # every vertex has a line, before and after
            for _ in range(draw.randint(0, 50)):
                ends = (draw.randrange(20), draw.randrange(20))
                arcs.setdefault(ends if directed else tuple(sorted(ends)), []).append(draw.randint(0, 9))
            name = f"{case}"
            self.write(name + ".before", as_text(arcs, weighted))
            movable = {ends: list(weights) for ends, weights in arcs.items() if ends[0] != ends[1]}
            self.write(name + ".changes", drawn_changes(draw, movable, directed, weighted))
            self.write(name + ".after", as_text({**movable, **self.loops(arcs, movable)}, weighted))
            how = ["--directed" if directed else "--undirected"] + (["--source", "0"] if program in ("sssp", "bfs") else [])
            before.append(["run", program, name + ".before", *how, "--out", name + ".old.txt", "--quiet"])
            commands.append(["run", program, name + ".before", *how, "--changes", name + ".changes", "--from", name + ".old.txt",
                             "--out", name + ".found.txt", "--quiet", *draw.choice(SCHEDULES + (ON_PIE if program != "kcore" else []))])
            commands.append(["run", program, name + ".after", *how, "--out", name + ".expected.txt", "--quiet"])
        for done in self.run_all(before) + self.run_all(commands):
            self.assertEqual(done.returncode, 0, f"{done.args}: {done.stderr}")
        for case in range(80):
            self.assertEqual(self.read(f"{case}.found.txt"), self.read(f"{case}.expected.txt"), f"case {case}")

    @staticmethod
    def loops(before, movable):
        """The loops of the first graph, with those that the changes added."""
        return {ends: weights + movable.get(ends, []) for ends, weights in before.items() if ends[0] == ends[1]}

    def test_wrong_changes_are_refused(self):
        self.write("g.txt", "0 1\n1 2\n2 3\n")
        self.write("w.txt", "0 1 2\n1 2 3\n")
        self.succeeds("run", "bfs", "g.txt", "--out", "old.txt")
        self.succeeds("run", "sssp", "w.txt", "--out", "w_old.txt")
        for line, words in [("* 0 1", "is not a change"), ("+ 0", "2 words"), ("+ 0 1 2 3", "5 words"), ("- 0 9", "'9'"),
                            ("- 0 3", "no such arc"), ("+ 0 2 1.5", "no weights"), ("= 0 1", "3 words")]:
            self.write("c.txt", "# comment\n\n" + line + "\n")
            self.refuses("run", "bfs", "g.txt", "--changes", "c.txt", "--from", "old.txt", text=words)
        for line, words in [("+ 0 2 x", "not a number"), ("+ 0 2 inf", "finite number"), ("= 0 1 1.5", "whole number")]:
            self.write("c.txt", line + "\n")
            self.refuses("run", "sssp", "w.txt", "--changes", "c.txt", "--from", "w_old.txt", text=[words, "c.txt:1"])
        self.write("c.txt", "- 0 1\n")
        given = ["--changes", "c.txt", "--from", "old.txt"]
        self.refuses("run", "bfs", "g.txt", "--changes", "c.txt", text="--from ANSWER")
        self.refuses("run", "bfs", "g.txt", "--from", "old.txt", text="--changes FILE")
        self.refuses("run", "bfs", "g.txt", *given, "--source", "1", text="begin at another vertex")
        self.refuses("run", "bfs", "g.txt", *given, "--iterations", "3", text="--iterations")
        self.refuses("run", "bfs", "g.txt", *given, "--snapshot", "s", text="no snapshots")
        self.refuses("run", "kcore", "g.txt", *given, "--engine", "pie", text="--engine")
        self.refuses("run", "scc", "g.txt", *given, text="--changes")
        self.refuses("run", "bfs", "g.txt", "--changes", "c.txt", "--from", "missing.txt", text="missing.txt")
        self.write("part.txt", "0 0\n1 1\n")
        self.refuses("run", "bfs", "g.txt", "--changes", "c.txt", "--from", "part.txt", text="no value of vertex")

    def test_ranks_and_temperatures_are_within_the_tolerance(self):
        self.succeeds("generate", "uniform:256", "g.txt", "--undirected")
        self.write("c.txt", "+ 1 2\n+ 3 7\n+ 200 30\n")
        for program in ["pagerank", "heat"]:
            self.succeeds("run", program, "g.txt", "--undirected", "--out", "old.txt")
            for engine in ["vertex", "pie"] if program == "pagerank" else ["vertex"]:
                self.succeeds("run", program, "g.txt", "--undirected", "--changes", "c.txt", "--from", "old.txt", "--verify",
                              "--engine", engine)

    def test_processes_continue_together(self):
        self.succeeds("generate", "uniform:256", "g.txt", "--undirected")
        self.write("c.txt", "+ 1 2\n+ 3 7\n+ 200 30\n")
        self.succeeds("run", "sssp", "g.txt", "--undirected", "--source", "1", "--out", "old.txt")
        done = self.run_under_mpi(2, "run", "sssp", "g.txt", "--undirected", "--source", "1", "--changes", "c.txt", "--from", "old.txt",
                                  "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("equals the sequential oracle", done.stdout)

    def test_interrupted_runs_end_before_the_changes(self):
        self.succeeds("generate", "grid2d:24x24", "g.txt", "--undirected")
        self.write("c.txt", "+ 1 400\n- 0 1\n+ 40 41\n")
        changed = ["--changes", "c.txt", "--from"]
        for program in ["sssp", "bfs", "cc", "kcore", "pagerank", "heat"]:
            run = ["run", program, "g.txt", "--undirected"] + (["--source", "0"] if program in ("sssp", "bfs") else [])
            for engine in ["vertex"] if program in ("kcore", "heat") else ["vertex", "pie"]:
                on, folder = ["--engine", engine], f"{program}-{engine}"
                self.succeeds(*run, *on, "--snapshot", folder, "--snapshot-every", "1", "--nodes", "2", "--scheduler", "bsp", "--out", "old.txt", "--force")
                self.succeeds(*run, *on, *changed, "old.txt", "--out", "expected.txt", "--force")
                done = self.run_leeway(*run, *on, *changed, folder, "--out", "found.txt", "--force", "--verify", "--log-level", "info")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("the run before the changes ended", done.stderr)
                if program in EXACT:
                    self.assertEqual(self.read("found.txt"), self.read("expected.txt"), folder)
        self.refuses("run", "bfs", "g.txt", "--undirected", "--source", "1", *changed, "bfs-vertex", text="source")
        self.refuses("run", "cc", "g.txt", "--undirected", *changed, "bfs-vertex", text="bfs")
        os.mkdir(os.path.join(self.folder, "empty"))
        self.refuses("run", "cc", "g.txt", "--undirected", *changed, "empty", text="snapshot")
        done = self.run_under_mpi(2, "run", "sssp", "g.txt", "--undirected", "--source", "0", *changed, "sssp-vertex", "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("equals the sequential oracle", done.stdout)


if __name__ == "__main__":
    main()
