"""Connections: hello, token, frames in, frames out, heartbeat, the one writer's lease."""

from __future__ import annotations

import hmac
from contextlib import suppress
from typing import TYPE_CHECKING

from .connection import Connection
from .failure import Failure
from .framing import Garbage, decode
from .schema import Choice, Integer, Items, Record, Text
from .version import PROTOCOL_MAX, PROTOCOL_MIN

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .listener import Listener
    from .log import Log

MAX_CONNECTIONS = 8
ACCEPT_PER_PUMP = 4
SEND_S = 0.002
HEARTBEAT_S = 0.2
# A writer that has been silent this long loses its lease to the next one that asks.
LEASE_S = 10.0
HELLO = Record(
    {"hello": Integer(1, 1), "token": Text(128), "client": Text(128)},
    {"role": Choice("reader", "writer"), "protocol": Items(Integer(0, 10**6), 2, 2)},
)


class Server:
    """Accepts clients and moves frames; knows nothing of Live.

    Parameters
    ----------
    listener : Listener
        Where clients come from.
    token : str
        What a client has to show in its first frame.
    greeting : callable
        Gives the answer to a hello.
    clock, log
        As elsewhere.
    """

    def __init__(
        self,
        listener: Listener,
        token: str,
        greeting: Callable[[], dict[str, Any]],
        clock: Callable[[], float],
        log: Log,
    ) -> None:
        self._listener = listener
        self._token = token
        self._greeting = greeting
        self._clock = clock
        self._log = log
        self._numbers = 0
        self._heartbeat_at = 0.0
        self.connections: list[Connection] = []
        self.refused: dict[str, int] = {}

    def accept(self) -> None:
        """Take new peers; after a lost descriptor everything is dropped and bound again."""
        if not self._listener.open():
            return
        for _ in range(ACCEPT_PER_PUMP):
            try:
                sock = self._listener.accept()
            except OSError as error:
                self._log.warn(f"the listening socket was lost ({error}); opening it again")
                self.close_all()
                self._listener.close()
                return
            if sock is None:
                return
            self._numbers += 1
            peer = Connection(sock, self._clock(), self._numbers)
            if len(self.connections) >= MAX_CONNECTIONS:
                self._turn_away(peer, Failure("busy", f"{MAX_CONNECTIONS} clients are connected"))
            self.connections.append(peer)

    def receive(self) -> list[tuple[Connection, dict[str, Any]]]:
        """Read from every peer.

        Returns
        -------
        list of (Connection, dict)
            Messages of authorised peers, in order of arrival per peer.
        """
        found: list[tuple[Connection, dict[str, Any]]] = []
        for peer in self.connections:
            open_still = peer.read(self._clock())
            self._cut(peer, found)
            if not open_still:
                peer.close()
        return found

    def _cut(self, peer: Connection, found: list[tuple[Connection, dict[str, Any]]]) -> None:
        while True:
            try:
                body = peer.take()
                if body is None:
                    return
                message = decode(body)
            except Garbage as garbage:
                self._count(str(garbage) if peer.role else "garbage")
                if peer.role:
                    failure = Failure("bad_request", f"{garbage}: the connection is closed")
                    self._turn_away(peer, failure)
                else:
                    peer.close()
                return
            except Failure as failure:
                # Frames stay in step, so one bad body costs one answer and not the connection.
                if not peer.role:
                    self._turn_away(peer, failure)
                    return
                peer.send({"id": None, "ok": False, "error": failure.as_json()})
                continue
            if peer.role:
                found.append((peer, message))
            else:
                self._hello(peer, message)

    def _hello(self, peer: Connection, message: dict[str, Any]) -> None:
        try:
            hello = HELLO.check(message, "")
            given = hello["token"].encode("utf-8")
            if not hmac.compare_digest(given, self._token.encode("utf-8")):
                raise Failure("unauthorized", "the token is wrong; read the rendezvous file again")
            low, high = hello.get("protocol", [PROTOCOL_MIN, PROTOCOL_MAX])
            if high < PROTOCOL_MIN or low > PROTOCOL_MAX:
                raise Failure(
                    "protocol_mismatch",
                    f"the script speaks protocol {PROTOCOL_MIN} to {PROTOCOL_MAX}, the client "
                    f"{low} to {high}; run movejudge install, restart Live",
                )
            role = hello.get("role", "reader")
            if role == "writer":
                self._lease()
        except Failure as failure:
            self._count(failure.code)
            self._turn_away(peer, failure)
            return
        peer.authorise(role, hello["client"])
        peer.send(dict(self._greeting(), hello=1, ok=True, role=role, clock=self._clock()))

    def _lease(self) -> None:
        for peer in self.connections:
            if peer.role != "writer" or peer.closed:
                continue
            silent_s = self._clock() - peer.heard_at
            if silent_s < LEASE_S:
                raise Failure("busy", "%s holds the writer's lease" % (peer.client or "a client"))
            peer.send({"event": "bye", "reason": f"silent for {silent_s:.0f} s, lease lost"})
            peer.close_after_flush(self._clock())
            peer.role = "reader"

    def _turn_away(self, peer: Connection, failure: Failure) -> None:
        peer.send({"id": None, "ok": False, "error": failure.as_json()})
        peer.close_after_flush(self._clock())

    def _count(self, reason: str) -> None:
        self.refused[reason] = self.refused.get(reason, 0) + 1
        self._log.warn(f"a connection was refused: {reason}")

    def heartbeat(self, state: Callable[[], dict[str, Any]]) -> None:
        """Tell every client five times a second that the pump runs, and its clock."""
        now = self._clock()
        if now - self._heartbeat_at < HEARTBEAT_S:
            return
        self._heartbeat_at = now
        beat = dict(state(), event="heartbeat", clock=now)
        for peer in self.connections:
            # A peer that is behind learns nothing from one more heartbeat.
            if peer.role and not peer.closed and not peer.outbox_bytes:
                peer.send(beat)

    def deliver(self) -> list[Connection]:
        """Send for at most 2 ms, and close who has to be closed.

        Returns
        -------
        list of Connection
            Those that are gone now.
        """
        until = self._clock() + SEND_S
        behind = list(self.connections)
        while behind:
            behind = [peer for peer in behind if peer.flush(self._clock())]
            if self._clock() >= until:
                break
        for peer in self.connections:
            reason = "" if peer.closed else peer.overdue(self._clock())
            if reason:
                if reason != "done":
                    self._log.warn(f"a connection was closed: {reason}")
                peer.close()
        gone = [peer for peer in self.connections if peer.closed]
        self.connections = [peer for peer in self.connections if not peer.closed]
        return gone

    def close_all(self) -> None:
        """Close every connection; never raises."""
        for peer in self.connections:
            peer.close()

    def stop(self, reason: str) -> None:
        """Say goodbye, send what the system takes at once, close everything; never raises."""
        for peer in self.connections:
            with suppress(Exception):
                if peer.role:
                    peer.send({"event": "bye", "reason": reason})
                while peer.flush(self._clock()):
                    pass
        self.close_all()
        self.connections = []
        self._listener.close()
