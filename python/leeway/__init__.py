"""Leeway: iterative graph computations on distributed shared memory with bounded staleness.

    import leeway as lw
    g = lw.read("web.txt.zst")
    r = lw.pagerank(g, nodes=4, consistency="rcp+push")
    r.values, r.report
"""
import atexit as _atexit
import difflib as _difflib
import sys as _sys

from leeway import _core
from leeway.errors import Error, InputError, MachineError, PeerError, SettingWarning
from leeway.graph import Graph, generate, read
from leeway.memory import Cluster, Dsm, Node, Session
from leeway.pie_program import PieProgram, PieRun
from leeway.programs import *
from leeway.programs import SHIPPED as _SHIPPED
from leeway.runs import Run, compare, programs, run, sweep
from leeway.settings import settings
from leeway.tick_program import TickProgram, TickRun
from leeway.vertex_program import CProgram, VertexProgram, VertexRun

__version__ = _core.version

__all__ = ["Cluster", "CProgram", "Dsm", "Error", "Graph", "InputError", "MachineError", "Node", "PeerError",
           "PieProgram", "PieRun", "Run", "Session", "SettingWarning", "TickProgram", "TickRun", "VertexProgram", "VertexRun",
           "compare", "generate", "place", "programs", "read", "run", "settings", "sweep", *_SHIPPED]

_failed = False

#: Functions of NetworkX and NetworKit, and their names here.
_FOREIGN = {
    **{alias: name.replace("-", "_") for name, facts in _core.program_facts().items() for alias in facts["known_as"]},
    "read_graph": "read", "read_edgelist": "read", "load": "read", **dict.fromkeys(("from_networkx", "from_scipy", "from_pandas",
    "from_numpy", "from_edges", "from_csr", "from_table"), "Graph."),
    **dict.fromkeys(("from_arrow", "from_polars", "read_parquet"), "Graph.from_table"),
}


def __getattr__(name: str):
    if name.startswith("_"):
        raise AttributeError(f"module 'leeway' has no attribute {name!r}")
    near = _difflib.get_close_matches(name, __all__, 1)
    if name in _FOREIGN:
        remedy = f"it is lw.{_FOREIGN[name] + name if _FOREIGN[name].endswith('.') else _FOREIGN[name]}"
    elif near:
        remedy = f"did you mean lw.{near[0]}?"
    else:
        remedy = "no such program or function; lw.programs() lists the programs"
    raise AttributeError(f"module 'leeway' has no attribute {name!r}: {remedy}")


def place() -> tuple:
    """This process's rank and the number of processes: (0, 1) unless mpiexec or `leeway launch` started it."""
    return _core.place()


def _note_exception(kind, value, trace, before=_sys.excepthook):
    global _failed
    _failed = True
    before(kind, value, trace)


# All processes of a job end together: when the script ends, or when any process raises an exception.
_sys.excepthook = _note_exception
_atexit.register(lambda: (_sys.stdout.flush(), _sys.stderr.flush(), _core.leave(_failed)))
