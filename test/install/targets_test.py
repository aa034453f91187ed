#!/usr/bin/env python3
"""What the README's commands build must suffice for what they then do.

usage: targets_test.py SOURCE-FOLDER BUILD-FOLDER

- every `./dev COMMAND` of the README is a command of ./dev;
- ./dev demo runs with nothing but copies of the targets that it builds (`./dev targets demo`);
- everything that ./dev install installs is an output of the targets that it builds (`./dev targets install`).
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (os.path.realpath(path) for path in sys.argv[1:3])


def dev(*words):
    return subprocess.run([os.path.join(SOURCE, "dev"), *words], capture_output=True, text=True, check=True).stdout


def outputs_by_edge():
    """The outputs of each build statement of build.ninja."""
    with open(os.path.join(BUILD, "build.ninja"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("build "):
                yield set(line[len("build "):].replace("$ ", "\0").split(":")[0].replace("\0", " ").split())


class TargetsTest(unittest.TestCase):
    def test_readme_names_commands_that_exist(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            named = set(re.findall(r"\./dev ([a-z]+)", file.read()))
        known = set(re.findall(r"^  ([a-z]+) ", dev("help"), re.M))
        self.assertIn("demo", named)
        self.assertEqual(named - known, set())

    def test_the_demo_needs_only_what_it_builds(self):
        with tempfile.TemporaryDirectory() as folder:
            for target in dev("targets", "demo").split():
                shutil.copy(os.path.join(BUILD, target), folder)
            done = subprocess.run([os.path.join(SOURCE, "tools", "demo.sh"), os.path.join(folder, "leeway"), os.path.join(folder, "net-relay"),
                                   os.path.join(folder, "out")],
                                  capture_output=True, text=True, check=False, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            for page in ("replay.html", "aspire/replay.html"):
                self.assertTrue(os.path.getsize(os.path.join(folder, "out", page)) > 20000, page)

    def test_install_installs_only_what_it_builds(self):
        built = set(dev("targets", "install").split())
        made = set()
        for outputs in outputs_by_edge():
            if outputs & built:
                made |= outputs
        plan = json.loads(subprocess.run(["meson", "introspect", BUILD, "--install-plan"], capture_output=True, text=True, check=True).stdout)
        wanted = {os.path.relpath(path, BUILD) for path, how in plan["targets"].items()
                  if how["tag"] in ("runtime", "devel", "man", "completion")}
        self.assertIn("cli/leeway", wanted)
        self.assertIn("libleeway.a", wanted)
        self.assertEqual(wanted - made, set())
        untagged = [path for group in plan.values() for path, how in group.items() if how["tag"] is None]
        self.assertEqual(untagged, [], "these would never be installed")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
