"""Vertex programs written in Python: NumPy over all of a node's vertices in one call, or C expressions, which are
compiled when the program is created. They run over the shared memory, on threads of this process or, under mpiexec, in processes."""
from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from typing import Any, Optional

import numpy as np

from leeway.errors import InputError, MachineError
from leeway.graph import Graph, check_is_graph
from leeway.memory import Cluster, Node, place_among_nodes
from leeway.results import NamedValues, read_only

_PATIENCE = 100_000  # sweeps in a row without progress after which a run is stopped, as in the command
_IDENTITIES = {np.add: 0, np.minimum: np.inf, np.maximum: -np.inf}


class Part:
    """One node's part of the graph. Arrays `per arc` have one entry for each in-arc of the node's vertices."""

    def __init__(self, graph: Graph, vertices: np.ndarray, starts: np.ndarray, sources: np.ndarray,
                 weights: Optional[np.ndarray], degrees: np.ndarray):
        self.graph = graph
        #: Number of vertices of the whole graph.
        self.n = graph.vertices
        #: The node's vertices, by their numbers in the graph.
        self.vertices = vertices
        #: Number of out-arcs of each of the node's vertices.
        self.degrees = degrees[vertices]
        #: Per arc: its weight, 1 if the graph has none.
        self.weights = np.ones(len(sources)) if weights is None else weights
        # The distinct source vertices; per arc: the index of its source among them.
        self._sources, self._place = np.unique(sources, return_inverse=True)
        self._source_degrees = degrees[self._sources]
        self._starts = starts
        self._filled = np.flatnonzero(np.diff(starts))

    @property
    def source_degrees(self) -> np.ndarray:
        """Per arc: the number of out-arcs of its source vertex."""
        return self._source_degrees[self._place]


class VertexProgram:
    """A program that updates vertices from the values of their in-neighbours, until nothing changes.

    Define `init`, `apply`, and if needed `along`; set `combine` to np.add, np.minimum or np.maximum. A value that
    would change by at most `tolerance` is not updated. A run is stopped after 100,000 sweeps of a node in a row without progress:
    none of them changed fewer values than every earlier one, or changed them by less. With `always_rests` a run is never stopped.

        class Ranks(lw.VertexProgram):
            tolerance = 1e-9
            def init(self, part): return np.full(len(part.vertices), 1 / part.n)
            def along(self, values, part): return values / part.source_degrees
            def apply(self, gathered, old, part): return 0.15 / part.n + 0.85 * gathered
    """

    combine: np.ufunc = np.add
    tolerance: float = 0.0
    always_rests: bool = False

    def init(self, part: Part) -> np.ndarray:
        """Returns the initial values of `part.vertices`."""
        raise InputError("has no init", type(self).__name__, "give the first values of part.vertices")

    def along(self, values: np.ndarray, part: Part) -> np.ndarray:
        """Returns, per arc, the value that arrives from its source. By default the source's value."""
        return values

    def apply(self, gathered: np.ndarray, old: np.ndarray, part: Part) -> np.ndarray:
        """Returns the new values of `part.vertices`. `gathered`: the arcs' values, merged by `combine`; `old`: the old values."""
        raise InputError("has no apply", type(self).__name__, "give new values from gathered and old")

    # One sweep: takes the values of the distinct sources, returns those of the vertices.
    def _sweep(self, values: np.ndarray, old: np.ndarray, part: Part) -> np.ndarray:
        arrived = _reals(self.along(values[part._place], part), self, "along")
        if arrived.shape != part._place.shape:
            raise InputError(f"along gave {arrived.shape} values for {len(part._place)} arcs", type(self).__name__,
                             "give one for each of the values it is given")
        gathered = np.full(len(part.vertices), _IDENTITIES[self.combine], dtype=np.float64)
        if len(part._filled):
            gathered[part._filled] = self.combine.reduceat(arrived, part._starts[part._filled])
        seen = old.view()
        seen.flags.writeable = False
        return _reals(self.apply(gathered, seen, part), self, "apply")

    def _admit(self) -> None:
        if self.combine not in _IDENTITIES:
            raise InputError(f"combine is {self.combine}", type(self).__name__,
                             "set it to np.add, np.minimum or np.maximum")


class CProgram(VertexProgram):
    """A vertex program given by C expressions, compiled once.

        lw.CProgram(init="1.0 / n", along="value / degree", combine="a + b", identity="0",
                    apply="0.15 / n + 0.85 * gathered", tolerance=1e-9)

    `init` and `apply` may use n, vertex, out_degree, and `apply` gathered and old; `along` value, weight and degree (the
    source's out-arcs); `combine` a and b. All are doubles; <math.h> is included.
    """

    _TEXT = """#include <math.h>
#include <stdint.h>
static double along_(double value, double weight, double degree) {{ (void)value; (void)weight; (void)degree;
  return ({along}); }}
static double combine_(double a, double b) {{ return ({combine}); }}
void init(int64_t count, double n, const int64_t* vertices, const int64_t* degrees, double* out) {{
  for (int64_t i = 0; i < count; ++i) {{
    const double vertex = (double)vertices[i], out_degree = (double)degrees[i]; (void)vertex; (void)out_degree; (void)n;
    out[i] = ({init});
  }}
}}
void sweep(int64_t count, double n, const int64_t* vertices, const int64_t* degrees, const int64_t* starts,
           const int64_t* place, const double* values, const double* weights, const int64_t* source_degrees,
           const double* before, double* out) {{
  for (int64_t i = 0; i < count; ++i) {{
    double gathered = ({identity});
    for (int64_t arc = starts[i]; arc < starts[i + 1]; ++arc)
      gathered = combine_(gathered, along_(values[place[arc]], weights[arc], (double)source_degrees[place[arc]]));
    const double vertex = (double)vertices[i], out_degree = (double)degrees[i], old = before[i];
    (void)vertex; (void)out_degree; (void)old; (void)n;
    out[i] = ({apply});
  }}
}}
"""

    def __init__(self, *, init: str, apply: str, along: str = "value", combine: str = "a + b", identity: str = "0",
                 tolerance: float = 0.0):
        self.tolerance = tolerance
        self._library = _compiled(self._TEXT.format(init=init, apply=apply, along=along, combine=combine,
                                                    identity=identity))

    def init(self, part: Part) -> np.ndarray:
        out = np.empty(len(part.vertices))
        self._library.init(ctypes.c_int64(len(out)), ctypes.c_double(part.n), _at(part.vertices, np.int64),
                           _at(part.degrees, np.int64), _at(out, np.float64))
        return out

    def _sweep(self, values: np.ndarray, old: np.ndarray, part: Part) -> np.ndarray:
        out = np.empty(len(part.vertices))
        self._library.sweep(ctypes.c_int64(len(out)), ctypes.c_double(part.n), _at(part.vertices, np.int64),
                            _at(part.degrees, np.int64), _at(part._starts, np.int64), _at(part._place, np.int64),
                            _at(values, np.float64), _at(part.weights, np.float64),
                            _at(part._source_degrees, np.int64), _at(old, np.float64), _at(out, np.float64))
        return out

    def _admit(self) -> None:
        return None


class VertexRun(NamedValues):
    """The result of a run of a VertexProgram: `values`, one per vertex (under mpiexec: of this process's vertices, starting
    at `first`); `iterations`, the maximum over nodes; `seconds`; `stats`, each node's counts of remote fetches. Like a dictionary
    from vertex names to values, as Run."""

    def __init__(self, program: str, graph: Graph, values: np.ndarray, first: int, converged: bool, iterations: int,
                 seconds: float, stats: list[dict]):
        self.program = program
        self.graph = graph
        self.values = read_only(values)
        self.first = first
        self.converged = converged
        self.iterations = iterations
        self.seconds = seconds
        self.stats = stats

    def __repr__(self) -> str:
        return (f"<leeway.VertexRun: {self.iterations} iterations, {self.seconds:.4g} seconds, "
                f"converged: {self.converged}>")


def run_vertex_program(program: VertexProgram, graph: Graph, *, nodes: Optional[int] = None, scheduler: str = "ap",
                       consistency: Optional[str] = None, iterations: Optional[int] = None, **settings) -> VertexRun:
    """Implements leeway.run for a VertexProgram. `scheduler`: "ap", nodes run without synchronization, or "bsp", all nodes in
    lockstep on the previous step's values. `iterations`: the exact number; the default is until nothing changes."""
    program._admit()
    check_is_graph(graph, type(program).__name__)
    if scheduler not in ("ap", "bsp"):
        raise InputError(f"no scheduler '{scheduler}' for programs in Python", "scheduler", "give ap or bsp")
    if scheduler == "bsp" and consistency not in (None, "scp"):
        raise InputError(f"bsp works on current values, and {consistency} gives others", "consistency",
                         "leave it out, or give scheduler='ap'")
    rank, processes = place_among_nodes(nodes, settings.get("fabric"))
    joined = processes > 1
    count = processes if joined else nodes or 1
    bounds, starts, sources, weights = _divide(graph, count)
    degrees = graph.degrees()
    found: dict[str, Any] = {"values": np.empty(graph.vertices), "iterations": 0, "stats": [None] * count, "at_rest": True}

    def body(node: Node) -> None:
        low, high = int(bounds[node.rank]), int(bounds[node.rank + 1])
        arcs = slice(int(starts[low]), int(starts[high]))
        part = Part(graph, np.arange(low, high), starts[low: high + 1] - starts[low], sources[arcs],
                    None if weights is None else weights[arcs], degrees)
        sweeps = _Sweeps(node, program, part, bounds)
        at_rest, did = sweeps.in_step(iterations) if scheduler == "bsp" else sweeps.apart(iterations)
        found["values"][low:high] = sweeps.values
        found["stats"][node.rank] = sweeps.dsm.stats()
        found["iterations"] = max(found["iterations"], did)
        found["at_rest"] = found["at_rest"] and at_rest

    began = time.perf_counter()
    mode = consistency or ("scp" if scheduler == "bsp" else "rcp+push")
    Cluster(None if joined else count, consistency=mode, **settings)._run(body)
    seconds = time.perf_counter() - began
    low, high = (int(bounds[rank]), int(bounds[rank + 1])) if joined else (0, graph.vertices)
    return VertexRun(type(program).__name__, graph, found["values"][low:high], low, found["at_rest"], found["iterations"], seconds,
                     [each for each in found["stats"] if each is not None])


class _Stall:
    """Counts the sweeps in a row without progress."""

    def __init__(self):
        self.sweeps = 0
        self._changed = self._moved = np.inf

    def note(self, changed: int, moved: float) -> None:
        if changed == 0:
            return
        nearer = changed < self._changed or moved < self._moved
        self._changed, self._moved = min(self._changed, changed), min(self._moved, moved)
        self.sweeps = 0 if nearer else self.sweeps + 1


class _Sweeps:
    """One node's sweeps over its part."""

    def __init__(self, node: Node, program: VertexProgram, part: Part, bounds: np.ndarray):
        self.node = node
        self.program = program
        self.part = part
        self.dsm = node.open(np.float64, len(part.vertices), len(part._sources) + 1)
        homes = np.searchsorted(bounds, part._sources, side="right") - 1
        self.handles = self.dsm.handles(homes, part._sources - bounds[homes])
        self.stall = _Stall()
        self.values = np.array(_reals(program.init(part), program, "init"), order="C")
        if self.values.shape != part.vertices.shape:
            raise InputError(f"init gave {self.values.shape} values for {len(part.vertices)} vertices",
                             type(program).__name__, "give one for each of part.vertices")
        self.dsm.set_initial(self.dsm.own, self.values)
        node.barrier()
        self.dsm.replicate(self.handles)
        node.barrier()

    def _step(self, store_after=None) -> bool:
        """Runs one sweep. Returns whether anything changed."""
        new = self.program._sweep(self.dsm.fetch(self.handles), self.values, self.part)
        if new.shape != self.values.shape:
            raise InputError(f"apply gave {new.shape} values for {len(self.values)} vertices",
                             type(self.program).__name__, "give one for each of part.vertices")
        if store_after is not None:
            store_after()
        with np.errstate(invalid="ignore"):  # infinity minus infinity, if a value stays infinite
            moved = np.abs(new - self.values)
            changed = (new != self.values) & ~(moved <= self.program.tolerance)
        where = np.flatnonzero(changed).astype(np.uint32)
        self.stall.note(len(where), float(moved[where].sum()))
        self.values[where] = new[where]
        if len(where):
            self.dsm.store(where, new[where])
        return len(where) > 0

    def _out_of_patience(self) -> bool:
        """Whether this node is out of patience. It then votes that nothing changes, so that all nodes end."""
        return not self.program.always_rests and self.stall.sweeps >= _PATIENCE

    def in_step(self, iterations: Optional[int]) -> tuple[bool, int]:
        did = 0
        while iterations is None or did < iterations:
            stopped = iterations is None and self._out_of_patience()
            if stopped:
                self.node.barrier()
            changed = not stopped and self._step(self.node.barrier)
            self.node.quiesce()
            did += 0 if stopped else 1
            if self.node.converged(changed and iterations is None) and iterations is None:
                return not stopped, did
        return False, did

    def apart(self, iterations: Optional[int]) -> tuple[bool, int]:
        if iterations is not None:
            for _ in range(iterations):
                self._step()
            self.node.quiesce()
            return False, iterations
        did, voted, changed_since = 0, False, True
        while True:
            stopped = self._out_of_patience()
            changed = not stopped and self._step()
            did += 0 if stopped else 1
            changed_since = changed_since or changed
            if not voted:
                self.node.vote(changed)
                voted, changed_since = True, False
            verdict = self.node.verdict()
            if verdict is None:
                if not changed:
                    time.sleep(2e-5)
                continue
            if verdict:
                return not stopped, did
            voted = False


def _reals(values, program: VertexProgram, function: str) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise InputError(f"{function} gave values of the type {array.dtype}", type(program).__name__, "give real numbers")
    return np.asarray(array, dtype=np.float64)


def _divide(graph: Graph, count: int):
    """The in-arcs, and the bounds of `count` ranges of vertices with about equal numbers of arcs."""
    starts, sources, weights = graph._core.in_arcs()
    starts = starts.astype(np.int64)
    goals = np.arange(1, count) * (int(starts[-1]) + graph.vertices) // count
    inner = np.searchsorted(starts + np.arange(len(starts)), goals)
    bounds = np.concatenate([[0], np.minimum(inner, graph.vertices), [graph.vertices]]).astype(np.int64)
    return bounds, starts, sources, weights


def _at(array: np.ndarray, dtype) -> ctypes.c_void_p:
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise InputError(f"an array of {array.dtype}", "CProgram", "give doubles")
    return ctypes.c_void_p(array.ctypes.data)


def _compiled(text: str) -> ctypes.CDLL:
    compiler = os.environ.get("CC") or next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if compiler is None:
        raise MachineError("no C compiler", "CProgram", "install one, set CC, or write a VertexProgram")
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "program.c"), os.path.join(folder, "program.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([*compiler.split(), "-O3", "-fPIC", "-shared", "-o", library, source, "-lm"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            first = next((line.split("error:", 1)[1].strip() for line in done.stderr.splitlines() if "error:" in line),
                         done.stderr.strip()[:200])
            raise InputError(first, "CProgram", "see which names each expression may use: help(leeway.CProgram)")
        return ctypes.CDLL(library)
