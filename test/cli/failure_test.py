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
            ([*run, "--fabric", "ofi"], 2, "--fabric: ofi needs leeway launch; leeway launch -n 2 -- run pagerank kron:4 --fabric ofi"),
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
            (["snapshot", "foo", "x"], 2, "leeway snapshot: unknown action 'foo'; valid: info, verify, values"),
            (["launch", "-n", "2", "--", "info", "web.txt"], 2, "leeway launch: info runs in one process; leeway info web.txt"),
        ]:
            done = self.run_leeway(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", message + "\n"), arguments)

    def test_remedies_can_be_typed(self):
        self.write("comma.csv", "a,b\n1,2\n")
        self.write("mixed.txt", "1,000 2\n")
        self.write("slashes.txt", "// comment\n1 2\n")
        self.write("conf.toml", "[run]\nprogram = \"cc\"\n")
        self.write("array.toml", "[[run]]\nnodes = 2\n")
        with open(f"{self.folder}/wide.txt", "wb") as file:
            file.write("1 2\n".encode("utf-16"))
        with open(f"{self.folder}/latin.txt", "wb") as file:
            file.write(b"caf\xe9 b\n")
        with open(f"{self.folder}/packed.txt.bz2", "wb") as file:
            file.write(b"BZh91AY&SY\x00\x00")
        with open(f"{self.folder}/colour.txt", "wb") as file:
            file.write(b"1 \x1b[31mx\n")
        run = ["run", "pagerank", "kron:4"]
        for arguments, words in [
            ([*run, "--sorce", "1"], "did you mean '--source'?"), ([*run, "--tol", "1e-3"], "it is called --tolerance"),
            ([*run, "--toleran", "1"], "did you mean '--tolerance'?"), ([*run, "--iters", "3"], "it is called --iterations"),
            ([*run, "--mode", "rcp"], "it is called --consistency"), ([*run, "-o", "x.txt"], "it is called --out"),
            ([*run, "-np", "4"], "unknown flag '-np'; it is called --nodes"), ([*run, "-nodes", "4"], "write --nodes"),
            ([*run, "--NODES", "4"], "write --nodes"), ([*run, "--verify", "no"], "write --verify=no"),
            ([*run, "--no-verify"], "--verify=false"), ([*run, "--version"], "leeway --version"), (["--verson"], "leeway --version"),
            (["version"], "leeway --version"), ([*run, "--top"], "as in --top 3"), ([*run, "--resume"], "as in --resume snapshots"),
            ([*run, "--consistency", "stale"], "as in stale-2"), ([*run, "--consistency", "stale-N"], "as in stale-2"),
            ([*run, "--consistency", "rcp-T"], "as in rcp-100"), ([*run, "--consistency", "bsp"], "--scheduler bsp"),
            ([*run, "--scheduler", "scp"], "--consistency scp"), ([*run, "--cache", "200%"], "must be a number from 0.001% to 100%, not '200%'"),
            ([*run, "--fabric", "sim", "--net", "custom:latency_us"], "latency_us needs a value; as in custom:latency_us=50"),
            ([*run, "--config", "conf.toml"], "leeway COMMAND --help lists them"),
            ([*run, "--config", "array.toml"], "a table is written [run]"),
            (["info", "comma.csv", "--delimiter", ";"], "give --delimiter ','"),
            (["info", "comma.csv", "--columns", "1,1"], "names one column as both ends"),
            (["info", "mixed.txt"], "mixed.txt:1: commas separate some of the columns"),
            (["info", "slashes.txt"], "slashes.txt:1: this looks like a comment"),
            (["info", "wide.txt"], "UTF-16 text; convert it: iconv -f utf-16 -t utf-8"),
            (["info", "latin.txt"], "iconv -f latin1 -t utf-8"), (["info", "packed.txt.bz2"], "bzip2 data; unpack it"),
            (["info", "kron:2.5"], "not a whole number from"), (["info", "colour.txt"], "\\x1b[31mx"),
            (["snapshot", "infos", "s"], "did you mean 'info'?"), (["snapshot", "s", "info"], "leeway snapshot info s"),
            (["snapshot", "info", "comma.csv"], "this is no folder"),
            (["replay", "kron:5", "modes"], "leeway replay modes kron:5"), (["replay", "FIG13"], "did you mean 'fig13'?"),
            (["replay", "modes", "nofile"], "nofile: no such file"), (["replay", "fig13", "fig14"], "'fig14' is a second name"),
            (["simulate", "pagerank", "kron:5"], "leeway run pagerank kron:5"),
            (["launch", "-n", "2", "--", "rnu", "cc", "kron:4"], "there is no program 'rnu'; did you mean 'run'?"),
            (["supervise", "--", "info", "kron:4"], "info takes no snapshots; leeway info kron:4"),
        ]:
            done = self.run_leeway(*arguments)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(words, done.stderr, arguments)
            self.assertNotIn("\x1b", done.stderr)

    def test_a_file_that_is_named_like_a_spec_is_read_with_a_warning(self):
        self.succeeds("generate", "kron:5", "kron:6")
        done = self.run_leeway("info", "kron:6")
        self.assertIn("32", done.stdout)
        self.assertIn("kron:6 is a file here", done.stderr)

    def test_signals_of_jobs_do_not_end_a_run_of_one_process(self):
        for name, words in [("USR1", "--snapshot FOLDER"), ("USR2", "not part of one")]:
            script = f"'{LEEWAY}' run pagerank kron:14 --iterations 1000000 --quiet --out x.txt --force & sleep 0.5; kill -{name} $!; sleep 0.3; kill -TERM $!; wait $!"
            done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=120)
            self.assertIn(words, done.stderr)
            self.assertEqual((done.returncode, self.left()), (143, []), done.stderr)

    def test_a_limit_on_the_size_of_files_is_an_error_and_leaves_nothing(self):
        done = subprocess.run(["bash", "-c", f"ulimit -f 10; '{LEEWAY}' convert kron:14 big.txt"], cwd=self.folder, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual((done.returncode, self.left()), (3, []), done.stderr)
        self.assertIn("big.txt: cannot write", done.stderr)

    def test_a_name_that_is_far_from_all_known_ones_gets_no_suggestion(self):
        for arguments, environment in [(["run", "pagerank", "kron:4", "--zzz", "1"], {}), (["replay", "fig1"], {}),
                                       (["info", "kron:4"], {"LEEWAY_QWERTY": "1"})]:
            done = self.run_leeway(*arguments, environment=environment)
            self.assertEqual(done.returncode, 2)
            self.assertNotIn("did you mean", done.stderr)

    def test_a_failure_of_a_job_is_printed_once(self):
        for start in ([LEEWAY, "launch", "-n", "3", "--"], ["mpiexec.mpich", "-n", "3", LEEWAY]):
            for arguments in (["run", "pagernak", "kron:4"], ["run", "pagerank", "absent.txt"], ["run", "pagerank", "kron:4", "--pagernak"],
                              ["run", "pagerank", "kron:4", "--damping", "absent.txt"],
                              ["run", "pagerank", "kron:4", "--out", "absent.txt/x"]):
                done = subprocess.run([*start, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)
                self.assertNotEqual(done.returncode, 0)
                lines = [line for line in done.stderr.splitlines() if "pagernak" in line or "absent.txt" in line]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertNotIn("waiting for", done.stderr)

    def test_a_command_of_one_process_warns_in_a_job(self):
        done = self.run_under_mpi(2, "generate", "kron:6", "k.lwg", "--quiet")
        self.assertEqual((done.returncode, self.left()), (0, ["k.lwg"]), done.stderr)
        self.assertEqual(done.stderr.count("each of the 2 processes of this job does all the work by itself"), 1, done.stderr)

    def test_a_job_may_have_more_processes_than_one_message_has_numbers(self):
        many = subprocess.run([LEEWAY, "launch", "-n", "18", "--", "run", "cc", "known:karate", "--quiet", "--out", "many.txt"],
                              cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual((many.returncode, many.stderr), (0, ""))
        self.succeeds("run", "cc", "known:karate", "--quiet", "--out", "one.txt")
        self.assertEqual(self.read("many.txt"), self.read("one.txt"))


if __name__ == "__main__":
    main()
