"""The exceptions and warnings of the package, and the translation of the command's messages: `--net ec2` is `net='ec2'`."""
from __future__ import annotations

import re
import sys
import warnings
from typing import Iterable

from leeway import _core

_SWITCHES = {name: not placeholder for name, placeholder, *_ in _core.settings()}
_FLAG = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?:=(\w+)| (?!(?:and|defines|does|fixes|has|if|in|is|may|or|out|to|with)\b)"
                   r"([A-Za-z0-9][\w.:+/-]*))?")
_COMMANDS = (("name a vertex as the input does; leeway info shows the first names", "the graph's names are in its .names"),
             ("--help lists its settings", "leeway.settings() lists them"), ("leeway programs", "leeway.programs()"),
             ("leeway run --", "leeway.run with --"), ("`leeway convert`", "Graph.save"),
             ("object numbers below the local_objects of their home", "object numbers below `local`, as the home gave it to open"))


class Error(Exception):
    """Base class: an error outside Leeway. The message contains `what`, `where` and `remedy`, which are also attributes."""

    def __init__(self, what: str, where: str = "", remedy: str = ""):
        super().__init__(what, where, remedy)
        self.what = in_python(what)
        self.where = _argument(where)
        self.remedy = in_python(remedy)

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}; {self.remedy}" if self.remedy else text


class InputError(Error, ValueError):
    """An argument, a setting or a file is invalid."""


class InputTypeError(InputError, TypeError):
    """An argument has the wrong type."""


class MachineError(Error, OSError):
    """The machine refused a request: permissions, full disk or memory, something missing."""

    def __init__(self, what: str, where: str = "", remedy: str = ""):
        Error.__init__(self, what, where, remedy)

    __str__ = Error.__str__


class PeerError(Error):
    """Another node of the job is lost or misbehaves."""


class SettingWarning(UserWarning):
    """A setting has no effect on a run, which ignores it (with strict=True the run is refused instead), or `source` was left out and
    the first vertex with an arc to another was used."""


def warn(text: str, category: type) -> None:
    """Warns at the first caller outside the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "leeway":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def warn_of_settings(lines: Iterable[str]) -> None:
    for line in lines:
        first, _, rest = line.partition(" ")
        warn(in_python(f"{_argument(first)} {rest}"), SettingWarning)


def in_python(text: str) -> str:
    """The command's message with keyword arguments in the place of flags."""
    for words, other in _COMMANDS:
        text = text.replace(words, other)
    text = re.sub(r"'([a-z]+(?:-[a-z]+)+)'", lambda found: f"'{_argument(found[1])}'", text)
    return _FLAG.sub(_keyword, text)


def _keyword(found: "re.Match[str]") -> str:
    name, switched, value = found.groups()
    keyword = name.replace("-", "_")
    if found.string[found.end(): found.end() + 1] == ":":  # names what the message is about
        return keyword + found[0][2 + len(name):]
    if name not in _SWITCHES:
        return found[0]
    after = f" {value}" if value is not None else ""
    if switched in ("true", "false"):
        return f"{keyword}={switched.capitalize()}"
    if _SWITCHES[name]:
        return f"{keyword}=True{after}"
    value = value if value is not None else switched
    if value is None:
        return f"{keyword}="
    return f"{keyword}={value}" if re.fullmatch(r"\d+(\.\d+)?", value) else f"{keyword}={value!r}"


def _argument(where: str) -> str:
    """The name of the argument that a message is about, if it is a setting."""
    if where in _SWITCHES:
        return where.replace("-", "_")
    return re.sub(r"(^|: )--([a-z-]+)", lambda found: found[1] + found[2].replace("-", "_"), where)


def an(thing: object) -> str:
    """The type of `thing` with its article: "an int", "a list"."""
    name = type(thing).__name__
    return f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"
