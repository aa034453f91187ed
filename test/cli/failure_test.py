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


if __name__ == "__main__":
    main()
