"""Remembers the answers to writes, so that a repeated request never runs twice."""

from __future__ import annotations

import json
from collections import OrderedDict
from hashlib import sha256
from typing import TYPE_CHECKING

from .failure import Failure

if TYPE_CHECKING:
    from typing import Any

    from .connection import Connection
    from .request import Request

KEPT = 256


class Entry:
    """What became of one ``move_id``.

    Attributes
    ----------
    answer : dict or None
        ``{"ok": true, "result": ...}`` or ``{"ok": false, "error": ...}``; None while it runs.
    waiting : list of (connection, int)
        Who asked again while it ran, with their request ids.
    """

    def __init__(self, digest: str) -> None:
        self.digest = digest
        self.answer: dict[str, Any] | None = None
        self.waiting: list[tuple[Connection, int]] = []


def digest_of(request: Request) -> str:
    """Fingerprint of what a request asks for."""
    text = json.dumps([request.operation.name, request.args], sort_keys=True)
    return sha256(text.encode("utf-8")).hexdigest()


class Answers:
    """The last 256 move ids and their answers."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._entries: OrderedDict[str, Entry] = OrderedDict()

    def find(self, request: Request) -> Entry | None:
        """Give the entry of a request that came before, or None.

        Raises
        ------
        Failure
            ``bad_request`` if the same ``move_id`` was used for something else.
        """
        entry = self._entries.get(request.move_id)
        if entry is not None and entry.digest != digest_of(request):
            raise Failure(
                "bad_request",
                "this move_id was used for another request; make a new one",
                "move_id",
            )
        return entry

    def begin(self, request: Request) -> Entry:
        """Open the entry of a request that starts now; the oldest finished ones are forgotten."""
        entry = Entry(digest_of(request))
        self._entries[request.move_id] = entry
        while len(self._entries) > self._kept:
            oldest = next((k for k, v in self._entries.items() if v.answer is not None), None)
            if oldest is None:
                break
            del self._entries[oldest]
        return entry
