"""The exceptions of the package. Each has the problem, the place and the remedy."""


class Error(Exception):
    """Base class: an error outside Leeway. The message contains `what`, `where` and `remedy`, which are also attributes."""

    def __init__(self, what: str, where: str = "", remedy: str = ""):
        super().__init__(what, where, remedy)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}; {self.remedy}" if self.remedy else text


class InputError(Error, ValueError):
    """An argument, a setting or a file is invalid."""


class MachineError(Error, OSError):
    """The machine refused a request: permissions, full disk or memory, something missing."""

    def __init__(self, what: str, where: str = "", remedy: str = ""):
        Error.__init__(self, what, where, remedy)

    __str__ = Error.__str__


class PeerError(Error):
    """Another node of the job is lost or misbehaves."""
