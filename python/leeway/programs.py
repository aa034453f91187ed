"""The shipped programs as functions: `leeway.pagerank(graph, nodes=4, consistency="rcp+push")`."""
from __future__ import annotations

import inspect
import keyword
import re
import textwrap
from typing import Any

from leeway import _core
from leeway.runs import run

_KINDS = {"": "bool", "N": "int", "M": "int", "C": "int", "K": "int", "R": "float", "W": "float", "V": "float",
          "LAMBDA": "float", "FILE": "Union[str, os.PathLike[str]]", "FOLDER": "Union[str, os.PathLike[str]]",
          "VERTEX": "Any", "A,B[,W]": "Union[str, Sequence[Any]]", "WHEN": "Union[str, int]"}
_KINDS_BY_NAME = {"tolerance": "float", "damping": "float", "alpha": "float", "beta": "float", "depth": "int", "hops": "int",
                  "rebalance": "int", "frame-every": "int", "balance-every": "int", "cache": "Union[int, str]",
                  **dict.fromkeys(("rhs", "start", "fixed"), "Union[str, os.PathLike[str], Sequence[float], np.ndarray]")}
_DEFAULTS = {"nodes": 1}
_VERTEX_VALUED = ("cc", "cdlp")


def _identifier(name: str) -> str:
    return name.replace("-", "_") + ("_" if keyword.iskeyword(name) else "")


def _default(name: str, kind: str, fallback: str) -> Any:
    """The default as a value, if the table states one value; else None."""
    if name in _DEFAULTS:
        return _DEFAULTS[name]
    if fallback in ("on", "off"):
        return fallback == "on"
    for number in (int, float):
        if kind == number.__name__:
            try:
                return number(fallback)
            except ValueError:
                return None
    plain = fallback.replace("+", "").replace("-", "").isalnum() and fallback not in ("none", "detected")
    return fallback if kind == "str" and plain else None


def _signature(name: str, on_graph: bool) -> inspect.Signature:
    keywords = inspect.Parameter.KEYWORD_ONLY
    kind = "Union[Graph, str, os.PathLike[str]]" if on_graph else "None"
    parameters = [inspect.Parameter("graph", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind,
                                    default=inspect.Parameter.empty if on_graph else None),
                  inspect.Parameter("gather", keywords, annotation="bool", default=True)]
    for setting, placeholder, fallback, _, programs in _core.settings():
        if name in programs:
            kind = _KINDS_BY_NAME.get(setting, _KINDS.get(placeholder, "str"))
            parameters.append(inspect.Parameter(_identifier(setting), keywords, annotation=f"Optional[{kind}]",
                                                default=_default(setting, kind, fallback)))
    return inspect.Signature(parameters, return_annotation="Run")


def _document(name: str, summary: str, result: str) -> str:
    numbers = " (its number; run[name] and by_name() have its name)" if name in _VERTEX_VALUED else ""
    lines = [f"{summary[:1].upper()}{summary[1:]}. `values`: {result}{numbers}.", "",
             "`graph` is a Graph, a file or a spec such as \"kron:10\". The settings, of which each run uses those that apply to it:", ""]
    for setting, _, fallback, help, programs in _core.settings():
        if name in programs:
            text = f"{_identifier(setting)}: {help}" + (f" (default: {fallback})" if fallback else "")
            lines += textwrap.wrap(text, 110, subsequent_indent="    ")
    return "\n".join(lines)


def _function(name: str, summary: str, result: str, on_graph: bool):
    if on_graph:
        def program(graph, **settings):
            return run(name, graph, **settings)
    else:
        def program(graph=None, **settings):
            return run(name, graph, **settings)
    program.__name__ = program.__qualname__ = _identifier(name)
    program.__doc__ = _document(name, summary, result)
    program.__signature__ = _signature(name, on_graph)
    return program


SHIPPED = {_identifier(name): _function(name, summary, result, on_graph) for name, summary, result, on_graph in _core.programs()}
__all__ = list(SHIPPED)
globals().update(SHIPPED)


def signatures() -> str:
    """The text of programs.pyi, from which editors complete the functions and their arguments. The build writes it."""
    text = ("import os\nfrom typing import Any, Callable, Optional, Sequence, Union\n\nimport numpy as np\n\n"
            "from leeway.graph import Graph\nfrom leeway.runs import Run\n\n"
            f"__all__ = {__all__!r}\nSHIPPED: dict[str, Callable[..., Run]]\n")
    for name, function in SHIPPED.items():
        lines = inspect.getdoc(function).replace("\\", "\\\\").replace('"""', "'''")
        signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function)))  # annotations without quotes
        text += f'\ndef {name}{signature}:\n    """{lines}\n    """\n'
    return text
