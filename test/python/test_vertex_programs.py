"""Programs written in Python and in C, compared with the shipped ones."""
import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph

import leeway as lw

GRAPH = lw.generate("uniform:300:5", weights="random", seed=2)


class Ranks(lw.VertexProgram):
    tolerance = 1e-12

    def init(self, part):
        return np.full(len(part.vertices), 1 / part.n)

    def along(self, values, part):
        return values / part.source_degrees

    def apply(self, gathered, old, part):
        return 0.15 / part.n + 0.85 * gathered


class Distances(lw.VertexProgram):
    combine = np.minimum

    def __init__(self, source):
        self.source = source

    def init(self, part):
        return np.where(part.vertices == self.source, 0.0, np.inf)

    def along(self, values, part):
        return values + part.weights

    def apply(self, gathered, old, part):
        return np.minimum(gathered, old)


C_RANKS = dict(init="1.0 / n", along="value / degree", apply="0.15 / n + 0.85 * gathered", tolerance=1e-12)


def fixed_point(graph):
    """Ranks without the contribution of dangling vertices, as the programs above define them."""
    ranks = np.full(graph.vertices, 1 / graph.vertices)
    matrix, degrees = graph.to_scipy().copy(), np.maximum(graph.degrees(), 1)
    matrix.data[:] = 1
    for _ in range(300):
        ranks = 0.15 / graph.vertices + 0.85 * (matrix.T @ (ranks / degrees))
    return ranks


@pytest.mark.parametrize("settings", [{}, {"nodes": 3}, {"nodes": 3, "scheduler": "bsp"},
                                      {"nodes": 2, "consistency": "scp"}, {"nodes": 2, "consistency": "rcp-2"}], ids=str)
def test_ranks_reach_the_fixed_point(settings):
    for program in (Ranks(), lw.CProgram(**C_RANKS)):
        run = lw.run(program, GRAPH, **settings)
        assert run.converged
        assert np.abs(run.values - fixed_point(GRAPH)).max() < 1e-9


@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_distances_are_exact(nodes):
    expected = csgraph.dijkstra(GRAPH.to_scipy(), indices=7)
    assert np.array_equal(lw.run(Distances(7), GRAPH, nodes=nodes).values, expected)
    in_c = lw.CProgram(init="vertex == 7 ? 0 : INFINITY", along="value + weight", combine="fmin(a, b)",
                       identity="INFINITY", apply="fmin(gathered, old)")
    assert np.array_equal(lw.run(in_c, GRAPH, nodes=nodes).values, expected)


def test_a_fixed_number_of_iterations():
    run = lw.run(Ranks(), GRAPH, nodes=2, scheduler="bsp", iterations=7)
    assert run.iterations == 7 and not run.converged
    ranks = np.full(GRAPH.vertices, 1 / GRAPH.vertices)
    matrix = GRAPH.to_scipy().copy()
    matrix.data[:] = 1
    for _ in range(7):
        ranks = 0.15 / GRAPH.vertices + 0.85 * (matrix.T @ (ranks / np.maximum(GRAPH.degrees(), 1)))
    assert np.allclose(run.values, ranks, rtol=1e-12)


def test_undirected_graphs_and_vertices_without_arcs():
    graph = lw.Graph.from_edges([0, 1, 3], [1, 2, 3], vertices=6, directed=False)
    labels = lw.run(lw.CProgram(init="vertex", along="value", combine="fmin(a, b)", identity="INFINITY",
                                apply="fmin(gathered, old)"), graph, nodes=2).values
    assert labels.tolist() == [0, 0, 0, 3, 4, 5]


def test_errors_in_a_program_are_reported():
    with pytest.raises(lw.InputError, match="undeclared"):
        lw.CProgram(init="nonsense", apply="old")

    class Short(Ranks):
        def init(self, part):
            return np.zeros(1)

    with pytest.raises(lw.InputError, match="init gave"):
        lw.run(Short(), GRAPH)

    class Broken(Ranks):
        def apply(self, gathered, old, part):
            raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck"):
        lw.run(Broken(), GRAPH, nodes=3)
    with pytest.raises(lw.InputError, match="no scheduler"):
        lw.run(Ranks(), GRAPH, scheduler="aap")
    with pytest.raises(lw.InputError, match="current values"):
        lw.run(Ranks(), GRAPH, scheduler="bsp", consistency="rcp")


@pytest.mark.parametrize("along", [
    lambda values, part: values[:-1], lambda values, part: np.append(values, 1.0), lambda values, part: 1.0,
    lambda values, part: values[: len(values) // 2],
])
def test_along_returns_one_value_per_arc(along):
    class Wrong(Ranks):
        pass

    Wrong.along = lambda self, values, part: along(values, part)
    for nodes in (1, 3):
        with pytest.raises(lw.InputError, match="along gave .* arcs"):
            lw.run(Wrong(), GRAPH, nodes=nodes)


def test_values_are_real_and_old_values_are_not_overwritten():
    class Complex(Ranks):
        def init(self, part):
            return np.full(len(part.vertices), 1j)

    with pytest.raises(lw.InputError, match="init gave values of the type complex"):
        lw.run(Complex(), GRAPH)

    class Writes(Ranks):
        def apply(self, gathered, old, part):
            old *= 0
            return old

    with pytest.raises(ValueError, match="read-only"):
        lw.run(Writes(), GRAPH)
    with pytest.raises(lw.InputError, match="graph.txt: no such file"):
        lw.run(Ranks(), "graph.txt")


@pytest.mark.parametrize("settings", [{}, {"nodes": 3}, {"nodes": 2, "scheduler": "bsp"}])
def test_a_run_without_progress_is_stopped(settings, monkeypatch):
    class Blinks(Ranks):
        def apply(self, gathered, old, part):
            return 1.0 - old

    monkeypatch.setattr("leeway.vertex_program._PATIENCE", 50)
    run = lw.run(Blinks(), GRAPH, **settings)
    assert not run.converged and run.iterations == 51  # the first round counts as progress


@pytest.mark.parametrize("settings", [{}, {"nodes": 2}, {"nodes": 2, "scheduler": "bsp"}])
def test_a_run_with_progress_or_without_changes_is_not_stopped(settings, monkeypatch):
    class Halves(Ranks):
        def apply(self, gathered, old, part):
            return old / 2

    class Counts(Ranks):
        always_rests = True

        def apply(self, gathered, old, part):
            return np.minimum(np.floor(old) + 1, 100)

    monkeypatch.setattr("leeway.vertex_program._PATIENCE", 5)
    assert lw.run(Halves(), GRAPH, **settings).converged
    run = lw.run(Counts(), GRAPH, **settings)
    assert run.converged and run.iterations >= 100
