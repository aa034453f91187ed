#!/usr/bin/env python3
"""Fits the law (programs/law/law.h) to maps that `leeway replay law --out FOLDER` measured.

usage: fit_law.py OUT.cc MAP.csv...

Every second point of each map, the first, third and so on, is fitted to; the others check the fit, and what they say is
printed. OUT.cc gets the constants, and of each mode the root of the mean squared logarithm of foretold over measured
among the points that check. Nothing is drawn at random: the same maps give the same file.

The terms here are those of `terms_of` in programs/law/law.cc, in its order.
"""
import csv
import math
import sys

PROGRAMS = "pagerank sssp cc heat".split()
MODES = "scp scp+rw stale-1 stale-2 stale-3 rcp rcp+push bsp ap ssp aap pie-bsp pie-aap".split()
BY_LIST = ("sssp", "cc")
WORDS = ("program", "input", "conditions", "network", "best")
RIDGE = 2.0  # pulls every constant but the first towards zero
TIE = 0.02


def read(path):
    with open(path, encoding="utf-8") as file:
        return [{k: v if k in WORDS else math.inf if v == "x" else float(v) for k, v in row.items()}
                for row in csv.DictReader(file)]


def trial(row, mode):
    """The trial run that a mode's time is counted from: its seconds, and how often a round waits."""
    family = {"bsp": "bsp", "pie-bsp": "pie", "pie-aap": "pie", "ap": "ap", "ssp": "ap", "aap": "ap"}.get(mode, "push")
    by_list = row["program"] in BY_LIST and mode != "bsp"
    rounds = row["pie_rounds"] if by_list or family == "pie" else row["bsp_rounds"]
    return max(row[family + "_time"], 1e-9), max(rounds, 1.0)


def base(row, mode):
    time, rounds = trial(row, mode)
    return time + rounds * row["net_mean"]


def terms(row, mode):
    time, rounds = trial(row, mode)
    z = math.log10(rounds * row["net_mean"] / time)
    waits = 1 / (1 + math.exp(-2 * z))
    slow = math.log(row["slowest"])
    nodes = math.log(row["nodes"] / 8)
    return [1, waits, math.exp(-z * z / 2), math.log(row["net_worst"] / row["net_mean"]) * waits, slow * (1 - waits), slow * waits,
            row["net_handling"] / row["net_mean"] * waits, row["cut"] * waits, (math.log(rounds) - 3) * waits, nodes * waits,
            nodes * (1 - waits)]


def solve(matrix, right):
    size = len(right)
    rows = [line[:] + [value] for line, value in zip(matrix, right)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, size):
            times = rows[k][i] / rows[i][i]
            for j in range(i, size + 1):
                rows[k][j] -= times * rows[i][j]
    answer = [0.0] * size
    for i in reversed(range(size)):
        answer[i] = (rows[i][size] - sum(rows[i][j] * answer[j] for j in range(i + 1, size))) / rows[i][i]
    return answer


def ridge(samples):
    """Least squares of (terms, value), each constant but the first held back."""
    size = len(samples[0][0])
    matrix = [[sum(x[i] * x[j] for x, _ in samples) + (0 if i != j else RIDGE if i else 1e-9) for j in range(size)]
              for i in range(size)]
    return solve(matrix, [sum(x[i] * y for x, y in samples) for i in range(size)])


def samples_of(rows, program, mode):
    return [(terms(row, mode), math.log(row[mode] / base(row, mode)))
            for row in rows if row["program"] == program and math.isfinite(row[mode])]


def fit(rows):
    law = {}
    for program in PROGRAMS:
        for mode in MODES:
            samples = samples_of(rows, program, mode)
            if samples:
                law[program, mode] = ridge(samples)
    return law


def foretold(law, row):
    return {mode: base(row, mode) * math.exp(sum(c * x for c, x in zip(law[row["program"], mode], terms(row, mode))))
            for mode in MODES if (row["program"], mode) in law}


def error(constants, samples):
    return math.sqrt(sum((sum(c * x for c, x in zip(constants, point)) - value) ** 2 for point, value in samples) / len(samples))


def judge(law, rows):
    regrets = []
    for row in rows:
        times = foretold(law, row)
        regrets.append(row[min(times, key=times.get)] / min(row[mode] for mode in MODES) - 1)
    regrets.sort()
    right = sum(regret <= TIE for regret in regrets) / len(rows)
    exact = sum(regret == 0 for regret in regrets) / len(rows)
    return (f"{len(rows)} points: {100 * right:.0f} % right, {100 * exact:.0f} % the very best; regret {sum(regrets) / len(rows):.3f} "
            f"in the mean, {regrets[len(rows) // 2]:.3f} in the middle, {regrets[-1]:.2f} at most")


def source(law, check, maps):
    blocks = []
    for program in PROGRAMS:
        lines = []
        for mode in MODES:
            constants = law.get((program, mode))
            if constants is None:
                lines.append(f"        {{}},  // {mode}: no such form")
                continue
            numbers = ", ".join(f"{value:.5g}" for value in constants)
            lines.append(f"        {{{{{numbers}}}, {error(constants, samples_of(check, program, mode)):.3g}}},  // {mode}")
        blocks.append(f"    // {program}\n    {{{{\n" + "\n".join(lines) + "\n    }},\n")
    return ("// Written by tools/fit_law.py from " + maps + "; not by hand.\n#include \"leeway/programs/law/law.h\"\n\n"
            "namespace leeway::law {\n\n// clang-format off\nconst std::array<std::array<Constants, kModes>, kPrograms> kConstants = {{\n"
            + "".join(blocks) + "}};\n// clang-format on\n\n}  // namespace leeway::law\n")


def main(out, *paths):
    maps = [read(path) for path in paths]
    fitted = [row for rows in maps for row in rows[0::2]]
    check = [row for rows in maps for row in rows[1::2]]
    law = fit(fitted)
    print("fitted to  ", judge(law, fitted))
    print("checked on ", judge(law, check))
    counts = sorted({int(row["nodes"]) for row in fitted})
    with open(out, "w", encoding="utf-8") as file:
        file.write(source(law, check, f"maps on {' and '.join(map(str, counts))} nodes"))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
