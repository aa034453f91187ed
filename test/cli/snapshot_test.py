"""Snapshots and resumed runs of vertex and pie programs; `leeway snapshot` and `leeway supervise`."""
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import time

from command_case import LEEWAY, CommandTest, main

SCHEDULES = ["do-work", "bsp", "ap", "ssp", "aap", "hsync", "asytick"]
PROGRAMS = {
    "pagerank": ["kron:9"],
    "sssp": ["kron:9", "--weights", "random"],
    "bfs": ["grid2d:30x30"],
    "paths": ["grid2d:30x30"],
    "shortest-path-counts": ["grid2d:30x30"],
    "cc": ["kron:9"],
    "cdlp": ["kron:9", "--undirected", "--ldbc"],
    "coloring": ["kron:9", "--undirected"],
    "heat": ["grid2d:20x20"],
    "wave": ["grid2d:20x20"],
    "kcore": ["kron:9"],
    "scc": ["uniform:600:2", "--directed"],
    "betweenness": ["kron:7", "--samples", "5"],
    "harmonic": ["kron:7", "--samples", "20"],
    "closeness": ["kron:6"],
    "independent-set": ["uniform:600:4", "--undirected"],
    "bipartite": ["grid2d:20x20"],
    "spanning-forest": ["uniform:600:3", "--undirected", "--weights", "random"],
    "louvain": ["uniform:200:3", "--undirected"],
    "triangles": ["kron:8", "--undirected"],
    "katz": ["uniform:600:3"],
    "eigenvector": ["kron:7", "--undirected"],
    "hits": ["kron:7", "--directed"],
}
BY_SUPERSTEPS = {"cdlp", "eigenvector", "hits"}


class SnapshotTest(CommandTest):
    def take(self, *words, folder="snaps", every="1", **more):
        return self.succeeds("run", *words, "--snapshot", folder, "--snapshot-every", every, **more)

    def numbers(self, folder="snaps"):
        return sorted(name for name in os.listdir(os.path.join(self.folder, folder)) if name.isdigit())

    def report(self, *words):
        self.succeeds("run", *words, "--report", "report.json", "--force")
        return json.loads(self.read("report.json"))


class TakenTest(SnapshotTest):
    def test_every_program_resumes_under_another_schedule_on_other_nodes(self):
        drawn = random.Random(4)
        for program, graph in PROGRAMS.items():
            for schedule in ["bsp"] if program in BY_SUPERSTEPS else SCHEDULES:
                shutil.rmtree(os.path.join(self.folder, "snaps"), ignore_errors=True)
                nodes = str(drawn.randint(2, 4))
                self.take(program, *graph, "--scheduler", schedule, "--nodes", nodes, "--fabric", "sim")
                if not self.numbers():
                    continue  # it converged before the first snapshot was due
                other = "bsp" if program in BY_SUPERSTEPS else drawn.choice(SCHEDULES)
                again = self.succeeds("run", program, *graph, "--resume", "snaps", "--scheduler", other, "--nodes",
                                      str(drawn.randint(1, 5)), "--verify")
                self.assertIn("verified", again, f"{program} {schedule} {other}")

    def test_pie_programs_resume_under_another_schedule_and_cut(self):
        drawn = random.Random(5)
        schedules = ["aap", "bsp", "ap", "ssp", "hsync"]
        for program in ("pagerank", "sssp", "bfs", "cc"):
            for schedule in schedules:
                shutil.rmtree(os.path.join(self.folder, "snaps"), ignore_errors=True)
                pie = [program, *PROGRAMS[program], "--engine", "pie"]
                self.take(*pie, "--scheduler", schedule, "--nodes", "3", "--fabric", "sim", "--workers", "5")
                if not self.numbers():
                    continue
                again = self.succeeds("run", *pie, "--resume", "snaps", "--scheduler", drawn.choice(schedules), "--nodes",
                                      str(drawn.randint(1, 3)), "--cut", drawn.choice(["edge", "vertex"]), "--verify")
                self.assertIn("verified", again, f"{program} {schedule}")

    def test_supersteps_resume_at_their_number(self):
        plain = ["cdlp", "kron:9", "--undirected", "--scheduler", "bsp", "--iterations", "9"]
        self.succeeds("run", *plain, "--out", "whole.txt")
        self.take(*plain, "--nodes", "3", every="4")
        first = self.numbers()[0]
        output = self.succeeds("run", *plain, "--resume", f"snaps/{first}", "--nodes", "2", "--out", "rest.txt")
        self.assertIn("resumed from", output)
        self.assertEqual(self.read("whole.txt"), self.read("rest.txt"))

    def test_the_report_has_number_size_and_pauses_of_snapshots(self):
        report = self.report("pagerank", "kron:10", "--nodes", "2", "--snapshot", "snaps", "--snapshot-every", "5")
        self.assertGreater(report["snapshots"]["taken"], 0)
        self.assertGreater(report["snapshots"]["bytes"], 1024 * 8)
        self.assertEqual(report["snapshots"]["failed"], 0)
        self.assertGreaterEqual(report["snapshots"]["paused_seconds"], report["snapshots"]["longest_pause_seconds"])
        again = self.report("pagerank", "kron:10", "--resume", "snaps")
        self.assertGreater(again["resumed"]["progress"], 0)
        self.assertEqual(again["resumed"]["nodes"], 2)

    def test_the_virtual_cluster_computes_the_same_with_and_without_copies_on_the_disk(self):
        run = ["pagerank", "kron:8", "--nodes", "4", "--fabric", "sim", "--snapshot", "snaps", "--snapshot-every", "3"]
        digests = set()
        for _ in range(4):
            digests.add(self.report(*run)["digest"])
            shutil.rmtree(os.path.join(self.folder, "snaps"))
        self.assertEqual(len(digests), 1)

    def test_a_signal_takes_a_snapshot(self):
        job = subprocess.Popen([LEEWAY, "run", "pagerank", "kron:15", "--nodes", "2", "--tolerance", "1e-14", "--quiet",
                                "--verify=false", "--snapshot", "snaps", "--snapshot-every", "1000s"],
                               cwd=self.folder, stdout=subprocess.DEVNULL)
        lock = os.path.join(self.folder, "snaps", "lock")
        while not os.path.exists(lock):
            time.sleep(0.01)
        while job.poll() is None and not self.numbers():
            job.send_signal(signal.SIGUSR1)
            time.sleep(0.02)
        self.assertTrue(self.numbers())
        job.kill()
        job.wait()

    def test_a_signal_does_not_end_a_run_by_ticks(self):
        job = subprocess.Popen([LEEWAY, "run", "jacobi", "--engine", "tick", "--plate", "300x300", "--iterations", "4000", "--quiet",
                                "--nodes", "2", "--snapshot", "snaps", "--snapshot-every", "100"], cwd=self.folder,
                               stdout=subprocess.DEVNULL)
        while job.poll() is None and not (os.path.isdir(os.path.join(self.folder, "snaps")) and self.numbers()):
            time.sleep(0.01)
        job.send_signal(signal.SIGUSR1)
        time.sleep(0.1)
        self.assertIsNone(job.poll())
        job.kill()
        job.wait()
        again = self.succeeds("run", "jacobi", "--engine", "tick", "--plate", "300x300", "--iterations", "4000", "--nodes", "1",
                              "--resume", "snaps", "--verify=false")
        self.assertRegex(again, r"to tick +4,?000\n")

    def test_the_number_of_snapshots_kept(self):
        self.take("pagerank", "kron:9", "--fabric", "sim", "--snapshots-kept", "3")
        self.assertEqual(len(self.numbers()), 3)
        self.assertFalse([name for name in os.listdir(os.path.join(self.folder, "snaps")) if "unfinished" in name])


class CountedTest(SnapshotTest):
    """A resumed run with --iterations N ends after N iterations in total, with the verdict of the uninterrupted run."""
    RUNS = (["bfs", "path:2000", "--undirected", "--partition", "hash"], ["cc", "path:2000", "--partition", "hash"],
            ["sssp", "path:2000", "--undirected", "--partition", "hash"], ["heat", "grid2d:20x20"], ["wave", "grid2d:20x20"],
            ["coloring", "kron:9", "--undirected"], ["paths", "grid2d:30x30"], ["pagerank", "kron:9"],
            ["cdlp", "kron:9", "--undirected"])

    def whole_and_resumed(self, *run, start=()):
        shutil.rmtree(os.path.join(self.folder, "snaps"), ignore_errors=True)
        words = [*start, "run", *run, "--iterations", "4"]
        whole = self.run_leeway(*words, "--snapshot", "snaps", "--snapshot-every", "1", "--report", "whole.json", "--force")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        if not os.path.isdir(os.path.join(self.folder, "snaps")) or not self.numbers():
            return  # it converged before the first snapshot was due
        again = self.run_leeway(*words, "--resume", "snaps", "--report", "again.json", "--force")
        self.assertEqual(again.returncode, 0, f"{run}: {again.stderr}")
        reports = [json.loads(self.read(name)) for name in ("whole.json", "again.json")]
        self.assertEqual(reports[0]["converged"], reports[1]["converged"], run)
        self.assertEqual(reports[0]["why"], reports[1]["why"], run)

    def test_under_every_schedule(self):
        for run in self.RUNS:
            for schedule in ["bsp"] if run[0] == "cdlp" else ["bsp", "do-work", "asytick"]:
                self.whole_and_resumed(*run, "--scheduler", schedule, "--nodes", "2", "--fabric", "sim")

    def test_over_threads_and_processes(self):
        run = [*self.RUNS[0], "--scheduler", "bsp"]
        self.whole_and_resumed(*run, "--nodes", "2")
        self.whole_and_resumed(*run, start=["launch", "-n", "2", "--"])

    def test_factors_of_cf(self):
        ratings = "".join(f"{user}::{item}::{(user * item) % 5 + 1}\n" for user in range(20) for item in range(0, 10, 1 + user % 3))
        self.write("r.dat", ratings)
        self.whole_and_resumed("cf", "r.dat", "--nodes", "2", "--fabric", "sim")


class RefusedTest(SnapshotTest):
    def test_a_snapshot_of_another_job_is_refused_with_the_difference(self):
        self.take("pagerank", "kron:9", "--damping", "0.8")
        run = ["run", "pagerank", "kron:9", "--resume", "snaps"]
        self.refuses(*run, text=["snaps/", "--damping 0.8", "0.85"])
        self.refuses("run", "pagerank", "kron:8", "--damping", "0.8", "--resume", "snaps", text=["graph kron:9", "kron:8"])
        self.refuses("run", "degree", "kron:9", "--resume", "snaps", text=["program pagerank", "degree"])
        self.refuses(*run, "--damping", "0.8", "--iterations", "5", text="--iterations")
        self.refuses(*run, "--damping", "0.8", "--tolerance", "1e-8", text=["without --tolerance", "leave --tolerance out"])
        self.refuses(*run[:-1], "", text=["--resume", "the value is empty"])
        self.refuses("run", "pagerank", "kron:9", "--engine", "tick", "--resume", "snaps", text=["engine vertex", "tick"])
        self.refuses("run", "pagerank", "kron:9", "--engine", "piece", "--resume", "snaps", text=["engine vertex", "piece"])

    def test_a_fixed_number_of_rounds_requires_the_same_schedule(self):
        self.take("pagerank", "kron:9", "--iterations", "8", "--scheduler", "bsp")
        self.refuses("run", "pagerank", "kron:9", "--iterations", "8", "--scheduler", "do-work", "--resume", "snaps",
                     text="--scheduler bsp")

    def test_a_folder_without_snapshots_and_resume_none(self):
        os.mkdir(os.path.join(self.folder, "empty"))
        self.refuses("run", "cc", "kron:8", "--resume", "empty", text="no snapshot")
        self.refuses("run", "cc", "kron:8", "--resume", "nowhere", text="nowhere")

    def test_snapshot_settings_without_a_folder_are_refused(self):
        self.refuses("run", "cc", "kron:8", "--snapshot-every", "5", "--strict", text=["--snapshot-every", "--snapshot"])
        self.refuses("run", "cc", "kron:8", "--snapshots-kept", "5", "--strict", text=["--snapshots-kept", "--snapshot"])
        for every in ("0", "-1", "0s", "5m", "often", "s", ""):
            self.refuses("run", "cc", "kron:8", "--snapshot", "s", "--snapshot-every", every, text="--snapshot-every")

    def test_a_folder_that_another_job_writes_to(self):
        self.take("cc", "kron:8")
        with open(os.path.join(self.folder, "snaps", "lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refuses("run", "cc", "kron:8", "--nodes", "3", "--snapshot", "snaps", text=["another job", "process"])

    def test_a_file_is_not_a_folder(self):
        self.write("file", "")
        self.refuses("run", "cc", "kron:8", "--snapshot", "file", text="not a folder")


class OthersFilesTest(SnapshotTest):
    def test_foreign_files_in_the_folder_are_kept(self):
        theirs = {"snaps/000001/thesis.txt": "years", "snaps/000002/data.csv": "1,2", "snaps/.000003.unfinished/me": "here",
                  "snaps/000004": "a file", "snaps/notes.txt": "mine", "elsewhere/part-00000": "linked"}
        for name, text in theirs.items():
            os.makedirs(os.path.join(self.folder, os.path.dirname(name)), exist_ok=True)
            self.write(name, text)
        os.symlink("../elsewhere", os.path.join(self.folder, "snaps", "000003"))
        self.take("pagerank", "kron:9", "--fabric", "sim", "--nodes", "2", "--snapshots-kept", "1")
        for name, text in theirs.items():
            self.assertEqual(self.read(name), text, name)
        self.assertTrue(os.path.islink(os.path.join(self.folder, "snaps", "000003")))
        self.succeeds("run", "pagerank", "kron:9", "--resume", "snaps", "--verify")
        self.assertEqual([name for name in os.listdir(os.path.join(self.folder, "snaps")) if "unfinished" in name],
                         [".000003.unfinished"])

    def test_snapshots_of_another_job_are_not_deleted(self):
        self.take("pagerank", "kron:9", "--fabric", "sim")
        before = self.numbers()
        other = ["run", "cc", "kron:9", "--snapshot", "snaps", "--snapshot-every", "1"]
        self.refuses(*other, text=["snaps", "another job, pagerank on kron:9", "--force"])
        self.refuses("run", "jacobi", "--engine", "tick", "--plate", "20x10", "--snapshot", "snaps", text="another job")
        self.assertEqual(self.numbers(), before)
        self.take("pagerank", "kron:9", "--fabric", "sim", "--nodes", "3")
        self.succeeds(*other, "--force", "--fabric", "sim", "--nodes", "2")


class UnwritableTest(SnapshotTest):
    RUNS = (["pagerank", "kron:8", "--nodes", "3"], ["sssp", "kron:8", "--engine", "pie", "--nodes", "2"],
            ["fish", "--fish", "50", "--iterations", "5"], ["fish-food", "--fish", "50", "--iterations", "5"],
            ["jacobi", "--plate", "9x9", "--engine", "piece"])

    def test_a_folder_that_cannot_be_made_is_refused_before_the_run(self):
        for run in self.RUNS:
            done = self.run_leeway("run", *run, "--out", "values.txt", "--snapshot", "/proc/snapshots")
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            self.assertIn("/proc/snapshots", done.stderr)
            self.assertEqual(self.left(), [])

    def test_a_full_or_read_only_disk_is_refused_before_the_run(self):
        if os.getuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("needs a disk that the test can fill")
        os.mkdir(os.path.join(self.folder, "disk"))
        fill = "mount -t tmpfs -o size=64k tmpfs disk && mkdir disk/s && { cat /dev/zero >disk/zeros 2>/dev/null || true; }"
        lock = "mount -t tmpfs -o size=64k,ro tmpfs disk"
        for prepare, part in ((fill, "No space left"), (lock, "Read-only")):
            for run in self.RUNS:
                script = prepare + " && exec \"$0\" run " + " ".join(run) + " --quiet --snapshot disk/s"
                done = subprocess.run(["unshare", "-m", "sh", "-c", script, LEEWAY], cwd=self.folder, capture_output=True,
                                      text=True, timeout=100)
                self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                self.assertIn(part, done.stderr)

    def test_a_disk_that_becomes_full_is_reported_at_the_end(self):
        if os.getuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("needs a disk that the test can fill")
        script = ("mount -t tmpfs -o size=100k tmpfs full && \"$0\" run pagerank kron:14 --nodes 2 --quiet --snapshot full/s "
                  "--snapshot-every 2 --report report.json; code=$?; ls -A full/s; exit $code")
        os.mkdir(os.path.join(self.folder, "full"))
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, LEEWAY], cwd=self.folder, capture_output=True, text=True,
                              timeout=100)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertEqual(done.stderr.count(" warning: "), 1, done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertIn("could not be written", done.stderr.splitlines()[-1])
        snapshots = json.loads(self.read("report.json"))["snapshots"]
        self.assertEqual((snapshots["taken"], snapshots["bytes"]), (0, 0))
        self.assertGreater(snapshots["failed"], 0)
        self.assertEqual(done.stdout.splitlines()[-1:], ["lock"], "what failed is still there")

    def test_a_folder_that_vanishes(self):
        job = subprocess.Popen([LEEWAY, "run", "pagerank", "kron:14", "--nodes", "2", "--quiet", "--snapshot", "snaps",
                                "--snapshot-every", "1"], cwd=self.folder, stderr=subprocess.PIPE, text=True,
                               stdout=subprocess.DEVNULL)
        while job.poll() is None and not os.path.exists(os.path.join(self.folder, "snaps", "000002")):
            time.sleep(0.002)
        shutil.rmtree(os.path.join(self.folder, "snaps"), ignore_errors=True)
        errors = job.communicate(timeout=60)[1]
        self.assertIn(job.returncode, (0, 6), errors)
        self.assertLessEqual(errors.count(" warning: "), 1, errors)


class ReadTest(SnapshotTest):
    def damage(self, number):
        with open(os.path.join(self.folder, "snaps", number, "part-00001"), "r+b") as part:
            part.seek(100)
            was = part.read(1)[0]
            part.seek(100)
            part.write(bytes([was ^ 0xff]))

    def test_info_and_verify(self):
        self.take("sssp", "kron:9", "--weights", "random", "--nodes", "2", "--source", "17", "--scheduler", "bsp", "--fabric",
                  "sim")
        info = json.loads(self.succeeds("snapshot", "info", "snaps", "--json"))
        self.assertEqual((info["program"], info["nodes"], info["vertices"], info["source"]), ("sssp", 2, 512, "17"))
        self.assertIn("whole, 2 parts", self.succeeds("snapshot", "verify", "snaps"))
        *older, last = self.numbers()
        self.assertTrue(older)
        self.damage(last)
        done = self.run_leeway("snapshot", "verify", "snaps")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"snaps/{last}/part-00001: the part is damaged", done.stdout)
        self.assertEqual(done.stdout.count("whole"), len(older))
        self.refuses("snapshot", "verify", f"snaps/{last}", text="damaged")
        self.refuses("snapshot", "info", f"snaps/{last}", text="damaged")
        done = self.run_leeway("snapshot", "info", "snaps")  # falls back to the previous snapshot with a warning
        self.assertIn("looking for an older snapshot", done.stderr)

    def test_info_of_a_folder_has_one_line_per_snapshot(self):
        self.take("pagerank", "kron:9", "--nodes", "2", "--snapshots-kept", "1", "--fabric", "sim")
        last, = self.numbers()
        self.assertIn("whole, 2 parts", self.succeeds("snapshot", "verify", "snaps"))
        self.damage(last)
        done = self.run_leeway("snapshot", "verify", "snaps")
        self.assertEqual((done.returncode, done.stdout.splitlines()),
                         (2, [f"snaps/{last}/part-00001: the part is damaged: its checksum does not match"]), done.stderr)

    def test_values_are_the_intermediate_answer(self):
        self.write("g.txt", "ann bob\nbob cid\ncid dan\neve fay\n")
        for program in ("cc", "bfs", "sssp"):
            shutil.rmtree(os.path.join(self.folder, "snaps"), ignore_errors=True)
            self.succeeds("run", program, "g.txt", "--undirected", "--out", "whole.txt", "--force", "--iterations", "9",
                          "--snapshot", "snaps", "--snapshot-every", "1")
            values = self.succeeds("snapshot", "values", "snaps", "g.txt")
            numbered = self.succeeds("snapshot", "values", "snaps")
            self.assertEqual(len(numbered.splitlines()), 6)
            self.assertEqual(numbered.split()[0], "0")
            self.assertEqual(values.split()[0], "ann")
        self.refuses("snapshot", "values", "snaps", "known:karate", text="not the snapshot's graph")

    def test_values_of_the_last_snapshot_are_the_answer(self):
        plain = ["cdlp", "kron:8", "--undirected", "--scheduler", "bsp", "--iterations"]
        self.take(*plain, "6", "--out", "whole.txt")
        # Six supersteps were run; the latest snapshot is from one of the last.
        info = json.loads(self.succeeds("snapshot", "info", "snaps", "--json"))
        self.succeeds("run", *plain, str(info["progress"]), "--out", "then.txt")
        self.assertEqual(self.succeeds("snapshot", "values", "snaps"), self.read("then.txt"))

    def test_invalid_arguments_are_refused(self):
        self.refuses("snapshot", "infos", "snaps", text=["'infos'", "did you mean 'info'?"])
        self.refuses("snapshot", "info", "nowhere", text="nowhere")
        self.refuses("snapshot", "values", "snaps", "--json", text="--json")
        self.refuses("snapshot", "info", "snaps", "kron:8", text="only values")


class SparesTest(SnapshotTest):
    def test_a_spare_host_takes_over(self):
        self.write("hosts", "good\nbad\nspare\n")
        self.write("reach", "#!/bin/sh\n[ $1 != bad ] || exit 255\nshift\nexec sh -c \"$*\"\n")
        os.chmod(os.path.join(self.folder, "reach"), 0o755)
        launch = ["launch", "-n", "2", "--hosts", "hosts", "--launcher", "./reach", "--rendezvous", "127.0.0.1"]
        job = ["--", "run", "cc", "kron:8", "--verify", "--quiet", "--snapshot", "snaps"]
        self.assertNotEqual(self.run_leeway(*launch, *job).returncode, 0)
        done = self.run_leeway(*launch, "--spares", "1", *job)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the job lost node 1, which ended with code 255", done.stderr)
        self.assertIn("spare takes over from bad", done.stderr)
        self.assertRegex(done.stdout, r"verified +\S")


    def kill_one(self, rank, *words):
        """Runs a job of three processes and kills one of them after its first snapshot."""
        job = subprocess.Popen([LEEWAY, "launch", "-n", "3", "--spares", "1", "--", "run", *words, "--quiet", "--verify",
                                "--snapshot", "snaps", "--report", "report.json", "--force"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        children = f"/proc/{job.pid}/task/{job.pid}/children"
        while job.poll() is None and not os.path.exists(os.path.join(self.folder, "snaps", "000001")):
            time.sleep(0.002)
        with open(children, encoding="ascii") as file:
            os.kill(int(file.read().split()[rank]), signal.SIGKILL)
        out, errors = job.communicate()
        return job.returncode, out, errors

    REPLACED = (
        (0, ["pagerank", "grid2d:250x250", "--damping", "0.995", "--engine", "pie", "--workers", "4", "--scheduler", "aap", "--snapshot-every", "0.1s"]),
        (1, ["pagerank", "grid2d:250x250", "--damping", "0.995", "--engine", "pie", "--workers", "4", "--scheduler", "bsp", "--rebalance", "3",
             "--snapshot-every", "0.1s"]),
        (0, ["pagerank", "kron:15", "--scheduler", "bsp", "--iterations", "300", "--snapshot-every", "20"]),
        (1, ["pagerank", "kron:16", "--scheduler", "ap", "--damping", "0.98", "--snapshot-every", "0.05s"]),
        (2, ["cdlp", "kron:14", "--undirected", "--iterations", "300", "--snapshot-every", "3"]),
        (0, ["fish", "--engine", "tick", "--fish", "1500", "--iterations", "300", "--snapshot-every", "20"]),
        (2, ["pagerank", "kron:15", "--engine", "tick", "--snapshot-every", "20"]),
        (1, ["jacobi", "--engine", "piece", "--plate", "300x300", "--iterations", "800", "--snapshot-every", "20"]),
        (0, ["nbody", "--engine", "piece", "--bodies", "1500", "--iterations", "300", "--snapshot-every", "20"]),
    )

    def test_a_lost_process_is_replaced_alone_under_every_engine(self):
        for rank, words in self.REPLACED:
            shutil.rmtree(os.path.join(self.folder, "snaps"), ignore_errors=True)
            code, out, errors = self.kill_one(rank, *words)
            where = f"{rank} {words}: {errors}"
            self.assertEqual(code, 0, where)
            self.assertRegex(errors, rf"node {rank} was ended by SIGKILL after .* s; replacing it alone \(1 of 1\)")
            self.assertNotIn("restarting", errors)
            self.assertRegex(out, r"verified +\S", where)
            report = json.loads(self.read("report.json"))
            section = report.get("ticks") or report.get("piece") or report
            self.assertEqual(section["recovered"]["times"], 1, where)
            self.assertGreater(section["recovered"]["seconds"], 0, where)
            left = [name for name in os.listdir(os.path.join(self.folder, "snaps")) if name.startswith("graph-")]
            self.assertEqual(left, [])


class SuperviseTest(SnapshotTest):
    def test_success_and_usage_errors_are_not_restarted(self):
        done = self.run_leeway("supervise", "--", "run", "cc", "kron:8", "--snapshot", "snaps")
        self.assertEqual((done.returncode, done.stderr.count("supervise")), (0, 0), done.stderr)
        done = self.run_leeway("supervise", "--", "run", "cc", "nowhere.txt", "--snapshot", "snaps")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("supervise", done.stderr)
        self.refuses("supervise", "--", "run", "cc", "kron:8", text="--snapshot FOLDER")
        self.refuses("launch", "-n", "2", "--spares", "1", "--", "run", "cc", "kron:8", text="--snapshot FOLDER")
        self.refuses("launch", "-n", "2", "--launcher", "/bin/false", "--", "run", "cc", "kron:8", text=["--launcher", "--hosts"])
        self.refuses("supervise", "--", "no-such-program", "--snapshot", "snaps", text="there is no program 'no-such-program'")

    def test_supervise_stops_after_the_limit_and_reports_every_failure(self):
        done = self.run_leeway("supervise", "--restarts", "2", "--pause", "0.01", "--", "sh", "-c", "kill -9 $$", "--snapshot",
                               "snaps")
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)
        self.assertEqual(done.stderr.count("was ended by SIGKILL"), 3)
        self.assertIn("restart 2 of 2, after 0.02 s", done.stderr)
        self.assertIn("stopped after 2 restarts", done.stderr)

    def test_killing_supervise_leaves_no_processes(self):
        supervisor = subprocess.Popen([LEEWAY, "supervise", "--", LEEWAY, "run", "pagerank", "kron:16", "--tolerance", "1e-14",
                                       "--quiet", "--snapshot", "snaps"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
        lock = os.path.join(self.folder, "snaps", "lock")
        while not os.path.exists(lock) or os.path.getsize(lock) == 0:
            time.sleep(0.01)
        supervisor.kill()
        supervisor.wait()
        with open(lock, encoding="utf-8") as file:
            job = int(file.read().split()[2])
        for _ in range(200):
            if not os.path.exists(f"/proc/{job}"):
                return
            time.sleep(0.02)
        os.kill(job, signal.SIGKILL)
        self.fail("the job lives on")


if __name__ == "__main__":
    main()
