"""Direct use of the shared memory: nodes that each run a function, and objects that they fetch and store.

    def body(node):
        values = node.open(float, 100)                    # 100 float64 objects whose home is this node
        theirs = values.handles((node.rank + 1) % node.count, range(100))
        ...
        changed = do_something(values.fetch(theirs))      # may be a few versions old, as the mode allows
        values.store(values.own, changed)
        while not node.converged(changed.any()): ...

    Cluster(nodes=4, consistency="rcp").run(body)
"""
from __future__ import annotations

import os
import pickle
from typing import Any, Callable, Iterable, Optional

import numpy as np

from leeway import _core
from leeway.errors import InputError, InputTypeError
from leeway.settings import command_settings


class Dsm:
    """One node's access to a set of objects of one type. Each object has a home node, the only one that stores it. Fetches
    return copies as old as the consistency mode allows. All calls take and return arrays."""

    def __init__(self, core: _core.Space, rank: int):
        if not isinstance(core, _core.Space):
            raise InputError("objects live on nodes", "Dsm", "open them there: node.open(dtype, objects), in what Cluster.run runs")
        self._core = core
        self._rank = rank
        #: Handles of the objects whose home is this node.
        self.own: np.ndarray = np.arange(core.local_count, dtype=np.uint32)

    def handles(self, homes, places) -> np.ndarray:
        """Handles of the objects at `places` of the nodes `homes`. Call it once and reuse the handles."""
        places = np.atleast_1d(np.asarray(places))
        homes = np.broadcast_to(np.asarray(homes), places.shape)
        for what, numbers in (("homes", homes), ("places", places)):
            if numbers.size and numbers.dtype.kind not in "iu":
                raise InputError(f"numbers of the type {numbers.dtype}", what, "give whole numbers")
            if numbers.size and numbers.min() < 0:
                raise InputError("a negative number", what, "nodes and objects count from 0")
            if numbers.size and int(numbers.max()) >= 2**32:
                raise InputError("a number beyond 2^32", what, "give what another node has")
        return self._core.resolve(np.ascontiguousarray(homes, np.uint32), np.ascontiguousarray(places, np.uint32))

    def fetch(self, handles) -> np.ndarray:
        """Returns the values. Blocks only for copies that are missing or too old."""
        return self._core.fetch(_handles(handles))

    def fetch_current(self, handles) -> np.ndarray:
        """Returns the values that the objects' homes have now: asks the homes even if copies are current, and waits."""
        return self._core.fetch_current(_handles(handles))

    def fence(self) -> None:
        """Collective: a fetch of these objects after it returns every value that any node has stored before it."""
        self._core.fence()

    def store(self, handles, values) -> None:
        """Stores objects whose home is this node. This node's next fetch returns the new values; other nodes are notified in the
        background."""
        self._core.store(_handles(handles), np.broadcast_to(values, np.shape(handles)))

    def set_initial(self, handles, values) -> None:
        """Sets initial values before the first fetch of any node; sends no messages. Call a barrier afterwards."""
        self._core.set_initial(_handles(handles), np.broadcast_to(values, np.shape(handles)))

    def prefetch(self, handles) -> None:
        """Requests missing copies without waiting."""
        self._core.prefetch(_handles(handles))

    def replicate(self, handles) -> None:
        """Requests missing copies and waits for them: fills the cache before the first iteration."""
        self._core.replicate(_handles(handles))

    @property
    def dtype(self) -> np.dtype:
        return self._core.dtype

    def stats(self) -> dict[str, int]:
        """Counts of this node's fetches of remote objects so far, by outcome."""
        return self._core.stats()


def _handles(handles) -> np.ndarray:
    handles = np.asarray(handles)
    if handles.size == 0:
        return handles.astype(np.uint32)
    if handles.dtype.kind not in "iu":
        raise InputError(f"handles of the type {handles.dtype}", "handles", "use the handles in .own or returned by handles()")
    if handles.min() < 0 or int(handles.max()) >= 2**32:
        raise InputError("a number that is not a handle", "handles", "use the handles in .own or returned by handles()")
    return handles.astype(np.uint32, copy=False)


class Node:
    """One node of a cluster. Every node must call the same collectives in the same order."""

    def __init__(self, core: _core.Node):
        self._core = core

    @property
    def rank(self) -> int:
        return self._core.rank

    @property
    def count(self) -> int:
        return self._core.count

    def open(self, dtype, local: int, remote: int = 1 << 16, *, name: str = "objects", cache: int = 0,
             consistency: Optional[str] = None) -> Dsm:
        """Collective: creates a set of objects, `local` of them with this node as home. `remote`: the maximum number of other
        objects that this node uses; `cache`: the maximum number of cached copies, 0 for no limit."""
        dtype = np.dtype(dtype)
        if dtype.hasobject:
            raise InputError("objects of Python cannot be sent", "open", "give a type of numbers, such as float, or a structured one")
        for what, number in (("local", local), ("remote", remote), ("cache", cache)):
            if not 0 <= number < 2**32:
                raise InputError(f"{number}", what, "give a number from 0, below 2^32")
        return Dsm(self._core.open(dtype, local, remote, f"{name} of {dtype.str}", cache, consistency or ""), self.rank)

    def barrier(self) -> None:
        """A fetch after it returns every value that any node has stored before it, in every mode."""
        self._core.barrier()

    def relaxed_barrier(self) -> None:
        """Returns once all nodes have called it. A fetch after it may return a copy that is as old as the mode allows."""
        self._core.relaxed_barrier()

    def converged(self, changed: bool) -> bool:
        """Ends an iteration. Returns True on all nodes if no node changed anything, no stale value was used since
        the last call and no message is in flight."""
        return self._core.converged(bool(changed))

    def vote(self, changed: bool) -> None:
        """Like `converged`, without waiting: poll `verdict` for the result and continue to work meanwhile."""
        self._core.vote(bool(changed))

    def verdict(self) -> Optional[bool]:
        """None while a vote is missing; then, once, the result that `converged` would have returned."""
        return self._core.verdict()

    def quiesce(self) -> None:
        """Returns after all earlier stores of all nodes are known to all nodes. A fetch may still return an older copy within the
        bound of the mode; see `barrier`."""
        self._core.quiesce()

    def sum(self, *numbers: int) -> list[int]:
        """Collective: the sums over all nodes; the numbers are integers from 0."""
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < 2**64:
                raise InputTypeError(f"{number!r} cannot be added", "sum", "give whole numbers from 0, as sum(1, 2)")
        return self._core.sum([int(number) for number in numbers])

    def progress(self) -> bool:
        """Sends and handles the messages that are ready, without waiting."""
        return self._core.progress()

    def compute(self, seconds: float) -> None:
        """In the virtual cluster: accounts for this many seconds of computation. Elsewhere without effect."""
        if not 0 <= seconds < 1e6:
            raise InputError(f"{seconds} seconds", "compute", "give a number from 0, below 1e6")
        self._core.compute(seconds)


def place_among_nodes(nodes: Optional[int], fabric: Optional[str]) -> tuple[int, int]:
    """This process's rank and the number of processes: (0, 1) for nodes within this process. Checks `nodes`."""
    rank, processes = (0, 1) if fabric in ("loopback", "sim") else _core.place()
    if processes > 1 and nodes is not None and nodes != processes:
        raise InputError(f"the launcher started {processes} processes, not {nodes}", "nodes",
                         "leave nodes out: every process is a node")
    return rank, processes


class Cluster:
    """Nodes on threads of this process. Under mpiexec or `leeway launch` this process is one node, and the number of nodes is
    that of the processes. Settings as for `leeway run`: consistency, net, seed, fabric. net="ec2" delays messages in real time;
    with fabric="sim" the nodes run in the virtual cluster: communication and accesses take virtual time, other Python code
    takes none (see Node.compute), and equal programs have equal runs."""

    def __init__(self, nodes: Optional[int] = None, **settings):
        if nodes is not None and (not isinstance(nodes, (int, np.integer)) or not 1 <= nodes <= 64):
            raise InputError(f"{nodes} nodes", "nodes", "give 1 to 64")
        self._rank, self._processes = place_among_nodes(nodes, settings.get("fabric"))
        self.nodes = self._processes if self._processes > 1 else nodes or 1
        #: The duration of the last run; virtual with fabric="sim".
        self.seconds: Optional[float] = None
        self._settings = command_settings(settings)
        _core.check_settings(self._settings)

    def run(self, body: Callable[[Node], Any]) -> list:
        """Calls body(node) on every node. Returns what the calls returned, by node, once all have. In a job of several
        processes every process gets the whole list; a value that pickle cannot send is None in the other processes. An
        exception in one node ends all, and is raised."""
        returned = self._run(body)
        if self._processes == 1:
            return returned
        whole: list = []
        self._run(lambda node: whole.extend(_gathered(node, returned[self._rank])))
        whole[self._rank] = returned[self._rank]
        return whole

    def _run(self, body: Callable[[Node], Any]) -> list:
        """Like `run`; in a job, the list has this process's value only."""
        returned, self.seconds = _core.run_on_nodes(self.nodes, self._settings, lambda core: body(Node(core)))
        return returned

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_) -> None:
        return None

    def session(self, graph):
        """A session that runs programs on `graph`, one after the other, with this cluster's settings."""
        return Session(self, graph)


def _gathered(node: Node, value: Any) -> list:
    """Collective: the values of all nodes, sent by pickle; None for one that cannot be."""
    try:
        text = b"" if value is None else pickle.dumps(value)
    except Exception:  # pickle raises many types
        text = b""
    sizes = node.open(np.uint64, 1, remote=64, name="sizes")
    sizes.set_initial(sizes.own, [len(text)])
    padded = text + bytes(-len(text) % 64)
    blocks = np.frombuffer(padded, dtype="V64")
    node.barrier()
    counts = sizes.fetch(sizes.handles(range(node.count), [0] * node.count)).astype(int)
    sent = node.open("V64", len(blocks), remote=int(counts.sum() // 64 + node.count), name="values")
    sent.set_initial(sent.own, blocks)
    node.barrier()
    values: list = []
    for home, size in enumerate(counts.tolist()):
        parts = sent.fetch(sent.handles(home, range(-(-size // 64)))) if size > 0 else None
        values.append(None if parts is None else pickle.loads(parts.tobytes()[:size]))
    node.barrier()
    return values


#: Settings of runs that do not continue.
_OF_WHOLE_RUNS = {"iterations", "gather", "ldbc", "precision", "snapshot", "resume"}


class Session:
    """Runs programs on one graph with a cluster's settings: `s.sssp(source=3)`. The graph stays in memory and may change:
    `s.change(add=[(1, 2)], remove=[(3, 4)])`. sssp, bfs, cc, kcore, pagerank and heat then continue from the session's last answer
    of the same settings."""

    def __init__(self, cluster: Cluster, graph):
        from leeway.graph import check_is_graph
        from leeway.runs import _opened

        if isinstance(graph, (str, os.PathLike)):
            graph = _opened("session", os.fspath(graph), {})
        check_is_graph(graph, "session")
        self._cluster = cluster
        self._changing = _core.ChangingGraph(graph._core)
        self._answers: dict[tuple, tuple] = {}
        #: The present graph.
        self.graph = graph

    def change(self, add: Iterable = (), remove: Iterable = (), weights: Iterable = ()) -> None:
        """Changes the graph: adds the arcs (source, target) or (source, target, weight) of `add`, removes all arcs between the ends
        (source, target) of `remove`, and sets the weights of the arcs (source, target, weight) of `weights`. In an undirected graph
        these are edges. The vertices stay the same. After an error nothing has changed."""
        kinds: list[int] = []
        rows: list[tuple] = []
        for kind, changes, sizes in ((0, add, (2, 3)), (1, remove, (2,)), (2, weights, (3,))):
            for change in changes:
                row = tuple(change)
                if len(row) not in sizes:
                    raise InputError(f"{change!r} has {len(row)} values", ("add", "remove", "weights")[kind],
                                     "give (source, target)" if sizes == (2,) else "give (source, target, weight)")
                kinds.append(kind)
                rows.append(row)
        ends = [[self.graph._place(row[end], "change") for row in rows] for end in (0, 1)]
        self._changing.change(np.array(kinds, np.uint8), np.array(ends[0], np.uint32), np.array(ends[1], np.uint32),
                              np.array([float(row[2]) if len(row) == 3 else 1.0 for row in rows], float))
        self.graph = self.graph._with_arcs(self._changing.graph)

    def run(self, program: str, **settings):
        """Runs a shipped program. After `change` it continues from the last answer if it can; the report's `visited` is the number
        of visits of vertices."""
        from leeway.runs import run

        cluster_settings = {name.replace("-", "_"): value for name, value in self._cluster._settings}
        if "nodes" in settings:
            raise InputError(f"{settings['nodes']} nodes", "nodes", f"the cluster has {self._cluster.nodes}; make another one")
        asked = (program, tuple(sorted((name, repr(value)) for name, value in settings.items())))
        engines = _core.program_facts().get(program, {}).get("continues", ())
        keeps = (settings.get("engine", "vertex") in engines and not _OF_WHOLE_RUNS & set(settings)
                 and all(value is None or isinstance(value, (str, int, float)) for value in settings.values()))
        last = self._answers.get(asked) if keeps else None
        # If nothing has changed, the user asks for a whole run.
        since = (self._changing, *last) if last is not None and last[0] < self._changing.version else None
        found = run(program, self.graph, nodes=self._cluster.nodes, _continued_from=since, **{**cluster_settings, **settings})
        if keeps and found.finished:
            self._answers[asked] = (self._changing.version, self._on_all(found.values))
        return found

    def _on_all(self, values: Optional[np.ndarray]) -> np.ndarray:
        """The values, which in a job only the first process has, in every process."""
        if self._cluster._processes > 1:
            values = self._cluster.run(lambda node: values)[0]
        return np.asarray(values, dtype=float)

    def __getattr__(self, name: str):
        from leeway.programs import SHIPPED

        if name not in SHIPPED:
            raise AttributeError(f"no program '{name}'; there are: {', '.join(SHIPPED)}")
        return lambda **settings: self.run(name.replace("_", "-"), **settings)
