"""What can go wrong: what is wrong, where, and what to do about it."""


class Error(Exception):
    """Something outside Leeway went wrong. Its text has all three; each also stands by itself."""

    def __init__(self, what: str, where: str = "", remedy: str = ""):
        super().__init__(what, where, remedy)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}; {self.remedy}" if self.remedy else text


class InputError(Error, ValueError):
    """An argument, a setting or a file says something impossible."""


class MachineError(Error, OSError):
    """The machine refused: permissions, disk or memory full, something missing."""

    def __init__(self, what: str, where: str = "", remedy: str = ""):
        Error.__init__(self, what, where, remedy)

    __str__ = Error.__str__


class PeerError(Error):
    """Another node of the job is gone or broken."""
