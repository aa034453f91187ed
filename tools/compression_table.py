#!/usr/bin/env python3
"""Prints a table of what --compress of the piece engine saves in the virtual cluster, for docs/piece.md.

    compression_table.py NETWORK...

One row for each program; for each network the time with --compress divided by the time without it.
"""
import json
import subprocess
import sys

PROGRAMS = {
    "jacobi": ["--engine", "piece", "--plate", "1000x1000", "--iterations", "40"],
    "linear-system": ["matrix:dominant:20000:20", "--partition", "block"],
    "pagerank": ["kron:13", "--engine", "piece"],
    "fish": ["--engine", "piece", "--fish", "20000", "--basin", "400x400", "--iterations", "20"],
    "nbody": ["--bodies", "20000", "--box", "800x800", "--iterations", "20"],
}


def run(program, network, *more):
    words = ["leeway", "run", program, *PROGRAMS[program], "--system", "asytick", "--nodes", "8", "--fabric", "sim", "--net", network]
    done = subprocess.run([*words, "--quiet", "--verify=false", "--json", *more], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def main():
    networks = sys.argv[1:]
    print("| program | bytes |" + "".join(f" {network} |" for network in networks))
    print("|---|---:|" + "---:|" * len(networks))
    for program in PROGRAMS:
        pairs = [(run(program, network), run(program, network, "--compress")) for network in networks]
        bytes_sent = pairs[0][1]["wire_bytes"] / pairs[0][0]["wire_bytes"]
        times = [packed["seconds"]["compute"] / plain["seconds"]["compute"] for plain, packed in pairs]
        print(f"| {program} | {bytes_sent:.2f} |" + "".join(f" {each:.2f} |" for each in times))


if __name__ == "__main__":
    main()
