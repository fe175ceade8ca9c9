"""Recordings are ordinary captures: written with dpkt as pcap, read from pcap and pcapng."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from pybackend.config import UDP_PORT
from pybackend.errors import RecordingError
from pybackend.stream.capturefile import FileState, read_packets
from pybackend.stream.linklayer import RAW, Skip, udp_datagram

_LOCALHOST: Final = bytes((127, 0, 0, 1))
_SOURCE_PORT: Final = 57120
_SNAP_BYTES: Final = 65535


class Recorder:
    """Writes datagrams to a new pcap file (raw IP, nanoseconds), each at once.

    Every packet goes to the system in one unbuffered write, so a process that is killed loses at
    most the packet it was writing. Times are kept exactly: a float64 of today's seconds is coarser
    than a nanosecond, so what is read back is the same float.
    Hand `write` to `Receiver.tap`.

    Parameters
    ----------
    path : Path
        File to make; an existing one is not touched.
    port : int
        UDP port that the datagrams are shown as sent to.

    Raises
    ------
    RecordingError
        If the file exists already or cannot be made.
    """

    def __init__(self, path: Path, port: int = UDP_PORT) -> None:
        from dpkt import pcap  # noqa: PLC0415 - only those who record pay for it

        try:
            self._file = path.open("xb", buffering=0)
        except FileExistsError as error:
            raise RecordingError(f"{path}: exists already, choose another name") from error
        except OSError as error:
            raise RecordingError(f"{path}: cannot be written ({error.strerror})") from error
        self._writer = pcap.Writer(self._file, snaplen=_SNAP_BYTES, linktype=RAW, nano=True)
        self._port = port
        self._path = path
        self._lock = threading.Lock()
        self.written = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, payload: bytes, time_s: float) -> None:
        """Append one datagram received at ``time_s``, in seconds since the epoch.

        Raises
        ------
        RecordingError
            If the file cannot be written on, for example because the disk is full.
        """
        with self._lock:
            packet = _udp_packet(payload, self._port, self.written)
            try:
                self._writer.writepkt_time(packet, time_s)
            except OSError as error:
                raise RecordingError(
                    f"{self._path}: recording stopped ({error.strerror}), "
                    f"the {self.written} packets before are kept"
                ) from error
            self.written += 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()


def _udp_packet(payload: bytes, port: int, number: int) -> bytes:
    """IPv4 packet from this machine to itself; dpkt fills both checksums in."""
    from dpkt import ip, udp  # noqa: PLC0415

    datagram = udp.UDP(sport=_SOURCE_PORT, dport=port, ulen=8 + len(payload), data=payload)
    packet = ip.IP(
        id=number & 0xFFFF, p=ip.IP_PROTO_UDP, src=_LOCALHOST, dst=_LOCALHOST, data=datagram
    )
    packet.len = len(packet)
    return bytes(packet)


@dataclass(slots=True)
class CaptureCounts:
    """What a capture holds, as far as it has been read.

    Parameters
    ----------
    packets : int
        Packets in the file.
    datagrams : int
        UDP datagrams among them that were asked for.
    other_ports : int
        UDP datagrams to other ports.
    other : int
        Packets that are not UDP over IP.
    fragments : int
        Parts of IP packets; not put together, since no frame is ever large enough.
    cut : int
        Packets of which the capture kept too few bytes.
    unknown_link : int
        Packets of a link type that is not read.
    untimed : int
        Packets without a time.
    damage : str or None
        Why reading stopped before the end of the file.
    """

    packets: int = 0
    datagrams: int = 0
    other_ports: int = 0
    other: int = 0
    fragments: int = 0
    cut: int = 0
    unknown_link: int = 0
    untimed: int = 0
    damage: str | None = None

    def skip(self, reason: Skip) -> None:
        """Count a packet without a datagram."""
        self.other += reason is Skip.OTHER
        self.fragments += reason is Skip.FRAGMENT
        self.cut += reason is Skip.CUT
        self.unknown_link += reason is Skip.UNKNOWN_LINK


class Datagrams:
    """UDP datagrams of a capture, read once, in the file's order.

    Iterating gives (time in seconds since the epoch, payload). `counts` is complete when the
    iteration is.

    Raises
    ------
    RecordingError
        While iterating: if the file cannot be opened, is empty, or is no capture.
    """

    def __init__(self, path: Path, port: int | None = None) -> None:
        self.counts = CaptureCounts()
        self._iterator = self._read(path, port)

    def __iter__(self) -> Iterator[tuple[float, bytes]]:
        return self._iterator

    def __next__(self) -> tuple[float, bytes]:
        return next(self._iterator)

    def _read(self, path: Path, port: int | None) -> Iterator[tuple[float, bytes]]:
        counts, state = self.counts, FileState()
        for time_s, link_type, data in read_packets(path, state):
            counts.packets += 1
            found = udp_datagram(link_type, data)
            if isinstance(found, Skip):
                counts.skip(found)
            elif port is not None and found.port != port:
                counts.other_ports += 1
            else:
                counts.datagrams += 1
                yield time_s, found.payload
        counts.untimed, counts.damage = state.untimed, state.damage


def read_datagrams(path: Path, port: int | None = None) -> Datagrams:
    """UDP datagrams of a pcap or pcapng file.

    Parameters
    ----------
    path : Path
        Capture made by `Recorder`, Wireshark, tcpdump or dumpcap.
    port : int, optional
        Only datagrams sent to this port; by default to any.
    """
    return Datagrams(path, port)
