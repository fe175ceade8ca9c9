"""Undo and redo of one of our moves: proved to be ours, or written back, or refused.

Live's history is global and cannot be read: ``song.undo()`` takes back whatever lies on top, also
the user's edit. So the set is pictured before and after; whatever turns out not to be the move is
put back with ``song.redo()`` in the same turn, before anybody can edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .evidence import refuse_gone, standing, strays
from .failure import Failure
from .job import PAUSE
from .moves import last_of
from .stroke import refuse_writes
from .undo_rules import COMPENSATING, NATIVE, Facts, choose, invertible

if TYPE_CHECKING:
    from typing import Any

    from .evidence import Evidence
    from .job import Steps
    from .journal import Journal, Move
    from .live_types import Application, Song
    from .request import Request
    from .stroke import Stroke
    from .watch import Watch
    from .world import World


class Undoer:
    """Carries out ``move.undo`` and ``move.redo``."""

    def __init__(
        self,
        song: Song,
        application: Application,
        stroke: Stroke,
        journal: Journal,
        watch: Watch,
        evidence: Evidence,
    ) -> None:
        self._song = song
        self._application = application
        self._stroke = stroke
        self._journal = journal
        self._watch = watch
        self._evidence = evidence
        self._splits = False

    def undo(self, request: Request) -> Steps:
        """Take a move back; the generator's value is the reply."""
        revert = request.args.get("mode", "latest") == "revert"
        move = self._journal.find(request.args["target"])
        self._refuse_state(move, revert)
        if move.state == "noop":
            return self._reply(move, "nothing", 0, "values")
        # A step can be undone only from the turn after it was closed.
        yield PAUSE
        refuse_writes(self._song, self._application)
        refuse_gone(move)
        where = standing(move)
        if where == "before":
            move.state, move.undone_by = "undone", "somebody"
            if self._journal.on_top(move):
                self._journal.popped(move)
            return self._reply(move, "already", 0, "values")
        if where != "after":
            raise self._conflict(move, "after")
        evidence = "world" if move.world_after is not None else "epoch"
        now = yield from self._evidence.picture()
        seen = (
            [] if move.world_after is None else self._evidence.foreign(move, move.world_after, now)
        )
        facts = yield from self._facts(move, seen, revert)
        way = choose(facts)
        if way == NATIVE:
            label = yield from self._natively(move, now)
            if move.state == "undone":
                return dict(self._reply(move, NATIVE, 1, evidence), label=label)
            way = COMPENSATING if invertible(facts) else "undo_conflict"
        if way != COMPENSATING:
            raise Failure(way, _REFUSALS[way], detail={"foreign": seen, "restored": True})
        yield from self._compensate(move, "after", "before")
        move.state, move.undone_by = "undone", COMPENSATING
        return dict(self._reply(move, COMPENSATING, "unverified", evidence), foreign=seen)

    def _refuse_state(self, move: Move, revert: bool) -> None:
        if move.state == "undone":
            raise Failure("undo_nothing", "the move is undone already")
        if move.state == "conflict":
            raise Failure("undo_conflict", "an earlier undo of this move ended in a conflict")
        newest = self._journal.newest()
        if move.state == "applied" and newest is not move and not revert:
            raise Failure(
                "undo_not_latest",
                "a newer move is applied; undo that first, or say mode revert",
                detail={"latest": newest.move_id if newest else None},
            )

    def _facts(self, move: Move, seen: list[Any], revert: bool) -> Steps:
        structure = move.structure
        untouched = False
        if structure is not None and structure.creates:
            image = yield from last_of(structure.image())
            untouched = image == move.image
        parameters = sum(change.place.fields == ("value",) for change in move.changes)
        overridden = any(getattr(change.place, "automated", False) for change in move.changes)
        return Facts(
            on_top=self._journal.on_top(move),
            foreign=bool(seen)
            or (move.world_after is None and self._watch.foreign != move.foreign_after),
            can_undo=bool(self._song.can_undo),
            all_tracked=all(change.place.tracked for change in move.changes) and not overridden,
            splits=self._splits and parameters > 1,
            structural=structure is not None,
            creates=untouched,
            images_kept=move.images_kept,
            revert=revert,
        )

    def _natively(self, move: Move, before: World) -> Steps:
        """Try Live's own undo; the move's state says whether it was ours and stays undone."""
        label = self._step(self._song.undo)
        where = standing(move)
        if where == "before":
            yield PAUSE
            after = yield from self._evidence.picture()
            same = yield from self._content_is(move, creates=False)
            strange = self._evidence.foreign(move, before, after, across=True)
            if standing(move) == "before" and same and not strange:
                self._journal.popped(move)
                move.state, move.undone_by, move.world_undone = "undone", NATIVE, after
                if move.structure is not None:
                    move.structure.rebind()
                    self._watch.structure_changed()
                return label
            if not self._song.can_redo:
                # Somebody edited meanwhile: their edit stands, and ours is undone.
                move.state, move.undone_by = "undone", NATIVE
                self._journal.popped(move)
                self._journal.redoable = None
                raise Failure(
                    "undo_unverified",
                    "the move's values are back, but the set was edited meanwhile",
                    detail={"changed": strange},
                )
        elif where == "partly":
            # Live made several steps of it; from now on such moves are written back.
            self._splits = True
        self._step(self._song.redo)
        yield PAUSE
        again = yield from self._evidence.picture()
        strange = self._evidence.foreign(move, before, again)
        if standing(move) != "after" or strange:
            move.state = "conflict"
            raise Failure(
                "undo_conflict",
                "Live's undo took back something else, and redo did not bring all of it back; "
                "look at Live's Edit menu",
                detail={"restored": False, "label": label, "changed": strange},
            )
        return label

    def _step(self, call: Any) -> str | None:
        # A lone end closes a step that somebody left open; undo inside one would be undefined.
        self._song.end_undo_step()
        self._watch.ours(True)
        try:
            label = call()
        finally:
            self._watch.ours(False)
        return None if label is None else str(label)

    def _content_is(self, move: Move, creates: bool) -> Steps:
        """Whether a created or deleted thing that should be there is as it was."""
        structure = move.structure
        if structure is None or structure.creates != creates:
            return True
        image = yield from last_of(structure.image())
        return image == move.image

    def _compensate(self, move: Move, source: str, goal: str) -> Steps:
        """Write the values of one side where those of the other still stand."""
        yield PAUSE
        refuse_writes(self._song, self._application)
        refuse_gone(move)
        structure = move.structure
        if structure is not None:
            if not (yield from self._content_is(move, creates=True)):
                raise Failure("undo_foreign", "what the move made has been changed since")
            self._stroke.in_one_step(structure.remove)
            self._watch.structure_changed()
        else:
            if standing(move) != source:
                raise self._conflict(move, source)
            pairs = [
                (c.place, getattr(c, goal), getattr(c, source)) for c in reversed(move.changes)
            ]
            self._stroke.write([p for p in pairs if not p[0].same(p[1], p[2])])
            if goal == "before":
                self._resume_automation(move)
            yield from self._stroke.settle([(place, value) for place, value, _ in pairs])
        self._journal.wrote("ours")
        if standing(move) != goal:
            move.state = "conflict"
            raise Failure(
                "undo_unverified",
                "the values were written back, but Live shows others",
                detail={"targets": strays(move, goal)},
            )

    def _resume_automation(self, move: Move) -> None:
        for change in move.changes:
            resume = getattr(change.place, "resume_automation", None)
            if resume is not None:
                resume()

    def redo(self, request: Request) -> Steps:
        """Bring an undone move back; the generator's value is the reply."""
        move = self._journal.find(request.args["target"])
        if move.state == "noop":
            return self._reply(move, "nothing", 0, "values")
        if move.state != "undone":
            raise Failure("undo_nothing", "the move is not undone")
        yield PAUSE
        refuse_writes(self._song, self._application)
        refuse_gone(move)
        where = standing(move)
        if where == "after":
            self._applied_again(move)
            return self._reply(move, "already", 0, "values")
        if where != "before":
            raise self._conflict(move, "before")
        now = yield from self._evidence.picture()
        seen: list[Any] = []
        if move.world_undone is not None:
            seen = self._evidence.foreign(move, move.world_undone, now)
        native = (
            self._journal.redoable is move
            and move.world_undone is not None
            and not seen
            and self._song.can_redo
        )
        if native:
            label = yield from self._redo_natively(move, now)
            if move.state == "applied":
                return dict(self._reply(move, NATIVE, 1, "world"), label=label)
        if move.structure is not None or not move.images_kept:
            raise Failure(
                "undo_foreign",
                "only Live's own redo could bring this back",
                detail={"foreign": seen},
            )
        yield from self._compensate(move, "before", "after")
        self._applied_again(move)
        return self._reply(move, COMPENSATING, "unverified", "values")

    def _redo_natively(self, move: Move, before: World) -> Steps:
        label = self._step(self._song.redo)
        if standing(move) == "after":
            yield PAUSE
            after = yield from self._evidence.picture()
            same = yield from self._content_is(move, creates=True)
            if (
                standing(move) == "after"
                and same
                and not self._evidence.foreign(move, before, after, across=True)
            ):
                self._applied_again(move)
                move.world_after = after
                if move.structure is not None:
                    move.structure.rebind()
                    self._watch.structure_changed()
                return label
        self._step(self._song.undo)
        yield PAUSE
        again = yield from self._evidence.picture()
        if standing(move) != "before" or self._evidence.foreign(move, before, again):
            move.state = "conflict"
            raise Failure(
                "undo_conflict",
                "Live's redo brought back something else, and undo did not take all of it away",
                detail={"restored": False, "label": label},
            )
        self._journal.redoable = None
        return label

    def _applied_again(self, move: Move) -> None:
        move.state, move.undone_by = "applied", ""
        move.foreign_after = self._watch.foreign
        # The newest applied move is the one that undo takes back first.
        self._journal.moves.remove(move)
        self._journal.moves.append(move)
        self._journal.wrote(move)

    def _conflict(self, move: Move, side: str) -> Failure:
        return Failure(
            "undo_conflict",
            "somebody has changed what the move set; nothing was written",
            detail={"targets": strays(move, side), "restored": True},
        )

    def _reply(self, move: Move, method: str, steps: int | str, evidence: str) -> dict[str, Any]:
        return {
            "target": move.move_id,
            "state": move.state,
            "method": method,
            "undo_steps": steps,
            "evidence": evidence,
            "changes": [change.as_json() for change in move.changes],
        }


_REFUSALS = {
    "undo_foreign": "the set has changed since, and only Live's own undo could take this back",
    "undo_nothing": "Live has nothing to undo",
    "undo_unverified": "it cannot be proved that Live's undo would take back this move",
    "undo_conflict": "Live's undo would take back something else; it was put back at once",
}
