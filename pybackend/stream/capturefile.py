"""Packets of a pcap or pcapng file, read as far as the file is sound.

Formats: "PCAP Capture File Format" and "PCAP Next Generation Capture File Format" (IETF drafts
draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng). dpkt reads both, but takes a file that ends in
the middle of a packet for sound, knows one interface of a pcapng file, and trusts every length in
it; so this reader is our own, and dpkt is what its tests compare it with.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from pybackend.errors import RecordingError

MAX_PACKET_BYTES: Final = 262144
"""Largest packet that libpcap writes; a larger one means a damaged file."""
MAX_BLOCK_BYTES: Final = 16 << 20

_SECTION_MAGIC: Final = bytes.fromhex("0a0d0d0a")
_INTERFACE: Final = 1
_OLD_PACKET: Final = 2
_SIMPLE_PACKET: Final = 3
_PACKET: Final = 6
_READ_BLOCKS: Final = (_INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _PACKET)
_OPTION_RESOLUTION: Final = 9
_OPTION_OFFSET: Final = 14

_PCAP_MAGICS: Final = {
    bytes.fromhex("a1b2c3d4"): (">", 1_000_000, 16),
    bytes.fromhex("d4c3b2a1"): ("<", 1_000_000, 16),
    bytes.fromhex("a1b23c4d"): (">", 1_000_000_000, 16),
    bytes.fromhex("4d3cb2a1"): ("<", 1_000_000_000, 16),
    bytes.fromhex("a1b2cd34"): (">", 1_000_000, 24),
    bytes.fromhex("34cdb2a1"): ("<", 1_000_000, 24),
}
"""First bytes of a pcap file: byte order, ticks per second, length of a packet's header."""
_BYTE_ORDERS: Final = {bytes.fromhex("1a2b3c4d"): ">", bytes.fromhex("4d3c2b1a"): "<"}


class Packet(NamedTuple):
    """One captured packet: time in seconds since the epoch, link type, bytes captured."""

    time_s: float
    link_type: int
    data: bytes


@dataclass(slots=True)
class FileState:
    """What reading a file found beside its packets.

    Parameters
    ----------
    damage : str or None
        Where and why reading stopped before the file's end; None if the file is sound.
    untimed : int
        Packets without a time (simple packet blocks); skipped.
    """

    damage: str | None = None
    untimed: int = 0


class _Damaged(Exception):  # noqa: N818
    """The file cannot be read on from here."""


def read_packets(path: Path, state: FileState) -> Iterator[Packet]:
    """Packets of a capture, in the file's order; ``state`` tells how it ended.

    Raises
    ------
    RecordingError
        If the file cannot be opened, is empty, or is no capture. A file that is damaged farther on
        gives the packets before that and says so in ``state.damage``.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(4)
            _require_capture(path, magic)
            read = _read_pcap if magic in _PCAP_MAGICS else _read_pcapng
            try:
                yield from read(file, magic, state)
            except _Damaged as damaged:
                state.damage = f"{damaged}, reading stopped at byte {file.tell()}"
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from error


def _require_capture(path: Path, magic: bytes) -> None:
    if magic in _PCAP_MAGICS or magic == _SECTION_MAGIC:
        return
    if not magic:
        raise RecordingError(f"{path}: is empty, record again")
    if magic.startswith(b"\x1f\x8b"):
        raise RecordingError(f"{path}: is compressed, unpack it first (gzip -d)")
    raise RecordingError(f"{path}: is not a pcap or pcapng capture")


def _exactly(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise _Damaged("the file ends inside a packet")
    return data


def _read_pcap(file: BinaryIO, magic: bytes, _: FileState) -> Iterator[Packet]:
    order, ticks_per_s, header_bytes = _PCAP_MAGICS[magic]
    header = struct.Struct(f"{order}IIII{header_bytes - 16}x")
    # The upper half of the link type word holds the length of the frame check sequence.
    link_type = struct.unpack(f"{order}I", _exactly(file, 20)[-4:])[0] & 0xFFFF
    while head := file.read(header_bytes):
        if len(head) < header_bytes:
            raise _Damaged("the file ends inside a packet's header")
        seconds, ticks, captured, _length = header.unpack(head)
        if captured > MAX_PACKET_BYTES:
            raise _Damaged(f"a packet claims {captured} bytes")
        yield Packet(seconds + ticks / ticks_per_s, link_type, _exactly(file, captured))


class _Interface(NamedTuple):
    link_type: int
    ticks_per_s: int
    offset_s: int

    def time_s(self, high: int, low: int) -> float:
        seconds, ticks = divmod(high << 32 | low, self.ticks_per_s)
        return seconds + self.offset_s + ticks / self.ticks_per_s


def _read_pcapng(file: BinaryIO, magic: bytes, state: FileState) -> Iterator[Packet]:
    order, interfaces = "<", list[_Interface]()
    kind_bytes = magic
    while kind_bytes:
        if kind_bytes == _SECTION_MAGIC:
            order, interfaces = _read_section(file), []
        else:
            kind, length = struct.unpack(f"{order}II", kind_bytes + _exactly(file, 4))
            body = _read_body(file, kind, length)
            if kind == _INTERFACE:
                interfaces.append(_interface(order, body))
            elif kind in {_PACKET, _OLD_PACKET}:
                yield _packet(order, kind, body, interfaces)
            elif kind == _SIMPLE_PACKET:
                state.untimed += 1
        kind_bytes = file.read(4)
        if 0 < len(kind_bytes) < 4:
            raise _Damaged("the file ends inside a block's header")


def _read_section(file: BinaryIO) -> str:
    length, byte_order = _exactly(file, 4), _exactly(file, 4)
    if byte_order not in _BYTE_ORDERS:
        raise _Damaged("a section has no byte order")
    order = _BYTE_ORDERS[byte_order]
    total = struct.unpack(f"{order}I", length)[0]
    # What was read so far of the body is the byte order.
    _read_body(file, _INTERFACE, total - 4)
    return order


def _read_body(file: BinaryIO, kind: int, length: int) -> bytes:
    """Body of a block of ``length`` bytes; empty for kinds that are not looked at."""
    if length < 12 or length % 4:
        raise _Damaged(f"a block claims {length} bytes")
    if kind not in _READ_BLOCKS:
        file.seek(length - 12, os.SEEK_CUR)
        _exactly(file, 4)
        return b""
    if length > MAX_BLOCK_BYTES:
        raise _Damaged(f"a block claims {length} bytes")
    return _exactly(file, length - 8)[:-4]


def _interface(order: str, body: bytes) -> _Interface:
    if len(body) < 8:
        raise _Damaged("an interface has no description")
    link_type = struct.unpack_from(f"{order}H", body)[0]
    ticks_per_s, offset_s = 1_000_000, 0
    for code, value in _options(order, body[8:]):
        if code == _OPTION_RESOLUTION and len(value) == 1:
            exponent = value[0] & 0x7F
            ticks_per_s = 2**exponent if value[0] & 0x80 else 10**exponent
        elif code == _OPTION_OFFSET and len(value) == 8:
            (offset_s,) = struct.unpack(f"{order}q", value)
    return _Interface(link_type, ticks_per_s, offset_s)


def _options(order: str, data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from(f"{order}HH", data, at)
        if code == 0:
            return
        yield code, data[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


def _packet(order: str, kind: int, body: bytes, interfaces: list[_Interface]) -> Packet:
    if len(body) < 20:
        raise _Damaged("a packet's block is too short")
    number, high, low, captured = struct.unpack_from(f"{order}IIII", body)
    if kind == _OLD_PACKET:
        number = struct.unpack_from(f"{order}H", body)[0]
    if number >= len(interfaces):
        raise _Damaged(f"a packet comes from interface {number}, which the file does not describe")
    if captured > len(body) - 20:
        raise _Damaged(f"a packet claims {captured} bytes")
    interface = interfaces[number]
    return Packet(interface.time_s(high, low), interface.link_type, body[20 : 20 + captured])
