"""Pushes what changed to the clients that asked, each change once per pump with its last value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .display import text_of
from .fields import read_field

if TYPE_CHECKING:
    from typing import Any

    from .connection import Connection
    from .references import References
    from .request import Request
    from .rows import Rows
    from .watch import Watch

MAX_FOLLOWED = 1000
SONG_NAMES = ("tempo", "signature_numerator", "signature_denominator")


class Subscription:
    """What one connection follows."""

    def __init__(self, structure: bool) -> None:
        self.structure = structure
        self.values: dict[tuple[int, str], tuple[str, Any]] = {}


class Deltas:
    """Carries out ``watch.set`` and sends the events."""

    def __init__(self, watch: Watch, references: References, rows: Rows) -> None:
        self._watch = watch
        self._find = references
        self._rows = rows
        self._subscriptions: dict[Connection, Subscription] = {}

    def set(self, request: Request) -> dict[str, Any]:
        """Replace what this connection follows; gives the values now and the running numbers."""
        connection = request.connection
        found = Subscription(request.args.get("structure", True))
        refused = []
        values = []
        for i, ref in enumerate(request.args.get("parameters", [])):
            parameter = self._find.parameter(ref, f"parameters[{i}]")
            number = self._rows.id_of("parameter", parameter)
            key = (parameter._live_ptr, "value")
            if key in found.values:
                continue
            found.values[key] = (number, parameter)
            values.append(self._rows.control(parameter))
        self.forget(connection)
        for number, parameter in found.values.values():
            if not self._watch.follow(parameter, "value"):
                refused.append(number)
        self._subscriptions[connection] = found
        return {
            "seq": connection.delta_seq,
            "epoch": self._watch.epoch,
            "values": values,
            "not_followed": refused,
        }

    def forget(self, connection: Connection) -> None:
        """Drop what a connection follows."""
        old = self._subscriptions.pop(connection, None)
        for key in old.values if old is not None else ():
            self._watch.unfollow(key)

    def push(self, changed: list[tuple[int, str]]) -> None:
        """Send what changed since the last pump."""
        if not changed:
            return
        for connection, subscription in list(self._subscriptions.items()):
            changes = [c for c in (self._change(subscription, key) for key in changed) if c]
            if not changes or connection.closed:
                continue
            connection.delta_seq += 1
            connection.send(
                {
                    "event": "delta",
                    "seq": connection.delta_seq,
                    "epoch": self._watch.epoch,
                    "changes": changes,
                }
            )

    def _change(self, subscription: Subscription, key: tuple[int, str]) -> dict[str, Any] | None:
        if key in subscription.values:
            number, parameter = subscription.values[key]
            value = read_field(parameter, "value")
            text = text_of(parameter, value) if isinstance(value, float) else None
            return {"id": number, "value": value, "text": text}
        if not subscription.structure or key[1] == "value":
            return None
        thing = self._watch.thing_of(key)
        if thing is None:
            return None
        if key[1] in SONG_NAMES:
            return {"song": key[1], "value": read_field(thing, key[1])}
        if key[0] == self._watch.song_pointer:
            return {"structure": key[1]}
        return {"track": self._rows.id_of("track", thing), "structure": key[1]}
