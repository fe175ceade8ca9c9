"""The one error of the GenExpr tool chain."""

from __future__ import annotations

from pybackend.errors import InputError


class GenExprError(InputError):
    """GenExpr that Max would refuse, or that lies outside the subset this project allows.

    Attributes
    ----------
    line, column : int
        Where, counted from 1.
    rule : str or None
        Number of the lint rule that forbids it, for example ``"R9"``; None for plain syntax.
    reason : str
        The message without the place.
    """

    def __init__(self, reason: str, line: int, column: int, rule: str | None = None) -> None:
        label = f"{rule}: " if rule else ""
        super().__init__(f"line {line}, column {column}: {label}{reason}")
        self.reason = reason
        self.line = line
        self.column = column
        self.rule = rule
