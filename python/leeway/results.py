"""Values of a run by vertex name."""
from __future__ import annotations

import csv
import os
from typing import Any, Iterator, Optional, Union

import numpy as np

from leeway.errors import InputError
from leeway.graph import Graph


class NamedValues:
    """Base class of runs on a graph. `values` is a read-only array, one per vertex of this process, in the graph's order;
    `first` is the number of the first of them. By name, a run behaves like a dictionary from vertex names to values:
    iteration, `in`, `len`, `keys`, `items`, `get`; `by_name` makes a dict. If a value is a vertex (cc, cdlp),
    `values` has its number, and access by name gives its name."""

    program: str
    graph: Optional[Graph]
    values: Optional[np.ndarray]
    first: int = 0
    _names: Any = ()  # names of the values' vertices, where the graph is not in memory
    _places: Optional[dict] = None  # the places of these names
    _vertices = False  # whether the values are vertices
    _ordered = True  # whether the values have an order
    _remedy = "use them there"  # in a process without the values

    @property
    def names(self) -> Union[np.ndarray, list, None]:
        """The names of the vertices of `values`; None if there are none."""
        if self.values is None:
            return None
        if self.graph is not None:
            return self.graph.names[self.first: self.first + len(self.values)]
        return self._names if len(self._names) else None

    def __len__(self) -> int:
        self._check()
        return len(self.values)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        """The names of the vertices."""
        return iter(self.keys())

    def __contains__(self, vertex: Any) -> bool:
        return self._place(vertex) is not None

    def __getitem__(self, vertex: Any) -> Any:
        """The value of the vertex named `vertex`."""
        place = self._place(vertex)
        if place is None:
            known = self.graph is not None and vertex in self.graph
            what = f"this process has no value of vertex {vertex!r}" if known else f"there is no vertex {vertex!r}"
            raise InputError(what, self.program, "its vertices are in .names")
        if self._vertices:
            return self._vertex_names(self.values[place: place + 1])[0]
        return self.values[place].item() if self.values.ndim == 1 else self.values[place]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)

    def keys(self) -> list:
        """The names of the vertices."""
        self._check()
        names = self.names
        return names.tolist() if isinstance(names, np.ndarray) else list(names)

    def items(self) -> list[tuple[Any, Any]]:
        """Pairs of name and value."""
        return list(zip(self.keys(), self._by_place()))

    def get(self, vertex: Any, default: Any = None) -> Any:
        return self[vertex] if vertex in self else default

    def by_name(self) -> dict:
        """A dictionary of the values by vertex name."""
        return dict(self.items())

    def top(self, count: int = 10) -> list[tuple[Any, Any]]:
        """The vertices with the greatest values, and the values."""
        names = self.keys()
        if count < 0:
            raise InputError(f"{count}", "top", "give a count, 0 or more")
        if not self._ordered or self.values.ndim != 1:
            raise InputError("its values have no order, so there is no greatest one", self.program, "use by_name() or values")
        amounts = self.values.astype(float)
        finite = np.flatnonzero(np.isfinite(amounts))  # vertices that cannot be reached are left out
        order = finite[np.argsort(-amounts[finite], kind="stable")][:count]
        return [(names[i], self.values[i].item()) for i in order]

    def to_pandas(self):
        """A table with one row per vertex: name and value (or columns 0, 1 ... if a value is a vector)."""
        import pandas

        names = self.keys()
        if self.values.ndim == 1:
            return pandas.DataFrame({"name": names, "value": self._by_place() if self._vertices else self.values})
        frame = pandas.DataFrame(self.values)
        frame.insert(0, "name", names)
        return frame

    def to_csv(self, path: Union[str, os.PathLike], *, force: bool = False) -> None:
        """Writes a file with one row per vertex: name and value (or columns 0, 1 ... if a value is a vector). A file that begins
        otherwise is replaced only with force=True."""
        rows = self.items()
        title = ["name", "value"] if self.values.ndim == 1 else ["name", *range(self.values.shape[1])]
        head = ",".join(map(str, title))
        if not force and os.path.exists(path) and os.path.getsize(path) > 0:
            with open(path, "rb") as file:
                if file.readline().rstrip() != head.encode():
                    raise InputError("the file exists, and Leeway did not write it", os.fspath(path),
                                     "give force=True to replace it")
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(title)
            writer.writerows([name, value] if self.values.ndim == 1 else [name, *value] for name, value in rows)

    def _check(self) -> None:
        if self.values is None:
            raise InputError("the first process of the job has the values", self.program, self._remedy)
        if self.graph is None and not len(self._names):
            raise InputError("there are no vertices", self.program, "use values")

    def _place(self, vertex: Any) -> Optional[int]:
        """The index of the vertex in `values`; None if this process does not have it."""
        self._check()
        if self.graph is not None:
            found = self.graph._find(vertex)
            place = -1 if found is None else found - self.first
            return place if 0 <= place < len(self.values) else None
        if self._places is None:
            self._places = {name: place for place, name in enumerate(self.keys())}
        try:
            return self._places.get(vertex)
        except TypeError:  # an object without a hash is not a vertex name
            return None

    def _by_place(self) -> list:
        return self._vertex_names(self.values) if self._vertices else self.values.tolist()

    def _vertex_names(self, numbers: np.ndarray) -> list:
        """The names of the vertices with these numbers."""
        if self.graph is not None:
            return self.graph._named(numbers)
        names, places = self.keys(), numbers.astype(np.int64) - self.first
        if len(places) and not (places.min() >= 0 and places.max() < len(names)):
            raise InputError("a value is a vertex of another process, whose name is not known here", self.program,
                             "use values, which has the vertices' numbers, or open the graph first")
        return [names[place] for place in places.tolist()]

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        self.values = read_only(self.values)


def read_only(values: Optional[np.ndarray]) -> Optional[np.ndarray]:
    if values is not None:
        values.flags.writeable = False
    return values
