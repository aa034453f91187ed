#!/usr/bin/env python3
"""A table of the errors of the predictor of round times (docs/pie.md), in Markdown.

    table.py [FLAG...]

For sssp, cc, pagerank and cf: logs five queries by `leeway-predictor log`, trains a forest on them by `leeway-predictor
train`, and predicts the rounds of a sixth query during its run by `leeway-predictor run`. The
queries of sssp have different sources, those of the others different divisions of the graph. FLAGs are passed to
every run. Needs LEEWAY_DATA and leeway-predictor in the PATH; writes into a temporary folder.
"""
import json
import os
import subprocess
import sys
import tempfile

DATA = os.environ["LEEWAY_DATA"]
FLAGS = ["--workers", "16", *sys.argv[1:]]
SOURCES = ["17", "5000", "90000", "150000", "200000", "250000"]
# Program, graph, own flags, and the paper's range of MSRE and of its ratio to that of the mean (AAP, Tables 3 to 6).
CASES = [("sssp", "USA-road-d.NY.gr.zst", [], "0.25 to 0.55", "4,100 to 12,200"),
         ("cc", "USA-road-d.NY.gr.zst", [], "0.14 to 0.20", "255 to 680"),
         ("pagerank", "cnr-2000.txt.zst", [], "0.014 to 0.033", "4.6 to 7.6"),
         ("cf", "jester-data-1.csv.zst", ["--iterations", "20"], "0.0025 to 0.0075", "1.7 to 48")]


def predictor(*words):
    return subprocess.run(["leeway-predictor", *words], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout


def row(folder, case):
    program, graph, own, error, ratio = case
    name = os.path.join(folder, program)
    logs = []
    for query in range(6):
        varied = ["--source", SOURCES[query]] if program == "sssp" else ["--partition", "hash", "--seed", str(query + 1)]
        what = [program, os.path.join(DATA, graph), *FLAGS, *own, *varied]
        if query < 5:
            logs.append(f"{name}{query}.log")
            predictor("log", *what, "--out", logs[-1])
            continue
        trained = json.loads(predictor("train", *logs, "--out", name + ".forest", "--json"))
        found = json.loads(predictor("run", *what, "--forest", name + ".forest", "--json"))
    return [f"`{program}`", graph.split(".")[0], f"{trained['rounds']:,}", f"{trained['validated_msre']:.2f}", f"{found['scored']:,}",
            f"{found['msre']:.2f}", f"{found['msre_of_mean']:,.3g}", f"{found['msre_of_mean'] / found['msre']:,.2g}", error, ratio]


def main():
    print("| program | graph | rounds, training | MSRE, validation | rounds, test | MSRE, test | MSRE of the mean | ratio | paper: MSRE "
          "| paper: ratio |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            print("| " + " | ".join(row(folder, case)) + " |", flush=True)


main()
