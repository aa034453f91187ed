"""The programs on structure and centrality compared with NetworkX, on random graphs under random settings.

LEEWAY_GRAPHS is the number of graphs per test, LEEWAY_FIRST_GRAPH the seed of the first; a failure shows the graph and the settings.
SciPy is not needed: NetworkX's implementations in Python are called."""
import itertools
import math
import os
import random
import warnings

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.link_analysis.hits_alg import _hits_python
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

import leeway as lw

FIRST = int(os.environ.get("LEEWAY_FIRST_GRAPH", "0"))
GRAPHS = range(FIRST, FIRST + int(os.environ.get("LEEWAY_GRAPHS", "30")))
KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
MOST_STEPS = 20_000


# -- random graphs

def ends(draw, count):
    """Pairs of numbers below `count`: the arcs of a random shape, some of them loops or parallel."""
    numbers = range(count)
    shape = draw.choice(["sparse", "random", "dense", "path", "cycle", "star", "tree", "sides", "pieces", "complete", "loops", "none"])
    if shape == "path":
        pairs = list(zip(numbers, numbers[1:]))
    elif shape == "cycle":
        pairs = [(v, (v + 1) % count) for v in numbers]
    elif shape == "star":
        pairs = [(0, v) if draw.random() < 0.5 else (v, 0) for v in numbers[1:]]
    elif shape == "tree":
        pairs = [(draw.randrange(v), v) for v in numbers[1:]]
    elif shape == "complete":
        pairs = list(itertools.permutations(range(min(count, 9)), 2))
    elif shape == "loops":
        pairs = [(v, v) for v in numbers if draw.random() < 0.5]
    elif shape == "sides":
        pairs = [(2 * draw.randrange((count + 1) // 2), 2 * draw.randrange(count // 2) + 1) for _ in range(2 * count if count > 1 else 0)]
    elif shape == "pieces":  # arcs within groups of five consecutive vertices
        pairs = [(v, 5 * (v // 5) + draw.randrange(min(5, count - 5 * (v // 5)))) for v in numbers for _ in range(2)]
    else:
        amount = {"none": 0, "sparse": count, "random": 3 * count, "dense": count * count // 2}[shape]
        pairs = [(draw.randrange(count), draw.randrange(count)) for _ in range(amount)]
    if draw.random() < 0.3:
        pairs = [(b, a) for a, b in pairs] + pairs[: len(pairs) // 2]
    if draw.random() < 0.3 and count:
        pairs += [(draw.randrange(count), draw.randrange(count)) for _ in range(3)]
    return pairs


def some_graph(draw, kinds=KINDS, weights=(None, "whole", "real", "some", "zero")):
    """A NetworkX graph of up to 24 vertices. Some vertices have no arcs. Names are numbers with gaps, or words, in random order."""
    graph = draw.choice(kinds)()
    count = draw.choice([0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 19, 24])
    names = draw.sample(range(3 * count), count)
    if draw.random() < 0.4:
        names = [draw.choice("abcde") + str(number) for number in names]
    graph.add_nodes_from(names)
    weighed = draw.choice(weights)
    for a, b in ends(draw, count):
        weight = {"whole": draw.randint(1, 9), "real": draw.uniform(0.1, 5), "some": draw.randint(1, 9),
                  "zero": draw.choice([0, 0, 1, 2.5])}.get(weighed)
        if weight is None or weighed == "some" and draw.random() < 0.5:
            graph.add_edge(names[a], names[b])
        else:
            graph.add_edge(names[a], names[b], weight=weight)
    return graph


def some_settings(draw, schedulers=(None, "do-work", "bsp", "ap", "ssp", "aap", "hsync", "asytick")):
    settings = {"nodes": draw.randint(1, 4), "scheduler": draw.choice(schedulers), "seed": draw.randint(1, 1000),
                "consistency": draw.choice([None, "scp", "scp+rw", "scp+pb", "stale-3", "rcp", "rcp-10", "rcp+push"]),
                "fabric": draw.choice([None, None, "sim"]), "threads": draw.choice([None, 1, 2])}
    return {name: value for name, value in settings.items() if value is not None}


# -- conversions to graphs for which NetworkX defines the same value

def unweighted(graph):
    plain = graph.__class__()
    plain.add_nodes_from(graph)
    plain.add_edges_from(graph.edges())
    return plain


def simple(graph, by_weight):
    """Without parallel arcs; the attribute "weight" is the sum of the weights of the arcs that were joined, or their number.
    katz, eigenvector and hits add up what parallel arcs carry; NetworkX refuses multigraphs there."""
    joined = nx.DiGraph() if graph.is_directed() else nx.Graph()
    joined.add_nodes_from(graph)
    for a, b, weight in graph.edges(data="weight", default=1):
        before = joined[a][b]["weight"] if joined.has_edge(a, b) else 0
        joined.add_edge(a, b, weight=before + (weight if by_weight else 1))
    return joined


def subdivided(graph):
    """With a vertex on every arc: betweenness counts parallel arcs as different paths, and NetworkX vertices only."""
    split = nx.DiGraph() if graph.is_directed() else nx.Graph()
    split.add_nodes_from(graph)
    for number, (a, b) in enumerate(graph.edges()):
        if a != b:
            split.add_edges_from([(a, ("arc", number)), (("arc", number), b)])
    return split


def all_edges(graph):
    """Every arc as an edge of an undirected multigraph; an arc without weight has weight 1."""
    edges = nx.MultiGraph()
    edges.add_nodes_from(graph)
    edges.add_weighted_edges_from(graph.edges(data="weight", default=1))
    return edges


def matrix(graph, by_weight):
    """Entry (i, j): the weights of the arcs from the i-th to the j-th vertex, or their number."""
    if not len(graph):
        return np.zeros((0, 0))
    return nx.to_numpy_array(simple(graph, by_weight))


# -- comparison

def converted(graph):
    """By the module's own conversion; checks that names and directions are kept."""
    made = lw.Graph.from_networkx(graph)
    assert made.directed == graph.is_directed() and list(made) == list(graph)
    return made


def compute(program, graph, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.SettingWarning)  # a drawn setting may have no effect
        run = lw.run(program, converted(graph), **settings)
    assert run.converged or "iterations" in settings, shown(graph, settings)
    return run


def shown(graph, settings):
    return (f"{graph.__class__.__name__} with vertices {list(graph)} and edges {list(graph.edges(data='weight'))}, "
            f"settings {settings}")


def compare_values(found, expected, graph, settings, tolerance=0.0, scale=None):
    """`tolerance` is relative to `scale`, or to each value."""
    assert list(found) == list(expected), shown(graph, settings)
    far = {name: (found[name], expected[name]) for name in found
           if not (found[name] == expected[name] or
                   tolerance and abs(found[name] - expected[name]) <= tolerance * (abs(expected[name]) if scale is None else scale))}
    assert not far, f"Leeway's and NetworkX's values differ: {far}\n{shown(graph, settings)}"


# -- structure

@pytest.mark.parametrize("seed", GRAPHS)
def test_core_numbers(seed):
    draw = random.Random(f"kcore {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    found = compute("kcore", graph, settings).by_name()
    plain = graph.copy()
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))  # NetworkX refuses loops; kcore ignores them
    if not graph.is_multigraph():
        compare_values(found, nx.core_number(plain), graph, settings)
        return
    # NetworkX refuses parallel arcs, each of which kcore counts: by the definition, with NetworkX's degrees of multigraphs.
    expected = dict.fromkeys(graph, 0)
    for k in itertools.count(1):
        while small := [v for v, degree in plain.degree() if degree < k]:
            plain.remove_nodes_from(small)
        if not len(plain):
            break
        expected.update(dict.fromkeys(plain, k))
    compare_values(found, expected, graph, settings)


@pytest.mark.parametrize("seed", GRAPHS)
def test_strong_components(seed):
    draw = random.Random(f"scc {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    run = compute("scc", graph, settings)
    components = list(nx.strongly_connected_components(graph) if graph.is_directed() else nx.connected_components(graph))
    first = {name: next(each for each in graph if each in component) for component in components for name in component}
    compare_values(run.by_name(), {name: first[name] for name in graph}, graph, settings)
    if len(graph):
        assert run.answer == {"components": len(components), "largest": max(map(len, components))}, shown(graph, settings)


@pytest.mark.parametrize("seed", GRAPHS)
def test_independent_sets(seed):
    draw = random.Random(f"independent-set {seed}")
    graph, settings = some_graph(draw, kinds=(nx.Graph, nx.MultiGraph)), some_settings(draw)
    found = compute("independent-set", graph, settings).by_name()
    assert list(found) == list(graph) and set(found.values()) <= {0, 1}
    for v in graph:
        near = [u for u in graph[v] if u != v and found[u]]
        assert bool(near) != bool(found[v]), f"{v} has the value {found[v]}, its neighbours in the set are {near}\n{shown(graph, settings)}"
    assert found == compute("independent-set", graph, {"seed": settings["seed"]}).by_name(), shown(graph, settings)


@pytest.mark.parametrize("program", ["independent-set", "triangles"])
@pytest.mark.parametrize("seed", GRAPHS)
def test_directed_graphs_are_refused(seed, program):
    draw = random.Random(f"directed {program} {seed}")
    graph = some_graph(draw, kinds=(nx.DiGraph, nx.MultiDiGraph))
    if all(graph.has_edge(b, a) for a, b in graph.edges()):
        return
    with pytest.raises(lw.InputError, match="arcs that go both ways"):
        lw.run(program, converted(graph))


@pytest.mark.parametrize("seed", GRAPHS)
def test_sides(seed):
    draw = random.Random(f"bipartite {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    run = compute("bipartite", graph, settings)
    expected = {}
    components = nx.weakly_connected_components(graph) if graph.is_directed() else nx.connected_components(graph)
    for component in components:
        first = next(each for each in graph if each in component)
        try:
            sides = nx.bipartite.color(graph.subgraph(component))
        except nx.NetworkXError:  # an odd cycle
            sides = dict.fromkeys(component)
        # NetworkX begins with any vertex, bipartite with the first of the component.
        expected.update({v: None if side is None else int(side != sides[first]) for v, side in sides.items()})
    found = {name: None if side not in (0, 1) else int(side) for name, side in run.by_name().items()}
    compare_values(found, {name: expected[name] for name in graph}, graph, settings)
    assert run.report["figures"]["vertices_without_side"] == list(expected.values()).count(None), shown(graph, settings)


@pytest.mark.parametrize("seed", GRAPHS)
def test_triangles(seed):
    draw = random.Random(f"triangles {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    if graph.is_directed():
        graph.add_edges_from([(b, a) for a, b in graph.edges()])
    run = compute("triangles", graph, settings)
    expected = nx.triangles(nx.Graph(graph))
    compare_values(run.by_name(), expected, graph, settings)
    assert run.report["figures"]["triangles"] == sum(expected.values()) // 3, shown(graph, settings)


@pytest.mark.parametrize("seed", GRAPHS)
def test_spanning_forests(seed):
    draw = random.Random(f"spanning-forest {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    if draw.random() < 0.2:
        for *_, data in graph.edges(data=True):
            if "weight" in data:
                data["weight"] *= draw.choice([-1, 1])
    run = compute("spanning-forest", graph, settings)
    edges = all_edges(graph)
    parents = run.by_name()
    assert list(parents) == list(graph), shown(graph, settings)
    links = [(v, parent) for v, parent in parents.items() if v != parent]
    assert all(edges.has_edge(*link) for link in links), f"{links}\n{shown(graph, settings)}"
    forest = nx.Graph(links)
    forest.add_nodes_from(graph)
    trees = {frozenset(tree) for tree in nx.connected_components(forest)}
    assert trees == {frozenset(each) for each in nx.connected_components(edges)}, f"{links}\n{shown(graph, settings)}"
    assert len(links) == len(graph) - len(trees), f"{links}\n{shown(graph, settings)}"
    # All minimum spanning forests have the same weights.
    found = sorted(min(data["weight"] for data in edges[a][b].values()) for a, b in links)
    expected = sorted(data["weight"] for *_, data in nx.minimum_spanning_edges(edges, keys=False))
    assert found == expected, f"{links}\n{shown(graph, settings)}"
    weight = run.report["figures"]["forest_weight"]
    assert math.isclose(weight, math.fsum(expected), rel_tol=1e-12, abs_tol=1e-12), f"{weight}\n{shown(graph, settings)}"


# -- distances and shortest paths

def weights_count(draw, graph):
    """Whether to use weights: `by_weight` is refused if the graph has none."""
    return draw.random() < 0.5 and any(weight is not None for *_, weight in graph.edges(data="weight"))


@pytest.mark.parametrize("seed", GRAPHS)
@pytest.mark.parametrize("program, theirs", [("closeness", nx.closeness_centrality), ("harmonic", nx.harmonic_centrality)])
def test_sums_of_distances(program, theirs, seed):
    draw = random.Random(f"{program} {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    by_weight = weights_count(draw, graph)
    settings.update({"by_weight": True} if by_weight else {})
    found = theirs(graph, distance="weight" if by_weight else None)
    expected = {name: found[name] for name in graph}  # NetworkX's harmonic ones are in the order of a set
    compare_values(compute(program, graph, settings).by_name(), expected, graph, settings, 1e-12)


@pytest.mark.parametrize("seed", GRAPHS)
def test_betweenness(seed):
    draw = random.Random(f"betweenness {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    found = compute("betweenness", graph, settings).by_name()
    if not graph.is_multigraph():
        compare_values(found, nx.betweenness_centrality(graph), graph, settings, 1e-10)
    compare_values(found, dependencies(graph, list(graph)), graph, settings, 1e-10)


def dependencies(graph, sources):
    """betweenness from these sources, by NetworkX on the graph with a vertex on every arc."""
    count = len(graph)
    split = nx.betweenness_centrality_subset(subdivided(graph), sources, list(graph), normalized=False)
    pairs = max(1, (count - 1) * (count - 2)) * (1 if graph.is_directed() else 0.5)
    return {name: split[name] / pairs * (count / len(sources) if sources else 1) for name in graph}


@pytest.mark.parametrize("seed", GRAPHS)
def test_betweenness_from_one_source(seed):
    draw = random.Random(f"betweenness from one {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    if not len(graph):
        return
    settings["source"] = draw.choice(list(graph))
    expected = dependencies(graph, [settings["source"]])
    compare_values(compute("betweenness", graph, settings).by_name(), expected, graph, settings, 1e-10)


@pytest.mark.parametrize("seed", GRAPHS[::10])
def test_betweenness_of_wide_levels(seed):
    """Hundreds of vertices have the same distance from the source, so that several threads share them."""
    draw = random.Random(f"betweenness of wide levels {seed}")
    graph, settings = draw.choice(KINDS)(), some_settings(draw, (None, "bsp", "do-work", "ap"))
    count = 1200
    graph.add_nodes_from(range(count))
    graph.add_edges_from((draw.randrange(40) if draw.random() < 0.3 else draw.randrange(count), draw.randrange(count))
                         for _ in range(4 * count))
    settings["source"] = draw.choice(list(graph))
    expected = dependencies(graph, [settings["source"]])
    compare_values(compute("betweenness", graph, settings).by_name(), expected, graph, settings, 1e-10)


@pytest.mark.parametrize("program", ["closeness", "harmonic", "betweenness"])
@pytest.mark.parametrize("seed", GRAPHS)
def test_samples(program, seed):
    """Some set of sources of the given size explains the values. The program draws the sources, which are not shown."""
    draw = random.Random(f"{program} of a sample {seed}")
    graph, settings = some_graph(draw, weights=(None,)), some_settings(draw)
    count = len(graph)
    most = {0: 1, 1: 2, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 8: 3, 11: 2}.get(count, 1)
    settings["samples"] = draw.choice([draw.randint(1, most), count + draw.randint(0, 3) or 1])
    found = compute(program, graph, settings).by_name()
    rule = {"closeness": sampled_closeness, "harmonic": sampled_harmonic, "betweenness": dependencies}[program]
    sets = itertools.combinations(graph, min(settings["samples"], count))
    explained = any(all(math.isclose(found[name], value, rel_tol=1e-9, abs_tol=1e-12) for name, value in expected.items())
                    for expected in (rule(graph, sources) for sources in sets))
    assert explained, f"no {settings['samples']} sources explain {found}\n{shown(graph, settings)}"


def sampled_closeness(graph, sources):
    values = {}
    depths = {source: nx.single_source_shortest_path_length(graph, source) for source in sources}
    for v in graph:
        others = [source for source in sources if source != v]
        near = [depths[source][v] for source in others if v in depths[source]]
        values[v] = len(near) / sum(near) * len(near) / len(others) if near else 0.0
    return values


def sampled_harmonic(graph, sources):
    values = {}
    depths = {source: nx.single_source_shortest_path_length(graph, source) for source in sources}
    for v in graph:
        others = [source for source in sources if source != v]
        total = sum(1 / depths[source][v] for source in others if v in depths[source])
        values[v] = total * (len(graph) - 1) / len(others) if others else 0.0
    return values


# -- communities

@pytest.mark.parametrize("seed", GRAPHS)
def test_modularity(seed):
    """The modularity is near that of NetworkX, whose vertices move in another order. Of five seeds the best is compared, because the
    order decides much on small graphs."""
    draw = random.Random(f"louvain {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    by_weight = weights_count(draw, graph)
    resolution = draw.choice([1, 1, 0.5, 1.8])
    settings.update({"by_weight": True} if by_weight else {}, **({} if resolution == 1 else {"resolution": resolution}))
    edges = simple(all_edges(graph), by_weight)
    counts = edges.size(weight="weight") > 0  # NetworkX divides by 0 otherwise

    def quality(communities):
        return nx.community.modularity(edges, communities, resolution=resolution) if counts else 0

    best = -math.inf
    for more in range(5):
        run = compute("louvain", graph, {**settings, "seed": settings["seed"] + more})
        communities = {}
        for name, first in run.by_name().items():
            communities.setdefault(first, []).append(name)
        assert all(first == members[0] for first, members in communities.items()), f"{communities}\n{shown(graph, settings)}"
        found = quality(communities.values())
        assert found >= quality([[name] for name in graph]) - 1e-9, f"{communities}\n{shown(graph, settings)}"
        if len(communities) == len(graph):  # no pair of neighbours gains
            pairs = ([[a, b], *([name] for name in graph if name not in (a, b))] for a, b in edges.edges() if a != b)
            assert all(quality(pair) <= found + 1e-6 for pair in pairs), f"{communities}\n{shown(graph, settings)}"
        assert math.isclose(run.report["figures"]["modularity"], found, rel_tol=1e-9, abs_tol=1e-9), shown(graph, settings)
        best = max(best, found)
    if counts:
        theirs = quality(nx.community.louvain_communities(edges, resolution=resolution, seed=seed))
        assert best >= theirs - 0.1, f"modularity {best}, NetworkX's {theirs}\n{shown(graph, settings)}"


# -- linear systems and eigenvectors

@pytest.mark.parametrize("seed", GRAPHS)
def test_katz(seed):
    draw = random.Random(f"katz {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    by_weight = weights_count(draw, graph)
    settings.update({"by_weight": True} if by_weight else {})
    adjacent = matrix(graph, by_weight)
    attenuation = 1 / (1 + (adjacent.sum(axis=1).max() if len(graph) else 0))  # the default
    if draw.random() < 0.6:
        radius = max(abs(np.linalg.eigvals(adjacent)), default=0)
        settings["attenuation"] = attenuation = draw.uniform(0.05, 0.9) / max(radius, 0.1)
    expected = nx.katz_centrality(simple(graph, by_weight), alpha=attenuation, weight="weight", tol=1e-13, max_iter=MOST_STEPS)
    compare_values(compute("katz", graph, settings).by_name(), expected, graph, settings, 1e-8)


@pytest.mark.parametrize("seed", GRAPHS)
def test_katz_refuses_an_attenuation_without_a_solution(seed):
    draw = random.Random(f"katz without bound {seed}")
    graph, settings = some_graph(draw), some_settings(draw)
    radius = max(abs(np.linalg.eigvals(matrix(graph, False))), default=0)
    if radius < 0.5:  # no cycle
        return
    settings["attenuation"] = draw.uniform(1.1, 4) / radius
    try:
        values = compute("katz", graph, settings).by_name()
    except lw.InputError as error:
        assert "grow without bound" in str(error), f"{error}\n{shown(graph, settings)}"
    else:
        raise AssertionError(f"not refused: {values}\n{shown(graph, settings)}")


@pytest.mark.parametrize("seed", GRAPHS)
def test_steps_to_the_eigenvector(seed):
    draw = random.Random(f"eigenvector by steps {seed}")
    graph, settings = some_graph(draw), some_settings(draw, (None, "bsp"))
    by_weight = weights_count(draw, graph)
    settings.update({"by_weight": True} if by_weight else {}, iterations=draw.randint(1, 40))
    expected = None
    if len(graph):
        for _ in range(settings["iterations"]):
            expected = nx.eigenvector_centrality(simple(graph, by_weight), max_iter=1, tol=math.inf, nstart=expected, weight="weight")
    compare_values(compute("eigenvector", graph, settings).by_name(), expected or {}, graph, settings, 1e-10)


@pytest.mark.parametrize("seed", GRAPHS)
def test_the_eigenvector(seed):
    draw = random.Random(f"eigenvector {seed}")
    graph, settings = some_graph(draw), some_settings(draw, (None, "bsp"))
    if not len(graph):
        return
    by_weight = weights_count(draw, graph)
    settings.update({"by_weight": True} if by_weight else {}, tolerance=1e-13)
    try:
        expected = nx.eigenvector_centrality(simple(graph, by_weight), max_iter=MOST_STEPS, tol=1e-14, weight="weight")
    except nx.PowerIterationFailedConvergence:  # such as graphs without cycles; the other test compares the steps
        return
    compare_values(compute("eigenvector", graph, settings).by_name(), expected, graph, settings, 1e-8, scale=1)


@pytest.mark.parametrize("seed", GRAPHS)
def test_steps_to_hubs_and_authorities(seed):
    draw = random.Random(f"hits by steps {seed}")
    graph, settings = some_graph(draw), some_settings(draw, (None, "bsp"))
    steps = draw.randint(1, 20)
    settings["iterations"] = 2 * steps
    hubs = authorities = dict.fromkeys(graph, 0.0)
    if graph.number_of_edges():  # NetworkX divides by 0 otherwise
        hubs = None
        for _ in range(steps):
            hubs, authorities = _hits_python(simple(graph, False), max_iter=1, tol=math.inf, nstart=hubs)
    values = compute("hits", graph, settings)
    for column, expected in enumerate((hubs, authorities)):
        found = {name: float(row[column]) for name, row in values.items()}
        compare_values(found, expected, graph, settings, 3e-7, scale=1)


@pytest.mark.parametrize("seed", GRAPHS)
def test_hubs_and_authorities(seed):
    draw = random.Random(f"hits {seed}")
    graph, settings = some_graph(draw), some_settings(draw, (None, "bsp"))
    if not graph.number_of_edges():
        return
    settings["tolerance"] = 1e-13
    try:
        hubs, authorities = _hits_python(simple(graph, False), max_iter=MOST_STEPS, tol=1e-13)
    except nx.PowerIterationFailedConvergence:
        return
    values = compute("hits", graph, settings)
    for column, expected in enumerate((hubs, authorities)):
        found = {name: float(row[column]) for name, row in values.items()}
        compare_values(found, expected, graph, settings, 1e-6, scale=1)


def restarts(draw, graph):
    """Shares of some vertices, as a dictionary, or of all, as an array or list."""
    shares = {name: draw.choice([0, 1, 2, draw.random()]) for name in graph}
    shares[draw.choice(list(graph))] = 1
    if draw.random() < 0.5:
        return shares, draw.choice([list, np.array])(list(shares.values()))
    some = {name: share for name, share in shares.items() if share or draw.random() < 0.5}
    return some, some


@pytest.mark.parametrize("by", ["all arcs alike", "weights"])
@pytest.mark.parametrize("restart", ["everywhere", "by shares"])
@pytest.mark.parametrize("seed", GRAPHS)
def test_pagerank(seed, restart, by):
    draw = random.Random(f"pagerank {seed} {restart} {by}")
    graph, settings = some_graph(draw), some_settings(draw)
    damping = draw.choice([0.85, 0.85, 0.5, draw.uniform(0.05, 0.97)])
    by_weight = by == "weights" and any(weight is not None for *_, weight in graph.edges(data="weight"))
    settings.update({"by_weight": True} if by_weight else {}, **({} if damping == 0.85 else {"damping": damping}))
    precise = draw.random() < 0.5
    settings.update({"tolerance": 1e-13} if precise else {})
    shares = start = None
    if restart == "by shares" and len(graph):
        shares, settings["personalization"] = restarts(draw, graph)
        # NetworkX's ranks of vertices that no restart reaches decrease to 0 from a uniform start; from the restarts they are 0.
        start = {name: shares.get(name, 0) for name in graph}
    expected = _pagerank_python(graph if by_weight else unweighted(graph), alpha=damping, personalization=shares, nstart=start,
                                tol=1e-14 / max(1, len(graph)), max_iter=MOST_STEPS)
    compare_values(compute("pagerank", graph, settings).by_name(), expected, graph, settings, 1e-9 if precise else 1e-6)
