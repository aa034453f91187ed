#!/usr/bin/env python3
"""No schedule is much slower than the best of bsp and do-work: draws a program, a graph, a virtual cluster and a network from a
seed, runs it under every schedule with the command's defaults, and compares virtual times.

usage: ratios.py LEEWAY [--seeds N] [--first SEED] [--only PROGRAM] [--describe]

A ratio above MOST is a failure, and so is a run that fails, gives a wrong answer or takes longer than PATIENCE_S of real time. Prints the
ratios of each seed, and at the end the greatest and the mean of each schedule. A base that does not converge counts as slower than the other
(synchronous label propagation may alternate for ever); another schedule must converge if a base does. The last line counts seeds.
"""
import argparse
import json
import math
import random
import subprocess
import sys

MOST = 2.0
NETWORKS = 5  # seeds of the network for each run; the sum of the times decides, as one late message decides a short run
MORE_NETWORKS = 100  # if a ratio of the first ones is too high
PATIENCE_S = 120
NOT_CONVERGED = 5  # the command's exit code
BASES = ("bsp", "do-work")
OTHERS = ("ssp", "ap", "aap", "hsync", "asytick")
PROGRAMS = ("pagerank", "pagerank", "heat", "wave", "sssp", "cc", "cdlp", "coloring", "bfs")
WITH_TOLERANCE = ("pagerank", "heat", "wave")


def draw(seed):
    """The arguments of `leeway run`, but for the schedule."""
    dice = random.Random(seed)
    program = dice.choice(PROGRAMS)
    vertices = dice.choice((500, 1000, 2000, 4000))
    side = math.isqrt(vertices)
    graph = dice.choice((f"powerlaw:{vertices}:2.1", f"powerlaw:{vertices}:2.5", f"kron:{vertices.bit_length()}", f"grid2d:{side}x{side}",
                         f"uniform:{vertices}:4", f"uniform:{vertices}:16"))
    latency = dice.choice((5, 50, 400))
    # Delays up to 50 times the latency, as on ec2. If they are thousands of times the latency, the number of messages decides alone, and
    # aap and asytick, which send more, take 3 times as long.
    net = dice.choice(("ec2", "ec2", "gigabit", "infiniband", f"custom:latency_us={latency},jitter_us={latency * dice.choice((0, 2))}",
                       f"custom:latency_us={latency},spike_per_million=10000,spike_us={latency * dice.choice((5, 50))}"))
    words = [program, graph, "--nodes", str(dice.choice((2, 3, 4, 8, 16))), "--net", net]
    if program in WITH_TOLERANCE and dice.random() < 0.6:
        words += ["--tolerance", dice.choice(("1e-3", "1e-4", "1e-5", "1e-6"))]
    return words


def virtual_seconds(leeway, words, schedule, networks):
    """(seconds over all seeds of the network, what went wrong)"""
    seconds = 0.0
    for seed in range(1, networks + 1):
        more, complaint = one_run(leeway, [*words, "--seed", str(seed)], schedule)
        seconds += more
        if math.isinf(more):
            return more, complaint
    return seconds, ""


def one_run(leeway, words, schedule):
    """(seconds, what went wrong)"""
    command = [leeway, "run", *words, "--fabric", "sim", "--scheduler", schedule, "--json", "--quiet"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return math.inf, f"did not end within {PATIENCE_S} s"
    if done.returncode == NOT_CONVERGED:
        return math.inf, ""
    if done.returncode != 0:
        return math.inf, f"exit code {done.returncode}: {done.stderr.strip()}"
    return json.loads(done.stdout)["seconds"]["compute"], ""


def run_seed(leeway, words, networks=NETWORKS):
    """{schedule: ratio}, and the complaints."""
    seconds, complaints = {}, {}
    for schedule in BASES + OTHERS:
        seconds[schedule], complaint = virtual_seconds(leeway, words, schedule, networks)
        if complaint:
            complaints[schedule] = complaint
    best = min(seconds[base] for base in BASES)
    # A run that ends in a few microseconds measures its start.
    ratios = {schedule: seconds[schedule] / max(best, networks * 1e-5) for schedule in OTHERS} if math.isfinite(best) else {}
    # A run of fifty messages may meet no spike in five networks, and one of a hundred two of them.
    if networks < MORE_NETWORKS and any(MOST < ratio < math.inf for ratio in ratios.values()):
        return run_seed(leeway, words, MORE_NETWORKS)
    for schedule, ratio in ratios.items():
        if ratio > MOST:
            complaints.setdefault(schedule, f"{ratio:.2f} times the best of bsp and do-work")
    return ratios, [f"{schedule}: {complaint}" for schedule, complaint in complaints.items()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("leeway")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--describe", action="store_true")
    given = parser.parse_args()
    passed = failed = 0
    all_ratios = {schedule: [] for schedule in OTHERS}
    for seed in range(given.first, given.first + given.seeds):
        words = draw(seed)
        if given.only and words[0] != given.only:
            continue
        if given.describe:
            print(f"seed {seed}: {' '.join(words)}")
            continue
        ratios, wrong = run_seed(given.leeway, words)
        print(f"seed {seed}: {' '.join(words)}: {', '.join(f'{name} {ratio:.2f}' for name, ratio in ratios.items())}", flush=True)
        for schedule, ratio in ratios.items():
            all_ratios[schedule].append(ratio)
        for complaint in wrong:
            print(f"FAILED seed {seed}: {complaint}\nrepeat it with: ./dev ratios --first {seed} --seeds 1", flush=True)
        passed += not wrong
        failed += bool(wrong)
    for schedule, ratios in all_ratios.items():
        if ratios:
            mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios)) if all(0 < r < math.inf for r in ratios) else math.inf
            print(f"{schedule}: at most {max(ratios):.2f}, mean {mean:.2f}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not (passed or given.describe) else 0


if __name__ == "__main__":
    sys.exit(main())
