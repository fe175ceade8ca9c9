"""Frames: a 4-byte big-endian length, then that many bytes of one UTF-8 JSON object.

A length prefix makes a browser's ``POST`` a length of 1.3 GB, so that no web page can drive Live.
"""

from __future__ import annotations

import json
import math
import struct
from typing import TYPE_CHECKING

from .failure import Failure

if TYPE_CHECKING:
    from typing import Any

HEADER = struct.Struct(">I")
MAX_HELLO_BYTES = 4 << 10
MAX_IN_BYTES = 1 << 20
MAX_OUT_BYTES = 16 << 20
MAX_INT_DIGITS = 20
HTTP_STARTS = (b"GET ", b"POST", b"PUT ", b"HEAD", b"OPTI", b"DELE", b"PATC", b"CONN", b"PRI ")


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def _short_int(text: str) -> int:
    # int() is quadratic in the digits, and 3.7 sets no limit of its own.
    if len(text) > MAX_INT_DIGITS:
        raise ValueError(f"an integer of {len(text)} digits")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:24]} is not finite")
    return value


def decode(body: bytes) -> dict[str, Any]:
    """Parse one frame's body.

    Raises
    ------
    Failure
        ``bad_request`` if it is not UTF-8 JSON, holds a non-finite or huge number, nests too
        deeply, or is no object.
    """
    try:
        message = json.loads(
            body.decode("utf-8"),
            parse_constant=_no_constant,
            parse_int=_short_int,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as error:
        raise Failure("bad_request", f"the frame is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise Failure("bad_request", f"the frame is a {type(message).__name__}, not an object")
    return message


def dumps(value: Any) -> str:
    """Compact JSON text; non-finite floats are refused.

    Raises
    ------
    ValueError
        If ``value`` holds NaN or an infinity.
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def pack(text: str) -> bytes:
    """One frame of JSON text.

    Raises
    ------
    Failure
        ``internal`` if it is larger than ``MAX_OUT_BYTES``.
    """
    body = text.encode("utf-8")
    if len(body) > MAX_OUT_BYTES:
        raise Failure("internal", f"a reply of {len(body)} bytes is over the limit")
    return HEADER.pack(len(body)) + body


def encode(message: dict[str, Any]) -> bytes:
    """One frame of a message."""
    return pack(dumps(message))


class Garbage(Exception):  # noqa: N818 - it is what came in
    """The peer does not speak this protocol; the connection has to be closed."""


class FrameReader:
    """Cuts a stream of bytes into frame bodies without scanning any byte twice.

    Attributes
    ----------
    limit : int
        Largest accepted body in bytes; small until the peer is authorised.
    """

    def __init__(self, limit: int = MAX_HELLO_BYTES) -> None:
        self.limit = limit
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        """Append what was received."""
        self._bytes += data

    def take(self) -> bytes | None:
        """Give the next whole body, or None until more bytes are there.

        Raises
        ------
        Garbage
            If the length is 0 or above ``limit``; an HTTP request is named.
        """
        if len(self._bytes) < HEADER.size:
            return None
        (length,) = HEADER.unpack_from(self._bytes)
        if length == 0 or length > self.limit:
            start = bytes(self._bytes[:4])
            if start in HTTP_STARTS:
                raise Garbage("an HTTP request")
            raise Garbage(f"a frame of {length} bytes (limit {self.limit})")
        end = HEADER.size + length
        if len(self._bytes) < end:
            return None
        body = bytes(self._bytes[HEADER.size : end])
        del self._bytes[:end]
        return body
