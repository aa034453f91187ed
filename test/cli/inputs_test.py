"""Graph input from other tools: tables from spreadsheets, pipes, matrices from SciPy."""
import csv
import json
import os
import shutil
import struct
import subprocess
import threading
import unittest
import zipfile

from command_case import LEEWAY, CommandTest, main

MARK = "\ufeff"


def scipy_python():
    """A Python interpreter that has SciPy, or None."""
    for python in ("python3", "/usr/bin/python3"):
        found = shutil.which(python)
        if found and subprocess.run([found, "-c", "import scipy.sparse"], capture_output=True).returncode == 0:
            return found
    return None


def npy(kind, shape, content):
    """An array in NumPy's .npy format."""
    sides = "".join(f"{side}, " for side in shape)
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sides}), }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + content


class InputsTest(CommandTest):
    def arcs(self, *arguments, **more):
        """The arcs of a graph by vertex name, with weights."""
        self.succeeds("convert", *arguments, "seen.csv", "--quiet", "--log-level", "error", "--force", **more)
        rows = list(csv.reader(self.read("seen.csv").splitlines()))[1:]
        return [",".join([f"{row[0]}>{row[1]}", *row[2:]]) for row in rows]

    def info(self, *arguments, **more):
        return json.loads(self.succeeds("info", *arguments, "--json", **more))

    def test_info_shows_the_first_names_and_the_number_of_vertices_without_out_arcs(self):
        self.write("g.txt", "# directed\nanna bert\ncara bert\ndora bert\nbert emil\nemil fred\nfred gina\n")
        info = json.loads(self.succeeds("info", "g.txt", "--json"))
        self.assertEqual((info["first_names"], info["without_out_arcs"]), ("anna, bert, cara, dora, emil, ...", 1))
        self.refuses("run", "bfs", "g.txt", "--source", "zoe", text=["zoe", "info shows the first names"])

    def test_a_byte_order_mark_is_ignored(self):
        for name, text in [("g.txt", "1 2\n2 3\n"), ("g.csv", "1,2\n2,3\n"), ("h.csv", "source,target\n1,2\n2,3\n"),
                           ("g.el", "1 2\n2 3\n"), ("w.txt", "# Directed\n1 2\n2 3\n")]:
            self.write(name, MARK + text)
            self.assertEqual(self.arcs(name), ["1>2", "2>3"], name)
        self.write("g.mtx", MARK + "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 5\n")
        self.assertEqual(self.arcs("g.mtx"), ["1>2,5"])
        self.write("owners.txt", MARK + "1 0\n2 1\n3 0\n")
        self.write("g.txt", "1 2\n2 3\n")
        self.succeeds("partition", "g.txt", "2", "--partition", "file:owners.txt")

    def test_quotes_of_a_table_are_removed_from_names(self):
        self.write("g.csv", 'from,to,weight\n"New York","Boston, MA",3\n"Boston, MA","He cried ""go""",4\n')
        self.assertEqual(self.arcs("g.csv"), ['New York>Boston, MA,3', 'Boston, MA>He cried "go",4'])
        for name in ["g.txt", "g.csv"]:
            self.write(name, '"a","b"\n"b","c"\n')
            self.assertEqual(self.arcs(name), ["a>b", "b>c"], name)
        self.write("g.txt", '"a" "b"\n')
        self.refuses("info", "g.txt", text=["g.txt:1", "quoted", "csv"])
        self.write("g.txt", 'a b\nc "d"\n')
        self.refuses("info", "g.txt", text=["g.txt:2", "quoted"])
        self.write("g.csv", 'a,b\n"c,d\n')
        self.refuses("info", "g.csv", text=["g.csv:2", "quote"])

    def test_a_field_over_several_lines_is_refused(self):
        self.write("g.csv", 'from,to,note\na,b,"one\ntwo"\nb,c,fine\n')
        self.refuses("info", "g.csv", "--columns", "from,to", text=["g.csv:2", "does not end in its line", "line break"])
        self.write("g.csv", 'from,to\na,b\n"c\nd",e\n')
        self.refuses("info", "g.csv", text=["g.csv:3", "continues in the next line"])

    def test_columns_are_chosen_by_title_or_place(self):
        self.write("g.csv", "id,kind,buyer,seller,price\n1,x,ann,bob,3.5\n2,y,bob,cid,4\n")
        self.refuses("info", "g.csv", text=["g.csv:1", "5 columns", "--columns"])
        for columns in ["buyer,seller,price", "3,4,5"]:
            self.assertEqual(self.arcs("g.csv", "--columns", columns), ["ann>bob,3.5", "bob>cid,4"])
        self.assertEqual(self.arcs("g.csv", "--columns", "seller,buyer"), ["bob>ann", "cid>bob"])
        self.refuses("info", "g.csv", "--columns", "buyer,sellr", text=["sellr", "seller"])
        self.refuses("info", "g.csv", "--columns", "3,9", text=["--columns", "'9'"])
        self.refuses("info", "g.csv", "--columns", "3", text="--columns")
        self.refuses("info", "known:karate", "--columns", "1,2", "--strict", text="--columns")
        self.refuses("info", "g.csv", "--columns", "1,2", "--format", "metis", text=["--columns", "metis"])

    def test_titles_delimiters_and_ids_are_detected_from_the_content(self):
        for text, flags, expected in [
                ("a;b;c\n1;2;5\n", [], ["1>2,5"]), ("1|2\n2|3\n", [], ["1>2", "2>3"]),
                ("x,y\n1,2\n", ["--header=false"], ["x>y", "1>2"]), ("p,q\nann,bob\n", ["--header"], ["ann>bob"]),
                ("ann,bob\nbob,cid\n", [], ["ann>bob", "bob>cid"]), ("1,2\r\n\r\n2,3", [], ["1>2", "2>3"]),
                ("1:2\n", ["--delimiter", ":"], ["1>2"]), ("1 2\n", ["--delimiter", "space"], ["1>2"]),
                ("9000000000,1\n", [], ["9000000000>1"])]:
            self.write("g.csv", text)
            self.assertEqual(self.arcs("g.csv", *flags), expected, (text, flags))
        self.write("g.tsv", "source\ttarget\nNew York\tBoston\n")
        self.assertEqual(self.arcs("g.tsv"), ["New York>Boston"])
        for text, where in [("1,2\n1,2,3\n", "g.csv:2"), ("1,2\n1,x\n", "g.csv:2"), ("a,b\nc,\n", "g.csv:2"),
                            ("a,b,1\nc,d,e\n", "g.csv:2"), ("source,target\n", "g.csv:1")]:
            self.write("g.csv", text)
            self.refuses("info", "g.csv", text=where)
        self.refuses("info", "g.csv", "--delimiter", "ab", text="--delimiter")

    def test_a_pipe_is_read_once(self):
        expected = self.info("known:karate")
        self.succeeds("convert", "known:karate", "k.txt.gz", "--quiet")
        self.succeeds("convert", "known:karate", "k.lwg", "--quiet")
        for name in ["k.txt.gz", "k.lwg"]:
            for command in [f"'{LEEWAY}' info - --json < {name}", f"cat {name} | '{LEEWAY}' info - --json",
                            f"'{LEEWAY}' info <(cat {name}) --json", f"cat {name} | '{LEEWAY}' info /dev/stdin --json"]:
                done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, command + done.stderr)
                facts = json.loads(done.stdout)
                self.assertEqual((facts["vertices"], facts["edges"]), (expected["vertices"], expected["edges"]),
                                 command)

    def test_a_named_pipe_gives_ids_of_every_size(self):
        os.mkfifo(f"{self.folder}/pipe")
        text = "1 2\n" * 1000 + "9000000000 1\n"  # a large id at the end makes the reader start again

        def feed():
            with open(f"{self.folder}/pipe", "w", encoding="utf-8") as pipe:
                pipe.write(text)
        writer = threading.Thread(target=feed)
        writer.start()
        facts = self.info("pipe")
        writer.join(20)
        self.assertEqual((facts["vertices"], facts["edges"]), (3, 1001))

    def test_an_error_in_a_pipe_has_its_line(self):
        done = subprocess.run([LEEWAY, "info", "-"], input="1 2\n1 x\n", cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard input:2:", done.stderr)

    def test_a_job_does_not_share_standard_input(self):
        done = self.run_leeway("launch", "-n", "2", "--", "run", "cc", "-")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("standard input", done.stderr)

    def sparse(self, name, kind, packed, **arrays):
        with zipfile.ZipFile(os.path.join(self.folder, name), "w", packed) as archive:
            archive.writestr("format.npy", npy("|S3", (), kind))
            archive.writestr("shape.npy", npy("<i8", (2,), struct.pack("<2q", *arrays.pop("shape"))))
            for entry, (letters, values) in arrays.items():
                code = {"<i4": "i", "<i8": "q", "<f8": "d", "|b1": "?"}[letters]
                archive.writestr(f"{entry}.npy", npy(letters, (len(values),), struct.pack(f"<{len(values)}{code}", *values)))

    def test_a_sparse_matrix_of_scipy_is_a_graph(self):
        for packed in [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]:
            self.sparse("m.npz", b"csr", packed, shape=(3, 3), data=("<f8", [1.5, 2, 3]), indices=("<i4", [1, 2, 0]),
                        indptr=("<i4", [0, 2, 2, 3]))
            self.assertEqual(self.arcs("m.npz"), ["0>1,1.5", "0>2,2", "2>0,3"])
            self.sparse("m.npz", b"csc", packed, shape=(3, 3), data=("<i8", [1, 2, 3]), indices=("<i4", [1, 2, 0]),
                        indptr=("<i8", [0, 2, 2, 3]))
            self.assertEqual(self.arcs("m.npz"), ["0>2,3", "1>0,1", "2>0,2"])
        self.sparse("m.npz", b"coo", zipfile.ZIP_DEFLATED, shape=(2, 3), data=("|b1", [True, True]), row=("<i4", [0, 1]),
                    col=("<i4", [2, 0]))
        self.assertEqual(self.arcs("m.npz"), ["0>4,1", "1>2,1"])
        self.sparse("m.npz", b"csr", zipfile.ZIP_STORED, shape=(3, 3), data=("<f8", [1]), indices=("<i4", [3]),
                    indptr=("<i4", [0, 1, 1, 1]))
        self.refuses("info", "m.npz", text=["m.npz", "outside"])
        self.sparse("m.npz", b"dia", zipfile.ZIP_STORED, shape=(3, 3), data=("<f8", [1]))
        self.refuses("info", "m.npz", text=["m.npz", "dia"])

    def test_ranks_refuse_complex_values_and_read_the_structure(self):
        self.write("c.mtx", "%%MatrixMarket matrix coordinate complex general\n3 3 2\n1 2 5 7\n2 3 0 1\n")
        for nodes in ("1", "2"):
            self.refuses("run", "bfs", "c.mtx", "--nodes", nodes, text=[
                "c.mtx:1: its values are complex numbers, which no program uses; give --weights none to read only the structure"])
            self.succeeds("run", "bfs", "c.mtx", "--nodes", nodes, "--weights", "none", "--out", "o.csv", "--quiet", "--force")
            with open(f"{self.folder}/o.csv", encoding="utf-8") as file:
                self.assertEqual(file.read().split()[1:], ["1,0", "2,1", "3,2"])

    def test_a_broken_archive_is_refused(self):
        self.sparse("m.npz", b"csr", zipfile.ZIP_DEFLATED, shape=(3, 3), data=("<f8", [1, 2, 3]),
                    indices=("<i4", [1, 2, 0]), indptr=("<i4", [0, 2, 2, 3]))
        with open(f"{self.folder}/m.npz", "rb") as file:
            whole = file.read()
        for size in range(0, len(whole), 7):
            with open(f"{self.folder}/cut.npz", "wb") as file:
                file.write(whole[:size])
            self.refuses("info", "cut.npz", text="cut.npz")
        for at in range(0, len(whole), 11):
            with open(f"{self.folder}/bent.npz", "wb") as file:
                file.write(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
            done = self.run_leeway("info", "bent.npz")
            self.assertIn(done.returncode, (0, 2), (at, done.stderr))

    @unittest.skipUnless(scipy_python(), "needs SciPy")
    def test_scipy_reads_what_is_written_and_the_other_way_round(self):
        self.succeeds("generate", "kron:8", "g.npz", "--weights", "random", "--quiet")
        script = ("import scipy.sparse as s; m = s.load_npz('g.npz'); print(m.shape, m.nnz, m.sum());"
                  "s.save_npz('back.npz', m.tocsc())")
        done = subprocess.run([scipy_python(), "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, back = self.info("g.npz"), self.info("back.npz")
        self.assertTrue(done.stdout.startswith(f"(256, 256) {first['arcs']} "), done.stdout)
        for key in ["vertices", "arcs", "weight_max", "duplicates"]:
            self.assertEqual(first[key], back[key], key)


if __name__ == "__main__":
    main()
