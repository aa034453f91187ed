"""Conversion of graphs from and to other libraries."""
import copy
import gzip
import multiprocessing
import pickle
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import leeway as lw


def random_matrix(seed, n=60, density=0.08, dtype=float):
    random = np.random.default_rng(seed)
    matrix = sp.random(n, n, density, format="csr", random_state=seed)
    matrix.data = random.integers(1, 50, matrix.nnz).astype(dtype)
    return matrix


@pytest.mark.parametrize("seed", range(5))
def test_a_scipy_matrix_is_preserved(seed):
    matrix = random_matrix(seed)
    graph = lw.Graph.from_scipy(matrix)
    assert (graph.vertices, graph.arcs, graph.directed) == (60, matrix.nnz, True)
    assert (graph.to_scipy() != matrix).nnz == 0


def test_arrays_of_the_right_types_are_not_copied():
    matrix = random_matrix(1)
    indptr, data = matrix.indptr.astype(np.int64), matrix.data
    graph = lw.Graph.from_csr(indptr, matrix.indices, data, copy=False)
    assert np.shares_memory(graph.indptr, indptr)
    assert np.shares_memory(graph.indices, matrix.indices)
    assert np.shares_memory(graph.weights, data)
    with pytest.raises(ValueError):
        graph.weights[0] = 7  # a graph cannot be changed
    for array in (indptr, matrix.indices, data):
        with pytest.raises(ValueError):
            array[0] = 7


def test_later_changes_of_the_matrix_do_not_affect_the_graph():
    matrix = random_matrix(2)
    graph = lw.Graph.from_scipy(matrix)
    before = lw.sssp(graph, source=0, nodes=2).values
    matrix.data *= 2
    matrix.indices[:] = 10**6
    matrix.indptr[:] = 10**6
    assert (lw.sssp(graph, source=0, nodes=2).values == before).all()


def test_numbers_that_do_not_occur_in_edges_are_reported():
    with pytest.warns(UserWarning, match=r"2 of the numbers from 0 to 5 do not occur .* Graph.from_edges\(..., vertices=6\) has them all"):
        graph = lw.Graph.from_edges([0, 1, 5], [1, 3, 0])
    assert (list(graph), graph[1], graph[5]) == ([0, 1, 3, 5], [3], [0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ends in ([0, 1, 5], [1, 3, 0]), ([7, 900], [10**12, 7]), ([1, 2], [2, 3]), ([0, 7], [7, 3]), (["a", "b"], ["b", "c"]), ([], []):
            lw.Graph.from_edges(*ends, vertices=6 if ends[0] == [0, 1, 5] else None)


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_edges_by_table_and_by_sorting_are_the_same(kind):
    random = np.random.default_rng(1)
    ends = random.integers(3, 250, (2, 400)).astype(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dense = lw.Graph.from_edges(*ends)
    sparse = lw.Graph.from_edges(*(ends.astype(np.uint64) * 10**9))
    assert list(dense) == sorted(set(ends.ravel().tolist()))
    assert [each // 10**9 for each in sparse] == list(dense)
    assert (dense.indptr == sparse.indptr).all() and (dense.indices == sparse.indices).all()


def test_a_wrong_result_of_lists_that_are_not_symmetric_is_the_inputs_fault():
    state = lw.Graph.from_csr([0, 0, 1, 1], [0])._core.__getstate__()
    core = lw._core.Graph.__new__(lw._core.Graph)
    core.__setstate__((False, *state[1:]))  # as a .lwg file whose header has no flag "directed"
    with pytest.raises(lw.InputError, match="torn: vertex 1 lists 0, but 0 does not list 1, although the graph is undirected"):
        lw.cc(lw.Graph(core, "torn"))


@pytest.mark.parametrize("torn", ["a\nb", "a\rb", "a\n"])
def test_a_vertex_name_is_one_line(torn, tmp_path):
    with pytest.raises(lw.InputError, match=r"names: the name 'a\\x0[ad]b?' contains a line break"):
        lw.Graph.from_csr([0, 1, 2, 2], [1, 2], names=[torn, "b", "c"])
    with pytest.raises(lw.InputError, match="contains a line break"):
        lw.Graph.from_edges([torn, "c"], ["c", "d"])
    with pytest.raises(lw.InputError, match="contains a line break"):
        lw.Graph.from_pandas(pd.DataFrame({"source": [torn], "target": ["c"]}))
    graph = lw.Graph.from_networkx(nx.DiGraph([(torn, "c"), ("c", "d")]))  # the names stay in Python
    assert lw.bfs(graph, source=torn, nodes=2).by_name() == {torn: 0, "c": 1, "d": 2}
    with pytest.raises(lw.InputError, match="save: a vertex name has a line break"):
        graph.save(tmp_path / "g.lwg")


@pytest.mark.parametrize("nodes", [
    [2, 0, 1, 5, 3], [-4, 7, 0, 3], ["1", "x", 1], [1.5, 1.0, 0.5], [True, 7, 0], [(0, 1), (1, 0), 3, 0],
])
def test_a_source_is_a_vertex_name_not_an_index(nodes):
    theirs = nx.path_graph(len(nodes))
    theirs = nx.relabel_nodes(theirs, dict(enumerate(nodes)))
    graph = lw.Graph.from_networkx(theirs)
    for node in nodes:
        expected = nx.single_source_shortest_path_length(theirs, node)
        for program in (lw.bfs, lw.sssp):
            assert program(graph, source=node, nodes=2).by_name() == expected
    with pytest.raises(lw.InputError, match="no vertex"):
        lw.bfs(graph, source=999)


def test_names_in_a_list_are_the_sources():
    graph = lw.Graph.from_csr([0, 1, 2, 2], [1, 2], names=[7, "b", "c"])
    assert lw.bfs(graph, source="b").values.tolist() == [np.inf, 0, 1]
    assert lw.bfs(graph, source=7).values.tolist() == [0, 1, 2]


def test_pandas_numbers_stay_numbers_and_missing_ones_are_refused():
    frame = pd.DataFrame({"source": [0.0, 1.0, 2.0], "target": [1.0, 2.0, 0.0]})
    assert lw.Graph.from_pandas(frame).names.tolist() == [0, 1, 2]
    for missing in (np.nan, None, pd.NA):
        holes = pd.DataFrame({"source": [0, 1, 2], "target": pd.array([1, missing, 0], dtype=object)})
        with pytest.raises(lw.InputError, match="row 1 has no target"):
            lw.Graph.from_pandas(holes)


@pytest.mark.parametrize("make, what", [
    (lambda: lw.Graph.from_networkx(3), "not a NetworkX graph"),
    (lambda: lw.Graph.from_scipy(np.eye(3)), "not a sparse matrix"),
    (lambda: lw.generate(None), "not a spec"),
    (lambda: lw.bfs(lw.generate("known:karate"), source=1.5), "is not a vertex name"),
])
def test_objects_that_are_not_graphs_are_refused(make, what):
    with pytest.raises(lw.InputError, match=what):
        make()


def test_foreign_files_are_not_overwritten(tmp_path):
    graph = lw.generate("known:karate")
    theirs = tmp_path / "theirs.txt"
    theirs.write_text("dear diary")
    with pytest.raises(lw.InputError, match="exists"):
        graph.save(theirs)
    report = tmp_path / "report.json"
    report.write_text("dear diary")
    with pytest.raises(lw.InputError, match="exists"):
        lw.pagerank(graph, report=report)
    assert theirs.read_text() == report.read_text() == "dear diary"
    graph.save(theirs, force=True)
    graph.save(theirs)
    lw.pagerank(graph, report=report, force=True)
    assert lw.read(theirs).arcs == graph.arcs


def test_the_arrays_outlive_the_graph():
    indices = lw.generate("uniform:200:4").indices
    assert indices.max() < 200


def test_networkx_nodes_stay_the_names():
    theirs = nx.les_miserables_graph()
    graph = lw.Graph.from_networkx(theirs)
    assert not graph.directed
    assert (graph.vertices, graph.edges) == (theirs.number_of_nodes(), theirs.number_of_edges())
    found = lw.pagerank(graph, tolerance=1e-12).by_name()
    expected = nx.pagerank(theirs, weight=None, tol=1e-12, max_iter=1000)
    assert set(found) == set(theirs.nodes)
    assert max(abs(found[name] - expected[name]) for name in expected) < 1e-8


def test_networkx_without_weights_has_none_and_digraphs_are_directed():
    graph = lw.Graph.from_networkx(nx.DiGraph([("b", "a"), ("a", "c"), (("t", 1), "a")]))
    assert graph.directed and graph.weights is None
    assert graph.names == ["b", "a", "c", ("t", 1)]


def test_pandas_rows_become_edges():
    frame = pd.DataFrame({"from": ["ann", "bob", "ann"], "to": ["bob", "cy", "cy"], "cost": [2.5, 1.0, 9.0]})
    graph = lw.Graph.from_pandas(frame, "from", "to", "cost")
    assert lw.sssp(graph, source="ann").by_name() == {"ann": 0, "bob": 2.5, "cy": 3.5}
    with pytest.raises(lw.InputError, match="no column 'nowhere'"):
        lw.Graph.from_pandas(frame, "nowhere", "to")


class Chunked:
    """A table of several chunks, as pyarrow's."""

    def __init__(self, *frames):
        self.frames = frames

    def __dataframe__(self):
        return self

    def column_names(self):
        return self.frames[0].columns

    def get_chunks(self):
        return [frame.__dataframe__() for frame in self.frames]


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8, np.uint32, np.uint64])
def test_tables_of_other_libraries_become_graphs(kind):
    frame = pd.DataFrame({"a": np.array([1, 2, 3], kind), "b": np.array([2, 3, 9], kind), "weight": [0.5, 1.0, 2.0]})
    graph = lw.Graph.from_table(frame, "a", "b")
    assert graph == lw.Graph.from_pandas(frame, "a", "b") and graph.names.tolist() == [1, 2, 3, 9]
    assert lw.Graph.from_table(frame, "a", "b", weight=None).weights is None
    assert np.shares_memory(lw.tables.column_of(frame, "a", "source"), frame["a"].to_numpy())
    several = Chunked(frame[:1], frame[1:3], frame[3:])
    assert lw.Graph.from_table(several, "a", "b") == graph


def test_tables_of_words():
    frame = pd.DataFrame({"source": ["ann", "bøb", "ann"], "target": ["bøb", "cy", "cy"]})
    for table in (frame, Chunked(frame[:2], frame[2:])):
        assert lw.Graph.from_table(table, directed=False) == lw.Graph.from_pandas(frame, directed=False)


def test_tables_without_edges_are_refused():
    with pytest.raises(lw.InputError, match="no column 'source'"):
        lw.Graph.from_table(pd.DataFrame({"a": [1]}))
    with pytest.raises(lw.InputError, match="1 rows have no target"):
        lw.Graph.from_table(pd.DataFrame({"source": ["a", "b"], "target": ["b", None]}))
    with pytest.raises(lw.InputError, match="BOOL"):
        lw.Graph.from_table(pd.DataFrame({"source": [True], "target": [False]}))
    with pytest.raises(lw.InputError, match="__dataframe__"):
        lw.Graph.from_table([(1, 2)])


def test_edges_of_sparse_numbers_keep_them_as_names():
    graph = lw.Graph.from_edges([1000000007, 5], [5, 70], directed=False)
    assert graph.names.tolist() == [5, 70, 1000000007]
    assert lw.cc(graph).by_name() == {5: 5, 70: 5, 1000000007: 5} or len(set(lw.cc(graph).values.tolist())) == 1


@pytest.mark.parametrize("indptr, indices, what", [
    ([0, 2, 1], [0, 1], "begin with 0 and end"),
    ([0, 2, 1, 2], [0, 1], "decreases at row 1"),
    ([0, 1, 2], [0, 7], "beyond the last"),
    ([0, 2, 2], [1, 0], "do not ascend"),
    ([0, 1, 2], [0, -1], "negative"),
    ([0, 1], [0.5], "not a list of whole numbers"),
])
def test_arrays_that_are_not_a_graph_are_refused(indptr, indices, what):
    with pytest.raises(lw.InputError, match=what) as caught:
        lw.Graph.from_csr(indptr, indices)
    assert caught.value.remedy


def test_files_are_read_with_the_command_s_settings(tmp_path):
    path = tmp_path / "edges.txt.gz"
    with gzip.open(path, "wt") as file:
        file.write("# a comment\n1 2\n2 3\n3 1\n3 1\n")
    assert lw.read(path).arcs == 4
    assert lw.read(path, duplicates="merge").arcs == 3
    assert not lw.read(path, undirected=True, duplicates="merge").directed
    with pytest.raises(lw.InputError, match="no such file"):
        lw.read(tmp_path / "absent.txt")
    with pytest.raises(lw.InputError, match="read has no such setting"):
        lw.read(path, scheduler="bsp")
    (tmp_path / "broken.txt").write_text("1 2\n2 three four\n")
    with pytest.raises(lw.InputError, match="broken.txt:2"):
        lw.read(tmp_path / "broken.txt", format="snap") if False else lw.read(tmp_path / "broken.txt")


def test_a_saved_graph_can_be_read(tmp_path):
    graph = lw.generate("kron:8")
    graph.save(tmp_path / "kron.lwg")
    again = lw.read(tmp_path / "kron.lwg")
    assert np.array_equal(graph.indptr, again.indptr) and np.array_equal(graph.indices, again.indices)


def test_invalid_numbers_are_refused():
    with pytest.raises(lw.InputError, match="weight 1 is not a number"):
        lw.Graph.from_edges([0, 1], [1, 2], [1.0, float("nan")])
    with pytest.raises(lw.InputError, match="whole numbers"):
        lw.Graph.from_edges([0.5], [1.0], vertices=2)


def test_pandas_weights_are_found_by_their_name():
    frame = pd.DataFrame({"source": [0, 1], "target": [1, 2], "weight": [3.5, 4.0]})
    assert lw.Graph.from_pandas(frame).weights.tolist() == [3.5, 4.0]
    assert lw.Graph.from_pandas(frame, weight=None).weights is None
    assert lw.Graph.from_pandas(frame.drop(columns="weight")).weights is None
    with pytest.raises(lw.InputError, match="no column 'cost'"):
        lw.Graph.from_pandas(frame, weight="cost")


def random_pair(seed, directed, weighted):
    """The same random graph for NetworkX and here, with names that are words."""
    random = np.random.default_rng(seed)
    theirs = nx.gnp_random_graph(30, 0.1, seed=seed, directed=directed)
    theirs = nx.relabel_nodes(theirs, {i: f"v{i}" for i in theirs})
    if weighted:
        for ends in theirs.edges:
            theirs.edges[ends]["weight"] = float(random.integers(1, 9)) / 2
    return theirs, lw.Graph.from_networkx(theirs)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_graph_answers_as_networkx_does(directed, weighted):
    theirs, graph = random_pair(4, directed, weighted)
    assert list(graph) == list(theirs) and len(graph) == 30 and "v3" in graph and "v99" not in graph and [] not in graph
    for vertex in graph:
        assert sorted(graph.neighbors(vertex)) == sorted(theirs.neighbors(vertex))
        before = theirs.predecessors(vertex) if directed else theirs.neighbors(vertex)
        assert sorted(graph.in_neighbors(vertex)) == sorted(before)
        assert graph.degree(vertex) == len(theirs[vertex])
    back = graph.to_networkx()
    assert nx.utils.graphs_equal(back, theirs)
    part = list(theirs)[5:20]
    assert nx.utils.graphs_equal(graph.subgraph(part).to_networkx(), theirs.subgraph(part).copy())
    frame = graph.to_pandas()
    assert len(frame) == theirs.number_of_edges() and ("weight" in frame) == weighted
    again = lw.Graph.from_pandas(frame, directed=directed)
    assert set(again.to_networkx().edges) == set(lw.Graph.from_pandas(frame, directed=directed).to_networkx().edges)
    with pytest.raises(lw.InputError, match="no vertex 'v99'"):
        graph.neighbors("v99")


def test_vertices_named_by_numbers():
    graph = lw.Graph.from_edges([1000000007, 5, 5], [5, 70, 5], [1, 2, 3], directed=False)
    assert list(graph) == [5, 70, 1000000007] and 70 in graph and 6 not in graph and "70" not in graph and True not in graph
    assert graph.neighbors(5) == [5, 70, 1000000007] and graph.degree(70) == 1
    sources, targets, weights = graph.edge_list()
    assert list(zip(sources.tolist(), targets.tolist(), weights.tolist())) == [(5, 5, 3), (5, 70, 2), (5, 1000000007, 1)]
    part = graph.subgraph([1000000007, 5])
    assert part.names.tolist() == [5, 1000000007] and part.edges == 2 and part.weights.dtype == float
    twice = lw.Graph.from_edges([0, 0], [1, 1], [2.5, 3.5]).to_networkx()
    assert twice.is_multigraph() and sorted(w for _, _, w in twice.edges(data="weight")) == [2.5, 3.5]


def test_rows_of_an_array_become_edges():
    graph = lw.Graph.from_numpy(np.array([[0, 7, 2.5], [7, 3, 1.0]]))
    assert lw.sssp(graph, source=0).by_name() == {0: 0, 3: 3.5, 7: 2.5}
    assert lw.Graph.from_numpy([[0, 1], [1, 2]], directed=False).edges == 2
    for wrong in (np.zeros(3), np.zeros((3, 4)), np.array([[0.5, 1]]), np.array([[-1, 1]])):
        with pytest.raises(lw.InputError):
            lw.Graph.from_numpy(wrong)


@pytest.mark.parametrize("sources", [[0, -1], [0, 0.5], [0.0, 1.0], [True, False], [None, 1]])
def test_vertices_that_files_refuse_are_refused(sources):
    with pytest.raises(lw.InputError, match="whole numbers from 0"):
        lw.Graph.from_edges(sources, [1, 2])
    assert list(lw.Graph.from_edges(["a", "b"], ["b", "c"])) == ["a", "b", "c"]


def reached(graph):
    return int(np.isfinite(lw.bfs(graph, source=next(iter(graph))).values).sum())


GRAPHS = [lw.generate("known:karate"), lw.generate("uniform:50:3", weights="random"), random_pair(1, True, True)[1],
          random_pair(2, False, False)[1], lw.Graph.from_csr([0, 1, 2, 2], [1, 2], names=[7, "b", "c"]),
          lw.Graph.from_edges([3, 900], [900, 12])]


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_copies_are_equal_and_usable(graph):
    for other in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph), copy.copy(graph)):
        assert other == graph and hash(other) == hash(graph) and other is not graph
        assert list(other) == list(graph) and other.directed == graph.directed
        assert reached(other) == reached(graph)
    assert sum(graph == other for other in GRAPHS) == 1 and graph != 5


def test_graphs_are_sent_to_other_processes():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(len, (GRAPHS[0],)) == 34
        assert pickle.loads(pickle.dumps(lw.cc(GRAPHS[0]))).answer == {"components": 1, "largest": 34}


def test_columns_are_a_list_or_a_text(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("day,buyer,seller,price\n1,ann,bob,2.5\n2,bob,cy,1\n")
    for columns in (["buyer", "seller", "price"], "buyer,seller,price"):
        assert lw.read(path, columns=columns).to_pandas()["weight"].tolist() == [2.5, 1]


def saved_and_read(graph, path, **settings):
    graph.save(path)
    return lw.read(path, **settings)


@pytest.mark.parametrize("suffix", ["lwg", "txt", "mtx", "graph", "gr", "csv", "txt.zst"])
@pytest.mark.parametrize("nodes", [["b c", "a", "d"], [7, 3, 900], [0, 1, 2], [3, 4, 8], ["x", 5, "5 "]], ids=str)
def test_a_saved_graph_keeps_the_names_of_networkx(suffix, nodes, tmp_path):
    theirs = nx.Graph()
    theirs.add_nodes_from(nodes)
    theirs.add_weighted_edges_from([(nodes[0], nodes[1], 2), (nodes[1], nodes[2], 5)])
    graph = lw.Graph.from_networkx(theirs)
    assert list(graph) == nodes
    again = saved_and_read(graph, tmp_path / f"g.{suffix}", undirected=True)
    kept = nodes if all(isinstance(node, int) for node in nodes) else [str(node) for node in nodes]
    assert set(again) == set(kept)
    expected = nx.relabel_nodes(theirs, dict(zip(nodes, kept)))
    assert nx.utils.graphs_equal(again.to_networkx(), expected)


def test_names_of_other_types_are_saved_as_text_with_a_warning(tmp_path):
    graph = lw.Graph.from_networkx(nx.Graph([((0, 1), (1, 1))]))
    with pytest.warns(UserWarning, match=r"such as \(0, 1\) .* the file has their text"):
        graph.save(tmp_path / "g.lwg")
    assert lw.read(tmp_path / "g.lwg").names == ["(0, 1)", "(1, 1)"]
    with pytest.raises(lw.InputError, match="two vertex names have the same text"):
        lw.Graph.from_networkx(nx.Graph([(1, "1")])).save(tmp_path / "h.lwg")
    assert not (tmp_path / "h.lwg").exists()


def test_les_miserables_is_saved_with_its_names(tmp_path):
    theirs = nx.les_miserables_graph()
    assert saved_and_read(lw.Graph.from_networkx(theirs), tmp_path / "x.lwg").names[:3] == list(theirs)[:3]


def test_numbers_in_any_order_are_names():
    graph = lw.Graph.from_csr([0, 1, 2, 2], [1, 2], names=np.array([30, 10, 20]))
    assert graph.names == [30, 10, 20] and lw.bfs(graph, source=30).by_name() == {30: 0, 10: 1, 20: 2}


def test_directed_has_one_meaning_wherever_a_graph_is_made(tmp_path):
    path = tmp_path / "e.txt"
    path.write_text("1 2\n2 3\n")
    matrix = sp.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    for directed in (True, False):
        for graph in (lw.read(path, directed=directed), lw.read(path, undirected=not directed),
                      lw.generate("path:3", directed=directed), lw.generate("path:3", undirected=not directed),
                      lw.Graph.from_edges([1, 2], [2, 3], directed=directed), lw.Graph.from_scipy(matrix, directed=directed),
                      lw.Graph.from_csr(matrix.indptr, matrix.indices, directed=directed, copy=False),
                      lw.Graph.from_numpy([[1, 2], [2, 3]], directed=directed)):
            assert graph.directed == graph.is_directed() == directed
            assert directed or (graph.edges, graph.arcs) == (2, 4)
        assert np.isinf(lw.bfs(str(path), source=3, directed=directed)[1]) == directed
        assert np.isinf(lw.bfs(path, source=3, directed=directed, gather=False)[1]) == directed
    assert lw.read(path, directed=None).directed
    with pytest.raises(lw.InputError, match="directed: contradicts undirected"):
        lw.read(path, directed=True, undirected=True)
    for make in (lambda: lw.read(path, directed="yes"), lambda: lw.Graph.from_edges([0], [1], directed="yes"),
                 lambda: lw.generate("path:3", undirected=1)):
        with pytest.raises(TypeError, match="directed: .* is not a truth value; give True or False"):
            make()


def test_an_undirected_matrix_must_be_symmetric():
    for entries in ([[0, 1], [0, 0]], [[0, 1], [2, 0]]):
        with pytest.raises(lw.InputError, match="not symmetric; .*to_undirected"):
            lw.Graph.from_scipy(sp.csr_array(np.array(entries)), directed=False)
    weighted = lw.Graph.from_scipy(sp.csr_array(np.array([[0, 2.5], [2.5, 1]])), directed=False)
    assert weighted.to_networkx().edges[0, 1]["weight"] == 2.5 and weighted.edges == 2


@pytest.mark.parametrize("call, words", [
    (lambda path: lw.read(path, scheduler=None), "scheduler: read has no such setting"),
    (lambda path: lw.read(path, duplicate="merge"), "duplicate: read has no such setting; did you mean 'duplicates'"),
    (lambda path: lw.generate("known:karate", nodes=2), "nodes: generate has no such setting"),
    (lambda path: lw.read(path, weight="none"), "weight: read has no such setting; .*weights=\"none\""),
    (lambda path: lw.Graph.from_edges([0], [1]).save(path, forze=None), "forze: .*did you mean 'force'"),
])
def test_unknown_keywords_of_reading_are_refused(call, words, tmp_path):
    (tmp_path / "e.txt").write_text("1 2\n")
    with pytest.raises(lw.InputError, match=words):
        call(tmp_path / "e.txt")


@pytest.mark.parametrize("edges", [
    [(0, 7), (7, 3)], [[0, 7], [7, 3]], np.array([[0, 7], [7, 3]]), np.array([[0, 7], [7, 3.0]]), ((0, 7), (7, 3)), zip([0, 7], [7, 3]),
], ids=str)
def test_edges_are_one_list_of_pairs(edges):
    graph = lw.Graph.from_edges(edges)
    assert graph.names.tolist() == [0, 3, 7] and graph.has_edge(0, 7) and graph.has_edge(7, 3) and not graph.has_edge(3, 7)


def test_edges_are_triples_with_weights_or_words():
    triples = lw.Graph.from_edges([("a", "b", 2.5), ("b", "c", 1)], directed=False)
    assert lw.sssp(triples, source="a").by_name() == {"a": 0, "b": 2.5, "c": 3.5}
    assert lw.Graph.from_edges([(0, 1)], weights=[4]).weights.tolist() == [4]
    assert lw.Graph.from_edges(np.eye(3)).edges == 3
    assert lw.Graph.from_edges([]).vertices == 0
    for wrong, what in (([(0, 1), (1, 2, 3)], "not a list of pairs"), ([0, 1], "not a list of pairs"), (5, "not a list of pairs"),
                        (nx.path_graph(3), "use leeway.Graph.from_networkx"), (["ab", "cd"], "not a list of pairs")):
        with pytest.raises(TypeError, match=what):
            lw.Graph.from_edges(wrong)
    with pytest.raises(lw.InputError, match="weights are given twice"):
        lw.Graph.from_edges([(0, 1, 2)], weights=[1])
    with pytest.raises(TypeError, match="use leeway.Graph.from_networkx"):
        lw.Graph(nx.path_graph(3))
    with pytest.raises(TypeError, match="use leeway.read"):
        lw.Graph("web.txt")


def test_a_square_array_may_be_a_matrix():
    with pytest.warns(UserWarning, match="3 x 3 array is read as three edges .*from_scipy"):
        assert lw.Graph.from_numpy(np.eye(3)).edges == 3
    with pytest.raises(lw.InputError, match="adjacency matrix use from_scipy"):
        lw.Graph.from_numpy(np.eye(4))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_graphs_have_the_calls_of_networkx(directed, weighted):
    theirs, graph = random_pair(6, directed, weighted)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (theirs.number_of_nodes(), theirs.number_of_edges())
    assert graph.is_directed() == theirs.is_directed() == directed
    for vertex in graph:
        assert sorted(graph[vertex]) == sorted(theirs[vertex])
    assert all(graph.has_edge(*ends) == theirs.has_edge(*ends) for ends in nx.complete_graph(theirs, nx.DiGraph).edges)
    assert not graph.has_edge("v1", "v99")
    assert graph.copy() == graph and graph.copy() is not graph and list(graph.copy()) == list(graph)
    back = graph.reverse()
    assert nx.utils.graphs_equal(back.to_networkx(), theirs.reverse() if directed else theirs)
    assert back.reverse() == graph and back.in_neighbors("v3") == graph.neighbors("v3")
    both = graph.to_undirected()
    assert not both.directed and set(map(frozenset, both.to_networkx().edges)) == set(map(frozenset, theirs.to_undirected().edges))
    for one, two, weight in both.to_networkx().edges(data="weight") if weighted else ():
        assert weight == min(theirs.edges[ends]["weight"] for ends in ((one, two), (two, one)) if ends in theirs.edges)
    assert "<td>undirected</td>" in both._repr_html_() and "<td>30</td>" in both._repr_html_()


def test_complex_weights_are_refused_and_the_structure_can_be_read(tmp_path):
    matrix = sp.csr_array(np.array([[0, 3 + 4j], [1j, 0]]))
    (tmp_path / "c.mtx").write_text("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 2 3.0 4.0\n2 1 0.0 1.0\n")
    sp.save_npz(tmp_path / "c.npz", sp.csr_matrix(matrix))
    for name, place in (("c.mtx", "c.mtx:1"), ("c.npz", "c.npz, array 'data'")):
        with pytest.raises(lw.InputError) as refused:
            lw.read(tmp_path / name)
        assert str(refused.value).endswith(f"{place}: its values are complex numbers, which no program uses; "
                                           "give weights='none' to read only the structure")
        graph = lw.read(tmp_path / name, weights="none")
        assert graph.weights is None and graph.indices.tolist() == [1, 0]
    for make in (lambda: lw.Graph.from_scipy(matrix), lambda: lw.Graph.from_edges([0], [1], np.array([1j])),
                 lambda: lw.Graph.from_csr(matrix.indptr, matrix.indices, matrix.data),
                 lambda: lw.Graph.from_networkx(nx.DiGraph([(0, 1, {"weight": 1j})]))):
        with pytest.raises(lw.InputError, match="weights: the values are complex numbers, which no program uses; give real numbers"):
            make()
    assert lw.Graph.from_scipy(matrix.astype(bool)).indices.tolist() == [1, 0]
