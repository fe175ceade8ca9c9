"""Point snapshots from the older family of analyzers.

Those devices send ``/spectrum`` with 8 or 9 linear amplitudes, ``/rms`` and ``/peak`` with one, and
``/loudness`` with momentary loudness and true peak. Each is one instantaneous reading of the mono
sum, so a snapshot made of them carries no spread and is low evidence.

Messages are parsed by python-osc, but only once type tags and length are known to be sound: alone
it reads a truncated float as 0.0, lets NaN through, and takes a message without type tags for one
without arguments.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Final, Literal, NotRequired, TypedDict

from pybackend.metering.design import BAND_NAMES
from pybackend.stream.codec import LEGACY_ADDRESSES, Reject, osc_address, osc_text
from pybackend.stream.protocol import MAX_AMPLITUDE, MAX_LUFS

EIGHT_BAND_NAMES: Final = (
    "sub",
    "low",
    "low_mid",
    "mid",
    "high_mid",
    "high",
    "presence",
    "air",
)
EIGHT_BAND_EDGES_HZ: Final = (20.0, 60.0, 200.0, 500.0, 2e3, 4e3, 8e3, 12e3, 20e3)
"""Documented edges of the 8-band layout: its ``sub`` is the 9-band layout's ``sub_low``, and no
other name but those two's means the same band in both. Readings of two layouts must not meet."""

FRESH_S: Final = 1.0
"""A reading older than this against the spectrum is left out of the snapshot."""

_LOWEST_DB: Final = -300.0
_COUNTS: Final = {"/spectrum": (8, 9), "/rms": (1,), "/peak": (1,), "/loudness": (1, 2)}


Layout = Literal["nine", "eight"]
"""How many bands a device has, and with that what their names mean."""


class Reading(TypedDict):
    """One moment: linear amplitudes (1.0 is full scale) by band name, RMS and peak likewise."""

    spectrum: dict[str, float]
    layout: Layout
    rms: NotRequired[float]
    peak: NotRequired[float]
    momentary_lufs: NotRequired[float]
    true_peak_dbtp: NotRequired[float]


def parse_legacy(datagram: bytes) -> tuple[str, tuple[float, ...]] | Reject:
    """Address and numbers of one message, or why it is none of this family's."""
    head = osc_address(datagram)
    if isinstance(head, Reject):
        return head
    address, tags_at = head
    if address not in LEGACY_ADDRESSES:
        return Reject.UNKNOWN_ADDRESS
    found = osc_text(datagram, tags_at)
    if found is None or not found[0].startswith(",") or found[0][1:].strip("fi"):
        return Reject.TYPE_TAGS
    count = len(found[0]) - 1
    if count not in _COUNTS[address] or len(datagram) != found[1] + 4 * count:
        return Reject.LENGTH
    return _numbers(address, datagram)


def _numbers(address: str, datagram: bytes) -> tuple[str, tuple[float, ...]] | Reject:
    from pythonosc.osc_message import OscMessage  # noqa: PLC0415 - few sets have such a device

    values = tuple(float(value) for value in OscMessage(datagram).params)
    if not all(map(math.isfinite, values)):
        return Reject.NON_FINITE
    low, high = (_LOWEST_DB, MAX_LUFS) if address == "/loudness" else (0.0, MAX_AMPLITUDE)
    if not all(low <= value <= high for value in values):
        return Reject.OUT_OF_RANGE
    return address, values


class LegacyAnalyzer:
    """Gathers the messages of one older analyzer into point snapshots."""

    def __init__(self) -> None:
        self.rejects: Counter[Reject] = Counter()
        self._latest: dict[str, tuple[float, tuple[float, ...]]] = {}

    def feed(self, datagram: bytes, time_s: float) -> Reading | None:
        """Take one message received at ``time_s``; a snapshot when it was a spectrum."""
        parsed = parse_legacy(datagram)
        if isinstance(parsed, Reject):
            self.rejects[parsed] += 1
            return None
        address, values = parsed
        self._latest[address] = (time_s, values)
        return self._snapshot(values, time_s) if address == "/spectrum" else None

    def _snapshot(self, bands: tuple[float, ...], time_s: float) -> Reading:
        nine = len(bands) == len(BAND_NAMES)
        names = BAND_NAMES if nine else EIGHT_BAND_NAMES
        snapshot = Reading(
            spectrum=dict(zip(names, bands, strict=True)), layout="nine" if nine else "eight"
        )
        if rms := self._fresh("/rms", time_s):
            snapshot["rms"] = rms[0]
        if peak := self._fresh("/peak", time_s):
            snapshot["peak"] = peak[0]
        if loudness := self._fresh("/loudness", time_s):
            snapshot["momentary_lufs"] = loudness[0]
            if len(loudness) == 2:
                snapshot["true_peak_dbtp"] = loudness[1]
        return snapshot

    def _fresh(self, address: str, now_s: float) -> tuple[float, ...]:
        time_s, values = self._latest.get(address, (-math.inf, ()))
        return values if now_s - time_s <= FRESH_S else ()
