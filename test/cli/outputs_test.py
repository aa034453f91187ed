"""Output files: the suffix selects the format; files of others are never overwritten."""
import json
import os
import shutil
import struct
import subprocess
import zipfile

from command_case import LEEWAY, TRIANGLE, CommandTest, main


def read_npy(content):
    """Type, shape and values of an array in NumPy's .npy format."""
    length, = struct.unpack_from("<H", content, 8)
    header = eval(content[10:10 + length].decode())  # pylint: disable=eval-used
    body = content[10 + length:]
    assert (10 + length) % 64 == 0
    code = {"<f8": "d", "<i8": "q"}.get(header["descr"])
    if code is None:
        width = 4 * int(header["descr"][2:])
        return header, [body[i:i + width].decode("utf-32-le").rstrip("\0") for i in range(0, len(body), width)]
    return header, list(struct.unpack(f"<{len(body) // 8}{code}", body))


class OutputsTest(CommandTest):
    def npy(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return read_npy(file.read())

    def npz(self, name):
        with zipfile.ZipFile(os.path.join(self.folder, name)) as archive:
            self.assertIsNone(archive.testzip())
            return {entry[:-4]: read_npy(archive.read(entry))[1] for entry in archive.namelist()}

    def test_an_unknown_suffix_is_refused_before_any_work(self):
        for name in ["x.graphml", "x.parquet", "x.json", "x.bz2", "x.txt.bz2", "x.xlsx", "x.lwg.gz"]:
            self.refuses("convert", "known:karate", name, text=name)
            self.refuses("generate", "kron:5", name, text=name)
        for name in ["x.parquet", "x.json", "x.bz2", "x.graphml"]:
            self.refuses("run", "cc", "known:karate", "--out", name, text=name)
            self.refuses("partition", "known:karate", "2", name, text=name)
        self.assertEqual(self.left(), [])
        self.succeeds("convert", "known:karate", "x.parquet", "--to", "edge-list")

    def test_a_compressed_binary_graph_is_refused_with_the_reason(self):
        self.succeeds("generate", "kron:5", "a.lwg")
        for pack, name in (("gzip -k", "a.lwg.gz"), ("zstd -q", "a.lwg.zst"), ("xz -k", "a.lwg.xz")):
            if subprocess.run(f"{pack} a.lwg", shell=True, cwd=self.folder, capture_output=True).returncode == 0:
                self.refuses("info", name, text=[name, "is compressed", "unpack it"])
        self.assertIn("a.lwg.gz", self.left())

    def test_a_graph_as_csv_is_csv(self):
        self.write("g.txt", "ann bob 2\nbob cid 3.5\n")
        self.succeeds("convert", "g.txt", "g.csv")
        self.assertEqual(self.read("g.csv"), "source,target,weight\nann,bob,2\nbob,cid,3.5\n")
        output = self.run_leeway("convert", "known:karate", "k.csv").stderr
        self.assertIn("--undirected", output)
        whole, back = [json.loads(self.succeeds("info", *graph, "--json"))
                       for graph in (["known:karate"], ["k.csv", "--undirected"])]
        for key in ["vertices", "edges", "arcs", "degree_max"]:
            self.assertEqual(whole[key], back[key])

    def test_values_in_every_format(self):
        self.write("g.txt", "1 2 3\n2 3 4\n7 1 1\n")
        run = ["run", "sssp", "g.txt", "--source", "1", "--quiet", "--out"]
        for name in ["v.txt", "v.csv", "v.tsv", "v.npy", "v.npz", "v.mtx", "v.csv.gz", "v"]:
            self.succeeds(*run, name)
        self.assertEqual(self.read("v.txt"), "1 0\n2 3\n3 7\n7 infinity\n")
        self.assertEqual(self.read("v"), self.read("v.txt"))
        self.assertEqual(self.read("v.csv"), "vertex,value\n1,0\n2,3\n3,7\n7,inf\n")
        self.assertEqual(self.read("v.tsv"), "vertex\tvalue\n1\t0\n2\t3\n3\t7\n7\tinf\n")
        header, values = self.npy("v.npy")
        self.assertEqual((header["descr"], header["shape"], values), ("<f8", (4,), [0, 3, 7, float("inf")]))
        self.assertEqual(self.npz("v.npz"), {"vertex": [1, 2, 3, 7], "value": [0, 3, 7, float("inf")]})
        self.assertEqual(self.read("v.mtx").splitlines(),
                         ["%%MatrixMarket matrix array real general", "4 1", "0", "3", "7", "inf"])

    def test_names_and_values_that_are_not_numbers(self):
        self.write("g.txt", "ann bob\nbob cid\n\nzoë dan\n")
        self.succeeds("run", "bfs", "g.txt", "--source", "ann", "--out", "v.csv", "--quiet")
        self.assertEqual(self.read("v.csv"), "vertex,value\nann,0\nbob,1\ncid,2\nzoë,\ndan,\n")
        self.succeeds("run", "bfs", "g.txt", "--source", "ann", "--out", "v.npz", "--quiet")
        self.assertEqual(self.npz("v.npz"), {"vertex": ["ann", "bob", "cid", "zoë", "dan"], "value": [0, 1, 2, -1, -1]})
        self.succeeds("run", "cc", "g.txt", "--out", "c.npz", "--quiet")
        self.assertEqual(self.npz("c.npz")["value"], [0, 0, 0, 3, 3])
        self.succeeds("run", "cc", "g.txt", "--out", "c.csv", "--quiet")
        self.assertEqual(self.read("c.csv").splitlines()[1:], ["ann,ann", "bob,ann", "cid,ann", "zoë,zoë", "dan,zoë"])
        self.succeeds("partition", "g.txt", "2", "p.csv", "--partition", "block", "--quiet")
        self.assertTrue(self.read("p.csv").startswith("vertex,part\nann,0\n"))

    def test_simulations_have_columns(self):
        self.succeeds("simulate", "fish", "--fish", "3", "--iterations", "2", "--out", "f.csv", "--quiet")
        rows = self.read("f.csv").splitlines()
        self.assertEqual((rows[0], len(rows)), ("id,x,y,vx,vy", 4))
        self.succeeds("simulate", "fish", "--fish", "3", "--iterations", "2", "--out", "f.npz", "--quiet")
        self.assertEqual(sorted(self.npz("f.npz")), ["id", "vx", "vy", "x", "y"])
        self.succeeds("simulate", "jacobi", "--plate", "3x2", "--iterations", "2", "--out", "p.npy", "--quiet")
        self.assertEqual(self.npy("p.npy")[0]["shape"], (6,))
        self.refuses("simulate", "pagerank", text="leeway run pagerank GRAPH")

    def test_the_greatest_values_are_shown(self):
        output = self.succeeds("run", "pagerank", "known:karate", "--top", "3")
        rows = [line.split() for line in output.splitlines()[-3:]]
        self.assertEqual([row[0] for row in rows], ["34", "1", "33"])

    def test_top_and_json_work_together_for_every_program(self):
        self.write("r.csv", "userId,movieId,rating\n1,1,5\n1,2,3\n2,1,4\n")
        for program in json.loads(self.succeeds("programs", "--json")):
            small = {"fish": ["--fish", "9", "--iterations", "2"], "fish-food": ["--fish", "9", "--food", "3", "--iterations", "2"],
                     "nbody": ["--bodies", "9", "--iterations", "2"],
                     "jacobi": ["--plate", "3x2", "--iterations", "2"], "cf": ["r.csv"], "heat": ["grid2d:3x3"], "wave": ["grid2d:3x3"],
                     "linear-system": ["matrix:dominant:9"]}
            where = small.get(program["name"], ["known:karate"])
            found = json.loads(self.succeeds("run", program["name"], *where, "--top", "2", "--json", "--quiet"))
            self.assertIn(len(found["top"]), (1, 2), program["name"])
            self.assertTrue(all(len(row) >= 2 for row in found["top"]), program["name"])

    def test_the_summary_has_the_answer(self):
        self.write("g.txt", "1 2\n2 3\n4 5\n6 6\n")
        answer = {"components": 3, "largest": 3}
        self.assertEqual(json.loads(self.succeeds("run", "cc", "g.txt", "--json"))["answer"], answer)
        self.assertRegex(self.succeeds("run", "cc", "g.txt"), r"components +3\nvertices in the largest +3\n")
        top = json.loads(self.succeeds("run", "cc", "g.txt", "--json", "--top", "2"))["top"]
        self.assertEqual(top, [{"value": "1", "vertices": 3}, {"value": "4", "vertices": 2}])
        paths = json.loads(self.succeeds("run", "sssp", "g.txt", "--source", "2", "--json"))["answer"]
        self.assertEqual(paths, {"reached": 2, "farthest": 1})
        self.assertRegex(self.succeeds("run", "bfs", "g.txt"), r"reached +3 of 6 vertices from 1 \(the first\)\ngreatest distance +2\n")
        for start in ([LEEWAY, "launch", "-n", "3", "--"], ["mpiexec.mpich", "-n", "2", LEEWAY]):
            for words, expected in ((["cc", "g.txt"], answer), (["sssp", "g.txt", "--source", "2"], paths)):
                done = subprocess.run([*start, "run", *words, "--json"], cwd=self.folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(json.loads(done.stdout)["answer"], expected, done.stderr)

    def test_json_and_report_have_the_same_names(self):
        for words in (["pagerank", "known:karate"], ["fish", "--fish", "9", "--iterations", "3"], ["cc", "known:karate", "--engine", "pie"]):
            summary = json.loads(self.succeeds("run", *words, "--nodes", "2", "--json", "--report", "r.json", "--force"))
            report = json.loads(self.read("r.json"))
            self.assertEqual(set(report) - set(summary), {"series", "nodes"})
            self.assertEqual(summary["configuration"], report["configuration"])

    def test_every_command_that_reports_has_json(self):
        self.write("g.txt", TRIANGLE)
        self.assertEqual(json.loads(self.succeeds("convert", "g.txt", "g.lwg", "--json")), {"file": "g.lwg", "vertices": 3, "edges": 3, "arcs": 3})
        self.assertEqual(json.loads(self.succeeds("generate", "path:4", "p.txt", "--json"))["vertices"], 4)
        for mode in ("scp", "rcp"):
            self.succeeds("run", "cc", "kron:6", "--nodes", "2", "--consistency", mode, "--fabric", "sim", "--report", f"{mode}.json")
        runs = json.loads(self.succeeds("compare", "scp.json", "rcp.json", "--json"))["runs"]
        self.assertEqual([run["name"] for run in runs], ["scp", "rcp"])
        self.assertIn("blocked_fetches", runs[0])
        self.succeeds("run", "pagerank", "kron:6", "--snapshot", "snaps", "--snapshot-every", "5")
        self.assertTrue(all(each["whole"] for each in json.loads(self.succeeds("snapshot", "verify", "snaps", "--json"))))
        self.assertTrue(json.loads(self.succeeds("replay", "aap-fig1", "--quiet", "--json"))["figures"])
        names = [row["name"] for row in json.loads(self.succeeds("modes", "--json"))]
        self.assertTrue({"scp", "stale-N", "rcp", "rcp+push", "bsp", "aap"} <= set(names))

    def test_a_summary_says_what_dominated_the_time(self):
        lopsided = self.succeeds("run", "pagerank", "kron:10", "--nodes", "4", "--fabric", "sim", "--partition", "block", "--balance", "vertices")
        self.assertRegex(lopsided, r"profile +\d+ % of the time, the other nodes waited for node \d, which holds \d.\d times the mean of the arcs: "
                                   r"partition with --balance arcs\n")
        even = self.succeeds("run", "pagerank", "kron:10", "--nodes", "4", "--fabric", "sim")
        self.assertNotIn("which holds", even)
        strict = self.succeeds("run", "pagerank", "kron:8", "--nodes", "4", "--fabric", "sim", "--net", "ec2", "--consistency", "scp",
                               "--report", "r.json")
        self.assertIn("threads waited for values of other nodes under scp: --consistency rcp+push", strict)

    def test_a_node_that_waits_for_values_is_not_called_slow(self):
        # Without barriers on a network with spikes, a node's copies get older than a given bound; the machines are equal.
        for more in ([], ["--report", "r.json"]):
            late = self.succeeds("run", "pagerank", "powerlaw:10000:2.1", "--nodes", "16", "--fabric", "sim", "--net", "ec2", "--quiet",
                                 "--scheduler", "ap", "--consistency", "rcp-20", "--tolerance", "1e-5", "--rescale=false", *more)
            self.assertRegex(late, r"profile +\d+ % of the time, the other nodes waited for node \d+, which waited \d+ times for values of which its "
                                   r"copies were too old: --consistency rcp\+push uses older copies meanwhile\n")
            self.assertNotIn("slower", late)

    def test_every_engine_says_what_dominated_the_time(self):
        sim = ["--nodes", "4", "--fabric", "sim", "--net", "ec2"]
        waits = r"waited for messages: the network is slower than the computation; "
        for words, text in (
                (["pagerank", "kron:8", "--engine", "pie", "--workers", "4", "--scheduler", "bsp"], waits + "try --scheduler aap, or"),
                (["pagerank", "kron:8", "--engine", "pie", "--workers", "8"], waits + "one worker per node"),
                (["pagerank", "kron:8", "--engine", "piece"], waits + "use fewer ranks"),
                (["jacobi", "--engine", "tick", "--iterations", "12"], waits + "--sync combined"),
                (["fish", "--engine", "tick", "--iterations", "12", "--split", "grid"], waits + "--sync combined")):
            self.assertRegex(self.succeeds("run", *words, *sim), rf"profile +\d+ % of the time, (nodes|workers) {text}", words)
        uneven = self.succeeds("run", "pagerank", "kron:11", "--engine", "pie", "--fabric", "sim", "--nodes", "4", "--scheduler", "bsp", "--skew", "3")
        self.assertRegex(uneven, r"profile +\d+ % of the time, the other nodes waited for node 0, which holds \d.\d times the mean of the arcs: "
                                 r"leave out --skew\n")

    def test_the_graph_is_an_argument_or_a_flag(self):
        one = json.loads(self.succeeds("run", "cc", "known:karate", "--json"))
        self.assertEqual(one["input"]["graph"], "known:karate")
        self.refuses("run", "cc", "known:karate", "--graph", "known:kite", text="--graph")
        self.refuses("run", "fish", "known:karate", text="GRAPH")
        self.refuses("run", "cc", text="the graph is missing")

    def test_a_dash_is_standard_output(self):
        self.write("g.txt", TRIANGLE)
        self.assertEqual(self.succeeds("run", "bfs", "g.txt", "--out", "-"), "1 0\n2 1\n3 2\n")
        self.assertTrue(self.succeeds("convert", "g.txt", "-").endswith("1 2\n2 3\n3 1\n"))
        self.assertEqual(self.succeeds("convert", "g.txt", "-", "--to", "csv"), "source,target\n1,2\n2,3\n3,1\n")
        json.loads(self.succeeds("run", "bfs", "g.txt", "--report", "-"))
        self.refuses("run", "bfs", "g.txt", "--out", "-", "--report", "-", text="--report")
        self.assertEqual(self.left(), ["g.txt"])
        done = subprocess.run(["bash", "-c", f"set -o pipefail; '{LEEWAY}' generate kron:12 - | head -1 > first"],
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_report_goes_through_a_pipe(self):
        done = subprocess.run(["bash", "-c", f"'{LEEWAY}' run cc known:karate --report - 2>log | '{LEEWAY}' compare -"],
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("standard input", done.stdout)
        self.assertIn("converged", self.read("log"))

    def test_files_that_the_command_did_not_write_are_not_replaced(self):
        self.write("notes.txt", "mine\n")
        self.write("g.txt", TRIANGLE)
        for command in [["convert", "g.txt", "notes.txt"], ["generate", "path:4", "notes.txt"],
                        ["partition", "g.txt", "2", "notes.txt"], ["run", "cc", "g.txt", "--out", "notes.txt"],
                        ["run", "cc", "g.txt", "--report", "notes.txt"]]:
            self.refuses(*command, text=["notes.txt", "--force"])
            self.assertEqual(self.read("notes.txt"), "mine\n")
        self.succeeds("run", "cc", "g.txt", "--out", "v.txt")
        self.succeeds("run", "bfs", "g.txt", "--out", "v.txt")  # a file that the command wrote may be replaced
        self.refuses("convert", "g.txt", "v.txt", text="--force")
        with open(f"{self.folder}/v.txt", "a", encoding="utf-8") as file:
            file.write("a remark\n")
        self.refuses("run", "bfs", "g.txt", "--out", "v.txt", text="--force")
        self.succeeds("run", "bfs", "g.txt", "--out", "v.txt", "--force")
        self.succeeds("convert", "g.txt", "notes.txt", "--force")

    def test_an_input_file_cannot_be_the_output(self):
        self.write("g.txt", TRIANGLE)
        self.succeeds("convert", "g.txt", "h.txt")
        os.link(f"{self.folder}/h.txt", f"{self.folder}/same.txt")
        for output in ["h.txt", "./h.txt", "same.txt"]:
            self.refuses("convert", "h.txt", output, text="input")
        self.refuses("run", "cc", "g.txt", "--out", "g.txt", text="--out")
        self.succeeds("run", "cc", "g.txt", "--report", "a.json")
        before = self.read("a.json")
        self.refuses("compare", "a.json", "--page", "a.json", text="--page")
        self.assertEqual(self.read("a.json"), before)
        self.succeeds("compare", "a.json")
        self.assertNotIn("comparison.html", self.left())

    def test_numbers_in_reports_are_numbers(self):
        self.succeeds("run", "pagerank", "known:karate", "--nodes", "2", "--report", "r.json")
        configuration = json.loads(self.read("r.json"))["configuration"]
        self.assertEqual((configuration["nodes"], configuration["damping"], configuration["fabric"]),
                         (2, 0.85, "loopback"))
        self.assertEqual(json.loads(self.succeeds("run", "cc", "known:karate", "--json"))["configuration"]["nodes"], 1)

    def test_a_name_that_is_not_utf8_gives_valid_json(self):
        name = os.path.join(os.fsencode(self.folder), b"\xff\xfe.txt")
        with open(name, "w", encoding="utf-8") as file:
            file.write(TRIANGLE)
        for command in [["info", name, "--json"], ["plan", name, "--json"], ["run", "cc", name, "--json"],
                        ["partition", name, "2", "--json"], ["run", "cc", name, "--report", "r.json"]]:
            done = subprocess.run([LEEWAY, *command], cwd=self.folder, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            if "--json" in command:
                json.loads(done.stdout.decode("utf-8"))
        json.loads(self.read("r.json"))

    def test_a_file_name_with_a_line_break_does_not_break_the_table(self):
        self.write("two\nlines.txt", TRIANGLE)
        for command in (["run", "cc", "two\nlines.txt"], ["info", "two\nlines.txt"]):
            self.assertIn("two\\x0alines.txt\n", self.succeeds(*command))
        self.refuses("info", "no\nsuch.txt", text="no\\x0asuch.txt: no such file")

    def test_a_name_that_is_empty_is_refused(self):
        for flag in ("--out", "--report", "--trace", "--snapshot", "--resume", "--source"):
            self.refuses("run", "sssp", "known:karate", flag, "", text=[flag, "the value is empty"])
        self.assertEqual(self.left(), [])

    def test_a_resumed_run_reports_its_first_tick(self):
        run = ["run", "jacobi", "--engine", "tick", "--plate", "20x10", "--iterations", "8"]
        self.succeeds(*run, "--snapshot", "c", "--snapshot-every", "3", "--fabric", "sim")
        report = json.loads(self.succeeds(*run, "--resume", "c", "--json"))
        self.assertEqual((report["ticks"]["first_tick"], report["ticks"]["last_tick"], report["iterations"]), (6, 8, 2))

    def test_a_graph_too_large_for_this_machine_is_planned(self):
        plan = json.loads(self.succeeds("plan", "kron:31", "--nodes", "64", "--json"))
        self.assertEqual(len(plan["per_node"]), 64)
        self.assertEqual(plan["per_node"][0]["vertices"], 2 ** 31 // 64)
        self.assertIn("estimated", plan["basis"])
        self.assertEqual(json.loads(self.succeeds("plan", "kron:6", "--json"))["basis"], "counted")
        self.refuses("info", "kron:31", code=3, text="memory")
        self.refuses("run", "jacobi", "--plate", "1000000x1000000", code=3, text="--plate")

    def test_completions_know_programs_modes_and_replays(self):
        self.succeeds("--generate-documents", self.folder)
        for shell, name in [("bash", "leeway.bash"), ("zsh", "_leeway"), ("fish", "leeway.fish")]:
            text = self.read(name)
            for word in ["pagerank", "rcp+push", "fig12", "simulate", "--nodes" if shell != "fish" else "-l nodes"]:
                self.assertIn(word, text, name)
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", name], cwd=self.folder, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
        for words, expected in [("leeway run pager", "pagerank"), ("leeway replay fig1", "fig12"),
                              ("leeway run cc --consistency rcp+", "rcp+push"), ("leeway simulate n", "nbody"),
                              ("leeway run sssp --sou", "--source")]:
            count = len(words.split()) - 1
            script = f"source ./leeway.bash; COMP_WORDS=({words}); COMP_CWORD={count}; _leeway; echo ${{COMPREPLY[@]}}"
            done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertIn(expected, done.stdout.split(), words + done.stderr)


if __name__ == "__main__":
    main()
