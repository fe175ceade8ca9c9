"""The notes of a clip as one place of the set."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .identity import alive
from .noteclip import carry_out, make, read_rows, read_rows_in_slices
from .noterows import same_notes

if TYPE_CHECKING:
    from typing import Any

    from .job import Steps
    from .live_types import Clip
    from .noterows import Plan

LARGE_CLIP_NOTES = 1000


class NotesPlace:
    """All notes of a MIDI clip, as rows.

    A large clip is read over several pumps before it is written; meanwhile a listener tells
    whether somebody edits it.
    """

    fields: tuple[str, ...] = ("notes",)
    tracked = True
    deferred = False

    def __init__(self, clip: Clip, label: dict[str, Any]) -> None:
        self.clip = clip
        self.label = label
        self.pointer = clip._live_ptr
        self._known: list[Any] | None = None
        self._edited = False
        # How a patch gets from what was read to what is wanted; spares comparing a large clip.
        self.plan: Plan | None = None

    def alive(self) -> bool:
        return alive(self.clip)

    def read(self) -> list[Any]:
        return read_rows(self.clip)

    def read_in_slices(self) -> Steps:
        return (yield from read_rows_in_slices(self.clip))

    def prepare(self) -> Steps:
        """Read the notes in slices and remember them; the generator's value is the rows."""
        self.clip.add_notes_listener(self._on_edit)
        try:
            self._known = yield from read_rows_in_slices(self.clip)
        except BaseException:
            self._stop_listening()
            raise
        if len(self._known) < LARGE_CLIP_NOTES:
            # It was read within this pump, and reading it again is cheap.
            self._stop_listening()
            self._known = None
            return self.read()
        return self._known

    def _on_edit(self) -> None:
        self._edited = True

    def _stop_listening(self) -> None:
        # Where the clip is gone, so is the listener.
        with suppress(Exception):
            self.clip.remove_notes_listener(self._on_edit)

    def unchanged(self, value: Any) -> bool:
        if self._known is None:
            return self.same(self.read(), value)
        return not self._edited

    def release(self) -> None:
        """Stop listening and forget what was remembered."""
        self.plan = None
        if self._known is not None:
            self._known = None
            self._stop_listening()

    def write(self, value: list[Any]) -> None:
        known, edited, plan = self._known, self._edited, self.plan
        self.release()
        if known is not None and not edited and plan is not None:
            carry_out(self.clip, plan)
        else:
            make(self.clip, value, None if edited else known)

    def same(self, one: list[Any], other: list[Any]) -> bool:
        return same_notes(one, other)

    def show(self, value: list[Any]) -> dict[str, Any]:
        return {"notes": len(value)}
