"""The wire between analyzer and backend, as one table.

The device's message layout, the codec, the documentation and the tests derive from this module. It
imports neither numpy nor numba.

A *frame* is 50 ms of audio made of five 10 ms *sub-blocks*. All powers are linear mean squares over
the frame. A band that does not lie wholly below Nyquist is sent as 0 and read as unavailable (NaN):
the sample rate in the same frame says which these are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from pybackend.metering.design import BAND_NAMES, MAX_RATE_HZ, MIN_RATE_HZ

PROTOCOL: Final = 1
FRAME_ADDRESS: Final = "/mj/frame"
HELLO_ADDRESS: Final = "/mj/hello"

SEQ_MODULUS: Final = 1 << 20
MAX_INSTANCE: Final = (1 << 24) - 1

FLAG_ENABLED: Final = 1
FLAG_PREVIEW: Final = 2
FLAG_RUNNING: Final = 4

MAX_POWER: Final = 1e6
"""Largest plausible mean square (+60 dBFS); a larger value is a fault, not music."""
MAX_AMPLITUDE: Final = 1e3
MIN_LUFS: Final = -120.0
MAX_LUFS: Final = 70.0


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message: ``count`` numbers of one meaning, unit and plausible range."""

    name: str
    tag: str
    low: float
    high: float
    unit: str
    meaning: str
    labels: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Numbers that the field occupies."""
        return len(self.labels) or 1


STEREO: Final = ("left", "right")


def _power(name: str, meaning: str, labels: tuple[str, ...] = ()) -> Field:
    return Field(name, "f", 0.0, MAX_POWER, "FS^2", meaning, labels)


def _lufs(name: str, meaning: str) -> Field:
    return Field(name, "f", MIN_LUFS, MAX_LUFS, "LUFS", meaning)


FRAME_FIELDS: Final = (
    Field("protocol", "i", PROTOCOL, PROTOCOL, "", "protocol number"),
    Field("instance", "i", 1, MAX_INSTANCE, "", "random number of this device load"),
    Field("flags", "i", 0, 7, "", "bit 0 device enabled, bit 1 preview, bit 2 transport running"),
    Field("sample_rate", "f", MIN_RATE_HZ, MAX_RATE_HZ, "Hz", "sample rate"),
    Field("seq", "f", 0, SEQ_MODULUS - 1, "", "frame counter, wraps at 2^20"),
    Field("song_beats", "f", -1e6, 1e7, "quarter notes", "song position at the frame's end"),
    Field("bar", "f", -1e6, 1e7, "", "bar at the frame's end, as the host counts"),
    Field("beats_per_bar", "f", 0.0, 256.0, "quarter notes", "length of a bar"),
    Field("tempo", "f", 0.0, 1000.0, "BPM", "tempo"),
    _power("band_power", "L^2 + R^2 per band", BAND_NAMES),
    Field("band_lr", "f", -MAX_POWER, MAX_POWER, "FS^2", "L * R per band", BAND_NAMES),
    _power("mean_square", "mean square per channel", STEREO),
    Field("lr_product", "f", -MAX_POWER, MAX_POWER, "FS^2", "mean of L * R"),
    Field("sample_peak", "f", 0.0, MAX_AMPLITUDE, "FS", "largest |sample|", STEREO),
    Field("true_peak", "f", 0.0, MAX_AMPLITUDE, "FS", "largest |oversampled sample|", STEREO),
    _lufs("lufs_m", "momentary loudness at the frame's end"),
    _lufs("lufs_m_max", "largest momentary loudness at the ends of the frame's sub-blocks"),
    _lufs("lufs_s", "short-term loudness at the frame's end"),
    _lufs("lufs_s_max", "largest short-term loudness at the ends of the frame's sub-blocks"),
    _power("k_power_prev", "K-weighted mean square, sum of channels, of the frame before"),
    _power("k_power", "K-weighted mean square, sum of channels, of this frame"),
    Field("flux_full", "f", 0.0, 1e4, "dB", "rise between sub-blocks, mean over bands, summed"),
    Field("flux_low", "f", 0.0, 1e4, "dB", "the same over sub and low, 60-250 Hz"),
    _power("peak10_full", "largest 10 ms mean square (L^2 + R^2), full band"),
    _power("peak10_low", "largest 10 ms mean square (L^2 + R^2), 20-250 Hz"),
    _power("peak10_high", "largest 10 ms mean square (L^2 + R^2), 2-20 kHz"),
    Field("seq_check", "f", 0, SEQ_MODULUS - 1, "", "seq again; another value means a torn frame"),
)

HELLO_FIELDS: Final = (
    Field("protocol", "i", PROTOCOL, PROTOCOL, "", "protocol number"),
    Field("instance", "i", 1, MAX_INSTANCE, "", "random number of this device load"),
    Field("version", "i", 0, 65535, "", "device version", ("major", "minor", "patch")),
    Field("sample_rate", "f", MIN_RATE_HZ, MAX_RATE_HZ, "Hz", "sample rate"),
    Field("flags", "i", 0, 7, "", "as in a frame"),
    Field("kind", "i", 0, 2, "", "0 master, 1 track, 2 return"),
    Field("index", "i", -1, 100000, "", "index of the track or return; -1 when it has none"),
)

KIND_NAMES: Final = ("master", "track", "return")


def _columns(fields: tuple[Field, ...]) -> dict[str, slice]:
    columns, start = {}, 0
    for field in fields:
        columns[field.name] = slice(start, start + field.count)
        start += field.count
    return columns


FRAME_COLUMNS: Final = _columns(FRAME_FIELDS)
"""Columns of each frame field in a row of numbers."""
HELLO_COLUMNS: Final = _columns(HELLO_FIELDS)
FRAME_WIDTH: Final = sum(field.count for field in FRAME_FIELDS)
HELLO_WIDTH: Final = sum(field.count for field in HELLO_FIELDS)


def column(name: str) -> int:
    """First column of a frame field."""
    return int(FRAME_COLUMNS[name].start)


def type_tags(fields: tuple[Field, ...]) -> str:
    """OSC type tags of a message, without the comma."""
    return "".join(field.tag * field.count for field in fields)


def osc_string(text: str) -> bytes:
    """ASCII text as an OSC string: terminated and padded with zeros to a multiple of four."""
    raw = text.encode("ascii")
    return raw + b"\0" * (4 - len(raw) % 4)


def message_prefix(address: str, fields: tuple[Field, ...]) -> bytes:
    """Every byte of a message before its first argument."""
    return osc_string(address) + osc_string("," + type_tags(fields))


FRAME_PREFIX: Final = message_prefix(FRAME_ADDRESS, FRAME_FIELDS)
HELLO_PREFIX: Final = message_prefix(HELLO_ADDRESS, HELLO_FIELDS)


def range_text(field: Field) -> str:
    """Plausible range of a field, for documentation and error texts."""
    low, high = (f"{bound:g}" for bound in (field.low, field.high))
    return low if math.isclose(field.low, field.high) else f"{low} .. {high}"
