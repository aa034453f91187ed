"""Graphs: read from files, generated, or converted from NumPy, SciPy, NetworkX and pandas."""
from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional, Sequence, Union

import numpy as np

from leeway import _core
from leeway.errors import InputError, InputTypeError, an, warn, warn_of_settings
from leeway.settings import command_settings, opening_settings, truth
from leeway.tables import column_of

if TYPE_CHECKING:
    import networkx
    import pandas
    import scipy.sparse


class Graph:
    """An immutable graph or sparse matrix in memory: an ascending list of out-arcs per vertex.

    An undirected edge is in the lists of both its ends. `indptr`, `indices` and `weights` are the rows in the format of
    SciPy's `csr_array`, as read-only views.
    """

    def __init__(self, core: _core.Graph, name: str = ""):
        if not isinstance(core, _core.Graph):
            raise InputTypeError("graphs are made by functions", "leeway.Graph", conversion_of(core) or
                                 "use leeway.read, leeway.generate, Graph.from_edges, Graph.from_networkx ...")
        self._core = core
        self.name = name
        self._labels: Optional[Sequence[Any]] = None  # the user's vertex names, in vertex order
        self._words = False  # whether the core uses the labels' texts as names
        self._places: Optional[dict[Any, int]] = None
        self._known_names: Union[np.ndarray, list, None] = None
        self._in: Optional[tuple] = None  # the in-arcs: offsets, sources, weights

    # -- conversion from other libraries

    @classmethod
    def from_csr(cls, indptr, indices, weights=None, *, names=None, directed: bool = True, copy: bool = True,
                 name: str = "from arrays") -> "Graph":
        """A graph from the rows of a sparse matrix: arc row -> column. Columns ascend within a row. With directed=False the
        matrix must be symmetric, and an edge is in both rows. With copy=False arrays of the types uint64 (or int64),
        uint32 (or int32) and float64 are used in place and become read-only; other views of the same memory must not be written either."""
        indptr = np.asarray(indptr)
        indices = np.asarray(indices)
        for what, array in (("indptr", indptr), ("indices", indices)):
            if array.ndim != 1 or array.dtype.kind not in "iu":
                raise InputError(f"not a list of whole numbers ({array.dtype})", what, "give a flat integer array")
            if array.size and array.dtype.kind == "i" and array.min() < 0:
                raise InputError("a negative number", what, "vertices count from 0")
        offsets = _as(indptr, np.int64, np.uint64)
        targets = _as(_fits(indices), np.int32, np.uint32)
        values, whole = _weights(weights)
        given = (indptr, indices, weights)
        kept = [array if array is None else _kept(array, before, copy)
                for array, before in zip((offsets, targets, values), given)]
        known = _names(names)
        made = cls(_core.Graph.over(*kept, whole, known, True), name)
        if not truth("directed", directed):
            if not made._is_symmetric():
                raise InputError("directed=False, but the matrix is not symmetric", name, "give its symmetric form, such as "
                                 "A.maximum(A.T), or use to_undirected() on the directed graph")
            made._core, made._in = _core.Graph.over(*kept, whole, known, False), None
        return made._labelled(names, known)

    @classmethod
    def from_edges(cls, sources, targets=None, weights=None, *, vertices: Optional[int] = None, directed: bool = True,
                   names=None, name: str = "from edges") -> "Graph":
        """A graph from two arrays of vertex numbers, or from one list or array of pairs (source, target) or triples (source,
        target, weight). Without `vertices` or `names`, the numbers (or words) that occur are the vertices' names, and the other
        numbers are left out (a warning reports them if most occur); with either, vertices are numbered from 0. An edge of
        an undirected graph is given once."""
        if targets is None:
            sources, targets, weights = _columns(sources, weights)
        directed = truth("directed", directed)
        sources, targets = np.asarray(sources), np.asarray(targets)
        if sources.shape != targets.shape or sources.ndim != 1:
            raise InputError(f"{sources.shape} sources and {targets.shape} targets", "from_edges",
                             "give two flat arrays of one length, or one list of pairs or triples")
        if vertices is None and names is None:
            for what, array in (("sources", sources), ("targets", targets)):
                _check_names(what, array)
            names, sources, targets = _numbered(sources, targets)
            _warn_of_gaps(names)
        count = int(vertices) if vertices is not None else len(names)
        for what, array in (("sources", sources), ("targets", targets)):
            if array.size and array.dtype.kind not in "iu":
                raise InputError(f"not whole numbers ({array.dtype})", what, "give numbers from 0, or leave vertices and names out")
        if names is not None and len(names) != count:
            raise InputError(f"{len(names)} names for {count} vertices", "names", "give one for each")
        for what, array in (("sources", sources), ("targets", targets)):
            if array.size and (array.min() < 0 or array.max() >= count):
                raise InputError(f"a vertex beyond the {count} there are", what, "vertices count from 0")
        values, whole = _weights(weights)
        if values is not None and values.shape != sources.shape:
            raise InputError(f"{len(values)} weights for {len(sources)} edges", "weights", "give one for each")
        known = _names(names)
        core = _core.Graph.from_edges(count, sources.astype(np.uint32), targets.astype(np.uint32), values, whole,
                                      directed, known)
        return cls(core, name)._labelled(names, known)

    @classmethod
    def from_numpy(cls, edges, *, directed: bool = True, name: str = "from NumPy") -> "Graph":
        """A graph from an array with one row per edge: source, target and, if there is a third column, weight. The numbers of
        sources and targets are the vertices' names. For an adjacency matrix: from_scipy(scipy.sparse.csr_array(matrix))."""
        edges = np.asarray(edges)
        if edges.ndim != 2 or edges.shape[1] not in (2, 3):
            raise InputError(f"an array of shape {edges.shape}", "from_numpy",
                             f"give (m, 2), or (m, 3) with weights; {_OF_MATRIX}")
        if edges.shape == (3, 3) and edges.dtype.kind == "f":
            warn(f"from_numpy: the 3 x 3 array is read as three edges (from_edges does so without a warning); {_OF_MATRIX}",
                 UserWarning)
        return cls.from_edges(edges, directed=directed, name=name)

    @classmethod
    def from_scipy(cls, matrix: "scipy.sparse.spmatrix", *, directed: bool = True, copy: bool = True,
                   name: str = "from SciPy") -> "Graph":
        """An entry (i, j) is an arc from i to j with its value as weight. Stored zeros are arcs. `directed` and `copy` as in
        from_csr."""
        if not hasattr(matrix, "tocsr"):
            raise InputError(f"{an(matrix)} is not a sparse matrix", "from_scipy",
                             "make one by scipy.sparse.csr_array")
        if matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"a matrix of {matrix.shape[0]} x {matrix.shape[1]}", "from_scipy",
                             "a graph's matrix is square")
        rows = matrix.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        weights = None if rows.dtype == bool else rows.data
        return cls.from_csr(rows.indptr, rows.indices, weights, directed=directed, copy=copy, name=name)

    @classmethod
    def from_networkx(cls, graph: "networkx.Graph", weight: Optional[str] = "weight",
                      *, name: str = "from NetworkX") -> "Graph":
        """The vertices' names are NetworkX's nodes, in its order. `weight` is the edge attribute with the weights: used if
        any edge has it; edges without it weigh 1."""
        if not hasattr(graph, "nodes") or not hasattr(graph, "is_directed"):
            raise InputError(f"{an(graph)} is not a NetworkX graph", "from_networkx", "make one by networkx.Graph")
        nodes = list(graph.nodes)
        place = {node: i for i, node in enumerate(nodes)}
        edges = list(graph.edges(data=weight if weight is not None else False))
        sources = np.fromiter((place[edge[0]] for edge in edges), np.uint32, len(edges))
        targets = np.fromiter((place[edge[1]] for edge in edges), np.uint32, len(edges))
        weights = None
        if weight is not None and any(edge[2] is not None for edge in edges):
            weights = np.array([1 if edge[2] is None else edge[2] for edge in edges])
        texts = set(map(str, nodes))
        named = len(texts) == len(nodes) and all(map(_is_one_line, texts))  # else the core numbers the vertices
        made = cls.from_edges(sources, targets, weights, vertices=len(nodes), directed=graph.is_directed(),
                              names=nodes if named else None, name=name)
        made._labels = nodes
        return made

    @classmethod
    def from_pandas(cls, frame: "pandas.DataFrame", source: str = "source", target: str = "target",
                    weight: Optional[str] = "weight", *, directed: bool = True, name: str = "from pandas") -> "Graph":
        """Each row is an edge. Ends may be numbers or words, which become the vertices' names. `weight` names the column of
        weights. The graph has no weights with weight=None, or by default if there is no column "weight"."""
        if not hasattr(frame, "columns"):
            raise InputError(f"{an(frame)} is not a table", "from_pandas", "give a pandas.DataFrame")
        weight = _weight_column(list(frame.columns), source, target, weight, "from_pandas")
        for column in (source, target):
            if frame[column].isna().any():
                row = int(np.flatnonzero(frame[column].isna())[0])
                raise InputError(f"row {row} has no {column}", "from_pandas", "leave such rows out: frame.dropna()")
        names, sources, targets = _numbered(_ends(frame[source]), _ends(frame[target]))
        weights = None if weight is None else frame[weight].to_numpy()
        return cls.from_edges(sources, targets, weights, vertices=len(names), directed=directed, names=names, name=name)

    @classmethod
    def from_table(cls, table: Any, source: str = "source", target: str = "target", weight: Optional[str] = "weight",
                   *, directed: bool = True, name: str = "from a table") -> "Graph":
        """As from_pandas, from any table with the dataframe interchange protocol: `pyarrow.Table` (also of a Parquet file, by
        `pyarrow.parquet.read_table`), `polars.DataFrame` and others. Columns of numbers are read where they are."""
        if not hasattr(table, "__dataframe__"):
            raise InputError(f"{an(table)} is not a table", "from_table", "give a table with the method __dataframe__")
        weight = _weight_column(list(table.__dataframe__().column_names()), source, target, weight, "from_table")
        names, sources, targets = _numbered(_ends(column_of(table, source, "source")), _ends(column_of(table, target, "target")))
        weights = None if weight is None else column_of(table, weight, "weight")
        return cls.from_edges(sources, targets, weights, vertices=len(names), directed=directed, names=names, name=name)

    # -- properties

    @property
    def vertices(self) -> int:
        return self._core.vertices

    @property
    def edges(self) -> int:
        """Arcs of a directed graph; edges of an undirected one."""
        return self._core.edges

    @property
    def arcs(self) -> int:
        return self._core.arcs

    @property
    def directed(self) -> bool:
        return self._core.directed

    @property
    def indptr(self) -> np.ndarray:
        return self._core.indptr

    @property
    def indices(self) -> np.ndarray:
        return self._core.indices

    @property
    def weights(self) -> Optional[np.ndarray]:
        return self._core.weights

    @property
    def names(self) -> Union[np.ndarray, list]:
        """The vertices' names in the input, in vertex order."""
        names = self._all_names()
        return names.copy() if isinstance(names, np.ndarray) else list(names)

    def degrees(self) -> np.ndarray:
        """The number of out-arcs of each vertex."""
        return np.diff(self.indptr.astype(np.int64))

    def degree(self, vertex: Any) -> int:
        """The number of out-arcs of the vertex named `vertex`."""
        place = self._place(vertex)
        return int(self.indptr[place + 1] - self.indptr[place])

    def neighbors(self, vertex: Any) -> list:
        """The names of the out-neighbours of the vertex named `vertex`; one for each arc."""
        place = self._place(vertex)
        return self._named(self.indices[int(self.indptr[place]): int(self.indptr[place + 1])])

    def in_neighbors(self, vertex: Any) -> list:
        """The names of the in-neighbours of the vertex named `vertex`; one for each arc. The first call on a directed graph
        reverses all arcs."""
        place = self._place(vertex)
        starts, sources, _ = self._in_arcs()
        return self._named(sources[int(starts[place]): int(starts[place + 1])])

    def has_edge(self, source: Any, target: Any) -> bool:
        """Whether there is an arc from `source` to `target`, given by name."""
        start, end = self._find(source), self._find(target)
        if start is None or end is None:
            return False
        return bool((self.indices[int(self.indptr[start]): int(self.indptr[start + 1])] == end).any())

    # -- the calls that users of NetworkX expect

    def is_directed(self) -> bool:
        return self.directed

    def number_of_nodes(self) -> int:
        return self.vertices

    def number_of_edges(self) -> int:
        return self.edges

    def copy(self) -> "Graph":
        """A graph over the same memory: graphs are immutable."""
        made = Graph(self._core, self.name)
        made._labels, made._words = self._labels, self._words
        return made

    def reverse(self) -> "Graph":
        """The graph with every arc reversed."""
        if not self.directed:
            return self.copy()
        starts, sources, weights = self._in_arcs()
        made = self.copy()
        made._core = _core.Graph.over(starts, sources, weights, self._core.whole_weights, self._core.own_names, True)
        return made

    def to_undirected(self) -> "Graph":
        """The undirected graph of these edges. Arcs between the same two vertices become one edge, with their smallest weight."""
        if not self.directed:
            return self.copy()
        sources, targets, weights = self._edge_places()
        low, high = np.minimum(sources, targets), np.maximum(sources, targets)
        order = np.lexsort((high, low) if weights is None else (weights, high, low))
        low, high = low[order], high[order]
        first = np.ones(len(low), dtype=bool)
        first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        made = self.copy()
        weights = None if weights is None else _whole_if_possible(weights[order][first])
        values, whole = _weights(weights)
        made._core = _core.Graph.from_edges(self.vertices, low[first], high[first], values, whole, False, self._core.own_names)
        return made

    def edge_list(self) -> tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
        """Arrays of the edges' sources, targets (by name) and weights (None if there are none). An undirected edge occurs
        once."""
        sources, targets, weights = self._edge_places()
        names = self._all_names()
        if not isinstance(names, np.ndarray):
            words, names = names, np.empty(len(names), dtype=object)
            names[:] = words
        return names[sources], names[targets], weights

    def subgraph(self, vertices: Iterable[Any]) -> "Graph":
        """The graph of the vertices with these names and of the edges between them, in this graph's order."""
        places = np.unique(np.array([self._place(vertex) for vertex in vertices], dtype=np.int64))
        names = self._all_names()
        own = names[places] if isinstance(names, np.ndarray) else [names[place] for place in places]
        by_number = self._labels is not None and not self._words
        made = self._renumbered(places, None if by_number else own)
        made.name = f"part of {self.name}"
        if by_number:
            made._labels = own
        return made

    def _renumbered(self, places: np.ndarray, names) -> "Graph":
        """The graph of the vertices with these numbers, in this order, and of the edges between them."""
        moved = np.full(self.vertices, -1, dtype=np.int64)
        moved[places] = np.arange(len(places))
        sources, targets, weights = self._edge_places()
        inside = (moved[sources] >= 0) & (moved[targets] >= 0)
        weights = None if weights is None else _whole_if_possible(weights[inside])
        return Graph.from_edges(moved[sources[inside]], moved[targets[inside]], weights, vertices=len(places),
                                directed=self.directed, names=names, name=self.name)

    def to_networkx(self) -> "networkx.Graph":
        """A NetworkX graph of the same names; a multigraph if two edges have the same ends."""
        import networkx

        sources, targets, weights = self._edge_places()
        parallel = len(np.unique(sources.astype(np.int64) * self.vertices + targets)) < len(sources)
        kind = ((networkx.MultiDiGraph if self.directed else networkx.MultiGraph) if parallel
                else (networkx.DiGraph if self.directed else networkx.Graph))
        made = kind()
        made.add_nodes_from(self)
        ends = zip(self._named(sources), self._named(targets))
        if weights is None:
            made.add_edges_from(ends)
        else:
            made.add_weighted_edges_from((*both, weight) for both, weight in zip(ends, weights.tolist()))
        return made

    def to_pandas(self) -> "pandas.DataFrame":
        """A table of the edges: source, target and, if the graph has weights, weight. Vertices without edges are left out."""
        import pandas

        sources, targets, weights = self.edge_list()
        frame = pandas.DataFrame({"source": sources, "target": targets})
        return frame if weights is None else frame.assign(weight=weights)

    def to_scipy(self) -> "scipy.sparse.csr_array":
        """The rows as a sparse matrix; its entries are 1 if the graph has no weights."""
        import scipy.sparse

        data = self.weights if self.weights is not None else np.ones(self.arcs)
        return scipy.sparse.csr_array((data, self.indices.view(np.int32), self.indptr.view(np.int64)),
                                      shape=(self.vertices, self.vertices))

    def save(self, path: Union[str, os.PathLike], **settings) -> None:
        """Writes the graph in the format given by the suffix of `path`, like `leeway convert`. A file that Leeway did not
        write is replaced only with force=True."""
        self._for_file().save(os.fspath(path), command_settings(settings))

    def _labelled(self, names, known) -> "Graph":
        """Keeps names that the core has as texts, or that are a list. `known`: the names as the core has them."""
        if isinstance(known, list) or isinstance(names, list):
            self._labels = names.tolist() if isinstance(names, np.ndarray) else list(names)
            self._words = True
        return self

    def _for_file(self) -> _core.Graph:
        """The graph with all names in the core, as files keep them. Whole numbers become ascending numbers."""
        if self._labels is None:
            return self._core
        if _are_numbers(self._labels):
            numbers = np.array(self._labels, dtype=np.int64)
            order = np.argsort(numbers)
            return self._core if (np.diff(order) == 1).all() else self._renumbered(order, numbers[order])._core
        other = next((label for label in self._labels if not _is_number(label) and not isinstance(label, str)), None)
        if not self._words:
            what = ("two vertex names have the same text" if len(set(map(str, self._labels))) < len(self._labels)
                    else "a vertex name has a line break")
            raise InputError(f"{what}, and files keep each name as one line of text", "save",
                             "rename the vertices before the graph is made: networkx.relabel_nodes")
        if other is not None:
            warn(f"vertex names such as {other!r} are neither words nor whole numbers; the file has their text", UserWarning)
        return self._core

    def _vertex_name(self, vertex: Any) -> str:
        """The command's name of the vertex that the user names `vertex`."""
        if self._labels is None:
            return _word(vertex)
        place = self._place(vertex, "source")
        return str(self._labels[place] if self._words else place)

    def _all_names(self) -> Union[np.ndarray, Sequence[Any]]:
        if self._labels is not None:
            return self._labels
        if self._known_names is None:
            self._known_names = self._core.names()
        return self._known_names

    def _named(self, places: np.ndarray) -> list:
        """The names of these vertices."""
        names = self._all_names()
        return names[places].tolist() if isinstance(names, np.ndarray) else [names[place] for place in places.tolist()]

    def _with_arcs(self, core: _core.Graph) -> "Graph":
        """A graph with the same vertices."""
        graph = Graph(core, self.name)
        graph._labels, graph._words, graph._places, graph._known_names = self._labels, self._words, self._places, self._known_names
        return graph

    def _find(self, vertex: Any) -> Optional[int]:
        """The number of the vertex with this name; None if there is none."""
        names = self._all_names()
        if isinstance(names, np.ndarray):  # ascending
            if isinstance(vertex, (bool, np.bool_)) or not isinstance(vertex, (int, np.integer)) or not 0 <= vertex < 2**64:
                return None
            place = int(np.searchsorted(names, np.uint64(vertex)))
            return place if place < len(names) and names[place] == vertex else None
        if self._places is None:
            self._places = {name: place for place, name in enumerate(names)}
        try:
            return self._places.get(vertex)
        except TypeError:  # an object without a hash is not a vertex name
            return None

    def _place(self, vertex: Any, where: str = "") -> int:
        place = self._find(vertex)
        if place is None:
            raise InputError(f"the graph has no vertex {vertex!r}", where or self.name, "the graph's names are in its .names")
        return place

    def _in_arcs(self) -> tuple:
        if self._in is None:
            self._in = self._core.in_arcs()
        return self._in

    def _is_symmetric(self) -> bool:
        out = (self.indptr, self.indices, self.weights)
        return all(np.array_equal(mine, theirs) for mine, theirs in zip(out, self._in_arcs()) if mine is not None)

    def _edge_places(self) -> tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
        """The edges by vertex numbers; an undirected edge once."""
        sources = np.repeat(np.arange(self.vertices, dtype=np.uint32), self.degrees())
        targets, weights = self.indices, self.weights
        if self.directed:
            return sources, targets, weights
        once = sources <= targets
        return sources[once], targets[once], None if weights is None else weights[once]

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"<leeway.Graph '{self.name}': {self.vertices} vertices, {self.edges} edges, {kind}>"

    def _repr_html_(self) -> str:
        facts = {"vertices": self.vertices, "edges": self.edges, "kind": "directed" if self.directed else "undirected",
                 "weights": "yes" if self._core.weighted else "no"}
        return html_table({"graph": self.name, **facts})

    def __len__(self) -> int:
        return self.vertices

    def __getitem__(self, vertex: Any) -> list:
        """The names of the out-neighbours, like `neighbors`."""
        return self.neighbors(vertex)

    def __iter__(self) -> Iterator[Any]:
        """The vertices' names."""
        names = self._all_names()
        return iter(names.tolist() if isinstance(names, np.ndarray) else list(names))

    def __contains__(self, vertex: Any) -> bool:
        return self._find(vertex) is not None

    def __eq__(self, other: object) -> bool:
        """Whether both have the same vertices, names, arcs and weights."""
        if not isinstance(other, Graph):
            return NotImplemented
        mine, theirs = self._core.__getstate__(), other._core.__getstate__()
        same = all(np.array_equal(one, two) for place, (one, two) in enumerate(zip(mine[:7], theirs)) if place != 1)
        return same and list(self) == list(other)

    def __hash__(self) -> int:
        return hash((self.vertices, self.arcs, self.directed))

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_in": None, "_places": None, "_known_names": None}


def html_table(facts: dict[str, Any]) -> str:
    rows = "".join(f"<tr><th style='text-align:left'>{escape(str(key))}</th><td>{escape(str(value))}</td></tr>"
                   for key, value in facts.items() if value not in (None, ""))
    return f"<table>{rows}</table>"


def read(path: Union[str, os.PathLike], **settings) -> Graph:
    """Reads a graph in any format of the command, compressed or not. `settings`: directed (True: an edge is one arc; False: two;
    default: as the file declares, else True) or its opposite undirected, symmetrize, duplicates, merge_weights, self_loops,
    weights, weight_low, weight_high, seed, format, columns, delimiter, header, threads, strict; see `leeway.settings(name)`."""
    path = os.fsdecode(path)
    if not os.path.exists(path):
        raise InputError("no such file", path, "leeway.generate makes graphs from specs")
    return _open(path, opening_settings("read", settings))


def generate(spec: str, **settings) -> Graph:
    """Generates a graph from a spec, such as "kron:16", "uniform:1000:8", "grid2d:30x30", "known:karate". `settings` as
    for `read`: directed=False, weights="random", seed=7, ..."""
    if not isinstance(spec, str) or not _core.Graph.is_spec(spec):
        raise InputError(f"'{spec}' is not a spec", "generate",
                         "write one such as kron:16, uniform:1000:8, grid2d:30x30 or known:karate; leeway.read reads files")
    return _open(spec, opening_settings("generate", settings))


def _open(name: str, settings: list[tuple[str, str]]) -> Graph:
    core, warnings = _core.Graph.open(name, settings)
    warn_of_settings(warnings)
    return Graph(core, name)


#: The conversion of the graphs and tables of other libraries.
_CONVERSIONS = {"networkx": "from_networkx(G)", "scipy": "from_scipy(matrix)", "pandas": "from_pandas(frame)",
                "pyarrow": "from_table(table)", "polars": "from_table(table)",
                "numpy": "from_numpy(edges), or from_scipy(scipy.sparse.csr_array(matrix))"}


def conversion_of(thing: Any) -> str:
    """How to make a Graph of this object; "" if it is not known."""
    libraries = [kind.__module__.split(".")[0] for kind in type(thing).__mro__]
    found = next((library for library in libraries if library in _CONVERSIONS), None)
    return f"use leeway.Graph.{_CONVERSIONS[found]}" if found else ""


def check_is_graph(graph: Any, where: str) -> None:
    if graph is None:
        raise InputError("there is no graph (None)", f"{where}: graph", "give a leeway.Graph, a file or a spec")
    if not isinstance(graph, Graph):
        raise InputError(f"{an(graph)} is not a leeway.Graph", where, conversion_of(graph) or
                         "give a leeway.Graph, made by read, generate, Graph.from_edges, Graph.from_networkx ...")


_OF_MATRIX = "for an adjacency matrix use from_scipy(scipy.sparse.csr_array(matrix))"


def _columns(edges, weights) -> tuple:
    """Sources, targets and weights of a list or array of pairs or triples."""
    rows = edges if isinstance(edges, np.ndarray) else list(edges) if hasattr(edges, "__iter__") else [None]
    if isinstance(rows, np.ndarray):
        columns = list(rows.T) if rows.ndim == 2 else []
    else:
        sizes = {len(row) if isinstance(row, (tuple, list, np.ndarray)) else 0 for row in rows}
        columns = [list(column) for column in zip(*rows)] if len(sizes) == 1 and 0 not in sizes else [[], []] if not rows else []
    if len(columns) not in (2, 3):
        raise InputTypeError(f"{an(edges)} is not a list of pairs or triples", "from_edges", conversion_of(edges) or
                             "give sources and targets, or one list of (source, target) or (source, target, weight)")
    if len(columns) == 3 and weights is not None:
        raise InputError("weights are given twice", "from_edges", "give pairs and weights, or triples")
    return _ends(columns[0]), _ends(columns[1]), columns[2] if len(columns) == 3 else weights


#: Numbers of vertices are dense if their range is at most this many times the number of edges.
_DENSE = 4


def _warn_of_gaps(names: np.ndarray) -> None:
    """Numbers of which most occur look like indices, which they are not if some are missing."""
    if names.dtype.kind not in "iu" or not len(names):
        return
    low, high = int(names[0]), int(names[-1])
    missing = high - low + 1 - len(names)
    if 0 < missing <= len(names):
        warn(f"{missing} of the numbers from {low} to {high} do not occur in the edges and are no vertices, so values[i] is not "
             f"vertex i; Graph.from_edges(..., vertices={high + 1}) has them all", UserWarning)


def _numbered(sources: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The names that occur, ascending, and the ends as indices into them."""
    dense = len(sources) > 0 and sources.dtype.kind in "iu" and targets.dtype.kind in "iu"
    low = min(int(sources.min()), int(targets.min())) if dense else 0
    high = max(int(sources.max()), int(targets.max())) if dense else 0
    if not dense or high - low > _DENSE * len(sources) or high >= 2**63:  # sorting needs less memory than a table of all numbers
        names, ends = np.unique(np.concatenate([sources, targets]), return_inverse=True)
        return names, ends[: len(sources)], ends[len(sources):]
    sources, targets = ((ends - np.asarray(low, ends.dtype)).astype(np.uint32) for ends in (sources, targets))
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[sources] = occurs[targets] = True
    names = np.flatnonzero(occurs)
    if len(names) < len(occurs):
        places = np.cumsum(occurs, dtype=np.uint32) - np.uint32(1)
        sources, targets = places[sources], places[targets]
    return names + low, sources, targets


def _check_names(what: str, array: np.ndarray) -> None:
    """Refuses numbers that a file would refuse as vertex names."""
    if array.dtype.kind in "fcb" and array.size:
        raise InputError(f"vertices of the type {array.dtype}", what, "give whole numbers from 0, or words")
    if array.dtype.kind == "O" and not all(isinstance(each, (str, int, np.integer)) for each in array):
        raise InputError("vertices that are neither numbers nor words", what, "give whole numbers from 0, or words")
    if array.size and array.dtype.kind == "i" and array.min() < 0:
        raise InputError(f"vertex {array.min()} is negative", what, "give whole numbers from 0, or words")


def _as(array: np.ndarray, signed, unsigned) -> np.ndarray:
    array = np.ascontiguousarray(array)
    if array.dtype == unsigned:
        return array
    if array.dtype == signed:
        return array.view(unsigned)
    return array.astype(unsigned)


def _fits(indices: np.ndarray) -> np.ndarray:
    if indices.size and int(indices.max()) >= 2**32 - 1:
        raise InputError("a vertex beyond 2^32 - 2", "indices", "vertices of one process are numbered in 32 bits")
    return indices


def _kept(array: np.ndarray, given, copy: bool) -> np.ndarray:
    """An array that a graph may use in place: a copy, or the given memory made read-only."""
    given = np.asarray(given)
    if not np.shares_memory(array, given):
        return array
    if copy:
        return array.copy()
    given.flags.writeable = False
    return array


def _ends(column) -> np.ndarray:
    """The column as int64 if all its values are integers of any type; else its values."""
    values = np.asarray(column)
    if values.dtype.kind == "f" and (values == np.floor(values)).all() and np.abs(values).max(initial=0) < 2**53:
        return values.astype(np.int64)
    if values.dtype.kind == "O" and all(isinstance(each, (int, np.integer)) for each in values):
        return values.astype(np.int64)
    return values


def _weight_column(columns: list, source: str, target: str, weight: Optional[str], where: str) -> Optional[str]:
    """The column of weights, if there is one. Refuses a column that is missing."""
    if weight == "weight" and weight not in columns:
        weight = None
    for column in (source, target) + (() if weight is None else (weight,)):
        if column not in columns:
            raise InputError(f"there is no column '{column}'", where, f"there are: {', '.join(map(str, columns))}")
    return weight


def _word(vertex: Any) -> str:
    """The vertex as the command's text."""
    if isinstance(vertex, (bool, np.bool_)) or not isinstance(vertex, (str, int, np.integer)):
        raise InputError(f"{vertex!r} is not a vertex name", "source", "give a number or a word: the graph's are in its .names")
    return str(vertex)


def _weights(weights) -> tuple[Optional[np.ndarray], bool]:
    if weights is None:
        return None, False
    weights = np.asarray(weights)
    if weights.dtype.kind == "c":
        raise InputError("the values are complex numbers, which no program uses", "weights",
                         "give real numbers; to read only the structure give no weights, or a matrix of the type bool")
    if weights.dtype.kind not in "iufb":
        raise InputError(f"weights of the type {weights.dtype}", "weights", "give real numbers")
    numbers = np.ascontiguousarray(weights, dtype=np.float64)
    if np.isnan(numbers).any():
        raise InputError(f"weight {int(np.flatnonzero(np.isnan(numbers))[0])} is not a number", "weights",
                         "give one, or leave the edge out")
    return numbers, weights.dtype.kind in "iub"


def _whole_if_possible(weights: np.ndarray) -> np.ndarray:
    """The weights as int64 if all are whole numbers."""
    whole = (weights == np.floor(weights)).all() and np.abs(weights).max(initial=0) < 2**53
    return weights.astype(np.int64) if whole else weights


def _is_one_line(name: str) -> bool:
    return "\n" not in name and "\r" not in name


def _is_number(name: Any) -> bool:
    return isinstance(name, (int, np.integer)) and not isinstance(name, bool)


def _are_numbers(names: Sequence[Any]) -> bool:
    """Whether files keep all the names as numbers."""
    return all(_is_number(name) and 0 <= name < 2**63 for name in names)


def _names(names):
    """Ascending numbers as an array; other names as texts; None for no names (0, 1, 2 ...)."""
    if names is None:
        return None
    if isinstance(names, list) and _are_numbers(names):
        names = np.array(names, dtype=np.int64)
    if isinstance(names, np.ndarray) and names.dtype.kind in "iu":
        if np.array_equal(names, np.arange(len(names))):
            return None
        if len(names) and int(names[0]) >= 0 and (np.diff(names.astype(np.int64)) > 0).all():
            return names.astype(np.uint64)
    words = [str(name) for name in names]
    if len(set(words)) != len(words):
        raise InputError("one name for two vertices", "names", "give distinct names")
    return words
