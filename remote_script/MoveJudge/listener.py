"""The listening socket: loopback only, preferred port first, bound again after a loss."""

from __future__ import annotations

import errno
import socket
import struct
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .log import Log

HOST = "127.0.0.1"
PREFERRED_PORT = 9703
RETRY_AFTER_S = 2.0
BACKLOG = 8
AGAIN = frozenset((errno.EAGAIN, errno.EWOULDBLOCK, errno.EINTR))
# A lost descriptor: Live closes all of its process when a set is opened from Finder.
LOST = frozenset((errno.EBADF, errno.EINVAL, getattr(errno, "ENOTSOCK", errno.EBADF), 10038))


def _bound(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            # SO_REUSEADDR on Windows would let another process take the port over.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((HOST, port))
        sock.listen(BACKLOG)
        sock.setblocking(False)
    except BaseException:
        sock.close()
        raise
    return sock


class Listener:
    """Accepts connections without blocking.

    Attributes
    ----------
    port : int
        Port in use, 0 while there is none.
    """

    def __init__(self, clock: Callable[[], float], log: Log, port: int = PREFERRED_PORT) -> None:
        self._clock = clock
        self._log = log
        self._preferred = port
        self._sock: socket.socket | None = None
        self._retry_at = 0.0
        self.port = 0

    def open(self) -> bool:
        """Bind if needed: the preferred port, else any; at most one try every two seconds.

        Returns
        -------
        bool
            Whether the socket listens.
        """
        if self._sock is not None:
            return True
        now = self._clock()
        if now < self._retry_at:
            return False
        self._retry_at = now + RETRY_AFTER_S
        for port in (self._preferred, 0):
            try:
                self._sock = _bound(port)
            except OSError as error:
                self._log.warn(f"port {port} cannot be used ({error})")
            else:
                self.port = self._sock.getsockname()[1]
                return True
        return False

    def accept(self) -> socket.socket | None:
        """Give the next waiting peer, or None.

        Raises
        ------
        OSError
            If the listening socket itself is lost.
        """
        if self._sock is None:
            return None
        try:
            peer, _ = self._sock.accept()
        except OSError as error:
            if error.errno in LOST:
                raise
            # Windows also reports the reset of a peer that left before it was accepted here.
            return None
        try:
            peer.setblocking(False)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if sys.platform == "win32":
                # Without it TIME_WAIT blocks an exclusive bind after a set reload.
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("hh", 1, 0))
        except OSError:
            peer.close()
            return None
        return peer

    def close(self) -> None:
        """Close the socket; never raises."""
        if self._sock is not None:
            with suppress(OSError):
                self._sock.close()
        self._sock = None
        self._retry_at = 0.0
        self.port = 0
