"""Datagrams in bulk: preallocated slots, and all frames among them decoded at once.

The vector path accepts exactly what `codec.decode` accepts and gives the same numbers; everything
that it does not take for a frame goes through `codec.decode` one by one.
"""

from __future__ import annotations

import socket
from array import array
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.stream.codec import (
    ALL_BANDS_ABOVE_HZ,
    ARGUMENTS_AT,
    FRAME_BYTES,
    MAX_DATAGRAM_BYTES,
    limits,
    unavailable_columns,
)
from pybackend.stream.protocol import (
    FRAME_FIELDS,
    FRAME_PREFIX,
    FRAME_WIDTH,
    column,
    type_tags,
)

Rows = npt.NDArray[np.float32]
Times = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

BATCH_DATAGRAMS: Final = 256
SLOT_BYTES: Final = MAX_DATAGRAM_BYTES + 4
"""One slot holds the largest datagram looked at, and enough more to see that one is larger."""

_WORD: Final = 4
_PREFIX_WORDS: Final = ARGUMENTS_AT // _WORD
_FRAME_WORDS: Final = slice(_PREFIX_WORDS, _PREFIX_WORDS + FRAME_WIDTH)
_PREFIX: Final = np.frombuffer(FRAME_PREFIX, dtype=np.uint32)
_LIMITS: Final = np.array(limits(FRAME_FIELDS), dtype=np.float32)
_LOW: Final = _LIMITS[:, 0].copy()
_HIGH: Final = _LIMITS[:, 1].copy()
_INTEGERS: Final = slice(0, type_tags(FRAME_FIELDS).rindex("i") + 1)
_RATE: Final = column("sample_rate")
_SEQ: Final = column("seq")
_SEQ_CHECK: Final = column("seq_check")
_DATAGRAM_TOO_LONG_ON_WINDOWS: Final = 10040


class Batch:
    """Up to ``BATCH_DATAGRAMS`` datagrams with the time each was received."""

    def __init__(self) -> None:
        self._bytes = np.zeros((BATCH_DATAGRAMS, SLOT_BYTES), dtype=np.uint8)
        self._slots = [memoryview(slot) for slot in self._bytes]  # type: ignore[arg-type]
        self._lengths = array("q", bytes(8 * BATCH_DATAGRAMS))
        self._times_s = array("d", bytes(8 * BATCH_DATAGRAMS))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def clear(self) -> None:
        """Forget all datagrams."""
        self._count = 0

    def add(self, payload: bytes, time_s: float) -> bool:
        """Put a datagram in; whether the batch is full now."""
        payload = payload[:SLOT_BYTES]
        self._slots[self._count][: len(payload)] = payload
        self._lengths[self._count] = len(payload)
        self._times_s[self._count] = time_s
        self._count += 1
        return self._count == BATCH_DATAGRAMS

    def receive(self, source: socket.socket, now_s: Callable[[], float]) -> bool:
        """Fill the batch with what waits at a non-blocking socket; whether it is full now.

        Parameters
        ----------
        source : socket.socket
            Non-blocking UDP socket.
        now_s : callable
            Clock that stamps each datagram, in seconds.
        """
        receive_into, lengths, times_s = source.recv_into, self._lengths, self._times_s
        count = self._count
        try:
            for slot in self._slots[count:]:
                lengths[count] = receive_into(slot)
                times_s[count] = now_s()
                count += 1
        except (BlockingIOError, ConnectionResetError):
            # Windows reports an ICMP answer to somebody else's datagram as a reset connection.
            pass
        except OSError as error:
            if error.errno != _DATAGRAM_TOO_LONG_ON_WINDOWS:
                raise
            lengths[count], times_s[count] = SLOT_BYTES, now_s()
            count += 1
        finally:
            self._count = count
        return count == BATCH_DATAGRAMS

    def payload(self, i: int) -> bytes:
        """Datagram ``i``, cut to ``SLOT_BYTES`` if it was longer."""
        return bytes(self._slots[i][: self._lengths[i]])

    @property
    def times_s(self) -> Times:
        """When each datagram was received, in seconds: shape (n,)."""
        return np.frombuffer(self._times_s, dtype=np.float64)[: self._count].copy()

    def frames(self) -> tuple[Mask, Rows]:
        """All datagrams read as frames.

        Returns
        -------
        is_frame : ndarray of bool, shape (n,)
            Which datagrams are frames that `codec.decode` accepts.
        rows : ndarray of float32, shape (n, FRAME_WIDTH)
            Their values, NaN for bands that the sample rate cannot carry; meaningless where
            ``is_frame`` is false. A new array at every call.
        """
        lengths = np.frombuffer(self._lengths, dtype=np.int64)[: self._count]
        words = self._bytes.view(np.uint32)[: self._count]
        is_frame = lengths == FRAME_BYTES
        is_frame &= (words[:, :_PREFIX_WORDS] == _PREFIX).all(axis=1)
        numbers = words[:, _FRAME_WORDS].astype(np.uint32)
        if np.little_endian:
            numbers.byteswap(inplace=True)
        rows = numbers.view(np.float32)
        rows[:, _INTEGERS] = numbers[:, _INTEGERS].view(np.int32)
        # Comparisons with NaN are false, so this also asks for finite numbers; a signalling NaN
        # in a hostile datagram must not warn.
        with np.errstate(invalid="ignore"):
            is_frame &= ((rows >= _LOW) & (rows <= _HIGH)).all(axis=1)
            seq = rows[:, _SEQ]
            is_frame &= (seq == rows[:, _SEQ_CHECK]) & (seq == np.floor(seq))
        _blank_missing_bands(is_frame, rows)
        return is_frame, rows


def _blank_missing_bands(is_frame: Mask, rows: Rows) -> None:
    rates_hz = rows[:, _RATE]
    few_bands = is_frame & (rates_hz <= ALL_BANDS_ABOVE_HZ)
    if few_bands.any():
        for rate_hz in np.unique(rates_hz[few_bands]).tolist():
            missing = list(unavailable_columns(rate_hz))
            rows[np.ix_(few_bands & (rates_hz == rate_hz), missing)] = np.nan
