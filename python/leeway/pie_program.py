"""PIE programs in Python: sequential functions of a fragment (PEval and IncEval), whose data are arrays."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from leeway import _core
from leeway.errors import InputError, warn_of_settings
from leeway.graph import Graph, check_is_graph
from leeway.results import NamedValues, read_only
from leeway.settings import command_settings


class PieProgram:
    """Subclass it and define `init`, `peval` and `inceval`. Each works on one `part`, a fragment of the graph.
    Changes to copies of other fragments' vertices are sent to these fragments, and `inceval` is called for received
    changes. Places number a fragment's vertices: first the `inner` ones, then the copies.

    part.n          number of vertices of the graph          part.inner      number of inner places
    part.vertices   the vertices' numbers in the graph, by place
    part.indptr, part.indices, part.weights        arcs of the inner places; indices are places; weights or None
    part.degrees    number of arcs of each inner place
    part.values     one number per place, to read and to write; the engine sends the values of copies
    part.arcs(places)            the arcs of inner places, and the source place of each arc
    part.offer(places, values)   combines `values` into part.values; returns the changed places, each once
    part.spread(shares)          the sum of `shares` (one per inner place) over all incoming arcs, by place

    `combine` merges two values of one vertex: np.minimum, np.maximum or np.add. With np.add a copy holds the sum added
    since it was last sent, and is reset to 0 by sending; sums up to `tolerance` are not sent.
    A program may store further attributes in a part."""

    combine: Any = np.minimum
    tolerance: float = 0.0

    def init(self, part):
        """Returns the initial values, one for each of part.vertices."""
        raise NotImplementedError

    def peval(self, part) -> None:
        """The first round: computes the result of the fragment alone."""
        raise NotImplementedError

    def inceval(self, part, places: np.ndarray) -> None:
        """A later round: messages of other fragments have changed part.values at `places`."""
        raise NotImplementedError

    def result(self, part) -> np.ndarray:
        """Returns the results of the inner vertices."""
        return part.values[: part.inner]


class PieRun(NamedValues):
    """The result of a run of a PieProgram: `values`, one per vertex in the graph's order (in a job, None in all processes
    except the first); `rounds` of all workers; `messages` and `bytes` between them; `seconds`. Like a dictionary
    from vertex names to values, as Run."""

    def __init__(self, program: str, graph: Graph, found: dict):
        self.program = program
        self.graph = graph
        self.values = read_only(found["values"])
        self.converged: bool = found["converged"]
        self.rounds: int = found["rounds"]
        self.messages: int = found["messages"]
        self.bytes: int = found["bytes"]
        self.seconds: float = found["seconds"]

    def __repr__(self) -> str:
        return f"<leeway.PieRun: {self.rounds} rounds, {self.seconds:.4g} seconds, converged: {self.converged}>"


_COMBINES = (np.minimum, np.maximum, np.add)


def run_pie_program(program: PieProgram, graph: Optional[Graph], **settings) -> PieRun:
    """Implements leeway.run for a PieProgram. `settings`: nodes, workers, scheduler ("aap", "bsp", "ap", "ssp",
    "hsync"), staleness, partition, balance, net, seed."""
    where = type(program).__name__
    check_is_graph(graph, where)
    for name in ("init", "peval", "inceval"):
        if getattr(type(program), name) is getattr(PieProgram, name):
            raise InputError(f"{where} has no {name}", "leeway.PieProgram", f"write {name}(self, part, ...)")
    if program.combine not in _COMBINES:
        raise InputError(f"combine is {program.combine}", where, "take np.minimum, np.maximum or np.add")
    if not program.tolerance >= 0:
        raise InputError(f"tolerance is {program.tolerance}", where, "give 0 or more")
    combine = _COMBINES.index(program.combine)
    found = _core.run_pie(program, graph._core, combine, float(program.tolerance), command_settings(settings))
    warn_of_settings(found["warnings"])
    return PieRun(where, graph, found)
