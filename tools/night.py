#!/usr/bin/env python3
"""Runs every campaign at its full length, one after another.

usage: night.py [--again] [--list] [NAME...]     ./dev night [...]

Prints one line per finished campaign. The output of a campaign is in build/night/NAME.log, the results of all in
build/night/table.tsv. It can be stopped at any time: started again at the same commit, it runs the campaigns that have
not passed yet. No process of a campaign may use more than half of the machine's memory.

  --again   also run campaigns that have passed at this commit
  --list    list the campaigns and their last results
  NAME      only these
"""
import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "build", "night")
TABLE = os.path.join(FOLDER, "table.tsv")
CLOSING = re.compile(r"^(?:\d+ passed, \d+ failed|All tests passed \(\d+|Ran \d+ tests?).*$", re.M)
CAMPAIGNS = {
    "test": "env LEEWAY_LONG=1 ./dev test",
    "model": "env LEEWAY_DEEPER=1 ./dev test model",
    "slow": "./dev test slow",
    "lint": "./dev lint",
    "package": "test/install/package_test.sh",
    "bare": "test/install/bare_test.sh",
    "soak": "./dev soak --seeds 200000",
    "soak-threads": "./dev soak --threads --seeds 5000",
    "soak-processes": "./dev soak processes --seeds 200",
    "mutants": "./dev soak --mutants --seeds 10000",
    "soak-time": "./dev soak time --seeds 5000",
    "soak-snapshots": "./dev soak snapshots --seeds 100000",
    "snapshot-mutants": "./dev soak snapshots --mutants --seeds 10000",
    "schedules": "./dev schedules 20000",
    "hunt": "./dev hunt --seeds 500000",
    "ratios": "./dev ratios --seeds 300",
    "hunt-threads": "./dev hunt --threads --seeds 10000",
    "campaign": "./dev campaign --seeds 20000",
    "campaign-processes": "./dev campaign --processes --seeds 500",
    "parts": "python3 test/jobs/parts_test.py build/cli/leeway --seeds 200",
    "plan": "python3 test/jobs/plan_test.py build/cli/leeway --graphs kron:20,uniform:600000:8,grid2d:900x900 --within 15",
    "signals": "env LEEWAY_SIGNALS=300 python3 test/cli/signal_test.py build/cli/leeway",
    "jobs": "./dev jobs --runs 1000 --kills 200",
    "faults": "./dev faults --runs 1000",
    "kills": "./dev kills",
    "docs": "./dev docs --check --night",
    "replays": "build/cli/leeway replay all --out build/night/replays --force",
    "clang": "./dev clang",
    "asan": "./dev asan",
    "asan-sim": "./dev asan sim",
    "tsan": "./dev tsan",
    "tsan-sim": "./dev tsan sim",
    "fuzz": "./dev fuzz 60",
}
# A campaign that exits with 0 but prints no counts has not run, except these.
WITHOUT_COUNTS = {"lint", "replays"}
# A sanitizer reserves far more addresses than it uses, so there the sanitizer itself enforces the memory limit.
RESERVES_ADDRESSES = {"asan", "asan-sim", "tsan", "tsan-sim", "fuzz"}


def half_of_memory():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def commit():
    described = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return described.stdout.strip() or "unknown"


def read_table():
    rows = {}
    if os.path.exists(TABLE):
        with open(TABLE, encoding="utf-8") as file:
            for line in file.read().splitlines()[1:]:
                name, *rest = line.split("\t")
                rows[name] = rest
    return rows


def write_table(rows):
    with open(TABLE + ".new", "w", encoding="utf-8") as file:
        file.write("campaign\tcommit\toutcome\tseconds\tcounts\n")
        file.writelines("\t".join([name, *rows[name]]) + "\n" for name in CAMPAIGNS if name in rows)
    os.replace(TABLE + ".new", TABLE)


def run(name):
    """(exit code, seconds, the last counts it printed)"""
    limit = half_of_memory()
    environment = dict(os.environ)
    for sanitizer in ("ASAN_OPTIONS", "TSAN_OPTIONS"):
        environment["LEEWAY_MORE_" + sanitizer] = f"hard_rss_limit_mb={limit >> 20}"

    def before():
        os.setsid()
        if name not in RESERVES_ADDRESSES:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    began = time.monotonic()
    log = os.path.join(FOLDER, name + ".log")
    with open(log, "w", encoding="utf-8") as file:
        with subprocess.Popen(["/bin/sh", "-c", CAMPAIGNS[name]], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file,
                              stderr=subprocess.STDOUT, env=environment, preexec_fn=before) as process:
            try:
                code = process.wait()
            except KeyboardInterrupt:
                os.killpg(process.pid, signal.SIGTERM)
                raise
    with open(log, encoding="utf-8", errors="replace") as file:
        counts = CLOSING.findall(file.read())
    return code, time.monotonic() - began, counts[-1] if counts else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in CAMPAIGNS]
    if unknown:
        sys.exit(f"night: no campaign '{unknown[0]}'; there are: {' '.join(CAMPAIGNS)}")
    os.makedirs(FOLDER, exist_ok=True)
    rows = read_table()
    if given.list:
        for name, command in CAMPAIGNS.items():
            print(f"{name}: {command}: {', '.join(filter(None, rows.get(name, ['never run'])))}")
        return 0
    now = commit()
    failed = 0
    for name in given.names or CAMPAIGNS:
        if rows.get(name, [None])[:2] == [now, "ok"] and not given.again:
            print(f"{name}: ok before, at this commit", flush=True)
            continue
        try:
            code, seconds, counts = run(name)
        except KeyboardInterrupt:
            print(f"{name}: stopped; ./dev night continues from here")
            return 130
        number = re.search(r"\d+", counts)
        ran = name in WITHOUT_COUNTS or (number is not None and int(number[0]) > 0)
        failed += code != 0 or not ran
        rows[name] = [now, f"code {code}" if code else "ok" if ran else "nothing passed", f"{seconds:.0f}", counts]
        write_table(rows)
        how = "ok" if rows[name][1] == "ok" else f"FAILED ({rows[name][1]}); see build/night/{name}.log"
        print(f"{name}: {how} after {seconds:.0f} s{', ' + counts if counts else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
