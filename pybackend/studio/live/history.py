"""The undo history: which writes share a step, when a step can be seen, what undo gives back."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pybackend.studio.live.node import PARAMETER, RENAME, Put
from pybackend.studio.live.profiles import COALESCE, GROUPED, OWN_STEP_UNLESS_SYNCED, PER_TURN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybackend.studio.live.profiles import UndoProfile

SCRIPT = "script"
USER = "user"
SCRIPT_LABEL = "Custom Action"


class Step:
    """One entry of the history.

    Attributes
    ----------
    fatal
        Why taking this step back would crash Live, or nothing.
    """

    __slots__ = ("fatal", "grouped", "label", "origin", "puts", "turn")

    def __init__(self, label: str, origin: str, turn: int, *, grouped: bool) -> None:
        self.label = label
        self.origin = origin
        self.turn = turn
        self.grouped = grouped
        self.puts: list[Put] = []
        self.fatal = ""


class History:
    """Steps done and undone, the group that is open, and what has not landed yet.

    Attributes
    ----------
    origin
        Who is writing: ``"script"`` or ``"user"``.
    done, undone
        The two stacks, newest last.
    """

    def __init__(self, rules: UndoProfile) -> None:
        self.rules = rules
        self.origin = SCRIPT
        self.done: list[Step] = []
        self.undone: list[Step] = []
        self.open: Step | None = None
        self.turn = 0
        self._landing: list[Step] = []
        self._aside: list[Put] = []
        self._user: Step | None = None
        self._compound: Step | None = None

    def begin(self) -> None:
        """Open a group; an open one stays open, because Live does not count."""
        if self.open is None:
            self.open = Step(SCRIPT_LABEL, SCRIPT, self.turn, grouped=True)

    def end(self) -> None:
        """Close the group that is open, if any. An empty one leaves nothing."""
        step, self.open = self.open, None
        if step is None:
            return
        shell = any(put.family == PARAMETER for put in self._aside) and not self._waits()
        if step.puts or shell:
            self._close_group(step)
        if not self._waits():
            self._land_aside()

    def sync(self) -> None:
        """Take parameter writes into the group that is open (``sync_parameter_changes``)."""
        if self._waits():
            if self.open is None:
                self._land_aside()
            else:
                self.open.puts.extend(self._aside)
                self._aside.clear()

    def record(self, put: Put) -> None:
        """Put a write where it belongs."""
        if self.origin == USER:
            self._record_user(put)
        elif put.family == PARAMETER and self.rules.parameter_writes != GROUPED:
            self._aside.append(put)
            if self.open is None and not self._waits():
                self._land_aside()
        elif put.family == RENAME and self.rules.track_renames != GROUPED:
            self._aside.append(put)
            if self.open is None:
                self._land_aside()
        elif self.open is not None:
            self.open.puts.append(put)
        else:
            self._record_loose(put)

    def end_turn(self) -> None:
        """Let closed steps land, and parameter writes that nobody synced."""
        if self.open is None or self._waits():
            self._land_aside()
        self.land()
        self.turn += 1

    def land(self) -> None:
        """Let closed steps be seen."""
        for step in self._landing:
            self._push(step)
        self._landing.clear()

    @contextlib.contextmanager
    def user_step(self, label: str) -> Iterator[None]:
        """Collect what the human does into one step of theirs."""
        if self.open is not None and self.rules.user_closes_open_group:
            self.end()
        self.land()
        self.origin, self._user = USER, Step(label, USER, self.turn, grouped=True)
        if self.open is not None:
            self._user = self.open
        try:
            yield
        finally:
            step, self._user, self.origin = self._user, None, SCRIPT
            if self.open is not None:
                self.end()
            elif step.puts:
                self._push(step)

    def take_back(self) -> Step | None:
        """Move the newest step to the undone ones and return it."""
        self.end()
        if not self.done:
            return None
        step = self.done.pop()
        self.undone.append(step)
        return step

    def do_again(self) -> Step | None:
        """Move the newest undone step back and return it."""
        if not self.undone:
            return None
        step = self.undone.pop()
        self.done.append(step)
        return step

    def newest(self) -> Step | None:
        """Return the step that a structural note about the last write belongs to."""
        return self._user or self.open or self._latest()

    def _latest(self) -> Step | None:
        if self._landing:
            return self._landing[-1]
        return self.done[-1] if self.done else None

    def _waits(self) -> bool:
        return self.rules.parameter_writes == OWN_STEP_UNLESS_SYNCED

    def _record_user(self, put: Put) -> None:
        if self._user is not None:
            self._user.puts.append(put)

    def end_call(self) -> None:
        """Note that a call into Live is over: its writes were one step."""
        self._compound = None

    def _record_loose(self, put: Put) -> None:
        if self._compound is not None:
            self._compound.puts.append(put)
            return
        newest = self._latest()
        if newest is not None and newest.origin == SCRIPT and not newest.grouped:
            together = self.rules.ungrouped_writes == PER_TURN and newest.turn == self.turn
            last = newest.puts[-1]
            same = put.family == PARAMETER and (last.node, last.field) == (put.node, put.field)
            if (together or same) and not self.undone:
                newest.puts.append(put)
                self._compound = newest
                return
        step = Step(SCRIPT_LABEL, SCRIPT, self.turn, grouped=False)
        step.puts.append(put)
        self._compound = step
        self._land(step)

    def _close_group(self, step: Step) -> None:
        newest = self._latest()
        if (
            self.rules.pairs_in_one_turn == COALESCE
            and newest is not None
            and newest.grouped
            and newest.origin == SCRIPT
            and newest.turn == self.turn
        ):
            newest.puts.extend(step.puts)
        else:
            self._land(step)

    def _land_aside(self) -> None:
        aside, self._aside = self._aside, []
        step: Step | None = None
        for put in aside:
            last = step.puts[-1] if step else None
            if last is None or (last.node, last.field) != (put.node, put.field):
                step = Step(SCRIPT_LABEL, SCRIPT, self.turn, grouped=True)
                self._land(step)
            if step:
                step.puts.append(put)

    def _land(self, step: Step) -> None:
        if self.rules.steps_land_next_turn:
            self._landing.append(step)
        else:
            self._push(step)

    def _push(self, step: Step) -> None:
        self.done.append(step)
        self.undone.clear()
