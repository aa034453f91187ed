"""Simulations in ticks on a grid of cells, in Python: the next values of a block from the cells in and around it."""
from __future__ import annotations

import math
from typing import NamedTuple, Optional, Union

import numpy as np

from leeway import _core
from leeway.errors import InputError, warn_of_settings
from leeway.results import read_only
from leeway.settings import command_settings


class Block(NamedTuple):
    """The coordinates of a block's cells: `x`, a row of column numbers, and `y`, a column of row numbers, which broadcast."""

    x: np.ndarray
    y: np.ndarray


class TickProgram:
    """Subclass it and define `columns`, `rows`, `init` and `step`.

    `reach`: the greatest distance, in cells, from which a cell's next value may read; `beyond`: the value outside the
    grid, "edge" for the nearest cell's value, or a number."""

    columns: int
    rows: int
    reach: int = 1
    beyond: Union[str, float] = "edge"

    def init(self, block: Block) -> np.ndarray:
        """Returns the block's values before the first tick: anything that broadcasts to its rows and columns."""
        raise NotImplementedError

    def step(self, before: np.ndarray, block: Block) -> np.ndarray:
        """Returns the block's values one tick later. `before` has the block and `reach` cells on every side of it; the
        program may write to it. The result for a cell must not depend on the block that contains it."""
        raise NotImplementedError

    def _create(self, left: int, top: int, right: int, bottom: int) -> np.ndarray:
        block = _block(left, top, right, bottom)
        return np.array(np.broadcast_to(self.init(block), (bottom - top, right - left)), dtype=np.float64)

    def _step(self, before: np.ndarray, left: int, top: int, right: int, bottom: int) -> np.ndarray:
        now = np.asarray(self.step(before, _block(left, top, right, bottom)))
        if now.shape != (bottom - top, right - left):
            raise InputError(f"step gave {now.shape} for {(bottom - top, right - left)} rows and columns",
                             type(self).__name__, "leave the cells around the block out")
        return now


class TickRun:
    """The result of a run of a TickProgram: `values`, row by row (in a job, None in all processes except the first); `ticks`,
    also called `iterations`; `seconds`."""

    def __init__(self, found: dict):
        self.values: Optional[np.ndarray] = read_only(found["values"])
        self.ticks: int = found["ticks"]
        self.seconds: float = found["seconds"]

    @property
    def iterations(self) -> int:
        return self.ticks

    def __repr__(self) -> str:
        return f"<leeway.TickRun: {self.ticks} ticks, {self.seconds:.4g} seconds>"


def run_tick_program(program: TickProgram, **settings) -> TickRun:
    """Implements leeway.run for a TickProgram. `settings`: nodes, iterations (100 if not given), sync ("barrier",
    "local", "schedule", "replicate", "combined"), depth, every, replicas, net, seed."""
    where = type(program).__name__
    for name in ("init", "step"):
        if getattr(type(program), name) is getattr(TickProgram, name):
            raise InputError(f"{where} has no {name}", "leeway.TickProgram", f"write {name}(self, ...)")
    sizes = {}
    for name, least in (("columns", 1), ("rows", 1), ("reach", 0)):
        value = getattr(program, name, None)
        if not isinstance(value, (int, np.integer)) or not least <= value < 2**31:
            raise InputError(f"{name} is {value}", where, f"give a whole number from {least}")
        sizes[name] = int(value)
    edge = program.beyond == "edge"
    if not edge and not isinstance(program.beyond, (int, float, np.number)):
        raise InputError(f"beyond is {program.beyond!r}", where, 'give "edge" or a number')
    world = _core.World(sizes["columns"], sizes["rows"], sizes["reach"], edge, math.nan if edge else float(program.beyond))
    found = _core.run_field(program, world, command_settings(settings))
    warn_of_settings(found["warnings"])
    return TickRun(found)


def _block(left: int, top: int, right: int, bottom: int) -> Block:
    return Block(np.arange(left, right)[np.newaxis, :], np.arange(top, bottom)[:, np.newaxis])
