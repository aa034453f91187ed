"""Programs on the piece engine: the four systems, files, and refused settings."""
import gzip
import json
import os
import random
import shutil
import subprocess
import unittest

from command_case import LEEWAY, CommandTest, main

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

    def test_compressed_messages_change_bytes_and_no_result(self):
        for start in ([LEEWAY], ["mpiexec.mpich", "-n", "3", LEEWAY], [LEEWAY, "launch", "-n", "2", "--"]):
            where = ["--nodes", "3"] if start == [LEEWAY] else []
            for program in (BODIES, FISH, PLATE, ["run", "linear-system", "matrix:dominant:300:40", "--quiet"]):
                done = subprocess.run([*start, *program, *where, "--compress"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"verified +(bitwise equal|within)")
        for program, least in ((["run", "jacobi", "--engine", "piece", "--plate", "400x50", "--iterations", "9"], 0.9),
                               (["run", "linear-system", "matrix:dominant:900:100"], 0.95)):
            sent = [json.loads(self.succeeds(*program, "--system", "asytick", "--nodes", "4", "--fabric", "sim", "--quiet", "--json",
                                             *more))["wire_bytes"] for more in ([], ["--compress"])]
            self.assertLess(sent[1], least * sent[0])
        self.assertIn("--compress has no effect here", self.run_leeway("run", "fish", "--compress", "--quiet").stderr)

    def test_ranks_agree_with_the_textbook(self):
        output = self.succeeds("run", "pagerank", "--engine", "piece", "--graph", "kron:8", "--nodes", "3", "--quiet")
        self.assertRegex(output, r"because +the values converged")
        self.assertRegex(output, r"verified +within \S+ of the textbook")

    def test_a_tolerance_of_0_is_no_number_of_ticks(self):
        for run in (["pagerank", "kron:7"], ["jacobi", "--plate", "8x8"]):
            done = self.run_leeway("run", *run, "--engine", "piece", "--tolerance", "0", "--quiet", "--json")
            report = json.loads(done.stdout)
            self.assertEqual((done.returncode, report["final"]), (0, True) if report["converged"] else (5, False), run)
            self.assertEqual(report["why"], "the values converged" if report["converged"] else "no convergence within 100000 ticks")

    def test_the_reason_of_the_end_is_what_was_asked_for(self):
        for engine in ("piece", "tick"):
            plate = ["run", "jacobi", "--engine", engine, "--plate", "12x10", "--quiet", "--json"]
            report = json.loads(self.succeeds(*plate))
            self.assertEqual(report["iterations"], 100)
            self.assertIn("default number of ticks", report["why"])
            self.assertEqual(json.loads(self.succeeds(*plate, "--iterations", "7"))["why"], "the requested ticks are complete")
        done = self.run_leeway("run", "jacobi", "--engine", "piece", "--plate", "12x10", "--iterations", "7", "--tolerance", "1e-3", "--quiet", "--json")
        self.assertEqual(json.loads(done.stdout)["iterations"], 7)

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
        self.refuses(*PLATE, "--frames", "f.json", text=["--frames", "fish, fish-food, heat, nbody or wave"])
        self.refuses("run", "pagerank", "--engine", "piece", text="the graph is missing")
        self.refuses("run", "fisch", "--engine", "piece", text=["'fisch'", "did you mean"])


def array_file(rows):
    """A dense Matrix Market file, column by column."""
    numbers = [f"{rows[i][j]!r}\n" for j in range(len(rows[0])) for i in range(len(rows))]
    return f"%%MatrixMarket matrix array real general\n{len(rows)} {len(rows[0])}\n" + "".join(numbers)


def coordinate_file(rows, symmetric=False):
    entries = [f"{i + 1} {j + 1} {value!r}\n" for i, row in enumerate(rows) for j, value in enumerate(row)
               if value and (not symmetric or j <= i)]
    kind = "symmetric" if symmetric else "general"
    return f"%%MatrixMarket matrix coordinate real {kind}\n{len(rows)} {len(rows)} {len(entries)}\n" + "".join(entries)


def draw_matrix(size, share, seed, symmetric=False):
    """Rows that their diagonal outweighs."""
    drawn = random.Random(seed)
    rows = [[drawn.uniform(-1, 1) if drawn.random() < share else 0.0 for _ in range(size)] for _ in range(size)]
    if symmetric:
        rows = [[rows[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)]
    for i, row in enumerate(rows):
        row[i] = 0.0
        row[i] = drawn.choice([-1.4, 1.4]) * (sum(map(abs, row)) + drawn.uniform(0.1, 1))
    return rows


def eliminated(rows, side):
    """The solution by NumPy, or by Gaussian elimination where that is not installed."""
    try:
        import numpy
        return list(numpy.linalg.solve(numpy.array(rows), numpy.array(side)))
    except ImportError:
        pass
    rows = [[*row, b] for row, b in zip(rows, side)]
    for k, head in enumerate(rows):
        for row in rows[k + 1:]:
            factor = row[k] / head[k]
            for j in range(k, len(row)):
                row[j] -= factor * head[j]
    x = [0.0] * len(rows)
    for k in reversed(range(len(rows))):
        x[k] = (rows[k][-1] - sum(rows[k][j] * x[j] for j in range(k + 1, len(rows)))) / rows[k][k]
    return x


class LinearSystemTest(CommandTest):
    def solution(self, *arguments):
        self.succeeds("run", "linear-system", *arguments, "--quiet", "--verify", "--force", "--out", "x.csv")
        head, *rows = self.read("x.csv").splitlines()
        self.assertEqual(head, "row,x")
        self.assertEqual([row.split(",")[0] for row in rows], [str(int(rows[0].split(",")[0]) + i) for i in range(len(rows))])
        return [float(row.split(",")[1]) for row in rows]

    def agrees(self, x, expected):
        self.assertEqual(len(x), len(expected))
        most = max(abs(value) for value in expected)
        for value, right in zip(x, expected):
            self.assertLessEqual(abs(value - right), 1e-7 * most)

    def test_systems_from_files_agree_with_elimination(self):
        where = [[], ["--nodes", "3"], ["--nodes", "5", "--pieces", "2", "--fabric", "sim", "--net", "ec2"],
                 ["--nodes", "2", "--partition", "hash", "--pieces", "3", "--threads", "2"]]
        for seed, (size, share, symmetric) in enumerate([(1, 1, False), (23, 1, False), (40, 0.1, False), (31, 0.3, True)]):
            rows = draw_matrix(size, share, seed, symmetric)
            side = [random.Random(seed).uniform(-9, 9) for _ in range(size)]
            self.write("a.mtx", coordinate_file(rows, symmetric))
            self.write("b.mtx", array_file([[value] for value in side]))
            with gzip.open(os.path.join(self.folder, "dense.mtx.gz"), "wt", encoding="utf-8") as file:
                file.write(array_file(rows))
            self.write("b.txt", "".join(f"{value!r}\n" for value in side))
            for system, place in zip(SYSTEMS, where):
                for matrix, given in (("a.mtx", "b.mtx"), ("dense.mtx.gz", "b.txt")):
                    self.agrees(self.solution(matrix, "--rhs", given, "--system", system, *place), eliminated(rows, side))
            self.agrees(self.solution("a.mtx"), eliminated(rows, [1.0] * size))

    def test_every_system_gives_the_same_bits_for_one_division(self):
        found = [self.solution("matrix:dominant:120:12", "--nodes", "3", "--pieces", "4", "--partition", "hash",
                               "--system", system, *place)
                 for system in SYSTEMS for place in ([], ["--fabric", "sim", "--net", "gigabit"])]
        self.assertTrue(all(x == found[0] for x in found))

    def test_a_start_at_the_solution_ends_at_once(self):
        self.write("a.mtx", coordinate_file([[4.0, 1.0], [1.0, 3.0]]))
        self.write("b.txt", "6\n7\n")
        self.write("x.txt", "1 1\n2 2\n")
        output = self.succeeds("run", "linear-system", "a.mtx", "--rhs", "b.txt", "--start", "x.txt", "--quiet")
        self.assertRegex(output, r"ticks +1\n")
        self.assertRegex(output, r"\|\|b - A x\|\| / \|\|b\|\| +0\n")
        report = json.loads(self.succeeds("run", "linear-system", "a.mtx", "--rhs", "b.txt", "--quiet", "--json"))
        self.assertLess(report["answer"]["residual"], 1e-8)
        self.assertGreater(report["answer"]["residual"], 0)

    def test_a_number_of_ticks_is_that_of_the_sequential_method(self):
        rows = draw_matrix(15, 0.5, 7)
        self.write("a.mtx", coordinate_file(rows))
        x = [0.0] * 15
        for _ in range(6):
            x = [(1 - sum(a * y for j, (a, y) in enumerate(zip(row, x)) if j != i)) / row[i] for i, row in enumerate(rows)]
        for got, right in zip(self.solution("a.mtx", "--nodes", "2", "--iterations", "6"), x):
            self.assertAlmostEqual(got, right, places=13)

    def test_invalid_systems_are_refused_with_place_and_remedy(self):
        head = "%%MatrixMarket matrix coordinate real general\n"
        for text, part in [(head + "3 2 2\n1 1 1\n2 2 1\n", "3 rows and 2 columns"),
                           (head + "3 3 3\n1 1 1\n2 2 1\n3 1 4\n", "a.mtx: row 3: its diagonal entry is zero"),
                           (head + "2 2 2\n1 1 1\n2 2 nan\n", "a.mtx:4: 'nan'"),
                           (head + "2 2 2\n1 1 1\n2 2 1e999\n", "a.mtx:4: "),
                           (head + "2 2 3\n1 1 1\n2 2 1\n", "the header states 3 entries"),
                           (head + "2 2 2\n1 1 1\n1 1 1\n", "second time"),
                           (head.replace("real", "pattern") + "2 2 2\n1 1\n2 2\n", "no numbers"),
                           (head.replace("real", "complex") + "1 1 1\n1 1 1 2\n", "complex"),
                           (head.replace("coordinate", "array") + "2 2\n1\n2\n3\n", "a.mtx:2: "),
                           (head + "0 0 0\n", "no rows")]:
            self.write("a.mtx", text)
            self.refuses("run", "linear-system", "a.mtx", text=["a.mtx", part])
        self.write("a.mtx", head + "2 2 2\n1 1 1\n2 2 4\n")
        for text, part in [("1\n2\n3\n", "b.txt:3: more lines"), ("1\n", "1 values"), ("1\ninf\n", "b.txt:2: 'inf'"),
                           ("%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n", "3 rows and 1 column"),
                           ("%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 4\n", "real or integer")]:
            self.write("b.txt", text)
            self.refuses("run", "linear-system", "a.mtx", "--rhs", "b.txt", text=["b.txt", part])
        self.refuses("run", "linear-system", "known:karate", text="no numbers")
        self.refuses("run", "linear-system", text=["the graph is missing", "matrix:dominant"])
        self.refuses("simulate", "linear-system", text="program on a graph")
        self.refuses("run", "linear-system", "a.mtx", "--fixed", "b.txt", text="--fixed")
        self.refuses("run", "linear-system", "matrix:dominant:2000000", code=3, text="memory")

    def test_divergence_is_an_error_and_no_convergence_is_reported(self):
        self.write("a.mtx", array_file([[1.0, 3.0], [3.0, 1.0]]))
        for more in ([], ["--nodes", "2"], ["--iterations", "2000"], ["--fabric", "sim", "--nodes", "2"]):
            self.refuses("run", "linear-system", "a.mtx", *more, text=["a.mtx: ", "diverges", "about 3.0000"])
        done = self.run_under_mpi(2, "run", "linear-system", "a.mtx", "--quiet")
        self.assertEqual(done.returncode, 2)
        self.assertIn("diverges", done.stderr)
        done = self.run_leeway("run", "linear-system", "a.mtx", "--iterations", "3", "--quiet")
        self.assertIn("the residual grew from 1 to 27", done.stderr)
        self.write("a.mtx", array_file([[1.0, 1.0], [1.0, 1.0]]))
        done = self.run_leeway("run", "linear-system", "a.mtx", "--quiet")
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stdout, r"\ANOT FINAL +no convergence within 100,?000 ticks")

    def test_a_tolerance_of_0_ends_when_nothing_changes(self):
        # Binary fractions, so that the values come to rest.
        self.write("a.mtx", array_file([[2.0, 1.0], [0.0, 2.0]]))
        output = self.succeeds("run", "linear-system", "a.mtx", "--tolerance", "0", "--quiet")
        self.assertRegex(output, r"ticks +3\n")
        self.assertRegex(output, r"because +the values converged\n")
        self.assertRegex(output, r"\|\|b - A x\|\| / \|\|b\|\| +0\n")
        # Here the last digits may change for ever; the solution is right in any case.
        done = self.run_leeway("run", "linear-system", "matrix:poisson2d:12x12", "--tolerance", "0", "--quiet", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((done.returncode, report["final"]), (0, True) if report["converged"] else (5, False))
        self.assertLess(report["answer"]["residual"], 1e-12)
        self.assertGreater(report["iterations"], 100)

    def test_processes_must_read_the_same_right_side(self):
        self.write("a.mtx", array_file([[3.0, 1.0], [1.0, 3.0]]))
        self.write("b.txt", "1\n2\n")
        os.mkdir(os.path.join(self.folder, "other"))
        self.write("other/b.txt", "1\n3\n")
        self.write("other/a.mtx", self.read("a.mtx"))
        self.write("other/same.txt", "1\n2\n")
        for program in ["linear-system", "heat"]:
            for other, text in [("b.txt", "--rhs: node 1 was given 'a file with the checksum"), ("same.txt", "")]:
                first, second = (["run", program, "a.mtx", "--rhs", each, "--quiet"] for each in ("b.txt", other))
                done = subprocess.run(["mpiexec.mpich", "-n", "1", LEEWAY, *first, ":", "-n", "1", "-wdir",
                                       os.path.join(self.folder, "other"), LEEWAY, *second], cwd=self.folder,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 2 if text else 0, done.stderr)
                self.assertIn(text, done.stderr)

    @unittest.skipUnless("LEEWAY_DATA" in os.environ and shutil.which("zstd"), "needs LEEWAY_DATA and zstd")
    def test_matrices_of_applications(self):
        folder = os.environ["LEEWAY_DATA"]
        path = os.path.join(folder, "shallow_water1.mtx.zst")
        x = self.solution(path, "--nodes", "3")
        text = subprocess.run(["zstd", "-dcq", path], capture_output=True, text=True, check=True).stdout
        lines = [line for line in text.splitlines() if not line.startswith("%")]
        rest = [1.0] * len(x)
        for line in lines[1:]:
            i, j, value = line.split()
            i, j, value = int(i) - 1, int(j) - 1, float(value)
            rest[i] -= value * x[j]
            if i != j:
                rest[j] -= value * x[i]
        self.assertLess(sum(r * r for r in rest) ** 0.5, 1e-8 * len(x) ** 0.5)
        for name, part in (("ex15", "diverges"), ("bcsstk16", "diverges"), ("helmholtz_2D", "complex")):
            self.refuses("run", "linear-system", os.path.join(folder, name + ".mtx.zst"), "--nodes", "2", text=[name, part])


if __name__ == "__main__":
    main()
