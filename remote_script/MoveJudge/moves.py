"""Applying a move: check everything, write once, read back, remember."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .failure import Failure
from .journal import Move
from .noteclip import revision_in_slices
from .notesplace import NotesPlace
from .preparation import release
from .stroke import refuse_writes
from .world import look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .identity import Registry
    from .job import Steps
    from .journal import Journal
    from .live_types import Application, Song
    from .preparation import Preparation
    from .request import Request
    from .stroke import Stroke
    from .structures import Structure
    from .watch import Watch
    from .writes import Change


class Mover:
    """Carries out ``move.apply``.

    Parameters
    ----------
    background : callable
        Runs a generator in the gaps between requests.
    """

    def __init__(
        self,
        song: Song,
        application: Application,
        registry: Registry,
        preparation: Preparation,
        stroke: Stroke,
        journal: Journal,
        watch: Watch,
        background: Callable[[str, Steps], None],
    ) -> None:
        self._song = song
        self._application = application
        self._registry = registry
        self._preparation = preparation
        self._stroke = stroke
        self._journal = journal
        self._watch = watch
        self._background = background

    def apply(self, request: Request) -> Steps:
        """Run one move; the generator's value is the reply."""
        args = request.args
        refuse_writes(self._song, self._application)
        if args.get("expect_epoch", self._watch.epoch) != self._watch.epoch:
            raise Failure(
                "conflict",
                "tracks, devices or clips have changed; read the session again",
                "expect_epoch",
            )
        changes, structure = yield from self._preparation.prepare(args["writes"])
        try:
            move = yield from self._carry_out(request, changes, structure)
        finally:
            release(changes)
        self._journal.applied(move)
        move.foreign_after = self._watch.foreign
        if move.state == "applied":
            self._background("picture", self._picture(move))
        return self._reply(move)

    def _carry_out(
        self, request: Request, changes: list[Change], structure: Structure | None
    ) -> Steps:
        for change in changes:
            # Preparing a large clip takes several pumps.
            if not change.place.alive() or not change.place.unchanged(change.before):
                raise Failure(
                    "conflict", "the set was edited meanwhile: nothing was written", change.where
                )
        move = Move(request.move_id, request.args.get("name", ""), changes, structure)
        if structure is None:
            yield from self._change(move)
        else:
            yield from self._restructure(move, structure)
        return move

    def _change(self, move: Move) -> Steps:
        needed = [change for change in move.changes if change.needed]
        if not needed:
            move.state = "noop"
            return
        try:
            self._stroke.write([(c.place, c.requested, c.before) for c in needed])
        except Failure:
            # What was written and taken back is a step in Live's history all the same.
            self._journal.wrote("ours")
            raise
        yield from self._read_back([c for c in move.changes if not c.place.deferred])
        yield from self._stroke.settle([(c.place, c.requested) for c in needed])
        for change in move.changes:
            if change.place.deferred:
                # What is deleted while its write settles was as requested until then.
                change.after = change.place.read() if change.place.alive() else change.requested
        if all(change.place.same(change.before, change.after) for change in move.changes):
            move.state = "noop"

    def _read_back(self, changes: list[Change]) -> Steps:
        """Read what was written, all of it as it is in this pump: later somebody may edit."""
        begun = []
        for change in changes:
            steps = change.place.read_in_slices()
            try:
                next(steps)
            except StopIteration as stop:
                change.after = stop.value
            else:
                begun.append((change, steps))
        for change, steps in begun:
            change.after = yield from steps
        for change in changes:
            if isinstance(change.place, NotesPlace) and change.place.alive():
                change.revision = yield from revision_in_slices(change.place.clip, change.after)

    def _restructure(self, move: Move, structure: Structure) -> Steps:
        epoch = self._watch.epoch
        if not structure.creates:
            move.image = yield from last_of(structure.image())
            # The picture may have taken several pumps.
            refuse_writes(self._song, self._application)
            if self._watch.epoch != epoch:
                raise Failure("conflict", "the set changed meanwhile: nothing was deleted")
        try:
            self._stroke.in_one_step(structure.make if structure.creates else structure.remove)
        except Exception as error:
            self._journal.wrote("ours")
            raise Failure("unavailable", f"Live refused: {error}", "writes[0]") from None
        self._watch.structure_changed()
        if structure.creates:
            # In this very pump: later it may hold an edit of the user's, and be deleted with it.
            *_, move.image = structure.image()

    def _picture(self, move: Move) -> Steps:
        picture = yield from last_of(look(self._song, self._journal.note_clips()))
        if move.state == "applied" and self._journal.on_top(move):
            move.world_after = picture

    def _reply(self, move: Move) -> dict[str, Any]:
        structure = move.structure
        reply: dict[str, Any] = {
            "move_id": move.move_id,
            "state": move.state,
            "changed": move.state == "applied"
            and (structure is not None or any(c.as_json()["changed"] for c in move.changes)),
            "changes": [change.as_json() for change in move.changes],
            "undo_steps": steps_of(move),
        }
        if structure is not None:
            found: dict[str, Any] = {"kind": structure.kind}
            thing = structure.present() if structure.creates else None
            if thing is not None:
                found["id"] = self._registry.id_of(structure.kind, thing)
            reply["created" if structure.creates else "deleted"] = found
        return reply


def steps_of(move: Move) -> int | str:
    """How many entries a move left in Live's history: a number only where it is known.

    Field reports on parameter writes inside one undo step contradict each other.
    """
    if move.state == "noop":
        return 0
    return "unverified"


def last_of(pictures: Iterator[Any]) -> Steps:
    """Run a sliced scan: yields None while it goes on; its value is the scan's last item."""
    found = None
    for found in pictures:
        if found is None:
            yield None
    return found
