"""One client: its bytes in, its frames out, and when it has to be dropped."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from .framing import MAX_IN_BYTES, FrameReader, encode
from .listener import AGAIN

if TYPE_CHECKING:
    import socket
    from typing import Any

READ_BYTES = 64 << 10
READ_BYTES_PER_PUMP = 256 << 10
SEND_BYTES = 256 << 10
MAX_OUTBOX_BYTES = (16 << 20) + 4
HIGH_WATER_BYTES = 1 << 20
STALL_S = 3.0
# A pump that did not run cannot have sent anything: a stall also needs this many fruitless tries.
STALL_TRIES = 20
HELLO_WITHIN_S = 2.0
CLOSE_WITHIN_S = 1.0


class Connection:
    """A non-blocking socket with an inbox of frames and a bounded outbox.

    Attributes
    ----------
    role : str
        Empty until the hello, then ``reader`` or ``writer``.
    closed : bool
        The socket is gone; whatever was to be sent is lost.
    heard_at : float
        When the last bytes came, in the script's clock.
    """

    def __init__(self, sock: socket.socket, now: float, number: int) -> None:
        self._sock = sock
        self._reader = FrameReader()
        self._outbox: deque[memoryview] = deque()
        self._fruitless = 0
        self._stalled_at: float | None = None
        self._closing_at: float | None = None
        self.number = number
        self.opened_at = now
        self.heard_at = now
        self.outbox_bytes = 0
        self.role = ""
        self.client = ""
        self.closed = False
        self.delta_seq = 0

    def authorise(self, role: str, client: str) -> None:
        """Accept the peer: larger frames are read from here on."""
        self.role = role
        self.client = client
        self._reader.limit = MAX_IN_BYTES

    def read(self, now: float) -> bool:
        """Take in what is waiting, at most 256 KiB.

        Returns
        -------
        bool
            False once the peer has closed or the socket failed.
        """
        taken = 0
        while taken < READ_BYTES_PER_PUMP:
            try:
                data = self._sock.recv(READ_BYTES)
            except OSError as error:
                return error.errno in AGAIN
            if not data:
                return False
            self.heard_at = now
            taken += len(data)
            self._reader.feed(data)
        return True

    def take(self) -> bytes | None:
        """Give the next whole frame body; none once the connection is being closed."""
        if self._closing_at is not None:
            return None
        return self._reader.take()

    def send(self, message: dict[str, Any]) -> None:
        """Queue one message."""
        self.send_frame(encode(message))

    def send_frame(self, frame: bytes) -> None:
        """Queue one frame; a peer whose outbox overflows is dropped."""
        if self.closed:
            return
        if self.outbox_bytes + len(frame) > MAX_OUTBOX_BYTES:
            self.close()
            return
        self._outbox.append(memoryview(frame))
        self.outbox_bytes += len(frame)

    @property
    def crowded(self) -> bool:
        """Whether long reads have to wait for this peer to catch up."""
        return self.outbox_bytes > HIGH_WATER_BYTES

    def flush(self, now: float) -> bool:
        """Hand one piece of the outbox to the system.

        Returns
        -------
        bool
            Whether there is more to send and the system would take it.
        """
        if not self._outbox or self.closed:
            return False
        head = self._outbox[0]
        try:
            sent = self._sock.send(head[:SEND_BYTES])
        except OSError as error:
            if error.errno not in AGAIN:
                self.close()
                return False
            sent = 0
        if not sent:
            self._fruitless += 1
            if self._stalled_at is None:
                self._stalled_at = now
            return False
        self._fruitless = 0
        self._stalled_at = None
        self.outbox_bytes -= sent
        if sent == len(head):
            self._outbox.popleft()
        else:
            self._outbox[0] = head[sent:]
        return bool(self._outbox)

    def close_after_flush(self, now: float) -> None:
        """Read nothing more, send what is queued, then close."""
        if self._closing_at is None:
            self._closing_at = now

    def overdue(self, now: float) -> str:
        """Say why the connection has to be closed now; empty if it has not."""
        if self._closing_at is not None and (
            not self._outbox or now - self._closing_at > CLOSE_WITHIN_S
        ):
            return "done"
        if not self.role and self._closing_at is None and now - self.opened_at > HELLO_WITHIN_S:
            return f"no hello within {HELLO_WITHIN_S:g} s"
        if (
            self._stalled_at is not None
            and now - self._stalled_at > STALL_S
            and self._fruitless >= STALL_TRIES
        ):
            return "it does not read"
        return ""

    def close(self) -> None:
        """Close at once; never raises."""
        self.closed = True
        self._outbox.clear()
        self.outbox_bytes = 0
        with suppress(OSError):
            self._sock.close()
