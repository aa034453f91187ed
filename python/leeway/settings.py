"""Keyword arguments as the command's settings: `piece_order="arrival"` is `--piece-order arrival`."""
from __future__ import annotations

import difflib
from typing import Any, Mapping, Optional, Union

from leeway import _core
from leeway.errors import InputError


def command_settings(keywords: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Converts keyword arguments to names and values of the command. None counts as not given."""
    return [(name.rstrip("_").replace("_", "-"), _word(value)) for name, value in keywords.items() if value is not None]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)


def settings(name: Optional[str] = None) -> Union[dict[str, str], str]:
    """Every setting of a run, with its meaning and default; or the text of one: settings("consistency")."""
    texts = {each.replace("-", "_"): f"{help} (default: {fallback})" if fallback else help
             for each, _, fallback, help, _ in _core.settings()}
    if name is None:
        return texts
    if name not in texts:
        near = difflib.get_close_matches(name, texts, 1)
        raise InputError(f"there is no setting '{name}'", "settings",
                         f"did you mean '{near[0]}'?" if near else "leeway.settings() lists them all")
    return texts[name]
