"""Failures that cross the wire: a code, one line for people, and whether a retry makes sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# Code -> when the same request may be sent again.
CODES = {
    "bad_request": "never",
    "unauthorized": "never",
    "protocol_mismatch": "never",
    "busy": "same",
    "expired": "same",
    "unknown_op": "never",
    "unknown_object": "after_resync",
    "stale_object": "after_resync",
    "wrong_kind": "never",
    "unavailable": "never",
    "out_of_range": "never",
    "disabled": "never",
    "automated": "never",
    "conflict": "after_resync",
    "stale_revision": "after_resync",
    "overlap": "never",
    "frozen": "never",
    "recording": "same",
    "dialog_open": "same",
    "unsupported": "never",
    "undo_nothing": "never",
    "undo_not_latest": "never",
    "undo_conflict": "never",
    "undo_foreign": "never",
    "undo_gone": "never",
    "undo_unverified": "never",
    "unknown_after_reload": "after_resync",
    "internal": "never",
}


class Failure(Exception):  # noqa: N818 - it is an answer
    """A request cannot be carried out.

    Parameters
    ----------
    code : str
        One of ``CODES``.
    message : str
        One line: what, where, and what to do next.
    where : str
        Path inside the request's arguments, such as ``writes[2].value``; may be empty.
    detail : dict, optional
        JSON-ready extra facts, such as the list of conflicting targets.
    """

    def __init__(
        self, code: str, message: str, where: str = "", detail: dict[str, Any] | None = None
    ) -> None:
        if code not in CODES:
            raise ValueError(f"unknown failure code {code}")
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where
        self.detail = detail

    def as_json(self) -> dict[str, Any]:
        """Give the ``error`` member of a reply."""
        found: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "where": self.where,
            "retry": CODES[self.code],
        }
        if self.detail is not None:
            found["detail"] = self.detail
        return found
