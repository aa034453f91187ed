#!/usr/bin/env python3
"""Random programs over real processes, each watched by the observers. Ends with code 1 if one failed or none ran.

usage: over_processes.py SOAK-JOB LEEWAY [--seeds N] [--first SEED] [--nodes 2,4,7] [--fabrics mpi,ofi]
"""
import argparse
import subprocess
import sys
import tempfile

PATIENCE_S = 60


def command(fabric, nodes, leeway):
    if fabric == "mpi":
        return ["mpiexec.mpich", "-n", str(nodes)]
    return [leeway, "launch", "-n", str(nodes), "--"]


def run_one(arguments, fabric, nodes, seed):
    """None, or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            ran = subprocess.run([*command(fabric, nodes, arguments.leeway), arguments.program, str(seed), folder],
                                 capture_output=True, text=True, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired as late:
            return f"still running after {PATIENCE_S} s: {late.stderr}"
        return None if ran.returncode == 0 else f"exit code {ran.returncode}: {ran.stdout}{ran.stderr}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("leeway")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--nodes", default="2,4,7")
    parser.add_argument("--fabrics", default="mpi,ofi")
    arguments = parser.parse_args()
    if unknown := set(arguments.fabrics.split(",")) - {"mpi", "ofi"}:
        parser.error(f"no fabric '{min(unknown)}'")
    passed = failed = 0
    for fabric in arguments.fabrics.split(","):
        for nodes in map(int, arguments.nodes.split(",")):
            for seed in range(arguments.first, arguments.first + arguments.seeds):
                wrong = run_one(arguments, fabric, nodes, seed)
                passed, failed = passed + (wrong is None), failed + (wrong is not None)
                if wrong is not None:
                    print(f"FAILED over {fabric} with {nodes} processes, seed {seed}: {wrong}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 0 if passed and not failed else 1


sys.exit(main())
