"""The shipped programs as functions: `leeway.pagerank(graph, nodes=4, consistency="rcp+push")`."""
from __future__ import annotations

from typing import Optional

from leeway import _core
from leeway.graph import Graph
from leeway.runs import Run, run


def _identifier(name: str) -> str:
    return name.replace("-", "_")


def _function(name: str, summary: str, result: str, on_graph: bool):
    if on_graph:
        def program(graph: Graph, **settings) -> Run:
            return run(name, graph, **settings)
    else:
        def program(graph: Optional[Graph] = None, **settings) -> Run:
            return run(name, graph, **settings)
    program.__name__ = program.__qualname__ = _identifier(name)
    program.__doc__ = (f"{summary[:1].upper()}{summary[1:]}. `values`: {result}.\n\n"
                       "Keyword arguments are the settings of `leeway run`; leeway.settings() describes them.")
    return program


SHIPPED = {_identifier(name): _function(name, summary, result, on_graph) for name, summary, result, on_graph in _core.programs()}
globals().update(SHIPPED)
