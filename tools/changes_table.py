#!/usr/bin/env python3
"""Prints a table of what a run costs that continues after changes of a graph, for docs/changes.md.

    changes_table.py SHARE GRAPH...

SHARE: of the edges; half as many are removed and as many added. One row for each program, one column for each graph: the visits of
vertices of the run that continues, divided by those of the run before the changes. For cc with the vertices that its search
visits before.
"""
import json
import random
import subprocess
import sys

PROGRAMS = {"sssp": ["--weights", "random"], "bfs": [], "cc": [], "kcore": [], "pagerank": [], "pagerank --tolerance 1e-4": [], "heat": []}


def leeway(*words):
    return subprocess.run(["leeway", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def report(program, graph, *more):
    words = ["run", *program.split(), graph, "--undirected", "--threads", "1", "--quiet", "--verify=false", "--json", *more]
    return json.loads(leeway(*words))


def changes(graph, share):
    """Lines of removed and of added edges."""
    draw = random.Random(1)
    edges = [line.split()[:2] for line in open(graph, encoding="utf-8") if line[0] != "#"]
    count = max(1, round(len(edges) * share / 2))
    names = sorted({name for edge in edges for name in edge}, key=int)
    removed = draw.sample(sorted({tuple(sorted(edge)) for edge in edges if edge[0] != edge[1]}), count)
    return [f"- {a} {b}" for a, b in removed], [f"+ {draw.choice(names)} {draw.choice(names)}" for _ in range(count)]


def cost(program, spec, lines, weighted):
    """The visits of the run that continues, as a share."""
    leeway("generate", spec, "before.txt", "--undirected", "--force", "--quiet", *(["--weights", "random"] if weighted else []))
    with open("changes.txt", "w", encoding="utf-8") as file:
        file.writelines(line + (" 5" if weighted and line[0] == "+" else "") + "\n" for line in lines)
    whole = report(program, "before.txt", "--out", "old.txt", "--force")
    found = report(program, "before.txt", "--changes", "changes.txt", "--from", "old.txt")
    return (found["visited"] + found.get("figures", {}).get("searched vertices", 0)) / whole["visited"]


def main():
    share, graphs = float(sys.argv[1]), sys.argv[2:]
    print("| program | changes |" + "".join(f" {graph} |" for graph in graphs))
    print("|---|---|" + "---:|" * len(graphs))
    drawn = {}
    for graph in graphs:
        leeway("generate", graph, "edges.txt", "--undirected", "--force", "--quiet")
        removed, added = changes("edges.txt", share)
        drawn[graph] = {"removed": removed, "added": added, "both": removed + added}
    for program, settings in PROGRAMS.items():
        for which in ("removed", "added", "both"):
            shares = [cost(program, graph, drawn[graph][which], bool(settings)) for graph in graphs]
            print(f"| `{program}` | {which} |" + "".join(f" {100 * each:.{0 if each >= 0.1 else 1}f} % |" for each in shares))


if __name__ == "__main__":
    main()
