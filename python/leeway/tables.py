"""Columns of tables in other libraries' memory, by the dataframe interchange protocol: `pyarrow.Table`, `polars.DataFrame`,
`pandas.DataFrame` and others have the method `__dataframe__`."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from leeway.errors import InputError

_NUMBERS = {0: "i", 1: "u", 2: "f"}  # the protocol's kinds of columns, and NumPy's
_WORDS = 21


def column_of(table: Any, name: str, what: str) -> np.ndarray:
    """A column as an array: a view of the table's memory if it is of numbers in one chunk, which the array keeps alive. `what`: what
    a row must have, for errors."""
    frame = table.__dataframe__()
    chunks = [_chunk(part.get_column_by_name(name), name, what) for part in frame.get_chunks()]
    return chunks[0] if len(chunks) == 1 else np.concatenate(chunks) if chunks else np.empty(0, np.int64)


def _chunk(column: Any, name: str, what: str) -> np.ndarray:
    if column.null_count:
        raise InputError(f"{column.null_count} rows have no {what}", f"column '{name}'", "leave such rows out")
    kind, bits, _, order = column.dtype
    buffers = column.get_buffers()
    first = column.offset
    last = first + (column.size() if callable(column.size) else column.size)
    if int(kind) in _NUMBERS and bits >= 8:
        return _view(buffers["data"][0], np.dtype(f"{'>' if order == '>' else '<'}{_NUMBERS[int(kind)]}{bits // 8}"))[first:last]
    if int(kind) != _WORDS:
        raise InputError(f"values of the kind {getattr(kind, 'name', kind)}", f"column '{name}'", "give numbers or words")
    ends = _view(buffers["offsets"][0], np.dtype(f"<i{buffers['offsets'][1][1] // 8}"))
    data = bytes(_view(buffers["data"][0], np.dtype(np.uint8)))
    return np.array([data[ends[row]:ends[row + 1]].decode() for row in range(first, last)], dtype=object)


def _view(buffer: Any, dtype: np.dtype) -> np.ndarray:
    if buffer.bufsize == 0:
        return np.empty(0, dtype)
    memory = (ctypes.c_char * buffer.bufsize).from_address(buffer.ptr)
    memory.owner = buffer
    return np.frombuffer(memory, np.uint8)[:buffer.bufsize // dtype.itemsize * dtype.itemsize].view(dtype)
