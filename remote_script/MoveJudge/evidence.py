"""What can be seen of a move's effect: its own values, and everything else in the set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .failure import Failure
from .fields import plain, read_or
from .moves import last_of
from .undo_rules import compare
from .world import differences, follows_something, look

if TYPE_CHECKING:
    from typing import Any

    from .job import Steps
    from .journal import Journal, Move
    from .live_types import Song
    from .world import Difference, World

MAX_LISTED = 20


def refuse_gone(move: Move) -> None:
    """Refuse if something the move touched no longer exists.

    Raises
    ------
    Failure
        ``undo_gone``.
    """
    gone = [change.place.label for change in move.changes if not change.place.alive()]
    if gone:
        raise Failure(
            "undo_gone",
            f"{len(gone)} of the things the move set were deleted or replaced",
            detail={"targets": gone[:MAX_LISTED]},
        )


def standing(move: Move) -> str:
    """Where the move's values stand now, see ``undo_rules.compare``.

    Parameters
    ----------
    move : Move
        For a structural one only presence counts here, its content is compared by image.
    """
    structure = move.structure
    if structure is not None:
        present = structure.present() is not None
        return "after" if present == structure.creates else "before"
    now = [(change, change.place.read()) for change in move.changes]
    return compare(
        [change.place.same(value, change.before) for change, value in now],
        [change.place.same(value, change.after) for change, value in now],
    )


def strays(move: Move, side: str) -> list[dict[str, Any]]:
    """Targets that are not as they were on a side, ``before`` or ``after``, for a refusal."""
    found = []
    for change in move.changes:
        value = change.place.read()
        expected = getattr(change, side)
        if not change.place.same(value, expected):
            found.append(
                {
                    "target": change.place.label,
                    "expected": change.place.show(expected),
                    "found": change.place.show(value),
                }
            )
    return found[:MAX_LISTED]


class Evidence:
    """Takes pictures of the set and tells a move's own effect from foreign changes."""

    def __init__(self, song: Song, journal: Journal) -> None:
        self._song = song
        self._journal = journal

    def picture(self) -> Steps:
        """Picture the set now, in slices; the generator's value is the picture."""
        return last_of(look(self._song, self._journal.note_clips()))

    def foreign(
        self, move: Move, before: World, after: World, across: bool = False
    ) -> list[dict[str, Any]]:
        """List the differences of two pictures that are not this move's own.

        ``across`` says that the move was made or taken back between them, so that what it creates
        or deletes is in one of them only. A parameter that follows its automation, a macro or an
        LFO moves by itself and is left out.
        """
        touched = {(c.place.pointer, name) for c in move.changes for name in c.place.fields}
        structure = move.structure if across else None
        pointers = frozenset((structure.pointer,)) if structure is not None else frozenset()
        if structure is not None:
            # The thing may have come back under another pointer.
            thing = structure.present()
            if thing is not None:
                pointers |= {thing._live_ptr}
        found = []
        for difference in differences(before, after):
            if structure is not None and structure.excuses(difference, pointers):
                continue
            if not self._own(difference, touched, after):
                found.append(_shown(difference))
        return found[:MAX_LISTED]

    def _own(self, difference: Difference, touched: set[tuple[int, str]], after: World) -> bool:
        _, owner, group = difference.key
        if (owner, difference.field) in touched:
            return True
        if (owner, difference.field) == (self._song._live_ptr, "tempo"):
            mixer = self._song.master_track.mixer_device
            return follows_something(read_or(mixer, "song_tempo", None))
        if group not in ("parameters", "mixer") or difference.at is None:
            return False
        parameter = after.parameter(group, owner, difference.at)
        if parameter is None:
            return False
        if (parameter._live_ptr, "value") in touched:
            return True
        return follows_something(parameter)


def _shown(difference: Difference) -> dict[str, Any]:
    before, after = difference.before, difference.after
    single = difference.at is not None and difference.key[2] != "slots"
    return {
        "what": difference.field,
        "before": plain(before) if single else before is not None,
        "after": plain(after) if single else after is not None,
    }
