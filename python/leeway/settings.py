"""Keyword arguments as the command's settings: `piece_order="arrival"` is `--piece-order arrival`."""
from __future__ import annotations

from typing import Any, Mapping

from leeway import _core


def command_settings(keywords: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Converts keyword arguments to names and values of the command. None counts as not given."""
    return [(name.rstrip("_").replace("_", "-"), _word(value)) for name, value in keywords.items() if value is not None]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def settings() -> dict[str, str]:
    """Every setting of a run, with its meaning and default."""
    return {name.replace("-", "_"): f"{help} (default: {fallback})" if fallback else help
            for name, _, fallback, help in _core.settings()}
