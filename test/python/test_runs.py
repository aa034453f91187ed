"""The shipped programs compared with NetworkX and SciPy, settings, and the attributes of a run."""
import inspect
import json
import os
import pickle
import re
import signal
import subprocess
import threading
import time
import warnings

import networkx as nx
import numpy as np
import pandas
import pytest
import scipy.sparse
import scipy.sparse.csgraph as csgraph

import leeway as lw

GRAPH = lw.generate("uniform:400:6", weights="random", seed=3)


@pytest.mark.parametrize("settings", [
    {}, {"nodes": 3, "consistency": "rcp+push"}, {"nodes": 2, "scheduler": "bsp"}, {"nodes": 2, "scheduler": "aap"},
    {"engine": "pie", "nodes": 2}, {"engine": "pie", "nodes": 2, "scheduler": "aap"},
    {"fabric": "sim", "net": "ec2", "nodes": 4},
], ids=str)
def test_shortest_paths_equal_scipy_s(settings):
    expected = csgraph.dijkstra(GRAPH.to_scipy(), indices=GRAPH.names.tolist().index(5))
    assert np.array_equal(lw.sssp(GRAPH, source=5, **settings).values, expected)


def test_components_equal_scipy_s():
    graph = lw.generate("uniform:500:1", undirected=True)
    count, labels = csgraph.connected_components(graph.to_scipy(), directed=False)
    found = lw.cc(graph, nodes=2).values
    assert len(set(found.tolist())) == count
    assert len(set(zip(found.tolist(), labels.tolist()))) == count


def test_counts_of_paths_and_of_shortest_paths():
    graph = lw.Graph.from_edges([0, 0, 1, 2, 1], [1, 2, 2, 3, 3], vertices=4, directed=True)
    assert lw.paths(graph).values.tolist() == [1, 1, 2, 3]
    assert lw.shortest_path_counts(graph, nodes=2).values.tolist() == [1, 1, 1, 2]
    assert lw.Cluster(nodes=2).session(graph).shortest_path_counts().values.tolist() == [1, 1, 1, 2]


def test_heat_takes_arrays_of_right_side_start_and_fixed_cells():
    line = scipy.sparse.diags([-np.ones(8), 2 * np.ones(9), -np.ones(8)], [-1, 0, 1], format="csr")
    fixed = np.full(9, np.nan)
    fixed[0], fixed[8] = 1, 5
    run = lw.heat(lw.Graph.from_scipy(line), nodes=2, rhs=np.zeros(9), fixed=fixed, start=list(range(9)), tolerance=1e-12)
    assert np.allclose(run.values, np.linspace(1, 5, 9))
    with pytest.raises(lw.InputError, match="8 rows"):
        lw.heat(lw.Graph.from_scipy(line), rhs=np.zeros(8))


def test_a_linear_system_is_solved_like_numpy_does():
    drawn = np.random.default_rng(3)
    matrix = drawn.uniform(-1, 1, (40, 40))
    matrix += np.diag(1.3 * np.abs(matrix).sum(axis=1))
    side = drawn.uniform(-5, 5, 40)
    run = lw.linear_system(lw.Graph.from_scipy(scipy.sparse.csr_matrix(matrix)), nodes=2, rhs=side, tolerance=1e-13)
    assert run.converged and np.allclose(run.values, np.linalg.solve(matrix, side), rtol=1e-9)
    with pytest.raises(lw.InputError, match="diverges"):
        lw.linear_system(lw.Graph.from_scipy(scipy.sparse.csr_matrix([[1.0, 3.0], [3.0, 1.0]])))


def test_a_scene_from_a_file(tmp_path):
    scene = tmp_path / "s.csv"
    scene.write_text("x,y,vx,vy\n100,100,0.5,0\n20,30,0,0.25\n")
    assert lw.nbody(scene=str(scene), iterations=4).values.tolist() == [[0, 102, 100, 0.5, 0], [1, 20, 31, 0, 0.25]]


def test_depths_of_unreachable_vertices_are_infinite():
    graph = lw.Graph.from_edges([0, 1], [1, 2], vertices=4)
    assert lw.bfs(graph, source=0).values.tolist() == [0, 1, 2, np.inf]


def test_every_program_has_a_documented_function():
    for name in lw.programs():
        assert getattr(lw, name.replace("-", "_")).__doc__.splitlines()[0].endswith(".")
    assert {name.replace("-", "_") for name in lw.programs()} <= set(lw.__all__)


def test_values_do_not_depend_on_where_they_are_computed():
    one = lw.pagerank(GRAPH, iterations=20, scheduler="bsp").values
    assert np.allclose(one, lw.pagerank(GRAPH, iterations=20, scheduler="bsp", nodes=3).values, rtol=1e-12)


def test_simulations_give_tables():
    plate = lw.jacobi(plate="12x8", iterations=50)
    assert plate.values.ndim == 2 and np.isfinite(plate.values).all()
    assert plate.converged is None


def test_a_run_has_the_contents_of_the_command_s_report(tmp_path):
    mine = lw.pagerank(GRAPH, nodes=2, fabric="sim", net="ec2", seed=4)
    GRAPH.save(tmp_path / "g.lwg")
    subprocess.run([os.environ["COMMAND_UNDER_TEST"], "run", "pagerank", "--graph", "g.lwg", "--nodes", "2", "--fabric", "sim",
                    "--net", "ec2", "--seed", "4", "--report", "r.json", "--out", "v.txt"], cwd=tmp_path, check=True,
                   stdout=subprocess.DEVNULL)
    with open(tmp_path / "r.json", encoding="utf-8") as file:
        theirs = json.load(file)
    for key in ("iterations", "converged", "configuration"):
        assert mine.report[key] == theirs[key]
    assert mine.seconds == theirs["seconds"]["compute"]
    values = [float(line.split()[1]) for line in (tmp_path / "v.txt").read_text().splitlines()]
    assert np.allclose(mine.values, values, rtol=1e-9)


def test_a_run_ended_by_its_iterations_is_not_converged():
    assert lw.sssp(GRAPH, source=5, iterations=1).converged is False
    assert lw.sssp(GRAPH, source=5).converged is True


@pytest.mark.parametrize("settings, what", [
    ({"scheduler": "sideways"}, "sideways"), ({"nodes": 0}, "nodes"), ({"undirected": True}, "in memory already"),
    ({"no_such_thing": 1}, "no such setting"), ({"out": "x"}, "no such setting"), ({"top": 3}, "no such setting"),
    ({"net": "ec2", "source": "xyzzy"}, "xyzzy"),
])
def test_settings_that_do_not_apply_are_refused(settings, what):
    with pytest.raises(lw.InputError, match=what) as caught:
        lw.sssp(GRAPH, **{"source": 5, **settings})
    assert isinstance(caught.value, ValueError)


def test_invalid_programs_and_graphs_are_refused():
    with pytest.raises(lw.InputError, match="pagerank"):
        lw.run("pagerang", GRAPH)
    with pytest.raises(lw.InputError, match=r"a Graph is not a leeway.Graph; use leeway.Graph.from_networkx\(G\)"):
        lw.pagerank(nx.karate_club_graph())
    with pytest.raises(lw.InputError, match="its own scene"):
        lw.run("fish", GRAPH)
    with pytest.raises(lw.InputError, match="graph"):
        lw.run("pagerank")


def test_runs_are_compared_in_a_table():
    runs = [lw.pagerank(GRAPH, nodes=2, fabric="sim", net="ec2", consistency=mode) for mode in ("scp", "rcp")]
    table = lw.compare(runs)
    assert list(table["consistency"]) == ["scp", "rcp"] and "graph" not in table
    assert table["factor"][0] == 1 and (table["messages"] > 0).all()
    assert "<table>" in runs[0]._repr_html_() and "<svg" in runs[0]._repr_html_()


def test_a_sweep_has_one_row_per_combination():
    table = lw.sweep(lw.sssp, GRAPH, consistency=["scp", "rcp"], nodes=[2, 3], net="ec2", fabric="sim", source=5, repeat=3)
    assert len(table) == 4
    assert (table["least"] <= table["seconds"]).all() and (table["seconds"] <= table["most"]).all()
    assert table["converged"].all()


def test_top_returns_the_greatest():
    run = lw.pagerank(lw.generate("known:karate"))
    assert [name for name, _ in run.top(2)] == [34, 1]


LONG = 100_000_000


@pytest.mark.parametrize("program, settings", [
    ("pagerank", {}), ("pagerank", {"nodes": 2}), ("pagerank", {"nodes": 2, "scheduler": "bsp"}),
    ("cf", {"nodes": 2, "scheduler": "bsp", "rate": 1e-6}), ("cf", {"nodes": 2, "scheduler": "aap", "rate": 1e-6}),
    ("jacobi", {"engine": "tick", "plate": "20x20"}), ("jacobi", {"engine": "tick", "plate": "20x20", "nodes": 3}),
    ("fish", {"fish": 50, "nodes": 2}), ("jacobi", {"engine": "piece", "plate": "20x20", "nodes": 2}),
    ("nbody", {"bodies": 50, "nodes": 2}), ("jacobi", {"plate": "20x20", "nodes": 2, "fabric": "sim"}),
], ids=str)
def test_control_c_stops_a_run(program, settings, tmp_path):
    graph = None
    if program == "pagerank":
        graph, settings = lw.generate("uniform:20000:8"), {**settings, "partition": "block"}
    if program == "cf":
        (tmp_path / "r.csv").write_text("user,item,rating\n" + "".join(
            f"u{i},i{i * 7 % 31},{i % 5 + 1}\n" for i in range(300)))
        graph = lw.read(tmp_path / "r.csv", format="ratings")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the test runner may ignore it
    timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            lw.run(program, graph, iterations=LONG, verify=False, **settings)
    finally:
        timer.cancel()  # in case the run was refused
    assert time.monotonic() - began < 20
    assert lw.cc(lw.generate("known:karate")).converged  # another run works


def residuals(run):
    return [(each["residual"]["sum"], each["residual"]["most"]) for each in run.report["series"]]


@pytest.mark.parametrize("settings", [{}, {"nodes": 3}, {"threads": 2}], ids=str)
def test_a_residual_is_the_change_of_ranks_in_a_superstep(settings):
    found = residuals(lw.pagerank(GRAPH, iterations=12, scheduler="bsp", **settings))
    matrix, degrees = GRAPH.to_scipy().copy(), GRAPH.degrees()
    matrix.data[:] = 1
    ranks, expected = np.full(GRAPH.vertices, 1 / GRAPH.vertices), []
    for _ in range(12):
        carried = np.divide(ranks, degrees, out=np.zeros(GRAPH.vertices), where=degrees > 0)
        now = (0.15 + 0.85 * ranks[degrees == 0].sum()) / GRAPH.vertices + 0.85 * (matrix.T @ carried)
        expected.append((np.abs(now - ranks).sum(), np.abs(now - ranks).max()))
        ranks = now
    assert np.allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("program, settings", [
    ("pagerank", {}), ("pagerank", {"nodes": 2, "consistency": "rcp+push", "fabric": "sim"}),
    ("pagerank", {"nodes": 2, "scheduler": "asytick"}), ("pagerank", {"engine": "tick", "nodes": 2, "iterations": 30}),
    ("pagerank", {"engine": "piece", "nodes": 2}), ("heat", {}), ("wave", {"nodes": 2}),
], ids=str)
def test_residuals_fall_until_convergence(program, settings):
    found = residuals(lw.run(program, lw.generate("uniform:300:5"), **settings))
    assert all(0 <= most <= total for total, most in found)
    assert found[-1][0] < found[0][0] / 100


@pytest.mark.parametrize("engine", ["tick", "piece"])
def test_residuals_of_a_plate_are_those_of_its_cells(engine):
    plates = [lw.jacobi(plate="10x8", iterations=ticks, engine=engine, nodes=2).values[:, 2] for ticks in (4, 5)]
    moved = np.abs(plates[1] - plates[0])
    found = residuals(lw.jacobi(plate="10x8", iterations=5, engine=engine, nodes=2))[-1]
    assert np.allclose(found, (moved.sum(), moved.max()), rtol=1e-6)


def test_programs_without_real_values_have_no_residual():
    assert all("residual" not in each for each in lw.sssp(GRAPH, source=5).report["series"])
    assert all("residual" not in each for each in lw.fish(fish=50, iterations=5).report["series"])


def test_a_fabric_unavailable_to_this_process_is_refused():
    for fabric in ("mpi", "ofi"):
        with pytest.raises(lw.InputError, match="started alone"):
            lw.cc(GRAPH, fabric=fabric)


def test_misspellings_are_refused_with_a_suggestion():
    with pytest.raises(lw.InputError, match="did you mean 'nodes'"):
        lw.pagerank(GRAPH, node=2)
    with pytest.raises(lw.InputError, match="not a spec"):
        lw.generate("kron")
    with pytest.raises(lw.InputError, match="not a shipped program"):
        lw.sweep("pagerang", GRAPH)
    with pytest.raises(lw.InputError, match="empty list"):
        lw.sweep("pagerank", GRAPH, nodes=[])
    with pytest.raises(lw.InputError, match="0 repeats"):
        lw.sweep("pagerank", GRAPH, nodes=[1], repeat=0)


def test_top_requires_numeric_values_and_omits_missing_ones():
    for program in ("cc", "cdlp", "coloring"):
        with pytest.raises(lw.InputError, match="no order"):
            lw.run(program, lw.generate("known:karate")).top()
    graph = lw.Graph.from_edges([0, 1, 3], [1, 2, 4])
    assert lw.bfs(graph, source=0).top() == [(2, 2.0), (1, 1.0), (0, 0.0)]
    assert lw.sssp(graph, source=3).top(1) == [(4, 1.0)]


def test_a_run_has_iterations_and_bytes():
    run = lw.pagerank(GRAPH, nodes=2, fabric="sim", net="ec2")
    assert run.iterations == run.report["iterations"] > 0
    assert run.row()["bytes"] == run.report["wire_bytes"] > 0
    assert run.row()["messages"] == sum(each["count"] for each in run.report["messages"].values()) > 0


def test_the_version_is_the_command_s():
    printed = subprocess.run([os.environ["COMMAND_UNDER_TEST"], "--version"], capture_output=True, text=True, check=True).stdout
    assert printed == f"leeway {lw.__version__}\n"


def test_values_are_looked_up_by_name():
    ranks = lw.pagerank(lw.generate("known:karate"))
    assert ranks[34] == ranks.by_name()[34]
    frame = ranks.to_pandas()
    assert frame.set_index("name")["value"].to_dict() == ranks.by_name()
    words = lw.sssp(lw.Graph.from_edges(["a", "b"], ["b", "c"]), source="a")
    assert (words["c"], words.to_pandas()["name"].tolist()) == (2, ["a", "b", "c"])
    with pytest.raises(lw.InputError, match="no vertex 'z'"):
        words["z"]
    assert lw.cc(lw.generate("known:karate")).answer == {"components": 1, "largest": 34}


def test_a_graph_may_be_a_file_or_a_spec(tmp_path):
    GRAPH.save(tmp_path / "g.lwg")
    assert np.array_equal(lw.sssp(tmp_path / "g.lwg", source=5).values, lw.sssp(GRAPH, source=5).values)
    assert lw.cc("known:karate", nodes=2).answer["components"] == 1
    (tmp_path / "e.txt").write_text("1 2\n3 2\n")
    assert lw.bfs(tmp_path / "e.txt", source=1, undirected=True)[3] == 2
    assert np.isinf(lw.bfs(str(tmp_path / "e.txt"), source=1)[3])
    with pytest.raises(lw.InputError, match="no such file"):
        lw.pagerank(tmp_path / "absent.txt")
    with pytest.raises(lw.InputError, match="fish"):
        lw.run("fish", "known:karate")


def test_functions_have_signatures_and_documents():
    parameters = inspect.signature(lw.pagerank).parameters
    assert parameters["damping"].default == 0.85 and parameters["nodes"].default == 1 and "source" not in parameters
    assert "source" in inspect.signature(lw.sssp).parameters and "plate" in inspect.signature(lw.jacobi).parameters
    assert "damping: pagerank: damping factor" in lw.pagerank.__doc__
    assert list(parameters)[:2] == ["graph", "damping"] and len(parameters) < 30 and list(parameters)[-1] == "settings"
    assert re.search(r"\n\d+ more: lw.settings\(\"\w+\"\) describes one, lw.settings\(\) all:\n", lw.pagerank.__doc__)
    assert lw.pagerank.__doc__.count("\n") < 60
    assert "replay" not in lw.pagerank.__doc__ and lw.settings("iterations").count("figure") == 0  # the parts of other commands
    names = set(lw.settings()) | {"settings"}
    for name in lw.programs():
        assert {each.rstrip("_") for each in inspect.signature(getattr(lw, name.replace("-", "_"))).parameters} <= names | {"graph", "gather"}


def test_the_signatures_are_valid_and_has_every_program():
    import leeway.programs  # the name leeway.programs is the function
    import sys

    names = {}
    text = sys.modules["leeway.programs"].signatures()
    exec(compile(text, "programs.pyi", "exec"), names)
    assert inspect.signature(names["pagerank"]).parameters["consistency"].default == "rcp+push"
    assert set(names["__all__"]) <= set(dir(lw))


def test_a_missing_name_has_a_suggestion():
    for name, remedy in [("connected_components", "it is lw.cc"), ("pagrank", "did you mean lw.pagerank?"), ("from_networkx", "lw.Graph.from_networkx"),
                         ("leiden", r"lw.programs\(\) lists"), ("betweenness_centrality", "it is lw.betweenness"),
                         ("minimum_spanning_tree", "it is lw.spanning_forest"),
                         ("_hidden", "")]:
        with pytest.raises(AttributeError, match=f"module 'leeway' has no attribute '{name}'.*{remedy}"):
            getattr(lw, name)
    assert not hasattr(lw, "cliques")


def test_a_setting_without_its_name_is_refused_with_it():
    for call, remedy in [(lambda: lw.sssp(GRAPH, 0), "sssp: .*write source=0"), (lambda: lw.bfs(GRAPH, "a"), "write source='a'"),
                         (lambda: lw.pagerank(GRAPH, 0.9, 10), "write them as keyword arguments, such as damping="),
                         (lambda: lw.fish(None, 5), "write .*=5")]:
        with pytest.raises(TypeError, match=remedy):
            call()


def test_settings_describes_one_setting():
    assert lw.settings("consistency") == lw.settings()["consistency"] and "scp" in lw.settings("consistency")
    with pytest.raises(lw.InputError, match="did you mean 'consistency'"):
        lw.settings("consistensy")


@pytest.mark.parametrize("call, words", [
    (lambda: lw.pagerank(GRAPH, alpha=0.85), "pagerank has no setting alpha here; NetworkX's alpha is damping="),
    (lambda: lw.pagerank(5), "pagerank: an int is not a leeway.Graph"),
    (lambda: lw.run(5, GRAPH), "an int is not a program"),
    (lambda: lw.pagerank(GRAPH, workers=3, strict=True), "workers: has no effect here: .*engine='pie'"),
    (lambda: lw.sssp(GRAPH, source=999), "source: .*names are in its .names"),
    (lambda: lw.pagerank(GRAPH, piece_ordr="arrival"), "did you mean 'piece_order'"),
    (lambda: lw.pagerank(GRAPH, iterations=3, tolerance=1e-3, strict=True), "iterations= fixes"),
    (lambda: lw.sssp(GRAPH, source=5, wieght=None), "wieght: there is no such setting"),
    (lambda: lw.sssp(GRAPH, source=5, weight=None), "weight: .*from_networkx.G, weight=None"),
    (lambda: lw.sssp(GRAPH, source=5, weights="none"), "weights: the graph is in memory already; .*from_networkx.G, weight=None"),
    (lambda: lw.pagerank(GRAPH, directed=False), "directed: the graph is in memory already; use Graph.to_undirected"),
    (lambda: lw.pagerank(GRAPH, tol=1e-3), "tol: .*tolerance="),
    (lambda: lw.pagerank(GRAPH, max_iter=None), "max_iter: .*iterations="),
    (lambda: lw.pagerank(GRAPH, max_iterations=5), "max_iterations: .*iterations="),
    (lambda: lw.pagerank(GRAPH, nstart={5: 1}), "there are no given start values"),
    (lambda: lw.pagerank(GRAPH, out="ranks.txt"), "out: .*Run.to_csv.*report="),
    (lambda: lw.pagerank(None), "pagerank: graph: there is no graph"),
    (lambda: lw.pagerank(nx.path_graph(3)), "use leeway.Graph.from_networkx"),
    (lambda: lw.pagerank(scipy.sparse.eye(3, format="csr")), "use leeway.Graph.from_scipy"),
    (lambda: lw.pagerank(np.eye(3)), "use leeway.Graph.from_numpy.*from_scipy"),
    (lambda: lw.pagerank(pandas.DataFrame()), "use leeway.Graph.from_pandas"),
])
def test_errors_speak_of_arguments(call, words):
    with pytest.raises(lw.InputError, match=words) as caught:
        call()
    assert "--" not in str(caught.value)


def test_settings_without_effect_warn():
    with pytest.warns(lw.SettingWarning, match="workers has no effect here: .*engine='pie'") as caught:
        assert lw.pagerank(GRAPH, workers=3).converged
    assert caught[0].filename == __file__ and issubclass(lw.SettingWarning, UserWarning)
    with pytest.warns(lw.SettingWarning, match="duplicates|weight_low"):
        lw.generate("known:karate", weight_low=3)


def test_a_source_that_was_not_given_is_named():
    for program in (lw.sssp, lw.bfs, lw.shortest_path_counts):
        with pytest.warns(lw.SettingWarning, match="source was not given; paths start at 5, the first vertex"):
            program(lw.Graph.from_edges([(5, 7), (7, 9)]))
    with pytest.warns(lw.SettingWarning, match="paths start at 1, the first vertex with an arc to another vertex"):
        assert lw.bfs(lw.Graph.from_edges([1], [2], vertices=3)).values.tolist() == [np.inf, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.sssp(GRAPH, source=0)
        lw.pagerank(GRAPH)


def test_own_programs_take_files_and_specs(tmp_path):
    (tmp_path / "e.txt").write_text("1 2\n2 3\n")
    for run in own_runs(tmp_path / "e.txt", directed=False):
        assert run.by_name() == {1: 0, 2: 1, 3: 2} and not run.graph.directed
    for call, words in (("absent.txt", "no such file"), ("kron:x", "kron"), (None, "no graph"), (5, "not a leeway.Graph")):
        with pytest.raises(lw.InputError, match=words):
            own_runs(call)
    with pytest.raises(lw.InputError, match="in memory already"):
        own_runs(GRAPH, directed=False)


def test_a_snapshot_folder_that_cannot_be_made_is_refused_at_the_start():
    with pytest.raises(lw.Error, match="/proc/x"):
        lw.pagerank(GRAPH, snapshot="/proc/x")


def own_runs(graph, **settings):
    """Runs of an own vertex program and of an own PIE program, whose values are the vertices' numbers."""
    class Numbers(lw.VertexProgram):
        def init(self, part):
            return part.vertices.astype(float)

        def apply(self, gathered, old, part):
            return old

    class Same(lw.PieProgram):
        def init(self, part):
            return part.vertices.astype(float)

        def peval(self, part):
            pass

        def inceval(self, part, places):
            pass

    return [lw.run(program(), graph, **settings) for program in (Numbers, Same)]


def test_a_run_is_like_a_dictionary_of_names():
    karate = lw.generate("known:karate")
    for run in (lw.pagerank(karate), lw.cc(karate), *own_runs(karate), *own_runs("known:karate", nodes=2)):
        assert len(run) == 34 and 34 in run and 99 not in run and [] not in run and bool(run)
        assert list(run) == run.keys() == list(karate) and dict(run) == dict(run.items()) == run.by_name()
        assert run.get(99) is None and run.get(99, 1) == 1 and run.get(1) == run[1] == run.by_name()[1]
        assert np.array_equal(np.asarray(run), run.values) and run.to_pandas()["name"].tolist() == list(run)
        for each in (run, pickle.loads(pickle.dumps(run))):
            with pytest.raises(ValueError, match="read-only"):
                each.values[0] = 1
        with pytest.raises(lw.InputError, match="no vertex 99"):
            run[99]
    assert own_runs(karate)[0].top(1) == own_runs(karate)[1].top(1) == [(34, 33.0)]
    plate = lw.jacobi(plate="5x5", iterations=3)
    assert not plate.values.flags.writeable
    for use in (list, len, dict, lambda run: 3 in run):
        with pytest.raises(lw.InputError, match="there are no vertices; use values"):
            use(plate)


@pytest.mark.parametrize("program", ["cc", "cdlp"])
@pytest.mark.parametrize("settings", [{}, {"nodes": 2, "engine": "pie"}], ids=str)
def test_values_that_are_vertices_have_names(program, settings, tmp_path):
    theirs = nx.Graph([("b", "a"), ("c", "b"), ("x", "y"), ("a", "c")])
    graph = lw.Graph.from_networkx(theirs)
    if program == "cdlp" and settings:
        settings = {"nodes": 2}
    run = lw.run(program, graph, **settings)
    assert run.by_name() == dict(run.items()) == {name: run[name] for name in run}
    assert all(run.by_name()[name] == graph.names[number] for name, number in zip(graph, run.values.tolist()))
    assert run["c"] == run["b"] == run["a"] in theirs and run["x"] == run["y"] != run["a"]
    assert run.to_pandas()["value"].tolist() == [run[name] for name in run]
    graph.save(tmp_path / "g.lwg")
    assert lw.run(program, tmp_path / "g.lwg", gather=False, **({} if "engine" in settings else settings)).by_name() == run.by_name()


def test_values_are_written_as_csv(tmp_path):
    graph = lw.Graph.from_networkx(nx.Graph([("a, b", "c"), ("d", "d")]))
    path = tmp_path / "v.csv"
    run = lw.sssp(graph, source="c")
    for _ in range(2):
        run.to_csv(path)
    assert path.read_text() == 'name,value\n"a, b",1.0\nc,0.0\nd,inf\n'
    lw.cc(graph).to_csv(path)
    assert pandas.read_csv(path).set_index("name")["value"].to_dict() == lw.cc(graph).by_name()
    path.write_text("dear diary\n")
    with pytest.raises(lw.InputError, match="the file exists, and Leeway did not write it; give force=True"):
        run.to_csv(path)
    run.to_csv(path, force=True)
    assert path.read_text().startswith("name,value\n")


def test_ticks_are_iterations():
    class Still(lw.TickProgram):
        columns, rows = 3, 3

        def init(self, block):
            return 1

        def step(self, before, block):
            return before[1:-1, 1:-1]

    run = lw.run(Still(), iterations=7)
    assert run.iterations == run.ticks == 7 and not run.values.flags.writeable
