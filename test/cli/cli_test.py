#!/usr/bin/env python3
"""Runs the leeway command as a user does: what it prints, what it refuses, what it leaves behind.

usage: cli_test.py LEEWAY PART-MEMORY
"""
import csv
import json
import os
import pty
import re
import stat
import subprocess
import sys
import tempfile
import time
import unittest

LEEWAY = os.path.abspath(sys.argv[1])
PART_MEMORY = os.path.abspath(sys.argv[2])
COMMANDS = ["info", "convert", "generate", "partition", "plan", "replay", "doctor", "programs"]
TRIANGLE = "1 2\n2 3\n3 1\n"


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_leeway(self, *arguments, environment=None, **more):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LEEWAY_")}
        return subprocess.run([LEEWAY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, timeout=120,
                              env={**clean, **(environment or {})}, capture_output=True, text=True, **more)

    def succeeds(self, *arguments, **more):
        done = self.run_leeway(*arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refuses(self, *arguments, code=2, says=(), **more):
        done = self.run_leeway(*arguments, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("; ", done.stderr)  # what is wrong; what to do
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.stderr)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def left(self):
        return sorted(os.listdir(self.folder))


class HelpTest(CommandTest):
    def test_every_command_has_help_with_an_example_that_runs(self):
        for command in COMMANDS:
            text = self.succeeds(command, "--help")
            example = text.strip().splitlines()[-1].split()
            self.assertEqual(example[:2], ["leeway", command])
            if command not in ("convert", "doctor"):  # one names a file of the user's own, one the machine
                self.succeeds(*example[1:])

    def test_help_lists_every_command_and_the_exit_codes(self):
        text = self.succeeds("--help")
        for words in [*COMMANDS, "exit codes", "2  bad input"]:
            self.assertIn(words, text)
        self.assertEqual(self.succeeds("help", "info"), self.succeeds("info", "--help"))

    def test_commands_that_do_not_exist_are_not_known(self):
        for command in ["run", "compare"]:
            self.refuses(command, says="unknown command")

    def test_the_version_is_one_line(self):
        self.assertRegex(self.succeeds("--version"), r"^leeway \d+\.\d+\.\d+\n$")

    def test_no_command_is_a_mistake(self):
        self.refuses(says="no command")

    def test_it_starts_at_once(self):
        best = min(self.timed() for _ in range(5))
        self.assertLess(best, 0.1 * (10 if "build-" in LEEWAY else 1))

    def timed(self):
        start = time.monotonic()
        self.succeeds("--version")
        return time.monotonic() - start

    def test_man_pages_and_completion_come_from_the_tables(self):
        self.succeeds("--generate-documents", self.folder)
        self.assertEqual(self.left(), sorted(["leeway.1", "leeway.bash", *[f"leeway-{c}.1" for c in COMMANDS]]))
        script = "source ./leeway.bash; COMP_WORDS=(leeway info --dup); COMP_CWORD=2; _leeway; echo ${COMPREPLY[@]}"
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "--duplicates")


class SettingsTest(CommandTest):
    def seed_used(self, *arguments, **more):
        self.succeeds("generate", "uniform:50:3", "out.txt", *arguments, **more)
        with open(os.path.join(self.folder, "out.txt"), encoding="utf-8") as file:
            return file.read()

    def test_flags_stand_above_the_environment_above_the_file(self):
        by_seed = {n: self.seed_used("--seed", str(n)) for n in (2, 3, 4)}
        self.assertEqual(len(set(by_seed.values())), 3)
        config = self.write("c.toml", "seed = 2\n")
        variable = {"LEEWAY_SEED": "3"}
        self.assertEqual(self.seed_used("--config", config), by_seed[2])
        self.assertEqual(self.seed_used(environment={"LEEWAY_CONFIG": config}), by_seed[2])
        self.assertEqual(self.seed_used("--config", config, environment=variable), by_seed[3])
        self.assertEqual(self.seed_used("--config", config, "--seed", "4", environment=variable), by_seed[4])

    def test_a_table_speaks_to_its_command_alone(self):
        self.write("c.toml", "seed = 2\n[generate]\nseed = 3\n[info]\nseed = 4\n")
        self.assertEqual(self.seed_used("--config", "c.toml"), self.seed_used("--seed", "3"))

    def test_an_unknown_key_names_file_line_and_the_nearest(self):
        self.write("c.toml", "quiet = true\n\nthread = 2\n")
        self.refuses("info", "known:karate", "--config", "c.toml", says=["c.toml:3:", "'thread'", "'threads'"])

    def test_an_unknown_value_in_a_file_names_the_nearest(self):
        self.write("c.toml", "duplicates = 'mrege'\n")
        self.refuses("info", "known:karate", "--config", "c.toml", says=["c.toml:1:", "'merge'"])

    def test_an_unknown_table_names_the_nearest(self):
        self.write("c.toml", "[partiton]\n")
        self.refuses("info", "known:karate", "--config", "c.toml", says=["c.toml:1:", "'partition'"])

    def test_a_value_of_the_wrong_type_is_refused(self):
        for text in ["threads = [1]\n", "threads = 1.5\n", "threads = -1\n", "quiet = 3\n"]:
            self.write("c.toml", text)
            self.refuses("info", "known:karate", "--config", "c.toml", says="c.toml:1:")

    def test_a_file_that_is_no_toml_is_refused_with_its_line(self):
        self.write("c.toml", "threads = 1\nthreads\n")
        self.refuses("info", "known:karate", "--config", "c.toml", says="c.toml:2:")

    def test_a_configuration_that_cannot_be_read_is_refused(self):
        self.refuses("info", "known:karate", "--config", "none.toml", says="none.toml")
        self.refuses("info", "known:karate", "--config", ".", says=".:")

    def test_an_unknown_variable_names_the_nearest(self):
        self.refuses("info", "known:karate", environment={"LEEWAY_THREDS": "2"},
                     says=["LEEWAY_THREDS", "'LEEWAY_THREADS'"])

    def test_an_unknown_flag_command_or_value_names_the_nearest(self):
        self.refuses("info", "known:karate", "--theads", "2", says="'--threads'")
        self.refuses("inof", "known:karate", says="'info'")
        self.refuses("info", "known:karate", "--weights", "randm", says=["--weights", "'random'"])
        self.refuses("info", "known:karat", says="'karate'")
        self.refuses("partition", "known:karate", "2", "--method", "metsi", says="'metis'")
        self.refuses("info", "known:karate", "--format", "dimcas", says="'dimacs'")

    def test_missing_and_extra_arguments_are_refused(self):
        self.refuses("info", says="GRAPH is missing")
        self.refuses("info", "known:karate", "more", says="'more'")
        self.refuses("info", "known:karate", "--threads", says="--threads")
        self.refuses("info", "known:karate", "--nodes", "2", says="--nodes")

    def test_contradictions_are_refused(self):
        self.refuses("info", "known:karate", "--directed", "--undirected", says="contradicts")
        self.refuses("info", "known:karate", "--directed", "--symmetrize", says="contradicts")
        self.refuses("info", "known:karate", "--weight-low", "5", "--weight-high", "2", says="--weight-high")


class GraphCommandsTest(CommandTest):
    def info(self, *arguments):
        return json.loads(self.succeeds("info", *arguments, "--json"))

    def test_info_knows_zacharys_karate_club(self):
        facts = self.info("known:karate")
        self.assertEqual((facts["vertices"], facts["edges"], facts["arcs"]), (34, 78, 156))
        self.assertEqual((facts["direction"], facts["weights"], facts["degree_max"]), ("undirected", "none", 17))

    def test_info_counts_loops_and_duplicates(self):
        self.write("g.txt", "1 1\n1 2\n1 2\n2 1\n7 1\n")
        facts = self.info("g.txt")
        self.assertEqual((facts["vertices"], facts["edges"], facts["self_loops"], facts["duplicates"]), (3, 5, 1, 1))
        facts = self.info("g.txt", "--self-loops", "drop", "--duplicates", "merge", "--undirected")
        self.assertEqual((facts["edges"], facts["self_loops"], facts["duplicates"]), (2, 0, 0))

    def test_info_shows_the_range_of_weights(self):
        self.write("g.txt", "1 2 0.5\n2 3 -4\n")
        facts = self.info("g.txt")
        self.assertEqual((facts["weights"], facts["weight_min"], facts["weight_max"]), ("real", -4, 0.5))

    def test_a_graph_survives_every_format(self):
        whole = self.info("known:karate")
        for name in ["k.lwg", "k.txt", "k.mtx", "k.graph", "k.gr", "k.txt.gz", "k.mtx.zst", "k.gr.xz"]:
            self.succeeds("convert", "known:karate", name, "--quiet")
            facts = self.info(name)
            for key in ["vertices", "edges", "arcs", "direction", "degree_max", "weights"]:
                self.assertEqual(facts[key], whole[key], f"{key} of {name}")
        self.assertEqual(len(self.left()), 8)

    def test_the_same_seed_gives_the_same_file_on_any_number_of_threads(self):
        for name, threads in [("a.lwg", "1"), ("b.lwg", "3")]:
            self.succeeds("generate", "kron:10:8", name, "--seed", "5", "--threads", threads)
        with open(f"{self.folder}/a.lwg", "rb") as a, open(f"{self.folder}/b.lwg", "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_partition_writes_each_vertex_once_by_its_own_name(self):
        self.write("g.txt", "100 7\n7 9000000000\n9000000000 100\n5 100\n")
        report = json.loads(self.succeeds("partition", "g.txt", "2", "owners.txt", "--method", "block", "--json"))
        with open(f"{self.folder}/owners.txt", encoding="utf-8") as file:
            rows = [line.split() for line in file]
        self.assertEqual(sorted(int(row[0]) for row in rows), [5, 7, 100, 9000000000])
        self.assertEqual({row[1] for row in rows}, {"0", "1"})
        self.assertEqual([part["vertices"] for part in report["sizes"]],
                         [sum(row[1] == p for row in rows) for p in "01"])

    def test_a_partition_can_be_read_back(self):
        first = json.loads(self.succeeds("partition", "known:karate", "3", "owners.txt", "--json"))
        again = json.loads(self.succeeds("partition", "known:karate", "3", "--method", "file:owners.txt", "--json"))
        self.assertEqual(first["edge_cut"], again["edge_cut"])
        self.assertEqual(first["sizes"], again["sizes"])

    def test_more_parts_than_vertices_work(self):
        report = json.loads(self.succeeds("partition", "path:3", "8", "--method", "block", "--json"))
        self.assertEqual(sum(part["vertices"] for part in report["sizes"]), 3)

    def plan_is_near(self, graph, nodes=4):
        """Each node's part, loaded by a process of its own, against the plan made for it."""
        plan = json.loads(self.succeeds("plan", graph, "--nodes", str(nodes), "--json"))
        self.succeeds("partition", graph, str(nodes), "parts.lwg")
        empty = self.part_memory()["resident_bytes"]
        for number, node in enumerate(plan["per_node"]):
            measured = self.part_memory("parts.lwg", str(number))
            predicted = node["structure_bytes"]
            self.assertEqual(predicted, measured["array_bytes"])
            taken = measured["resident_bytes"] - empty
            self.assertLess(abs(predicted - taken), 0.25 * taken, f"{graph}, node {number}: {predicted} for {taken}")

    def part_memory(self, *arguments):
        done = subprocess.run([PART_MEMORY, *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    @unittest.skipIf("build-" in LEEWAY, "a sanitizer's own memory is measured with the rest")
    def test_the_plan_is_within_a_quarter_of_what_each_node_takes(self):
        for spec in ["kron:15:16", "grid2d:500x500"]:
            self.plan_is_near(spec)

    @unittest.skipIf("build-" in LEEWAY, "a sanitizer's own memory is measured with the rest")
    @unittest.skipUnless("LEEWAY_DATA" in os.environ, "LEEWAY_DATA is not set")
    def test_the_same_holds_for_roads_and_a_web(self):
        for name in ["USA-road-d.NY.gr.zst", "cnr-2000.txt.zst"]:
            self.plan_is_near(os.path.join(os.environ["LEEWAY_DATA"], name))

    def test_the_plan_of_a_graph_is_what_loading_it_takes(self):
        plan = json.loads(self.succeeds("plan", "kron:12", "--json"))
        self.assertEqual(plan["graph_bytes"], self.info("kron:12")["memory_bytes"])

    def test_doctor_gives_every_ill_a_remedy(self):
        findings = json.loads(self.run_leeway("doctor", "--json").stdout)
        topics = {finding["topic"] for finding in findings}
        self.assertLessEqual({"cores", "memory", "huge pages", "open files", "MPI", "launcher", "libfabric"}, topics)
        for finding in findings:
            self.assertEqual(finding["health"] == "ok", finding["remedy"] == "", finding)

    def test_doctor_sees_a_foreign_launcher(self):
        done = self.run_leeway("doctor", environment={"OMPI_COMM_WORLD_SIZE": "4"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("rank 0", done.stdout)

    def test_no_programs_is_said_plainly(self):
        self.assertIn("no programs", self.succeeds("programs"))


class ProgressTest(CommandTest):
    WORK = ["generate", "kron:17:16", "out.lwg"]

    def on_a_terminal(self, *arguments):
        """Standard error as a terminal gets it, while the command runs."""
        master, terminal = pty.openpty()
        with subprocess.Popen([LEEWAY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=terminal, env={**os.environ, "TERM": "xterm"}) as run:
            os.close(terminal)
            shown = b""
            try:
                while piece := os.read(master, 4096):
                    shown += piece
            except OSError:
                pass  # how a terminal says that nobody writes any more
            os.close(master)
        self.assertEqual(run.returncode, 0, shown)
        return shown.decode()

    def test_a_terminal_shows_a_line_that_moves_and_goes(self):
        shown = self.on_a_terminal(*self.WORK)
        lines = [line for line in shown.split("\r\x1b[K") if line]
        self.assertGreater(len(lines), 0)
        self.assertRegex(lines[0], r"^(generating: [\d,]+ items of 2,097,152 \(\d+ %\)|arranging the edges:)")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)
        self.assertNotIn("\n", shown)
        self.assertEqual(self.on_a_terminal(*self.WORK, "--quiet"), "")

    def test_a_file_reads_and_divides_visibly(self):
        self.succeeds("generate", "kron:16:16", "out.txt", "--quiet")
        shown = self.on_a_terminal("partition", "out.txt", "8", "--threads", "1")
        self.assertRegex(shown, r"partitioning: \d tries of METIS of \d")

    def test_elsewhere_it_says_whole_lines_or_nothing(self):
        start = time.monotonic()
        said = self.run_leeway(*self.WORK).stderr
        self.assertNotIn("\x1b", said)
        self.assertNotIn("\r", said)
        if time.monotonic() - start > 2:  # a plain line comes after a second
            self.assertRegex(said, r"^\w[^\n]*: [^\n]* s\n")
        self.assertEqual(self.run_leeway(*self.WORK, "--quiet").stderr, "")


class ReplayTest(CommandTest):
    SMALL = ["--graph", "powerlaw:400:2.2", "--nodes", "4", "--quiet"]
    CLAIMS = {"fig12": 3, "fig13": 3, "fig14": 2, "fig15": 2}

    def test_every_figure_gives_a_table_and_a_verdict_for_each_claim(self):
        for figure, claims in self.CLAIMS.items():
            text = self.succeeds("replay", figure, *self.SMALL, "--out", "numbers")
            for words in [f"{figure}:", "simulated", "virtual seconds", "infiniband", "4 virtual", "seed        1"]:
                self.assertIn(words, text)
            with open(f"{self.folder}/numbers/{figure}.json", encoding="utf-8") as file:
                report = json.load(file)
            self.assertTrue(report["simulated"])
            self.assertEqual(len(report["claims"]), claims)
            for claim in report["claims"]:
                self.assertIn(claim["verdict"], ("agree", "disagree"))
                self.assertRegex(text, rf"(?m)^  {claim['verdict']} +{re.escape(claim['paper'])}$")
            with open(f"{self.folder}/numbers/{figure}.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), len(report["rows"]))
            self.assertEqual(list(rows[0]), list(report["rows"][0]))
        self.assertEqual(len(os.listdir(f"{self.folder}/numbers")), 8)

    def test_all_replays_every_figure(self):
        text = self.succeeds("replay", "all", *self.SMALL)
        for figure in self.CLAIMS:
            self.assertIn(f"{figure}:", text)

    def test_the_same_seed_writes_the_same_files_and_another_does_not(self):
        for folder, seed in [("a", "1"), ("b", "1"), ("c", "2")]:
            self.succeeds("replay", "fig15", *self.SMALL, "--seed", seed, "--out", folder)
        texts = []
        for folder in "abc":
            with open(f"{self.folder}/{folder}/fig15.json", encoding="utf-8") as file:
                texts.append(file.read())
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_a_stand_in_graph_is_owned_up_to(self):
        done = self.run_leeway("replay", "fig14", "--iterations", "1", "--nodes", "2", "--net", "ideal", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stands in", done.stdout)
        self.assertNotIn("stands in", self.succeeds("replay", "fig14", *self.SMALL))

    def test_what_cannot_be_replayed_is_refused(self):
        self.refuses("replay", says="NAME is missing")
        self.refuses("replay", "fig21", says=["'fig21'", "fig12"])
        self.refuses("replay", "fig12", "--net", "infinband", says=["--net", "'infiniband'"])
        self.refuses("replay", "fig12", "--nodes", "0", says="--nodes")
        self.refuses("replay", "fig12", "--nodes", "99999", says="--nodes")
        self.refuses("replay", "fig12", "--graph", "nowhere.txt", says="nowhere.txt")
        self.refuses("replay", "fig12", *self.SMALL, "--out", "/dev/null/x", says="/dev/null/x", code=3)
        self.assertEqual(self.left(), [])


class FailureTest(CommandTest):
    def test_bad_graphs_give_file_and_line_and_leave_nothing(self):
        for name, text, where in [("bad.txt", "1 2\n1 x\n", "bad.txt:2:"), ("empty.txt", "", "empty.txt"),
                                  ("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 5\n1 1 1\n",
                                   "bad.mtx:")]:
            self.write(name, text)
            self.refuses("convert", name, "out.lwg", says=where)
            self.refuses("partition", name, "2", "out.txt", says=where)
            self.refuses("plan", name, says=where)
        self.assertEqual(self.left(), ["bad.mtx", "bad.txt", "empty.txt"])

    def test_missing_files_and_folders_are_refused(self):
        self.refuses("info", "nowhere.txt", says="nowhere.txt")
        self.refuses("info", self.folder, says=self.folder)

    def test_an_output_that_cannot_be_written_leaves_nothing(self):
        os.mkdir(f"{self.folder}/taken.lwg")
        done = self.run_leeway("convert", "known:karate", "taken.lwg")
        self.assertIn(done.returncode, (2, 3))
        self.assertIn("taken.lwg", done.stderr)
        done = self.run_leeway("convert", "known:karate", "none/out.txt")
        self.assertIn(done.returncode, (2, 3))
        self.assertEqual(self.left(), ["taken.lwg"])

    def test_a_device_or_a_pipe_is_written_to_and_never_replaced(self):
        os.mkfifo(f"{self.folder}/pipe")
        self.refuses("convert", "known:karate", "pipe", "--to", "binary", says="pipe")
        with subprocess.Popen(["cat", "pipe"], cwd=self.folder, stdout=subprocess.PIPE, text=True) as reader:
            self.succeeds("partition", "known:karate", "2", "pipe")
            self.assertEqual(reader.stdout.read().count("\n"), 34)
        self.assertTrue(stat.S_ISFIFO(os.stat(f"{self.folder}/pipe").st_mode))
        self.assertEqual(self.left(), ["pipe"])

    def test_a_failure_keeps_the_old_output(self):
        self.write("out.txt", "old\n")
        self.write("bad.txt", "1 2\n1 x\n")
        self.refuses("convert", "bad.txt", "out.txt")
        with open(f"{self.folder}/out.txt", encoding="utf-8") as file:
            self.assertEqual(file.read(), "old\n")

    def test_impossible_specs_are_refused_at_once(self):
        for spec in ["kron:99", "kron:", "path:-1", "grid2d:3", "uniform:99999999999", "kron:x"]:
            self.refuses("generate", spec, "out.lwg")
        self.assertEqual(self.left(), [])

    def test_an_impossible_number_of_parts_is_refused(self):
        for parts in ["0", "-1", "two", "99999999999"]:
            self.refuses("partition", "known:karate", parts)

    def test_settings_change_a_binary_graph_as_they_do_a_text(self):
        self.succeeds("convert", "known:karate", "k.lwg")
        facts = json.loads(self.succeeds("info", "k.lwg", "--weights", "random", "--json"))
        self.assertEqual(facts["weights"], "integer")

    def test_a_reader_that_leaves_is_no_error(self):
        pipe = subprocess.run(["bash", "-c", f"set -o pipefail; '{LEEWAY}' info --help | head -1"],
                              capture_output=True, text=True)
        self.assertEqual((pipe.returncode, pipe.stderr), (0, ""))

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([LEEWAY, "--version"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("standard output", done.stderr)

    def test_nothing_but_errors_on_standard_error_when_quiet(self):
        self.assertEqual(self.run_leeway("info", "known:karate", "--quiet").stderr, "")


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
