"""Keyword arguments as the command's settings: `piece_order="arrival"` is `--piece-order arrival`."""
from __future__ import annotations

from typing import Any, Mapping

from leeway import _core


def said(keywords: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each in the command's words. None is as if it had not been given."""
    return [(name.rstrip("_").replace("_", "-"), _word(value)) for name, value in keywords.items() if value is not None]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def settings() -> dict[str, str]:
    """Every setting a run takes, with what it means and its default."""
    return {name.replace("-", "_"): f"{help} (default: {fallback})" if fallback else help
            for name, _, fallback, help in _core.settings()}
