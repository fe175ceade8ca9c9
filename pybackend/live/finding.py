"""One thing that was looked at, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a check ended. ``skip``: it does not apply here, or could not be made."""

    PASS = "pass"  # noqa: S105
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check.

    Attributes
    ----------
    check : str
        What was looked at.
    status : Status
        How it is.
    detail : str
        What was found.
    hint : str
        What to do next; empty where there is nothing to do.
    """

    check: str
    status: Status
    detail: str
    hint: str = ""
