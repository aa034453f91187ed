"""One script in several processes, over MPI and under `leeway launch`."""
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

import leeway as lw

SCRIPT = r"""
import sys, numpy as np, leeway as lw
def emit(*words): sys.stdout.write(" ".join(map(str, words)) + "\n")  # one write per line: the output is shared
graph = lw.generate("uniform:300:5", weights="random", seed=2)
rank, count = lw.place()
for turn in range(3):
    run = lw.sssp(graph, source=turn)
    assert (run.values is None) == (rank != 0)
    if rank == 0: emit("distances", turn, run.values[np.isfinite(run.values)].sum())
heated = lw.heat(lw.generate("grid2d:9x9"), rhs=np.arange(81.0), tolerance=1e-9)
if rank == 0: emit("distances", 3, round(heated.values.sum(), 5))
mine = lw.run(lw.CProgram(init="1.0 / n", along="value / degree", apply="0.15 / n + 0.85 * gathered", tolerance=1e-13), graph)
emit("part", mine.first, len(mine.values), mine.values.sum())
FAIL
"""


def launched(launcher, tmp_path, fail=""):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("FAIL", fail))
    command = {"mpi": ["mpiexec.mpich", "-n", "3"], "ofi": [os.environ["COMMAND_UNDER_TEST"], "launch", "-n", "3", "--"]}
    return subprocess.run([*command[launcher], sys.executable, str(script)], capture_output=True, text=True, timeout=120)


def alone(tmp_path):
    script = tmp_path / "alone.py"
    script.write_text(SCRIPT.replace("FAIL", ""))
    return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=True).stdout


def lines(text, word):
    return sorted(line.split()[1:] for line in text.splitlines() if word in line)


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
def test_every_process_has_its_part_and_the_first_has_the_answer(launcher, tmp_path):
    done = launched(launcher, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    single = alone(tmp_path)
    found = [line[line.index("distances"):].split()[:3] for line in done.stdout.splitlines() if "distances" in line]
    expected = [line.split()[:3] for line in single.splitlines() if "distances" in line]
    assert sorted(found) == sorted(expected)
    parts = [line[line.index("part"):].split() for line in done.stdout.splitlines() if "part" in line]
    assert sorted(int(part[1]) for part in parts)[0] == 0 and sum(int(part[2]) for part in parts) == 300
    whole = float(lines(single, "part")[0][2])
    assert abs(sum(float(part[3]) for part in parts) - whole) < 1e-9


PARTS = r"""
import os, sys, numpy as np, leeway as lw
def emit(*words): sys.stdout.write(" ".join(map(str, words)) + "\n")
rank, count = lw.place()
graph = lw.generate("uniform:300:5", weights="random", seed=2)
words = lw.Graph.from_edges(np.arange(9), (np.arange(9) + 1) % 9, names=[f"v{i}" for i in range(9)], directed=False)
for name, run in [("array", lw.sssp(graph, source=3, gather=False)), ("words", lw.cc(words, gather=False)),
                  ("pie", lw.sssp(graph, source=3, engine="pie", gather=False)),
                  ("read", lw.sssp("graph.lwg", source=3, gather=False)), ("spec", lw.run("bfs", "grid2d:9x9", gather=False))]:
    assert len(run.names) == len(run.values)
    for vertex, value in run.by_name().items(): emit(name, vertex, value)
"""


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
def test_without_gather_each_process_keeps_its_values(launcher, tmp_path):
    graph = lw.generate("uniform:300:5", weights="random", seed=2)
    graph.save(tmp_path / "graph.lwg")
    script = tmp_path / "script.py"
    script.write_text(PARTS)
    command = {"mpi": ["mpiexec.mpich", "-n", "3"], "ofi": [os.environ["COMMAND_UNDER_TEST"], "launch", "-n", "3", "--"]}
    done = subprocess.run([*command[launcher], sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    found = [line[line.index(word):].split() for line in done.stdout.splitlines() for word in ("array", "words", "pie", "read", "spec")
             if word in line]
    distances = {str(name): str(value) for name, value in lw.sssp(graph, source=3).by_name().items()}
    for word in ("array", "pie", "read"):
        mine = [(name, value) for kind, name, value in found if kind == word]
        assert len(mine) == 300 and dict(mine) == distances
    assert sorted(name for kind, name, _ in found if kind == "words") == [f"v{i}" for i in range(9)]
    assert {value for kind, _, value in found if kind == "words"} == {"v0"}
    assert sum(kind == "spec" for kind, _, _ in found) == 81
    single = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert single.returncode == 0 and single.stdout.count("array ") == single.stdout.count("read ") == 300, single.stderr


@pytest.mark.parametrize("call", ["pagerank(graph, engine='piece'", "sssp(graph, engine='pie', rebalance=3", "jacobi(plate='9x9'"])
def test_programs_with_results_at_one_process_refuse_gather_false(call, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"import leeway as lw\ngraph = lw.generate('known:karate')\nlw.{call}, gather=False)")
    done = subprocess.run(["mpiexec.mpich", "-n", "2", sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "process 0 only" in done.stderr and "leave gather out" in done.stderr


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
def test_an_exception_in_one_process_ends_all(launcher, tmp_path):
    done = launched(launcher, tmp_path, "if rank == 1: raise ValueError('out of luck')\nlw.Cluster().run(lambda n: n.barrier())")
    assert done.returncode != 0
    assert "out of luck" in done.stderr


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
def test_the_tutorial_s_script_runs_in_several_processes(launcher, tmp_path):
    page = (pathlib.Path(__file__).parents[2] / "docs" / "tutorial-mpi.md").read_text(encoding="utf-8")
    script = tmp_path / "script.py"
    script.write_text(re.search(r"^```python\n(.*?)^```", page, re.M | re.S).group(1))
    command = {"mpi": ["mpiexec.mpich", "-n", "2"], "ofi": [os.environ["COMMAND_UNDER_TEST"], "launch", "-n", "2", "--"]}
    done = subprocess.run([*command[launcher], sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
def test_runs_have_a_repr_in_every_process(launcher, tmp_path):
    done = launched(launcher, tmp_path, "r = lw.pagerank(lw.generate('known:karate'))\nemit('shown', r)\n"
                    "try: r.top(1)\nexcept lw.InputError as error: emit('error', error)")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("shown <leeway.Run pagerank") == 3, done.stdout
    assert done.stdout.count("first process of the job has the report") == 2
    assert done.stdout.count("first process of the job has the values") == 2


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
@pytest.mark.parametrize("call, what", [
    ("lw.pagerank(lw.generate('known:karate' if rank else 'grid2d:5x5'))", "graph: node 1 was given 'known:karate'"),
    ("lw.pagerank(lw.generate('known:karate'), tolerance=10.0 ** -(3 + rank))", "tolerance: node 1 was given '0.0001'"),
    ("lw.run('cc' if rank else 'bfs', lw.generate('known:karate'))", "the program: node 1 was given 'cc', and node 0 'bfs'"),
])
def test_processes_with_different_arguments_get_an_error(launcher, call, what, tmp_path):
    done = launched(launcher, tmp_path, call)
    assert done.returncode != 0
    assert what in done.stderr, done.stderr


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
def test_every_process_gets_what_all_bodies_return(launcher, tmp_path):
    done = launched(launcher, tmp_path, "def body(node): return (lambda: 0) if node.rank == 1 else 'x' * (100 * node.rank)\n"
                    "got = lw.Cluster().run(body)\n"
                    "assert got[0] == '' and got[2] == 'x' * 200 and (got[1] is None) == (rank != 1), got\nemit('gathered')")
    assert done.returncode == 0 and done.stdout.count("gathered") == 3, done.stderr


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
def test_an_error_at_a_node_whose_body_has_returned_ends_all(launcher, tmp_path):
    done = launched(launcher, tmp_path, "def body(node):\n    o = node.open(float, 3)\n"
                    "    return o.fetch(o.handles(0, [9] if node.rank == 1 else [0]))\nlw.Cluster().run(body)")
    assert done.returncode != 0
    assert "asked for object 9 of node 0" in done.stderr, done.stderr


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
@pytest.mark.parametrize("call", ["lw.Cluster(nodes=4)", "lw.pagerank(graph, nodes=4)",
                                  "lw.run(lw.CProgram(init='1', apply='old'), graph, nodes=4)"])
def test_the_number_of_nodes_is_that_of_the_processes(launcher, call, tmp_path):
    done = launched(launcher, tmp_path, call)
    assert done.returncode != 0
    assert "nodes: the launcher started 3 processes, not 4; leave nodes" in done.stderr, done.stderr


@pytest.mark.parametrize("launcher", ["mpi", "ofi"])
def test_clusters_within_a_process_have_any_number_of_nodes(launcher, tmp_path):
    done = launched(launcher, tmp_path, "for many in (2, 3):\n"
                    "    assert lw.Cluster(many, fabric='loopback').run(lambda node: node.rank) == list(range(many))\n"
                    "    own = lw.run(lw.CProgram(init='1', apply='old'), graph, nodes=many, fabric='loopback')\n"
                    "    assert own.first == 0 and len(own) == 300\n"
                    "assert lw.Cluster(nodes=3).run(lambda node: node.rank) == [0, 1, 2]\n"
                    "found = lw.Cluster().session(graph).pagerank()\nemit('inside', found)")
    assert done.returncode == 0 and done.stdout.count("inside") == 3, done.stderr


def test_vertices_of_other_processes_have_no_name_in_a_graph_read_in_parts(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import leeway as lw\nrun = lw.cc('known:karate', gather=False)\n"
                      "assert set(run.values.tolist()) == {0} and len(run.names) == len(run)\n"
                      "try: assert set(run.by_name().values()) == {1} and lw.place()[0] == 0\n"
                      "except lw.InputError as error: assert 'a vertex of another process' in str(error) and lw.place()[0] == 1\n")
    done = subprocess.run(["mpiexec.mpich", "-n", "2", sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


TWO_RUNS = r"""
import sys, leeway as lw
graph = lw.generate("grid2d:150x150", directed=False)
how = {"damping": 0.98, "snapshot": "snaps", "snapshot_every": "0.05s"}
first = lw.pagerank(graph, **how)
rank, count = lw.place()
if rank == 0: print("one run", flush=True)
second = lw.pagerank(graph, **how)
if rank == 0: print("differ by less than 1e-6:", abs(first.values - second.values).max() < 1e-6, flush=True)
"""


@pytest.mark.parametrize("victim", [0, 2])
def test_a_process_lost_in_the_second_run_is_replaced(victim, tmp_path):
    script = tmp_path / "two.py"
    script.write_text(TWO_RUNS)
    launch = [os.environ["COMMAND_UNDER_TEST"], "launch", "-n", "3", "--spares", "2", "--", sys.executable, str(script), "--snapshot", "snaps"]
    job = subprocess.Popen(launch, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert job.stdout.readline() == "one run\n"
    children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    os.kill(int(children[victim]), signal.SIGKILL)
    out, errors = job.communicate(timeout=120)
    assert job.returncode == 0, out + errors
    assert "differ by less than 1e-6: True" in out, out + errors
    assert "replacing it alone" in errors and "restarting" not in errors, errors
