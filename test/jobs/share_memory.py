#!/usr/bin/env python3
"""Peak memory of processes that load a graph in parts, compared with the size of their parts.

usage: share_memory.py LEEWAY SPEC [PROGRAM] [--processes 1,2,4,8] [-- FLAGS...]      at most 8 processes
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(f"{sys.argv[1]}.{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}.{__import__('os').getpid()}", "w"):
    pass
sys.exit(code)
"""

parser = argparse.ArgumentParser()
parser.add_argument("leeway")
parser.add_argument("spec")
parser.add_argument("program", nargs="?", default="pagerank")
parser.add_argument("--processes", default="1,2,4,8")
words = sys.argv[1:]
flags = words[words.index("--") + 1:] if "--" in words else []
given = parser.parse_args(words[:words.index("--")] if "--" in words else words)
leeway = os.path.abspath(given.leeway)


def peaks(folder, count, spec):
    """Bytes per process, and the report."""
    marks = os.path.join(folder, f"p{count}")
    os.mkdir(marks)
    report = os.path.join(folder, f"r{count}.json")
    inner = [sys.executable, "-c", MEASURE, os.path.join(marks, "m"), leeway, "run", given.program, "--graph", spec,
             "--verify=no", "--quiet", "--report", report, *flags]
    command = inner if count == 1 else [leeway, "launch", "-n", str(count), "--", *inner]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        sys.exit(f"{count} processes: {done.stderr}")
    with open(report) as file:
        return sorted(int(name.split(".")[1]) << 10 for name in os.listdir(marks)), json.load(file)


print("processes  peak of each (MB)  of a small graph  largest share at the end  1.5 x share + 60  load s  total s")
with tempfile.TemporaryDirectory() as top:
    for count in (int(word) for word in given.processes.split(",")):
        folder = os.path.join(top, str(count))
        os.makedirs(os.path.join(folder, "small"))
        found, report = peaks(folder, count, given.spec)
        small, _ = peaks(os.path.join(folder, "small"), count, "path:100")
        share = max(node["bytes"] for node in report["nodes"])
        print(count, [round(each / 1e6) for each in found], round(max(small) / 1e6), round(share / 1e6),
              round(1.5 * share / 1e6 + 60), round(report["seconds"]["load"], 2), round(report["seconds"]["total"], 2),
              flush=True)
