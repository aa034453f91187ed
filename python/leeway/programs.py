"""The shipped programs as functions: `leeway.pagerank(graph, nodes=4, consistency="rcp+push")`."""
from __future__ import annotations

import inspect
import keyword
import re
import textwrap
from typing import Any

from leeway import _core
from leeway.errors import InputTypeError
from leeway.runs import run

_KINDS = {"": "bool", "N": "int", "M": "int", "C": "int", "K": "int", "R": "float", "W": "float", "V": "float",
          "LAMBDA": "float", "FILE": "Union[str, os.PathLike[str]]", "FOLDER": "Union[str, os.PathLike[str]]",
          "VERTEX": "Any", "A,B[,W]": "Union[str, Sequence[Any]]", "WHEN": "Union[str, int]"}
_KINDS_BY_NAME = {"tolerance": "float", "damping": "float", "attenuation": "float", "alpha": "float", "beta": "float", "depth": "int", "hops": "int",
                  "rebalance": "int", "frame-every": "int", "balance-every": "int", "cache": "Union[int, str]",
                  **dict.fromkeys(("rhs", "start", "fixed", "personalization"),
                                  "Union[str, os.PathLike[str], Sequence[float], np.ndarray, Mapping[Any, float]]")}


def _identifier(name: str) -> str:
    return name.replace("-", "_") + ("_" if keyword.iskeyword(name) else "")


def _default(kind: str, fallback: str) -> Any:
    """The default as a value, if the table states one value; else None."""
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


def _settings(name: str) -> tuple[list, list]:
    """The settings of the program's runs: its own and the usual ones; the others."""
    own, usual, others = [], [], []
    for setting, placeholder, fallback, help, programs, own_of, is_usual in _core.settings():
        if name in programs:
            (usual if is_usual else own if name in own_of else others).append((setting, placeholder, fallback, help))
    return own + usual, others


def _signature(name: str, on_graph: bool, whole: bool) -> inspect.Signature:
    """`whole`: with every setting; else the program's own and the usual ones."""
    keywords = inspect.Parameter.KEYWORD_ONLY
    kind = "Union[Graph, str, os.PathLike[str]]" if on_graph else "None"
    parameters = [inspect.Parameter("graph", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind,
                                    default=inspect.Parameter.empty if on_graph else None)]
    shown, others = _settings(name)
    for setting, placeholder, fallback, _ in shown + (others if whole else []):
        kind = _KINDS_BY_NAME.get(setting, _KINDS.get(placeholder, "str"))
        parameters.append(inspect.Parameter(_identifier(setting), keywords, annotation=f"Optional[{kind}]",
                                            default=_default(kind, fallback)))
    parameters.append(inspect.Parameter("gather", keywords, annotation="bool", default=True))
    if not whole:
        parameters.append(inspect.Parameter("settings", inspect.Parameter.VAR_KEYWORD, annotation="Any"))
    return inspect.Signature(parameters, return_annotation="Run")


def _document(name: str, summary: str, result: str) -> str:
    numbers = " (its number; run[name] and by_name() have its name)" if _core.program_facts()[name]["vertex_valued"] else ""
    shown, others = _settings(name)
    lines = [f"{summary[:1].upper()}{summary[1:]}. `values`: {result}{numbers}.", "",
             "`graph` is a Graph, a file or a spec such as \"kron:10\". The settings, of which each run uses those that apply to it:", ""]
    for setting, _, fallback, help in shown:
        text = f"{_identifier(setting)}: {help}" + (f" (default: {fallback})" if fallback else "")
        lines += textwrap.wrap(text, 110, subsequent_indent="    ")
    lines += ["", f"{len(others)} more: lw.settings(\"{_identifier(others[0][0])}\") describes one, lw.settings() all:"]
    lines += textwrap.wrap(", ".join(_identifier(setting) for setting, *_ in others) + ".", 110)
    return "\n".join(lines)


def _function(name: str, summary: str, result: str, on_graph: bool):
    def check(wrong: tuple) -> None:
        if wrong:
            own = _identifier(_settings(name)[0][0][0])
            remedy = f"write {own}={wrong[0]!r}" if len(wrong) == 1 else f"write them as keyword arguments, such as {own}="
            raise InputTypeError("settings are keyword arguments", _identifier(name), remedy)

    if on_graph:
        def program(graph, *wrong, **settings):
            check(wrong)
            return run(name, graph, **settings)
    else:
        def program(graph=None, *wrong, **settings):
            check(wrong)
            return run(name, graph, **settings)
    program.__name__ = program.__qualname__ = _identifier(name)
    program.__doc__ = _document(name, summary, result)
    program.__signature__ = _signature(name, on_graph, whole=False)
    return program


SHIPPED = {_identifier(name): _function(name, summary, result, on_graph) for name, summary, result, on_graph in _core.programs()}
__all__ = list(SHIPPED)
globals().update(SHIPPED)


def signatures() -> str:
    """The text of programs.pyi, from which editors complete the functions and their arguments. The build writes it."""
    text = ("import os\nfrom typing import Any, Callable, Mapping, Optional, Sequence, Union\n\nimport numpy as np\n\n"
            "from leeway.graph import Graph\nfrom leeway.runs import Run\n\n"
            f"__all__ = {__all__!r}\nSHIPPED: dict[str, Callable[..., Run]]\n")
    for name, _, _, on_graph in _core.programs():
        function = SHIPPED[_identifier(name)]
        lines = inspect.getdoc(function).replace("\\", "\\\\").replace('"""', "'''")
        signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(_signature(name, on_graph, whole=True)))  # annotations without quotes
        text += f'\ndef {_identifier(name)}{signature}:\n    """{lines}\n    """\n'
    return text
