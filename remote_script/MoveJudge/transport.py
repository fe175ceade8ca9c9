"""Play, stop, locate and loop: outside undo, and put back on request.

Every ``transport.set`` gives a token. ``transport.restore`` puts back what the token's owner
changed, where it still is as they left it; what somebody else has changed since stays.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from .failure import Failure
from .job import PAUSE
from .schema import Flag, Number, Record

if TYPE_CHECKING:
    from typing import Any

    from .connection import Connection
    from .job import Steps
    from .live_types import Clock, Song
    from .request import Request

MAX_BEATS = 1576800.0
SETTLE_S = 0.25
MAX_TOKENS = 64
SET = Record(
    optional={
        "playing": Flag(),
        "position_beats": Number(0, MAX_BEATS),
        "loop": Flag(),
        "loop_start": Number(0, MAX_BEATS),
        "loop_length": Number(1e-3, MAX_BEATS),
        "restore_on_close": Flag(),
    }
)
LOOP = ("loop", "loop_start", "loop_length")


class Token:
    """What one request changed.

    Attributes
    ----------
    before, after : dict
        State by name; ``after`` has only what was asked for.
    """

    def __init__(self, owner: Connection | None, before: dict[str, Any]) -> None:
        self.owner = owner
        self.before = before
        self.after: dict[str, Any] = {}


class Transport:
    """Carries out ``transport.set`` and ``transport.restore``."""

    def __init__(self, song: Song, clock: Clock) -> None:
        self._song = song
        self._clock = clock
        self._tokens: OrderedDict[str, Token] = OrderedDict()

    def read(self) -> dict[str, Any]:
        """State now."""
        song = self._song
        return {
            "playing": bool(song.is_playing),
            "position_beats": float(song.current_song_time),
            "loop": bool(song.loop),
            "loop_start": float(song.loop_start),
            "loop_length": float(song.loop_length),
        }

    def _write(self, wanted: dict[str, Any]) -> None:
        song = self._song
        if wanted.get("playing") is False and song.is_playing:
            song.stop_playing()
        for name in LOOP:
            if name in wanted and getattr(song, name) != wanted[name]:
                setattr(song, name, wanted[name])
        if "position_beats" in wanted:
            song.current_song_time = wanted["position_beats"]
        if wanted.get("playing") and not song.is_playing:
            song.continue_playing()

    def _settle(self, wanted: dict[str, Any]) -> Steps:
        # Writes to the transport can be read from Live's next turn on.
        until = self._clock() + SETTLE_S
        while self._clock() < until:
            yield PAUSE
            now = self.read()
            if all(_same(now[n], v) for n, v in wanted.items() if n != "position_beats"):
                return

    def set(self, request: Request) -> Steps:
        """Change the transport; the generator's value is the reply."""
        args = dict(request.args)
        keep = args.pop("restore_on_close", True)
        if not args:
            raise Failure("bad_request", "nothing was asked for")
        if self._song.record_mode and self._song.is_playing:
            raise Failure("recording", "Live is recording; its transport is left alone")
        token = Token(request.connection if keep else None, self.read())
        self._tokens[request.move_id] = token
        while len(self._tokens) > MAX_TOKENS:
            self._tokens.popitem(last=False)
        self._write(args)
        yield from self._settle(args)
        now = self.read()
        token.after = {name: now[name] for name in args}
        return {"token": request.move_id, "before": token.before, "after": now}

    def restore(self, request: Request) -> Steps:
        """Put back what a token changed; the generator's value is the reply."""
        token = self._tokens.pop(request.args["token"], None)
        if token is None:
            raise Failure("unknown_object", "there is no such token, or it was used", "token")
        wanted, kept = self._wanted(token)
        self._write(wanted)
        yield from self._settle(wanted)
        return {"restored": sorted(wanted), "left_alone": kept, "after": self.read()}

    def _wanted(self, token: Token) -> tuple[dict[str, Any], list[str]]:
        now = self.read()
        wanted, kept = {}, []
        for name, value in token.after.items():
            before = token.before[name]
            if name == "position_beats":
                # The playhead of a running song is nobody's to put back.
                if not token.before["playing"]:
                    wanted[name] = before
            elif not _same(now[name], value):
                kept.append(name)
            elif not _same(value, before):
                wanted[name] = before
        return wanted, sorted(kept)

    def forget(self, connection: Connection) -> None:
        """Put back what a lost connection changed and asked to have put back."""
        for name, token in reversed(list(self._tokens.items())):
            if token.owner is connection:
                del self._tokens[name]
                self._write(self._wanted(token)[0])


def _same(one: Any, other: Any) -> bool:
    return bool(abs(one - other) < 1e-4)
