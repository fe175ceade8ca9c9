"""The undo calls of ``Song``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live.declaring import calling, reading
from pybackend.studio.live.lom.common import LomObject
from pybackend.studio.live.rules import UNDO_S

if TYPE_CHECKING:
    from pybackend.studio.live.history import Step
    from pybackend.studio.live.node import World

# Made-up words of an unknown language: no script can have learned them.
_PREFIXES = {"en": ("Undo ", "Redo "), "xx": ("Zurrik: ", "Wedder: ")}
_CUSTOM = {"en": "Custom Action", "xx": "Eegen Dink"}


def restore(world: World, *, forward: bool) -> str | None:
    """Undo or redo one step and return the label as this version does."""
    runtime, history = world.runtime, world.history
    runtime.guard_write("Song.redo()" if forward else "Song.undo()")
    runtime.clock.spend(UNDO_S)
    step = history.do_again() if forward else history.take_back()
    if step is not None:
        if step.fatal and not forward:
            runtime.crash(step.fatal)
        _apply(world, step, forward=forward)
    if not runtime.live.undo_returns_label:
        return None
    if step is None:
        return ""
    locale = runtime.live.locale
    label = _CUSTOM[locale] if step.origin == "script" else step.label
    return _PREFIXES[locale][int(forward)] + label


def _apply(world: World, step: Step, *, forward: bool) -> None:
    runtime = world.runtime
    runtime.restoring = True
    try:
        with runtime.quietly():
            for put in step.puts if forward else reversed(step.puts):
                world.apply(put, forward=forward)
    finally:
        runtime.restoring = False


class SongUndo(LomObject):
    """Undo, redo and the grouping of steps."""

    __slots__ = ()

    @reading()
    def can_undo(self) -> bool:
        """Whether a step can be undone; a new one is seen in the next turn."""
        return bool(self._world.history.done)

    @reading()
    def can_redo(self) -> bool:
        """Whether a step can be redone."""
        return bool(self._world.history.undone)

    @calling()
    def undo(self) -> str | None:
        """Undo whatever is newest, whoever made it."""
        return restore(self._world, forward=False)

    @calling()
    def redo(self) -> str | None:
        """Redo what was undone last."""
        return restore(self._world, forward=True)

    @calling()
    def begin_undo_step(self) -> None:
        """Open a group; not counted."""
        self._world.history.begin()

    @calling()
    def end_undo_step(self) -> None:
        """Close the group, if one is open."""
        self._world.history.end()

    @calling(since=(12, 4, 0))
    def sync_parameter_changes(self) -> None:
        """Take parameter writes into the open step; in no documentation."""
        self._world.history.sync()
