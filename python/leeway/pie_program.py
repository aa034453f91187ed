"""PIE programs in Python: sequential functions of a fragment (PEval and IncEval), with the fragment as arrays."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from leeway import _core
from leeway.errors import InputError
from leeway.graph import Graph
from leeway.settings import said


class PieProgram:
    """Subclass it and give `init`, `peval` and `inceval`. Each takes a `part`, a fragment of the graph, and works on it
    alone; what it changes at copies of other fragments' vertices travels to these, and `inceval` is called for what
    came. Places number a fragment's vertices: first the `inner` ones, then the copies.

    part.n          vertices of the graph          part.inner      how many inner places there are
    part.vertices   the vertices' numbers in the graph, by place
    part.indptr, part.indices, part.weights        arcs of the inner places; indices are places; weights or None
    part.degrees    arcs of each inner place
    part.values     one number a place, to read and to write; the engine reads what copies have
    part.arcs(places)            the arcs of inner places, and the place that each comes from
    part.offer(places, values)   combines into part.values; gives the places that changed, each once
    part.spread(shares)          by place, what shares (one an inner place) come to along all arcs, added up

    `combine` says how values of one vertex become one: np.minimum, np.maximum or np.add. With np.add a copy holds what
    has been added to it since it was last sent, and is 0 again when it has been; `tolerance` is what need not travel.
    A part takes further attributes of the program's own."""

    combine: Any = np.minimum
    tolerance: float = 0.0

    def init(self, part):
        """Values to begin with, one for each of part.vertices."""
        raise NotImplementedError

    def peval(self, part) -> None:
        """The first round: works out what the fragment alone can tell."""
        raise NotImplementedError

    def inceval(self, part, places: np.ndarray) -> None:
        """A later round: part.values has changed at `places` by what came from other fragments."""
        raise NotImplementedError

    def result(self, part) -> np.ndarray:
        """What the answer says of the inner vertices."""
        return part.values[: part.inner]


class PieRun:
    """What a run of a PieProgram gave: `values`, one a vertex in the graph's order (None in all processes of a job but
    the first); `rounds` of all workers; `messages` and `bytes` between them; `seconds`."""

    def __init__(self, graph: Graph, found: dict):
        self.graph = graph
        self.values: Optional[np.ndarray] = found["values"]
        self.converged: bool = found["converged"]
        self.rounds: int = found["rounds"]
        self.messages: int = found["messages"]
        self.bytes: int = found["bytes"]
        self.seconds: float = found["seconds"]

    def __repr__(self) -> str:
        return f"<leeway.PieRun: {self.rounds} rounds, {self.seconds:.4g} seconds, converged: {self.converged}>"


_COMBINES = (np.minimum, np.maximum, np.add)


def run_pie_program(program: PieProgram, graph: Optional[Graph], **settings) -> PieRun:
    """What leeway.run does with a PieProgram. `settings`: nodes, workers, scheduler ("aap", "bsp", "ap", "ssp",
    "hsync"), staleness, partition, balance, net, seed."""
    where = type(program).__name__
    if not isinstance(graph, Graph):
        raise InputError("there is no graph" if graph is None else f"a {type(graph).__name__} is no leeway.Graph", where,
                         "make one by read, generate, Graph.from_scipy, Graph.from_networkx ...")
    for name in ("init", "peval", "inceval"):
        if getattr(type(program), name) is getattr(PieProgram, name):
            raise InputError(f"{where} has no {name}", "leeway.PieProgram", f"write {name}(self, part, ...)")
    if program.combine not in _COMBINES:
        raise InputError(f"combine is {program.combine}", where, "take np.minimum, np.maximum or np.add")
    if not program.tolerance >= 0:
        raise InputError(f"tolerance is {program.tolerance}", where, "give 0 or more")
    combine = _COMBINES.index(program.combine)
    return PieRun(graph, _core.run_pie(program, graph._core, combine, float(program.tolerance), said(settings)))
