"""Runs of the shipped programs, and their results."""
from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from leeway import _core
from leeway.errors import InputError, SettingWarning, an, warn, warn_of_settings
from leeway.graph import Graph, check_is_graph, generate, html_table, read
from leeway.pie_program import PieProgram, run_pie_program
from leeway.results import NamedValues, read_only
from leeway.settings import READING, command_settings, opening_settings, refuse_reading
from leeway.tick_program import TickProgram, run_tick_program
from leeway.vertex_program import VertexProgram, run_vertex_program


def _takes(program: str, name: str) -> bool:
    """True if the setting is one of the program's own."""
    return any(setting == name and program in own_of for setting, _, _, _, _, own_of, _ in _core.settings())


class Run(NamedValues):
    """The result of a run: `values`, one per vertex in the graph's order (in a job, None in all processes except the first;
    with gather=False, the values of this process's vertices); `names`, the names of the vertices of `values`;
    `first`, the number of the first of them; `report`, the content of the command's report (only in the first
    process); `converged`, whether the run converged. Like a dictionary from names to values: run[name], `in`, `len`, iteration
    over the names, keys(), items(), get(). The values of cc and cdlp are vertices: by their numbers in `values`, by their names
    otherwise."""

    _remedy = "use them there, or run with gather=False, so that each process keeps the values of its part"

    def __init__(self, program: str, graph: Optional[Graph], found: Mapping[str, Any]):
        self.program = program
        self.graph = graph
        self.report: dict = json.loads(found["report"]) if found["report"] else {}
        self.finished: bool = found["at_rest"]
        values = found["values"]
        if values is None and found["table"] is not None:
            values = found["table"] if graph is None else found["table"][:, 0]
        self.first: int = found["first"]
        self._names = found["names"]
        if values is not None and found["shown"] == "depth":
            values = np.where(values == np.iinfo(np.uint64).max, np.inf, values.astype(float))
        self.values = read_only(values)
        self._vertices = found["shown"] == "vertex"
        self._ordered = not _core.program_facts().get(program, {}).get("groups", False)

    @property
    def converged(self) -> Optional[bool]:
        """None for programs that run a given number of steps."""
        return self.report.get("converged")

    @property
    def iterations(self) -> Optional[int]:
        """Sweeps, supersteps, rounds or ticks; the maximum over nodes."""
        return self.report.get("iterations")

    @property
    def answer(self) -> dict:
        """The report's answer in a few numbers, such as the number of components or of reached vertices."""
        return self.report.get("answer", {})

    @property
    def seconds(self) -> float:
        """Computing time; virtual in the virtual cluster. In a job, NaN in all processes except the first."""
        return self.report.get("seconds", {}).get("compute", float("nan"))

    @property
    def simulated(self) -> bool:
        return bool(self.report.get("simulated"))

    def row(self) -> dict[str, Any]:
        """The run as one row of a table."""
        configuration = dict(self.report.get("configuration", {}))
        seconds = self.report.get("seconds", {})
        return {"program": self.program, "graph": self.graph.name if self.graph else "", **configuration,
                "iterations": self.report.get("iterations"), "converged": self.converged,
                "seconds": seconds.get("compute"), "simulated": self.simulated,
                "messages": _sum(self.report.get("messages")), "bytes": self.report.get("wire_bytes")}

    def __repr__(self) -> str:
        if not self.report:
            return f"<leeway.Run {self.program}: the first process of the job has the report>"
        row = self.row()
        kind = "virtual seconds" if self.simulated else "seconds"
        return (f"<leeway.Run {self.program}: {row['iterations']} iterations, {self.seconds:.4g} {kind}, "
                f"converged: {self.converged}>")

    def _repr_html_(self) -> str:
        return html_table(self.row()) + _curve(self.report.get("series") or [])


def run(program: Union[str, VertexProgram, PieProgram, TickProgram],
        graph: Union[Graph, str, os.PathLike, None] = None, *, gather: bool = True, _continued_from=None, **settings):
    """Runs your own program (see VertexProgram, PieProgram, TickProgram), or a shipped one by its name, like
    `leeway run`: `leeway.programs()` lists them, `leeway.settings()` the settings. Under mpiexec or `leeway launch` every process
    makes the same call. By default the first process then gets all values; with gather=False each process gets the
    values of its part. The graph may be a file or a spec: it is read (see `read` and `generate`) or, with gather=False, each process
    reads its share, and none holds the whole graph.
    `rhs`, `start` and `fixed` of heat and wave and `personalization` of pagerank may be arrays with one number per vertex, or a dict of
    numbers by vertex; NaN in an array `fixed` marks a vertex that is not fixed."""
    if isinstance(program, (VertexProgram, PieProgram)):
        if not isinstance(graph, (str, os.PathLike)):
            refuse_reading(settings)
        else:
            graph = _opened(type(program).__name__, os.fspath(graph), settings)
        return (run_vertex_program if isinstance(program, VertexProgram) else run_pie_program)(program, graph, **settings)
    if isinstance(program, TickProgram):
        if graph is not None:
            raise InputError("a TickProgram defines its own grid", type(program).__name__, "leave the graph out")
        return run_tick_program(program, **settings)
    if not isinstance(program, str):
        raise InputError(f"{an(program)} is not a program", "leeway.run",
                         "give the name of a shipped one, or an instance of a VertexProgram, PieProgram or TickProgram")
    if "alpha" in settings and not {"engine", "scheduler", "system"} & set(settings) and _takes(program, "damping"):
        raise InputError(f"{program} has no setting alpha here", "", "NetworkX's alpha is damping=")
    on_graph = {each: on_graph for each, _, _, on_graph in _core.programs()}.get(program)
    if isinstance(graph, (str, os.PathLike)):
        if not on_graph:
            raise InputError("there is no such program on a graph", program, "leeway.programs() lists the programs")
        name = os.fspath(graph)
        if name and not gather:
            return _run(program, None, name, _translated(settings), False)
        graph = _opened(program, name, settings)
    elif graph is not None or on_graph:
        check_is_graph(graph, program)
        refuse_reading(settings)
    if graph is not None and "source" in settings and settings["source"] is not None:
        settings["source"] = graph._vertex_name(settings["source"])
    return _run(program, graph, (graph.name or "a graph") if graph is not None else "", settings, bool(gather), _continued_from)


def _run(program: str, graph: Optional[Graph], name: str, settings: dict[str, Any], gather: bool, continued_from=None) -> Run:
    """`continued_from`: the changing graph, its version before an answer, and the values of that answer."""
    with _arrays_as_files(settings) as given:
        found = _core.run(program, graph._core if graph is not None else None, name, command_settings(given), gather,
                          continued_from)
    warn_of_settings(found["warnings"])
    done = Run(program, graph, found)
    first = str(done.report.get("configuration", {}).get("source", ""))
    if " (the first" in first and settings.get("source") is None:
        name, _, which = first.rpartition(" (the first")
        warn(f"{program}: source was not given; paths start at {name}, the first vertex{which.removesuffix(')')}", SettingWarning)
    if not done.finished:
        warn(f"{program}: {done.report.get('why', 'stopped early')}; its values are not the result", RuntimeWarning)
    return done


def _opened(program: str, name: str, settings: dict[str, Any]) -> Graph:
    """Opens the graph `name`. Takes the settings of reading out of `settings`."""
    if not name:
        raise InputError("the graph's name is empty", program, "name a file or a spec")
    reading = {key: settings.pop(key) for key in list(settings) if key.rstrip("_").replace("_", "-") in READING}
    if os.path.exists(name) or not _core.Graph.is_spec(name):
        return read(name, **reading)
    for key in ("seed", "threads"):
        if settings.get(key) is not None:
            reading[key] = settings[key]
    return generate(name, **reading)


def _translated(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with those of reading as the command has them."""
    reading = {key: value for key, value in settings.items() if key.rstrip("_").replace("_", "-") in READING}
    return {**{key: value for key, value in settings.items() if key not in reading}, **dict(opening_settings("read", reading))}


@contextlib.contextmanager
def _arrays_as_files(settings: Mapping[str, Any]):
    """Replaces arrays of vertex values in the settings by files that the command reads."""
    given = dict(settings)
    arrays = {key: given[key] for key in ("rhs", "start", "fixed", "personalization")
              if isinstance(given.get(key), (np.ndarray, list, tuple, Mapping))}
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="leeway-")) if arrays else ""
        for key, values in arrays.items():
            if isinstance(values, Mapping):
                given[key] = os.path.join(folder, key + ".txt")
                with open(given[key], "w", encoding="utf-8") as file:
                    file.writelines(f"{name} {float(value)!r}\n" for name, value in values.items())
                continue
            array = np.asarray(values, dtype=float).ravel()
            rows = np.flatnonzero(~np.isnan(array)) if key == "fixed" else np.arange(len(array))
            given[key] = os.path.join(folder, key + ".mtx")
            with open(given[key], "w", encoding="utf-8") as file:
                file.write(f"%%MatrixMarket matrix coordinate real general\n{len(array)} 1 {len(rows)}\n")
                file.writelines(f"{i + 1} 1 {float(array[i])!r}\n" for i in rows.tolist())
        yield given


def compare(runs: Sequence[Run]):
    """Compares runs: a pandas DataFrame of their differing settings and their costs. `factor` is the time relative to the
    first run."""
    import pandas

    if not runs:
        raise InputError("no runs", "compare", "give a list of them")
    for each in runs:
        if not isinstance(each, Run):
            raise InputError(f"{an(each)} is not a Run", "compare", "give what leeway.run returns")
    frame = pandas.DataFrame([each.row() for each in runs])
    constant = [name for name in frame.columns if len(runs) > 1 and frame[name].astype(str).nunique() == 1
                and name not in ("iterations", "seconds", "messages", "bytes", "converged")]
    frame = frame.drop(columns=constant)
    frame["factor"] = frame["seconds"] / runs[0].seconds if runs[0].seconds > 0 else float("nan")
    return frame


def sweep(program, graph: Optional[Graph] = None, repeat: int = 1, **settings):
    """Runs every combination of the settings given as lists, each `repeat` times, in the virtual cluster with seeds 1, 2, ...
    Returns a DataFrame with one row per combination, with the median, minimum and maximum of its seconds."""
    import pandas

    name = program if isinstance(program, str) else getattr(program, "__name__", None)
    if name not in programs():
        raise InputError(f"{program!r} is not a shipped program", "sweep", "give one of leeway.programs(), such as leeway.sssp")
    if repeat < 1:
        raise InputError(f"{repeat} repeats", "repeat", "give 1 or more")
    varied = {key: value for key, value in settings.items() if isinstance(value, (list, tuple, range, np.ndarray))}
    fixed = {key: value for key, value in settings.items() if key not in varied}
    for key, choices in varied.items():
        if len(choices) == 0:
            raise InputError("an empty list", key, "give one value or more")
    rows = []
    for choice in itertools.product(*varied.values()):
        chosen = dict(zip(varied, choice))
        runs = []
        for turn in range(repeat):
            seed = {"seed": turn + 1} if repeat > 1 and fixed.get("fabric") == "sim" else {}
            runs.append(run(name, graph, **{**fixed, **chosen, **seed}))
        seconds = [each.seconds for each in runs]
        row = runs[0].row()
        rows.append({**chosen, "seconds": float(np.median(seconds)), "least": min(seconds), "most": max(seconds),
                     "iterations": row["iterations"], "messages": row["messages"], "bytes": row["bytes"],
                     "simulated": row["simulated"], "converged": row["converged"]})
    return pandas.DataFrame(rows)


def programs() -> dict[str, str]:
    """The shipped programs, each with a summary."""
    return {name: summary for name, summary, _, _ in _core.programs()}


def _sum(messages) -> Optional[int]:
    if isinstance(messages, Mapping):
        return sum(each["count"] if isinstance(each, Mapping) else each for each in messages.values())
    if isinstance(messages, Iterable):
        return sum(each["count"] for each in messages)
    return messages


def _curve(series: list[dict]) -> str:
    """A plot of the vertices changed over time; empty for fewer than two points."""
    points = [(each["seconds"], each["changed"]) for each in series if "seconds" in each and "changed" in each]
    if len(points) < 2:
        return ""
    width, height = 420, 120
    last = max(points[-1][0], 1e-12)
    most = max(max(y for _, y in points), 1)
    path = " ".join(f"{x / last * width:.1f},{height - y / most * height:.1f}" for x, y in points)
    return (f"<svg width='{width}' height='{height + 20}' role='img' aria-label='vertices changed over time'>"
            f"<polyline points='{path}' fill='none' stroke='#3366cc' stroke-width='1.5'/>"
            f"<text x='0' y='{height + 15}' font-size='11'>vertices changed (most {most}) over {last:.3g} s</text></svg>")
