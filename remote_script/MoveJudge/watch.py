"""Listeners: who listens to what, and what has changed since the last pump.

A callback only notes a key: writing inside one raises in Live. Every listener is held here, so
that all of them can be taken off again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .fields import read_or
from .identity import alive
from .world import pointers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .job import Steps
    from .live_types import Song
    from .log import Log

MAX_LISTENERS = 4000
POLL_EVERY = 50
# Whose change means that object lists may have changed.
SONG_LISTS = ("tracks", "return_tracks", "scenes", "cue_points")
SONG_VALUES = ("tempo", "signature_numerator", "signature_denominator")
TRACK_LISTS = ("devices", "clip_slots", "arrangement_clips")
TRACK_VALUES = ("name",)


class Listening:
    """One listener on one property of one object."""

    def __init__(self, thing: Any, name: str, note: Callable[[tuple[int, str]], None]) -> None:
        self.thing = thing
        self.key = (thing._live_ptr, name)
        self._name = name
        self._note = note

    def fire(self) -> None:
        """Note the change; called by Live."""
        self._note(self.key)

    def add(self) -> None:
        """Start listening; raises what Live raises."""
        getattr(self.thing, f"add_{self._name}_listener")(self.fire)

    def remove(self) -> None:
        """Stop listening; an object that is gone has no listeners left to remove."""
        with suppress(Exception):
            if alive(self.thing):
                getattr(self.thing, f"remove_{self._name}_listener")(self.fire)


class Watch:
    """Keeps the structure watched, and the values that moves and clients ask for.

    Attributes
    ----------
    epoch : int
        Rises with every change of the set's structure.
    foreign : int
        Rises with every change that none of our writes announced.
    """

    def __init__(self, song: Song, log: Log) -> None:
        self._song = song
        self._log = log
        self.song_pointer = song._live_ptr
        self._listening: dict[tuple[int, str], Listening] = {}
        self._values: dict[tuple[int, str], int] = {}
        self._polled: dict[str, tuple[int, ...]] = {}
        self._changed: dict[tuple[int, str], bool] = {}
        self._ours = False
        self._announced: dict[tuple[int, str], int] = {}
        self._pumps = 0
        self._stale = True
        self.epoch = 1
        self.foreign = 0

    def __len__(self) -> int:
        return len(self._listening)

    def _note(self, key: tuple[int, str]) -> None:
        self._changed[key] = True
        if not self._ours and self._announced.get(key, -1) < self._pumps:
            self.foreign += 1
        if key[1] in SONG_LISTS or key[1] in TRACK_LISTS:
            self.epoch += 1
            self._stale = True

    def ours(self, on: bool) -> None:
        """Say that what changes from now on is our own doing, or no longer."""
        self._ours = on

    def announce(self, keys: Iterator[tuple[int, str]]) -> None:
        """Expect late notifications of our own writes until the pump after the next one."""
        for key in keys:
            self._announced[key] = self._pumps + 2

    def structure_changed(self) -> None:
        """Count a structural change that we made or found ourselves."""
        self.epoch += 1
        self._stale = True

    def follow(self, thing: Any, name: str) -> bool:
        """Listen to one value, counted; False if Live or the cap on listeners forbids it."""
        key = (thing._live_ptr, name)
        self._values[key] = self._values.get(key, 0) + 1
        return self._listen(thing, name)

    def unfollow(self, key: tuple[int, str]) -> None:
        """Take one count off; at none left the listener goes."""
        left = self._values.get(key, 0) - 1
        if left > 0:
            self._values[key] = left
            return
        self._values.pop(key, None)
        listening = self._listening.pop(key, None)
        if listening is not None:
            listening.remove()

    def _listen(self, thing: Any, name: str) -> bool:
        key = (thing._live_ptr, name)
        known = self._listening.get(key)
        if known is not None:
            if alive(known.thing):
                return True
            # Another object has got the pointer of one that was deleted.
            del self._listening[key]
        if len(self._listening) >= MAX_LISTENERS:
            self._log.warn(f"{MAX_LISTENERS} listeners: no more are added")
            return False
        listening = Listening(thing, name, self._note)
        try:
            listening.add()
        except Exception as error:
            self._log.warn(f"no listener for {name}: {error}")
            return False
        self._listening[key] = listening
        return True

    def refresh(self) -> Steps:
        """Bring the structural listeners up to date, in slices."""
        while self._stale:
            self._stale = False
            song = self._song
            for key, listening in list(self._listening.items()):
                if not alive(listening.thing):
                    self._listening.pop(key, None)
            for name in SONG_LISTS + SONG_VALUES:
                if not self._listen(song, name) and name in SONG_LISTS:
                    self._polled.setdefault(name, pointers(getattr(song, name)))
            yield None
            for track in (*song.tracks, *song.return_tracks, song.master_track):
                for name in TRACK_VALUES + TRACK_LISTS:
                    if name == "devices" or read_or(track, name, None) is not None:
                        self._listen(track, name)
                yield None

    @property
    def stale(self) -> bool:
        """Whether ``refresh`` has work."""
        return self._stale

    def pump(self) -> list[tuple[int, str]]:
        """Begin a pump.

        Returns
        -------
        list of (int, str)
            Pointer and property of what has changed since the last one, each once.
        """
        self._pumps += 1
        if self._polled and self._pumps % POLL_EVERY == 0:
            self._poll()
        if self._announced:
            self._announced = {k: p for k, p in self._announced.items() if p >= self._pumps}
        changed = list(self._changed)
        self._changed.clear()
        return changed

    def _poll(self) -> None:
        for name, before in self._polled.items():
            now = pointers(getattr(self._song, name))
            if now != before:
                self._polled[name] = now
                self._note((self._song._live_ptr, name))

    def thing_of(self, key: tuple[int, str]) -> Any:
        """Object of a changed key, or None if nobody listens any more."""
        listening = self._listening.get(key)
        return listening.thing if listening is not None and alive(listening.thing) else None

    def close(self) -> None:
        """Remove every listener; never raises."""
        for listening in self._listening.values():
            listening.remove()
        self._listening.clear()
        self._values.clear()
