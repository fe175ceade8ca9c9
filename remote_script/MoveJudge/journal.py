"""What our moves did, newest last, and which of them lie on top of Live's undo history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .failure import Failure

if TYPE_CHECKING:
    from typing import Any

    from .structures import Structure
    from .world import World
    from .writes import Change

MAX_MOVES = 256
MAX_IMAGES = 20
MAX_IMAGE_NOTES = 200000


class Move:
    """One move.

    Attributes
    ----------
    state : str
        ``applied``, ``noop`` (nothing had to be changed), ``undone``, ``conflict``.
    world_after : World or None
        Picture of the set right after the move, once there is one.
    foreign_after : int
        The watch's count of foreign changes right after the move.
    undone_by : str
        ``native`` or ``compensating``.
    image : tuple or None
        For a structural move: what was deleted, or what was made.
    """

    def __init__(
        self, move_id: str, name: str, changes: list[Change], structure: Structure | None
    ) -> None:
        self.move_id = move_id
        self.name = name
        self.changes = changes
        self.structure = structure
        self.state = "applied"
        self.world_after: World | None = None
        self.world_undone: World | None = None
        self.foreign_after = 0
        self.undone_by = ""
        self.image: Any = None
        self.images_kept = True

    @property
    def note_count(self) -> int:
        """Number of note rows that its images hold."""
        total = 0
        for change in self.changes:
            if change.place.fields == ("notes",):
                total += len(change.before) + len(change.after)
        return total

    def as_json(self) -> dict[str, Any]:
        """Give the move as ``move.list`` shows it."""
        return {
            "move_id": self.move_id,
            "name": self.name,
            "state": self.state,
            "undone_by": self.undone_by,
            "changes": [change.as_json() for change in self.changes] if self.images_kept else [],
            "structure": None
            if self.structure is None
            else {"kind": self.structure.kind, "creates": self.structure.creates},
            "images_kept": self.images_kept,
        }


class Journal:
    """The moves of this start of the script.

    Attributes
    ----------
    moves : list of Move
        In order of application; ``noop`` moves included.
    """

    def __init__(self) -> None:
        self.moves: list[Move] = []
        # Mirror of our part of Live's history: a Move, or the text "ours" for another write.
        self._history: list[Any] = []
        self.redoable: Move | None = None

    def applied(self, move: Move) -> None:
        """Note a new move."""
        self.moves.append(move)
        del self.moves[:-MAX_MOVES]
        if move.state == "applied":
            self.wrote(move)
        self._drop_images()

    def wrote(self, entry: Any) -> None:
        """Note that something of ours lies on top of Live's history now."""
        for older in self.moves:
            if older is not entry:
                older.world_after = None
        self._history.append(entry)
        del self._history[:-MAX_MOVES]
        self.redoable = None

    def on_top(self, move: Move) -> bool:
        """Whether nothing of ours lies above this move in Live's history."""
        return bool(self._history) and self._history[-1] is move

    def popped(self, move: Move) -> None:
        """Note that Live's own undo took this move off."""
        self._history.pop()
        self.redoable = move

    def find(self, move_id: str) -> Move:
        """Move by id.

        Raises
        ------
        Failure
            ``undo_nothing`` if there is none.
        """
        for move in reversed(self.moves):
            if move.move_id == move_id:
                return move
        raise Failure("undo_nothing", f"no move {move_id} was made since the set was loaded")

    def newest(self) -> Move | None:
        """Newest move that is applied."""
        for move in reversed(self.moves):
            if move.state == "applied":
                return move
        return None

    def note_clips(self) -> frozenset[int]:
        """Pointers of the clips whose notes our moves touched."""
        return frozenset(
            change.place.pointer
            for move in self.moves
            for change in move.changes
            if change.place.fields == ("notes",)
        )

    def _drop_images(self) -> None:
        # Note images can be large; the oldest go first, and those moves keep Live's undo only.
        kept = notes = 0
        for move in reversed(self.moves):
            if not move.note_count or not move.images_kept:
                continue
            kept += 1
            notes += move.note_count
            if kept > MAX_IMAGES or notes > MAX_IMAGE_NOTES:
                move.images_kept = False
                for change in move.changes:
                    if change.place.fields == ("notes",):
                        change.before = change.after = change.requested = []
