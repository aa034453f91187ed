"""What end_to_end.py and gap.py share: running commands, graphs in a folder, and the kernels of the GAP Benchmark Suite."""
import json
import os
import re
import subprocess
import sys
import time


def complain(text):
    sys.exit(f"bench-{os.path.splitext(os.path.basename(sys.argv[0]))[0].replace('_', '-')}: {text}")


def run(command, **environment):
    """Standard output and the seconds of the process."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    if done.returncode != 0:
        complain(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[:300]}")
    return done.stdout, time.monotonic() - start


def prepared(leeway, source, folder, *flags):
    """The graph of a file or spec as a .lwg file without loops and duplicate edges, with random weights if it has none; its facts."""
    graph = os.path.join(folder, re.sub(r"[^A-Za-z0-9.]+", "-", os.path.basename(source)) + ".lwg")
    made = "convert" if os.path.exists(source) else "generate"
    plain = [leeway, made, source, graph, *flags, "--quiet", "--force", "--duplicates", "merge", "--merge-weights", "min",
             "--self-loops", "drop"]
    run(plain)
    facts = json.loads(run([leeway, "info", graph, "--json"])[0])
    if facts["weights"] == "none":
        run(plain + ["--weights", "random"])
    return graph, facts


def write_edges(leeway, graph, path, *flags):
    """The graph's edges, one in a line, for the suite."""
    text = path + ".txt"
    run([leeway, "convert", graph, text, "--quiet", "--force", *flags])
    with open(text, encoding="utf-8") as lines, open(path, "w", encoding="utf-8") as edges:
        edges.writelines(line for line in lines if not line.startswith("#"))
    os.remove(text)


def kernel_seconds(suite, kernel, threads):
    """The time that a kernel of the suite prints, and that of the whole process."""
    text, whole = run([os.path.join(suite, kernel[0]), *kernel[1:], "-n", "1"], OMP_NUM_THREADS=str(threads))
    found = re.search(r"Average Time: +([0-9.]+)", text)
    if not found:
        complain(f"GAPBS {kernel[0]} printed no time: {text.strip()[:200]}")
    return float(found.group(1)), whole
