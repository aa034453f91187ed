"""Programs on fragments and on cells, written in Python, compared with the shipped ones and with SciPy."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph

import leeway as lw

GRAPH = lw.generate("uniform:400:6", weights="random", seed=3)
SCHEDULES = [{}, {"nodes": 3}, {"nodes": 2, "workers": 5, "scheduler": "bsp"}, {"nodes": 3, "scheduler": "ap"},
             {"nodes": 3, "scheduler": "ssp", "staleness": 2}, {"nodes": 2, "scheduler": "hsync", "partition": "hash"}]


class Distances(lw.PieProgram):
    def __init__(self, source):
        self.source = source

    def init(self, part):
        return np.where(part.vertices == self.source, 0.0, np.inf)

    def peval(self, part):
        self.relax(part, np.flatnonzero(part.values[: part.inner] == 0))

    def inceval(self, part, places):
        self.relax(part, places)

    def relax(self, part, places):
        while len(places):
            arcs, sources = part.arcs(places)
            places = part.offer(part.indices[arcs], part.values[sources] + part.weights[arcs])
            places = places[places < part.inner]


class Ranks(lw.PieProgram):
    """Scores by accumulation: P = 0.15 + 0.85 A P; each change is added and propagated once."""
    combine = np.add
    tolerance = 1e-12

    def init(self, part):
        part.score = np.zeros(part.inner)
        return np.where(np.arange(len(part.vertices)) < part.inner, 0.15, 0.0)

    def peval(self, part):
        while True:
            pending = part.values[: part.inner]
            change = np.where(np.abs(pending) > self.tolerance, pending, 0.0)
            if not change.any():
                break
            part.score += change
            part.values[: part.inner] -= change
            part.values += part.spread(0.85 * change / np.maximum(part.degrees, 1))

    def inceval(self, part, places):
        self.peval(part)

    def result(self, part):
        return part.score + part.values[: part.inner]


@pytest.mark.parametrize("settings", SCHEDULES, ids=str)
def test_distances_on_fragments_equal_scipy_s(settings):
    run = lw.run(Distances(5), GRAPH, **settings)
    assert run.converged and np.array_equal(run.values, csgraph.dijkstra(GRAPH.to_scipy(), indices=5))


@pytest.mark.parametrize("settings", SCHEDULES, ids=str)
def test_ranks_on_fragments_equal_the_shipped_program_s(settings):
    run = lw.run(Ranks(), GRAPH, **settings)
    assert run.converged
    assert np.abs(run.values / run.values.sum() - lw.pagerank(GRAPH, tolerance=1e-12).values).max() < 1e-9


def test_the_greatest_label_reaches_the_whole_component():
    class Labels(Distances):
        combine = np.maximum

        def __init__(self):
            pass

        def init(self, part):
            return part.vertices.astype(float)

        def peval(self, part):
            self.relax(part, np.arange(part.inner))

        def relax(self, part, places):
            while len(places):
                arcs, sources = part.arcs(places)
                places = part.offer(part.indices[arcs], part.values[sources])
                places = places[places < part.inner]

    graph = lw.generate("uniform:500:1", undirected=True)
    found = lw.run(Labels(), graph, nodes=3).values
    _, labels = csgraph.connected_components(graph.to_scipy(), directed=False)
    assert np.array_equal(found, [np.flatnonzero(labels == label).max() for label in labels])


def test_arrays_of_a_part_outlive_the_run_and_have_the_graph_s_contents():
    kept = []

    class Looks(Distances):
        def peval(self, part):
            kept.append(part)
            super().peval(part)

    lw.run(Looks(0), GRAPH, workers=3)
    assert sorted(np.concatenate([part.vertices[: part.inner] for part in kept]).tolist()) == list(range(400))
    for part in kept:
        for place in range(part.inner):
            mine = slice(part.indptr[place], part.indptr[place + 1])
            vertex = part.vertices[place]
            theirs = slice(GRAPH.indptr[vertex], GRAPH.indptr[vertex + 1])
            assert sorted(part.vertices[part.indices[mine]].tolist()) == GRAPH.indices[theirs].tolist()
            assert sorted(part.weights[mine].tolist()) == sorted(GRAPH.weights[theirs].tolist())


def test_errors_in_fragment_programs_are_reported():
    class Broken(Distances):
        def inceval(self, part, places):
            raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck"):
        lw.run(Broken(5), GRAPH, nodes=3, partition="hash")

    class Short(Distances):
        def init(self, part):
            return np.zeros(3)

    with pytest.raises(lw.InputError, match="3 numbers"):
        lw.run(Short(5), GRAPH)

    class Beyond(Distances):
        def peval(self, part):
            part.arcs([part.inner])

    with pytest.raises(lw.InputError, match="beyond"):
        lw.run(Beyond(5), GRAPH)

    class Odd(Distances):
        combine = np.multiply

    with pytest.raises(lw.InputError, match="np.minimum"):
        lw.run(Odd(5), GRAPH)
    with pytest.raises(lw.InputError, match="no graph"):
        lw.run(Distances(5))
    with pytest.raises(lw.InputError, match="no inceval"):
        lw.run(type("Half", (lw.PieProgram,), {"init": Distances.init, "peval": Distances.peval})(), GRAPH)
    with pytest.raises(lw.InputError, match="not a program"):
        lw.run(Distances, GRAPH)


class Plate(lw.TickProgram):
    """Jacobi's method, starting from the state of the shipped program after its first tick."""

    def __init__(self, start):
        self.start = start
        self.rows, self.columns = start.shape

    def init(self, block):
        return self.start[block.y, block.x]

    def step(self, before, block):
        mean = ((before[1:-1, :-2] + before[1:-1, 2:]) + (before[:-2, 1:-1] + before[2:, 1:-1])) * 0.25
        rim = (block.x == 0) | (block.x == self.columns - 1) | (block.y == 0) | (block.y == self.rows - 1)
        return np.where(rim, before[1:-1, 1:-1], mean)


def heat(ticks, plate="20x12"):
    columns, rows = map(int, plate.split("x"))
    return lw.jacobi(plate=plate, iterations=ticks, engine="tick").values[:, 2].reshape(rows, columns)


@pytest.mark.parametrize("settings", [{}, {"nodes": 4}, {"nodes": 3, "sync": "barrier"}, {"nodes": 4, "sync": "schedule", "depth": 2},
                                      {"nodes": 4, "sync": "replicate", "replicas": 2, "every": 2}], ids=str)
def test_a_plate_in_python_is_bit_identical_to_the_shipped_one(settings):
    run = lw.run(Plate(heat(1)), iterations=9, **settings)
    assert run.ticks == 9 and np.array_equal(run.values, heat(10))


@pytest.mark.parametrize("beyond, ring", [("edge", None), (7.0, 7.0)])
def test_values_beyond_the_boundary_are_configurable(beyond, ring):
    class Sums(lw.TickProgram):
        columns, rows, reach = 7, 5, 2

        def init(self, block):
            return block.x + 10.0 * block.y

        def step(self, before, block):
            view = np.lib.stride_tricks.sliding_window_view(before, (5, 5))
            return view.sum(axis=(2, 3)) % 1000

    Sums.beyond = beyond
    cells = np.arange(7)[np.newaxis] + 10.0 * np.arange(5)[:, np.newaxis]
    for _ in range(3):
        padded = np.pad(cells, 2, mode="edge") if ring is None else np.pad(cells, 2, constant_values=ring)
        cells = np.lib.stride_tricks.sliding_window_view(padded, (5, 5)).sum(axis=(2, 3)) % 1000
    for nodes in (1, 3):
        assert np.array_equal(lw.run(Sums(), iterations=3, nodes=nodes).values, cells)


def test_a_cell_program_resumes_from_its_snapshot(tmp_path):
    folder = str(tmp_path / "kept")
    run = lw.run(Plate(heat(1)), iterations=9, nodes=3, snapshot=folder, snapshot_every=4)
    again = lw.run(Plate(heat(1)), iterations=9, nodes=2, resume=folder)
    assert np.array_equal(run.values, heat(10)) and np.array_equal(again.values, run.values)
    with pytest.raises(lw.InputError, match="ticks"):
        lw.run(Plate(heat(1)), iterations=9, snapshot=folder, snapshot_every="5s")


def test_errors_in_cell_programs_are_reported():
    class Broken(Plate):
        def step(self, before, block):
            raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck"):
        lw.run(Broken(heat(1)), nodes=3)

    class Wide(Plate):
        def step(self, before, block):
            return before

    with pytest.raises(lw.InputError, match="leave the cells around"):
        lw.run(Wide(heat(1)), nodes=2)
    with pytest.raises(lw.InputError, match="its own grid"):
        lw.run(Plate(heat(1)), GRAPH)
    with pytest.raises(lw.InputError, match="there are .*nodes"):
        lw.run(Plate(heat(1)), engine="piece")
    with pytest.raises(lw.InputError, match="columns"):
        lw.run(type("None", (Plate,), {"__init__": lambda self: None})())


@pytest.mark.parametrize("program", ["fragment", "cells"])
def test_control_c_stops_programs_on_fragments_and_cells(program):
    class Endless(Distances):
        combine = np.add

        def init(self, part):
            return np.zeros(len(part.vertices))

        def peval(self, part):
            part.values[part.inner:] += 1
            time.sleep(0.001)

        def inceval(self, part, places):
            self.peval(part)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            if program == "fragment":
                lw.run(Endless(0), GRAPH, nodes=2)
            else:
                lw.run(Plate(heat(1)), nodes=2, iterations=100_000_000)
    finally:
        timer.cancel()
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("fail", [False, True])
def test_fragments_and_cells_over_processes(fail, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"""
import sys, numpy as np, leeway as lw
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
from test_fragment_programs import Distances, Plate, GRAPH, csgraph
rank, count = lw.place()
class Mine(Distances):
    def peval(self, part):
        if {fail} and rank == 1: raise RuntimeError("no luck")
        super().peval(part)
run = lw.run(Mine(5), GRAPH)
start = np.arange(240.0).reshape(12, 20) ** 1.5
plate = lw.run(Plate(start), iterations=4)
assert (run.values is None) == (plate.values is None) == (rank != 0)
if rank == 0:
    assert np.array_equal(run.values, csgraph.dijkstra(GRAPH.to_scipy(), indices=5))
    for _ in range(4):
        inner = ((start[1:-1, :-2] + start[1:-1, 2:]) + (start[:-2, 1:-1] + start[2:, 1:-1])) * 0.25
        start = start.copy()
        start[1:-1, 1:-1] = inner
    assert np.array_equal(plate.values, start)
    print("all is well", flush=True)
""")
    done = subprocess.run(["mpiexec.mpich", "-n", "3", sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    if fail:
        assert done.returncode != 0 and "no luck" in done.stderr
    else:
        assert done.returncode == 0 and "all is well" in done.stdout, done.stdout + done.stderr


def test_fragment_programs_run_in_the_virtual_cluster():
    runs = [lw.run(Distances(5), GRAPH, nodes=3, fabric="sim", net="ec2") for _ in range(2)]
    assert np.array_equal(runs[0].values, lw.sssp(GRAPH, source=GRAPH.names[5]).values)
    assert runs[0].seconds == runs[1].seconds > 1e-4
    with pytest.warns(lw.SettingWarning, match="staleness has no effect here"):
        lw.run(Distances(5), GRAPH, nodes=2, scheduler="bsp", staleness=2)
    with pytest.raises(lw.InputError, match="staleness: has no effect here"):
        lw.run(Distances(5), GRAPH, nodes=2, scheduler="bsp", staleness=2, strict=True)
