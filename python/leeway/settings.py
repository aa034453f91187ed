"""Keyword arguments as the command's settings: `piece_order="arrival"` is `--piece-order arrival`."""
from __future__ import annotations

import difflib
from typing import Any, Iterable, Mapping, Optional, Union

import numpy as np

from leeway import _core
from leeway.errors import InputError, InputTypeError

#: The settings of reading a file or of generating a graph.
READING = ("format", "directed", "undirected", "symmetrize", "duplicates", "merge-weights", "self-loops", "weights",
           "weight-low", "weight-high", "columns", "delimiter", "header")
_OPENING = (*READING, "seed", "threads", "strict", "log-level")
_KNOWN = (*(name for name, *_ in _core.settings()), "to")
_MADE = ("weights are chosen when the graph is made: read(path, weights=\"none\"), from_networkx(G, weight=None), "
         "from_pandas(frame, weight=None)")
#: Keyword arguments of other libraries, and the remedy.
_FOREIGN = {
    "tol": "NetworkX's tol is tolerance=", "max-iter": "NetworkX's max_iter is iterations=",
    "max-iterations": "use iterations=", "niter": "use iterations=",
    "nstart": "there are no given start values",
    "dangling": "the rank of vertices without out-arcs is spread like that of restarts", "weight": _MADE,
    **dict.fromkeys(("out", "output"), "write the values by Run.to_csv, or the report by report="),
}


def command_settings(keywords: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Converts keyword arguments to names and values of the command. None counts as not given. Refuses names that belong to
    no setting."""
    for keyword, value in keywords.items():
        name = _name(keyword)
        if name in _FOREIGN or (value is None and name not in _KNOWN):  # the command checks names that have a value
            raise _unknown(keyword, "there is no such setting", _KNOWN)
    return [(_name(keyword), _word(value)) for keyword, value in keywords.items() if value is not None]


def opening_settings(function: str, keywords: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The settings of `read` or `generate`. directed=False is undirected=True, and the reverse."""
    given: dict[str, Any] = {}
    other = {"directed": "undirected", "undirected": "directed"}
    for keyword, value in keywords.items():
        name = _name(keyword)
        if name not in _OPENING:
            raise _unknown(keyword, f"{function} has no such setting", _OPENING)
        if value is None:
            continue
        if name in other and not truth(name, value):
            name, value = other[name], True
        given[name] = value
    return command_settings(given)


def _unknown(keyword: str, what: str, known: Iterable[str]) -> InputError:
    name = _name(keyword)
    return InputError(what, keyword, _FOREIGN.get(name) or nearest(name, known))


def truth(name: str, value: Any) -> bool:
    """The value of an argument that is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(f"{value!r} is not a truth value", name, "give True or False")
    return bool(value)


def refuse_reading(keywords: Mapping[str, Any]) -> None:
    """Refuses settings of reading for a graph that is in memory."""
    for keyword, value in keywords.items():
        name = _name(keyword)
        if name in READING and value is not None:
            remedies = {"weights": _MADE, "directed": "use Graph.to_undirected, or give directed= when the graph is made",
                        "undirected": "use Graph.to_undirected, or give directed=False when the graph is made"}
            remedy = remedies.get(name, "give it to leeway.read or leeway.generate")
            raise InputError("the graph is in memory already", keyword, remedy)


def nearest(name: str, known: Iterable[str]) -> str:
    """The remedy for an unknown name."""
    near = difflib.get_close_matches(name.replace("-", "_"), [each.replace("-", "_") for each in known], 1)
    return f"did you mean '{near[0]}'?" if near else "leeway.settings() lists them all"


def _name(keyword: str) -> str:
    return keyword.rstrip("_").replace("_", "-")


def _word(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)


def settings(name: Optional[str] = None) -> Union[dict[str, str], str]:
    """Every setting of a run, with its meaning and default; or the text of one: settings("consistency")."""
    texts = {each.replace("-", "_"): f"{help} (default: {fallback})" if fallback else help
             for each, _, fallback, help, *_ in _core.settings()}
    if name is None:
        return texts
    if name not in texts:
        raise InputError(f"there is no setting '{name}'", "settings", nearest(name, texts))
    return texts[name]
