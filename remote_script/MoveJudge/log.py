"""Live's Log.txt, kept short: a line that repeats is written at most once a minute."""

from __future__ import annotations

import json
import os
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from .folder import state_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

REPEAT_AFTER_S = 60.0
MAX_DISTINCT = 200
MAX_TRAIL_BYTES = 1 << 20


class Log:
    """Writes through ``c_instance.log_message``.

    Parameters
    ----------
    sink : callable
        Takes one line.
    clock : callable
        Seconds, rising.
    """

    def __init__(self, sink: Callable[[str], object], clock: Callable[[], float]) -> None:
        self._sink = sink
        self._clock = clock
        self._last: dict[str, float] = {}
        self._references = 0

    def warn(self, line: str) -> None:
        """Write a line, unless the same one was written within the last minute."""
        now = self._clock()
        last = self._last.get(line)
        if last is not None and now - last < REPEAT_AFTER_S:
            return
        if len(self._last) >= MAX_DISTINCT:
            self._last.clear()
        self._last[line] = now
        with suppress(Exception):
            self._sink("MoveJudge: " + line)

    def error(self, doing: str) -> str:
        """Write the exception in flight with its traceback.

        Returns
        -------
        str
            Reference that a reply may carry instead of the traceback.
        """
        self._references += 1
        reference = f"e{self._references}"
        tail = traceback.format_exc(limit=-4).strip().replace("\n", " | ")
        self.warn(f"{doing} failed ({reference}): {tail[-1500:]}")
        return reference


def leave_trail(entry: dict[str, Any]) -> None:
    """Append one line to the crash trail before a structural change, and close the file.

    If Live dies in the call, the last line names it. The file never stays open, because Live may
    close every descriptor of the process.
    """
    path = state_folder() / "remote-trail.jsonl"
    line = dict(entry, at=time.strftime("%Y-%m-%sT%H:%M:%SZ", time.gmtime()), pid=os.getpid())
    with suppress(OSError):
        if path.exists() and path.stat().st_size > MAX_TRAIL_BYTES:
            path.replace(path.with_suffix(".1.jsonl"))
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
