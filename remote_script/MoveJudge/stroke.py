"""One stroke: a batch of writes inside one undo step, taken back if one of them fails."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .failure import Failure
from .fields import read_or
from .job import PAUSE

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .job import Steps
    from .live_types import Application, Clock, Song
    from .places import Place
    from .watch import Watch

SETTLE_S = 0.25


def refuse_writes(song: Song, application: Application) -> None:
    """Refuse to change anything while a dialog is open or Live records.

    Raises
    ------
    Failure
        ``dialog_open`` or ``recording``.
    """
    if read_or(application, "open_dialog_count", 0):
        raise Failure("dialog_open", "a dialog is open in Live; close it first")
    if song.is_playing and (song.record_mode or read_or(song, "session_record", False)):
        raise Failure("recording", "Live is recording: a write would end up in the recording")


class Stroke:
    """Writes to the set, one undo step per call.

    Parameters
    ----------
    song : Song
        The set.
    watch : Watch
        Is told that what changes is our own doing.
    clock : callable
        Seconds, for the wait until deferred writes can be read.
    """

    def __init__(self, song: Song, watch: Watch, clock: Clock) -> None:
        self._song = song
        self._watch = watch
        self._clock = clock

    def in_one_step(self, write: Callable[[], None]) -> None:
        """Run ``write`` between begin and end; whatever it raises is passed on."""
        song = self._song
        # Steps are not counted in Live, and a lone end is harmless: it closes a leaked begin.
        song.end_undo_step()
        self._watch.ours(True)
        song.begin_undo_step()
        try:
            write()
        finally:
            # Where it exists, it takes parameter writes into the step that is still open.
            sync = read_or(song, "sync_parameter_changes", None)
            if sync is not None:
                sync()
            song.end_undo_step()
            self._watch.ours(False)

    def write(self, pairs: list[tuple[Place, Any, Any]]) -> None:
        """Write a batch.

        Parameters
        ----------
        pairs : list of (Place, object, object)
            Place, value to write, and value to go back to if a later write fails.

        Raises
        ------
        Failure
            ``internal`` with ``rolled_back`` in its detail; what was written has been taken back
            inside the same undo step.
        """
        if not pairs:
            return
        self._watch.announce(
            (place.pointer, name) for place, _, _ in pairs for name in place.fields
        )
        self.in_one_step(lambda: self._write_or_go_back(pairs))

    def _write_or_go_back(self, pairs: list[tuple[Place, Any, Any]]) -> None:
        begun = 0
        try:
            for place, value, _ in pairs:
                begun += 1
                place.write(value)
        except Exception as error:
            back = self._go_back(pairs[:begun])
            raise Failure(
                "internal",
                "Live refused a write: {}; {}".format(
                    error, "nothing is changed" if back else "not all could be taken back"
                ),
                "writes[%s]" % (begun - 1),
                {"rolled_back": back},
            ) from None

    def _go_back(self, pairs: list[tuple[Place, Any, Any]]) -> bool:
        for place, _, before in reversed(pairs):
            # The others still have to be taken back.
            with suppress(Exception):
                if not place.same(place.read(), before):
                    place.write(before)
        return all(place.deferred or place.same(place.read(), before) for place, _, before in pairs)

    def settle(self, wanted: list[tuple[Place, Any]]) -> Steps:
        """Wait until deferred writes can be read, at most a quarter of a second."""
        until = self._clock() + SETTLE_S
        while self._clock() < until and any(
            place.deferred and place.alive() and not place.same(place.read(), value)
            for place, value in wanted
        ):
            yield PAUSE
