"""Sessions on graphs that change: answers equal those of runs from nothing on the changed graph."""
import random

import numpy as np
import pytest

import leeway as lw

PROGRAMS = {"sssp": {"source": 0}, "bfs": {"source": 0}, "cc": {}, "kcore": {}, "pagerank": {}, "heat": {}}


def drawn_graph(draw: random.Random, vertices: int, directed: bool, weighted: bool) -> lw.Graph:
    edges = [(draw.randrange(vertices), draw.randrange(vertices)) for _ in range(3 * vertices)]
    weights = [draw.randrange(1, 9) for _ in edges] if weighted else None
    return lw.Graph.from_edges([a for a, _ in edges], [b for _, b in edges], weights, directed=directed, vertices=vertices)


def drawn_batch(draw: random.Random, graph: lw.Graph, weighted: bool) -> dict:
    sources, targets, _ = graph.edge_list()
    there = draw.sample(range(len(sources)), k=min(3, len(sources)))
    ends = [(int(sources[each]), int(targets[each])) for each in there]
    add = [(draw.randrange(graph.vertices), draw.randrange(graph.vertices)) for _ in range(3)]
    if not weighted:
        return {"add": add, "remove": list(dict.fromkeys(ends[:2]))}
    return {"add": [(*arc, draw.randrange(1, 9)) for arc in add], "remove": list(dict.fromkeys(ends[:1])),
            "weights": [(*arc, draw.randrange(1, 9)) for arc in ends[1:] if arc != ends[0] and arc[::-1] != ends[0]]}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("seed", range(4))
def test_answers_after_changes_equal_runs_from_nothing(program, seed):
    draw = random.Random(f"{program} {seed}")
    weighted = program != "heat" and seed % 2 == 1
    graph = drawn_graph(draw, 40, directed=seed < 2, weighted=weighted)
    session = lw.Cluster(nodes=1 + seed % 3).session(graph)
    session.run(program, **PROGRAMS[program])
    for _ in range(6):
        session.change(**drawn_batch(draw, session.graph, weighted))
        found = session.run(program, **PROGRAMS[program])
        expected = lw.run(program, session.graph, **PROGRAMS[program])
        assert found.converged
        if program in ("pagerank", "heat"):
            np.testing.assert_allclose(found.values, expected.values, rtol=1e-5, atol=1e-8)
        else:
            assert found.values.tolist() == expected.values.tolist()


@pytest.mark.parametrize("program", ["sssp", "bfs", "cc", "pagerank"])
def test_the_pie_engine_continues_too(program):
    draw = random.Random(program)
    session = lw.Cluster(nodes=2).session(drawn_graph(draw, 60, directed=True, weighted=False))
    settings = {**PROGRAMS[program], "engine": "pie"}
    session.run(program, **settings)
    for _ in range(4):
        session.change(**drawn_batch(draw, session.graph, False))
        found, expected = session.run(program, **settings), lw.run(program, session.graph, **PROGRAMS[program])
        np.testing.assert_allclose(found.values, expected.values, rtol=1e-5)


def test_few_changes_visit_few_vertices():
    session = lw.Cluster(nodes=1).session("uniform:4096")
    first = session.sssp(source=0)
    sources, targets, _ = session.graph.edge_list()
    session.change(add=[(1, 2), (3, 4)], remove=[(int(sources[1000]), int(targets[1000]))])
    assert session.sssp(source=0).report["visited"] < first.report["visited"] / 20


def test_a_session_s_graph_keeps_its_names():
    graph = lw.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"], directed=False)
    session = lw.Cluster(nodes=1).session(graph)
    assert session.cc()["d"] == "a"
    session.change(remove=[("b", "c")], add=[("d", "c")])
    assert session.cc()["d"] == "c" and session.cc()["b"] == "a"
    assert session.graph.edges == 3


def test_wrong_changes_are_refused_and_change_nothing():
    session = lw.Cluster(nodes=1).session(lw.generate("known:karate"))
    edges = session.graph.edges
    with pytest.raises(lw.InputError, match="no such arc"):
        session.change(add=[(1, 34)], remove=[(1, 33)])
    with pytest.raises(lw.InputError, match="99"):
        session.change(add=[(1, 99)])
    with pytest.raises(lw.InputError, match="has 4 values"):
        session.change(add=[(1, 2, 3, 4)])
    with pytest.raises(lw.InputError, match="no weights"):
        session.change(weights=[(1, 2, 3.5)])
    assert session.graph.edges == edges
