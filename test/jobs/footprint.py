#!/usr/bin/env python3
"""What a process of a job, and a node of one process, takes before it holds anything: the numbers behind the
limits of transport/launch.cc and app/graph_argument.cc.

usage: footprint.py LEEWAY        never starts more than 32 processes
"""
import os
import re
import signal
import subprocess
import sys
import time

LEEWAY = os.path.abspath(sys.argv[1])
ENDLESS = ["run", "fish", "--fish", "64", "--iterations", "1000000", "--verify=no", "--quiet"]


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(word) for word in file.read().split()]


def memory(process):
    """Private memory in bytes."""
    with open(f"/proc/{process}/smaps_rollup") as file:
        fields = dict(re.findall(r"^(\w+):\s+(\d+) kB", file.read(), re.M))
    return (int(fields["Private_Clean"]) + int(fields["Private_Dirty"])) * 1024


def measured(processes):
    found = [(memory(p), len(os.listdir(f"/proc/{p}/task")), len(os.listdir(f"/proc/{p}/fd"))) for p in processes]
    return tuple(max(each[i] for each in found) for i in range(3))


def after(command, of_children):
    job = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        time.sleep(15)  # 32 processes need some time to connect
        return measured(children(job.pid) if of_children else [job.pid])
    finally:
        job.send_signal(signal.SIGTERM if of_children else signal.SIGKILL)
        job.wait(timeout=60)


def main():
    print("processes: most private bytes, threads and descriptors of any")
    for count in (2, 4, 8, 16, 32):
        print(count, *after([LEEWAY, "launch", "-n", str(count), "--", LEEWAY, *ENDLESS], True), flush=True)
    for fabric in ("loopback", "sim"):
        print(f"nodes of one process, {fabric}: private bytes, threads, descriptors")
        for count in (1, 2, 4, 8, 16, 32):
            print(count, *after([LEEWAY, *ENDLESS, "--fabric", fabric, "--nodes", str(count)], False), flush=True)


main()
