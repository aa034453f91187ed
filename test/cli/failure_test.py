"""Broken input, full disks, and output pipes whose reader exits."""
import json
import os
import stat
import subprocess

from command_case import LEEWAY, CommandTest, main


class FailureTest(CommandTest):
    def test_bad_graphs_give_file_and_line_and_leave_nothing(self):
        for name, text, where in [("bad.txt", "1 2\n1 x\n", "bad.txt:2:"), ("empty.txt", "", "empty.txt"),
                                  ("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 5\n1 1 1\n",
                                   "bad.mtx:")]:
            self.write(name, text)
            self.refuses("convert", name, "out.lwg", text=where)
            self.refuses("partition", name, "2", "out.txt", text=where)
            self.refuses("plan", name, text=where)
        self.assertEqual(self.left(), ["bad.mtx", "bad.txt", "empty.txt"])

    def test_missing_files_and_folders_are_refused(self):
        self.refuses("info", "nowhere.txt", text="nowhere.txt")
        self.refuses("info", self.folder, text=self.folder)

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
        self.refuses("convert", "known:karate", "pipe", "--to", "binary", text="pipe")
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

    def test_impossible_specs_are_refused_immediately(self):
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

    def test_messages_say_what_was_found_and_what_to_do(self):
        self.write("web.txt", "1 2\n")
        self.write("hello.txt", "hello\n")
        self.write("page.html", "<html>\n")
        self.write("film.json", "mine\n")
        run = ["run", "pagerank", "kron:4"]
        for arguments, code, message in [
            ([*run, "--nodes"], 2, "--nodes: needs a value; as in --nodes 4"),
            ([*run, "--nodes", "1.5"], 2, "--nodes: must be a whole number from 1 to 1048576, not '1.5'"),
            ([*run, "--damping", "x"], 2, "--damping: must be a number from 0 to 0.9999, not 'x'"),
            ([*run, "--verify=maybe"], 2, "--verify: 'maybe' is neither true nor false"),
            ([*run, "--consistnecy", "rcp"], 2, "leeway run: unknown flag '--consistnecy'; did you mean '--consistency'?"),
            ([*run, "--fabric", "mpi"], 2, "--fabric: mpi needs mpiexec; mpiexec -n 2 leeway run pagerank kron:4 --fabric mpi"),
            ([*run, "--fabric", "ofi"], 2, "--fabric: ofi needs leeway launch; as in leeway launch -n 2 -- run pagerank web.txt"),
            ([*run, "--out", "no/r.txt"], 3, "no/r.txt: there is no directory no; mkdir -p no"),
            (["run", "nbody", "--bodies", "9", "--frames", "film.json"], 2,
             "film.json: already exists and was not written by leeway run, or was changed since; --force overwrites it"),
            (["compare", "scp.json"], 2, "scp.json: no such file; such files are written by leeway run … --report FILE"),
            (["pagerank", "web.txt"], 2, "leeway: 'pagerank' is a program, not a command; leeway run pagerank web.txt"),
            (["run", "web.txt"], 2, "leeway run: 'web.txt' is a graph; the program comes first; as in leeway run pagerank web.txt"),
            (["run", "pagernak", "web.txt"], 2, "leeway run: unknown program 'pagernak'; did you mean 'pagerank'?"),
            (["info", "krno:10"], 2, "krno:10: no such file, and no such graph spec; did you mean kron:10?"),
            (["info", "absent.txt"], 2, "absent.txt: no such file; check the path"),
            (["info", "hello.txt"], 2, "hello.txt:1: expected \"source target [weight]\", found 1 column: 'hello'; "
                                       "if it is not an edge list, give --format"),
            (["info", "page.html"], 2, "page.html: looks like HTML or XML, which is not read; leeway info --help lists the formats; "
                                       "--format selects one"),
            (["info", "/bin/ls"], 2, "/bin/ls: binary data, no graph format recognised; leeway info --help lists the formats; "
                                     "--format selects one"),
            (["info", "web.txt", "--columns", "1,2"], 2, "--columns: this file has only one column, separated by ','; name the separator, "
                                                         "as in --delimiter space"),
            (["generate", "nosuch", "x.lwg"], 2, "nosuch: 'nosuch' is not a kind of graph; give a spec such as kron:10; "
                                                 "leeway generate --help lists them"),
            (["snapshot", "foo", "x"], 2, "leeway snapshot: unknown action 'foo'; use info, verify or values"),
            (["launch", "-n", "2", "--", "info", "web.txt"], 2, "leeway launch: info runs in one process; leeway info web.txt"),
        ]:
            done = self.run_leeway(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", message + "\n"), arguments)

    def test_a_name_that_is_far_from_all_known_ones_gets_no_suggestion(self):
        for arguments, environment in [(["run", "pagerank", "kron:4", "--zzz", "1"], {}), (["replay", "fig1"], {}),
                                       (["info", "kron:4"], {"LEEWAY_FOO": "1"})]:
            done = self.run_leeway(*arguments, environment=environment)
            self.assertEqual(done.returncode, 2)
            self.assertNotIn("did you mean", done.stderr)

    def test_a_failure_of_a_job_is_printed_once(self):
        for start in ([LEEWAY, "launch", "-n", "3", "--"], ["mpiexec.mpich", "-n", "3", LEEWAY]):
            for arguments in (["run", "pagernak", "kron:4"], ["run", "pagerank", "absent.txt"]):
                done = subprocess.run([*start, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)
                self.assertNotEqual(done.returncode, 0)
                lines = [line for line in done.stderr.splitlines() if "pagernak" in line or "absent.txt" in line]
                self.assertEqual(len(lines), 1, done.stderr)


if __name__ == "__main__":
    main()
