"""Base class of the command-line tests: a temporary folder per test, and ways to run the command in it.

Each *_test.py in this folder is run as: NAME_test.py LEEWAY [PART-MEMORY INVOCATIONS]
"""
import os
import subprocess
import sys
import tempfile
import unittest

LEEWAY = os.path.abspath(sys.argv[1])
COMMANDS = ["run", "simulate", "info", "launch", "snapshot", "supervise", "convert", "generate", "partition", "plan", "check", "replay", "compare", "doctor",
            "programs", "modes"]
TRIANGLE = "1 2\n2 3\n3 1\n"


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_leeway(self, *arguments, environment=None, **more):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LEEWAY_")}
        return subprocess.run([LEEWAY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, timeout=600,
                              env={**clean, **(environment or {})}, capture_output=True, text=True, **more)

    def run_all(self, commands):
        """Runs many commands like `run_leeway`, but in one process. Returns exit code, output and errors of each, in
        the order of `commands`."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LEEWAY_")}
        lines = "".join("\t".join([f"invocation-{i}", *words]) + "\n" for i, words in enumerate(commands))
        done = subprocess.run([os.path.abspath(sys.argv[3]), self.folder], input=lines, cwd=self.folder, env=clean, check=True,
                              stdout=subprocess.PIPE, text=True, timeout=900)
        codes = dict(line.split() for line in done.stdout.splitlines())
        return [subprocess.CompletedProcess(words, int(codes[f"invocation-{i}"]), self.read(f"invocation-{i}.out"),
                                            self.read(f"invocation-{i}.err")) for i, words in enumerate(commands)]

    def run_under_mpi(self, count, *arguments):
        return subprocess.run(["mpiexec.mpich", "-n", str(count), LEEWAY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)

    def succeeds(self, *arguments, **more):
        done = self.run_leeway(*arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refuses(self, *arguments, code=2, text=(), **more):
        done = self.run_leeway(*arguments, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertRegex(done.stderr, "; |must be|is neither")  # the problem, then the remedy
        for words in [text] if isinstance(text, str) else text:
            self.assertIn(words, done.stderr)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def left(self):
        return sorted(os.listdir(self.folder))


def main():
    result = unittest.main(module="__main__", argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
