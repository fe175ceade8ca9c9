"""Frames from the network: one UDP socket on a thread of its own."""

from __future__ import annotations

import errno
import ipaddress
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, Self, TypeAlias

from pybackend.config import HOST, RECEIVE_BUFFER_BYTES, UDP_PORT
from pybackend.errors import Busy, InputError
from pybackend.stream.batch import Batch
from pybackend.stream.intake import Device, Intake
from pybackend.stream.ring import Ring

Tap: TypeAlias = Callable[[bytes, float], None]
"""Called with every datagram and the time it was received, in the receiver's thread."""

_POLL_S: Final = 0.1


class Receiver:
    """Listens for analyzers on this machine; use it as a context manager.

    Parameters
    ----------
    port : int
        UDP port; 0 lets the system choose one.
    host : str
        Loopback address to listen at.

    Raises
    ------
    Busy
        If somebody else has the port.
    InputError
        If the host is not a loopback IPv4 address, or the port cannot be opened.
    """

    def __init__(self, port: int = UDP_PORT, host: str = HOST) -> None:
        self.intake: Intake[Ring] = Intake(Ring)
        self._socket = _open_socket(host, port)
        self._port: int = self._socket.getsockname()[1]
        self._taps: list[_Tapping] = []
        self._taps_lock = threading.Lock()
        self._failure: Exception | None = None
        self._stopping = False
        # Seconds since the epoch, as captures have them, but never set back.
        self._epoch_s = time.time() - time.perf_counter()
        self._thread = threading.Thread(target=self._run, name="mj-receiver", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is None and self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Stop listening and free the port. What was received stays readable."""
        self._stopping = True
        self._thread.join()
        self._socket.close()

    @property
    def port(self) -> int:
        """Port listened at."""
        return self._port

    @property
    def buffer_bytes(self) -> int:
        """Size of the socket's receive buffer, as the system granted it."""
        return self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)

    @property
    def failure(self) -> Exception | None:
        """What stopped the receiver's thread, if anything did."""
        return self._failure

    def now_s(self) -> float:
        """Time on the clock that stamps datagrams: seconds since the epoch, never set back."""
        return self._epoch_s + time.perf_counter()

    def masters(self) -> tuple[Device, ...]:
        """Devices heard lately that say they sit on the master; two are an error of the set."""
        return self.intake.masters(self.now_s())

    @contextmanager
    def tap(self, tap: Tap) -> Iterator[None]:
        """Hand every datagram to ``tap`` while the context lasts.

        A tap that raises is called no more, the receiver goes on without it, and its error is
        raised when the context ends.
        """
        tapping = _Tapping(tap)
        with self._taps_lock:
            self._taps.append(tapping)
        try:
            yield
        finally:
            with self._taps_lock:
                self._taps.remove(tapping)
        if tapping.failure is not None:
            raise tapping.failure

    def _run(self) -> None:
        batch = Batch()
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._socket, selectors.EVENT_READ)
                while not self._stopping:
                    if not selector.select(_POLL_S):
                        continue
                    more = True
                    while more and not self._stopping:
                        more = batch.receive(self._socket, self.now_s)
                        self._hand_to_taps(batch)
                        self.intake.feed(batch)
                        batch.clear()
        except Exception as error:  # noqa: BLE001 - a thread has nobody to raise to
            self._failure = error

    def _hand_to_taps(self, batch: Batch) -> None:
        if not self._taps:
            return
        times_s = batch.times_s.tolist()
        with self._taps_lock:
            for tapping in self._taps:
                tapping.hand(batch, times_s)


class _Tapping:
    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self.failure: Exception | None = None

    def hand(self, batch: Batch, times_s: list[float]) -> None:
        if self.failure is not None:
            return
        try:
            for i, time_s in enumerate(times_s):
                self._tap(batch.payload(i), time_s)
        except Exception as error:  # noqa: BLE001 - a tap must not stop the measurement
            self.failure = error


def _open_socket(host: str, port: int) -> socket.socket:
    address = "127.0.0.1" if host == "localhost" else host
    if not _is_loopback(address):
        raise InputError(f"cannot listen at {host}: only loopback is served, use {HOST}")
    if not 0 <= port <= 65535:
        raise InputError(f"cannot listen at UDP port {port}: ports go from 1 to 65535")
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        with suppress(OSError):  # a system that grants less than asked still works
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        opened.setblocking(False)
        opened.bind((address, port))
    except OSError as error:
        opened.close()
        raise _port_error(address, port, error) from error
    return opened


def _port_error(address: str, port: int, error: OSError) -> Exception:
    where = f"UDP port {port} at {address}"
    if error.errno in {errno.EADDRINUSE, errno.EACCES} and port >= 1024:
        return Busy(
            f"{where} is taken by another program: "
            "stop the other movejudge (or whatever holds the port), or choose another --port"
        )
    return InputError(f"{where} cannot be opened ({error.strerror}): choose another --port")


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.IPv4Address(address).is_loopback
    except ValueError:
        return False
