"""Errors that a user can cause or meet: what happened, where, and what to do about it.

Everything else that is raised is a defect of this program and ends in exit code 3 as well, with its traceback.
"""

from typing import ClassVar


class KodusCheckError(Exception):
    """A failure with a decided exit code.

    ``what`` is one sentence; ``where`` names a file, ``file:line`` or ``file:line:column``; ``remedy`` says what to do.
    """

    exit_code: ClassVar[int] = 3

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None) -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(str(self))

    @property
    def sentence(self) -> str:
        """Place, fault and remedy on one line, for a notice."""
        fault = f"{self.where}: {self.what}" if self.where else self.what
        return f"{fault.rstrip('.')}. {self.remedy}" if self.remedy else fault

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n  {self.remedy}" if self.remedy else head


class UsageError(KodusCheckError):
    """A flag or argument that cannot be meant (exit 2)."""

    exit_code = 2


class ConfigError(KodusCheckError):
    """The configuration at the base cannot be used (exit 2). ``problems`` lists every fault that was found."""

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None, problems: tuple[str, ...] = ()) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.problems = problems or (self.sentence,)


class CannotReview(KodusCheckError):
    """git, ast-grep or the platform did not do what judging needs (exit 3)."""

    exit_code = 3
