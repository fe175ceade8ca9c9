"""Datagrams to numbers and back: strict, and cheap enough for a flood.

`decode` gives the values of a frame, a hello, or the reason why the datagram is neither; it raises
for nothing that a socket can deliver. A frame is accepted when its address and type tags are equal
to the table's byte by byte, its length is exact, every number is finite and within the table's
plausible range, its counter is a whole number, and both copies of the counter agree.

The wire is OSC 1.0 (opensoundcontrol.org, "OSC 1.0 Specification"): an address and a type tag
string, both padded to four bytes, then big-endian arguments. An OSC bundle is rejected as such:
``udpsend`` sends plain messages, and a bundle's time tag would ask for a delay that a meter must
not have.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias

from pybackend.metering.design import BAND_EDGES_HZ, BAND_NAMES, MIN_RATE_HZ, available_bands
from pybackend.stream.protocol import (
    FRAME_ADDRESS,
    FRAME_COLUMNS,
    FRAME_FIELDS,
    FRAME_PREFIX,
    FRAME_WIDTH,
    HELLO_ADDRESS,
    HELLO_FIELDS,
    HELLO_PREFIX,
    PROTOCOL,
    Field,
    column,
    type_tags,
)

ARGUMENTS_AT: Final = len(FRAME_PREFIX)
FRAME_BYTES: Final = ARGUMENTS_AT + 4 * FRAME_WIDTH
MAX_DATAGRAM_BYTES: Final = 1472
"""Largest datagram looked at: what fits an Ethernet packet; a frame is a sixth of it."""

LEGACY_ADDRESSES: Final = ("/spectrum", "/rms", "/peak", "/loudness")


class Reject(StrEnum):
    """Why a datagram was dropped."""

    NOT_OSC = "not_osc"
    OVERSIZE = "oversize"
    BUNDLE = "bundle"
    UNKNOWN_ADDRESS = "unknown_address"
    LEGACY = "legacy"
    WRONG_PROTOCOL = "wrong_protocol"
    TYPE_TAGS = "type_tags"
    LENGTH = "length"
    NON_FINITE = "non_finite"
    OUT_OF_RANGE = "out_of_range"
    TORN = "torn"
    TOO_MANY_INSTANCES = "too_many_instances"


@dataclass(frozen=True, slots=True)
class Hello:
    """What a device says of itself when it loads and every two seconds.

    Parameters
    ----------
    instance : int
        Random number of this device load, 1..2^24-1.
    version : tuple of int
        Device version: major, minor, patch.
    sample_rate_hz : float
        Sample rate.
    flags : int
        As in a frame.
    kind : int
        Index into `protocol.KIND_NAMES`: 0 master, 1 track, 2 return.
    index : int
        Index of the track or return; -1 when it has none.
    """

    instance: int
    version: tuple[int, int, int]
    sample_rate_hz: float
    flags: int
    kind: int
    index: int


FrameValues: TypeAlias = tuple[float, ...]
Decoded: TypeAlias = FrameValues | Hello | Reject

_FRAME_STRUCT: Final = struct.Struct(">" + type_tags(FRAME_FIELDS))
_HELLO_STRUCT: Final = struct.Struct(">" + type_tags(HELLO_FIELDS))
_unpack_frame: Final = _FRAME_STRUCT.unpack_from
_PROTOCOL: Final = column("protocol")
_INSTANCE: Final = column("instance")
_RATE: Final = column("sample_rate")
_SEQ: Final = column("seq")
_SEQ_CHECK: Final = column("seq_check")
_INSTANCE_BYTES: Final = slice(ARGUMENTS_AT + 4 * _INSTANCE, ARGUMENTS_AT + 4 * _INSTANCE + 4)


def limits(fields: tuple[Field, ...]) -> tuple[tuple[float, float], ...]:
    """Plausible (low, high) of every number of a message, in order."""
    return tuple((field.low, field.high) for field in fields for _ in range(field.count))


_FRAME_LIMITS: Final = limits(FRAME_FIELDS)
_HELLO_LIMITS: Final = limits(HELLO_FIELDS)


def _float_bits(value: float) -> int:
    return int.from_bytes(struct.pack(">f", value), "big")


def _lane_screen() -> tuple[int, int, int, int, int]:
    """Masks that test all arguments of a frame at once, as one integer of 32-bit lanes.

    Positive float32 numbers sort like their bits, and NaN and infinity sort above all others. So a
    lane's magnitude is at most its limit exactly if magnitude + (2^31 - 1 - limit) leaves the
    lane's top bit clear. The screen passes only numbers that are surely plausible: where a range
    reaches farther on one side of zero, it wants that sign. What it does not pass is looked at
    number by number.
    """
    care, want, room = [], [], []
    for field in FRAME_FIELDS:
        reach = max(-field.low, field.high)
        limit = int(reach) if field.tag == "i" else _float_bits(reach)
        any_sign, negative = field.low == -field.high, -field.low > field.high
        care += [0 if any_sign else 1 << 31] * field.count
        want += [1 << 31 if negative else 0] * field.count
        room += [(1 << 31) - 1 - limit] * field.count

    def packed(lanes: list[int]) -> int:
        return int.from_bytes(struct.pack(f">{FRAME_WIDTH}I", *lanes), "big")

    signs = packed([1 << 31] * FRAME_WIDTH)
    magnitudes = packed([(1 << 31) - 1] * FRAME_WIDTH)
    return signs, magnitudes, packed(care), packed(want), packed(room)


_SIGNS, _MAGNITUDES, _CARE, _WANT, _ROOM = _lane_screen()
ALL_BANDS_ABOVE_HZ: Final = 2.0 * BAND_EDGES_HZ[-1]
"""Above this sample rate every band is available."""


@lru_cache(maxsize=64)
def unavailable_columns(sample_rate_hz: float) -> tuple[int, ...]:
    """Columns of the bands that a sample rate cannot carry."""
    first = available_bands(sample_rate_hz)
    starts = FRAME_COLUMNS["band_power"].start, FRAME_COLUMNS["band_lr"].start
    return tuple(start + band for start in starts for band in range(first, len(BAND_NAMES)))


def decode(datagram: bytes) -> Decoded:
    """Read one datagram.

    Parameters
    ----------
    datagram : bytes
        Payload of one UDP datagram.

    Returns
    -------
    tuple of float, Hello or Reject
        A frame's ``FRAME_WIDTH`` values in the order of `protocol.FRAME_FIELDS`, with NaN for
        bands that its sample rate cannot carry; or what a device said of itself; or the reason why
        the datagram is neither. Nothing is ever raised.
    """
    if len(datagram) != FRAME_BYTES or not datagram.startswith(FRAME_PREFIX):
        return _decode_other(datagram)
    values: FrameValues = _unpack_frame(datagram, ARGUMENTS_AT)
    lanes = int.from_bytes(datagram[ARGUMENTS_AT:], "big")
    surely_plausible = (
        lanes & _CARE == _WANT
        and not ((lanes & _MAGNITUDES) + _ROOM) & _SIGNS
        and values[_PROTOCOL] == PROTOCOL
        and values[_INSTANCE] >= 1
        and values[_RATE] >= MIN_RATE_HZ
        and values[_SEQ] == values[_SEQ_CHECK]
        and values[_SEQ].is_integer()
    )
    if not surely_plausible:
        fault = _frame_fault(values)
        if fault is not None:
            return fault
    if values[_RATE] <= ALL_BANDS_ABOVE_HZ:
        missing = unavailable_columns(values[_RATE])
        return tuple(math.nan if i in missing else v for i, v in enumerate(values))
    return values


def _fault(values: FrameValues, ranges: tuple[tuple[float, float], ...]) -> Reject | None:
    if values[0] != PROTOCOL:
        return Reject.WRONG_PROTOCOL
    if not all(map(math.isfinite, values)):
        return Reject.NON_FINITE
    if not all(low <= v <= high for v, (low, high) in zip(values, ranges, strict=True)):
        return Reject.OUT_OF_RANGE
    return None


def _frame_fault(values: FrameValues) -> Reject | None:
    fault = _fault(values, _FRAME_LIMITS)
    if fault is not None:
        return fault
    if not (values[_SEQ].is_integer() and values[_SEQ_CHECK].is_integer()):
        return Reject.OUT_OF_RANGE
    return None if values[_SEQ] == values[_SEQ_CHECK] else Reject.TORN


def osc_address(datagram: bytes) -> tuple[str, int] | Reject:
    """Address of an OSC message and the offset after it, or why the datagram is no such message."""
    if len(datagram) > MAX_DATAGRAM_BYTES:
        return Reject.OVERSIZE
    if datagram.startswith(b"#bundle\0"):
        return Reject.BUNDLE
    head = osc_text(datagram, 0)
    return Reject.NOT_OSC if head is None or not head[0].startswith("/") else head


def _decode_other(datagram: bytes) -> Hello | Reject:
    head = osc_address(datagram)
    if isinstance(head, Reject):
        return head
    address, tags_at = head
    if address in LEGACY_ADDRESSES:
        return Reject.LEGACY
    if address not in (FRAME_ADDRESS, HELLO_ADDRESS):
        return Reject.UNKNOWN_ADDRESS
    return _decode_ours(datagram, address, tags_at)


def _decode_ours(datagram: bytes, address: str, tags_at: int) -> Hello | Reject:
    found = osc_text(datagram, tags_at)
    if found is None or not found[0].startswith(","):
        return Reject.TYPE_TAGS
    tags, arguments_at = found
    first = datagram[arguments_at : arguments_at + 4]
    if tags.startswith(",i") and len(first) == 4 and int.from_bytes(first, "big") != PROTOCOL:
        return Reject.WRONG_PROTOCOL
    fields = FRAME_FIELDS if address == FRAME_ADDRESS else HELLO_FIELDS
    if tags != "," + type_tags(fields):
        return Reject.TYPE_TAGS
    if fields is FRAME_FIELDS or len(datagram) != len(HELLO_PREFIX) + _HELLO_STRUCT.size:
        return Reject.LENGTH
    values: FrameValues = _HELLO_STRUCT.unpack_from(datagram, arguments_at)
    return _fault(values, _HELLO_LIMITS) or _hello(values)


def _hello(values: FrameValues) -> Hello:
    _, instance, major, minor, patch, rate_hz, flags, kind, index = values
    version = (int(major), int(minor), int(patch))
    return Hello(int(instance), version, rate_hz, int(flags), int(kind), int(index))


def osc_text(datagram: bytes, start: int) -> tuple[str, int] | None:
    """Printable ASCII text of an OSC string and the offset after its padding; None if it is not."""
    end = datagram.find(b"\0", start)
    after = start + ((end - start) // 4 + 1) * 4
    raw, padding = datagram[start:end], datagram[end:after]
    if end < 0 or after > len(datagram) or padding.strip(b"\0"):
        return None
    if not all(32 < byte < 127 for byte in raw):
        return None
    return raw.decode("ascii"), after


def frame_instance(datagram: bytes) -> int:
    """Instance that a datagram of a frame's length claims, also when the frame is torn."""
    return int.from_bytes(datagram[_INSTANCE_BYTES], "big")


def encode_frame(row: Iterable[float]) -> bytes:
    """One frame as a datagram.

    Parameters
    ----------
    row : iterable of float, shape (FRAME_WIDTH,)
        Values in the order of `protocol.FRAME_FIELDS`. Bands that the row's sample rate cannot
        carry are sent as 0, whatever stands there; other values go out as they are, also those
        that a receiver will refuse.

    Returns
    -------
    bytes
        The datagram; `decode` gives the same values rounded to float32.

    Raises
    ------
    ValueError
        If the row has another width, or a value that no 32-bit number can hold.
    """
    values = [float(value) for value in row]
    if len(values) != FRAME_WIDTH:
        raise ValueError(f"a frame has {FRAME_WIDTH} values, got {len(values)}")
    for missing in unavailable_columns(values[_RATE]):
        values[missing] = 0.0
    tags = type_tags(FRAME_FIELDS)
    try:
        numbers = [int(v) if tag == "i" else v for v, tag in zip(values, tags, strict=True)]
        return FRAME_PREFIX + _FRAME_STRUCT.pack(*numbers)
    except (OverflowError, struct.error) as error:
        raise ValueError(f"a frame's value does not fit into 32 bits: {error}") from error


def encode_hello(hello: Hello) -> bytes:
    """A hello as a datagram.

    Raises
    ------
    ValueError
        If a value does not fit into 32 bits.
    """
    try:
        return HELLO_PREFIX + _HELLO_STRUCT.pack(
            PROTOCOL,
            hello.instance,
            *hello.version,
            hello.sample_rate_hz,
            hello.flags,
            hello.kind,
            hello.index,
        )
    except (OverflowError, struct.error) as error:
        raise ValueError(f"a hello's value does not fit into 32 bits: {error}") from error
