"""What one audio file measures: loudness, peaks, levels, bands and correlation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from pybackend.metering.audiofile import AudioReader, Pcm
from pybackend.metering.design import (
    BAND_NAMES,
    LOUDNESS_FLOOR_LUFS,
    MOMENTARY_SUB_BLOCKS,
    SHORT_TERM_SUB_BLOCKS,
    SUB_BLOCKS_PER_S,
    available_bands,
)
from pybackend.metering.loudness import integrated_lufs, loudness_range_lu
from pybackend.metering.tally import Tally
from pybackend.metering.whole import measure
from pybackend.stream.frames import Frames, stamp_transport

MOMENTARY_S: Final = MOMENTARY_SUB_BLOCKS / SUB_BLOCKS_PER_S
SHORT_TERM_S: Final = SHORT_TERM_SUB_BLOCKS / SUB_BLOCKS_PER_S
STABLE_RANGE_S: Final = 60.0

LEVELS: Final = ("true_peak_dbtp", "sample_peak_dbfs", "rms_dbfs")
LOUDNESS: Final = ("integrated_lufs", "momentary_max_lufs", "short_term_max_lufs")
MEASURED: Final = (*LOUDNESS, "loudness_range_lu", *LEVELS, "plr_lu", "bands_db", "correlation")

SILENT: Final = "the file is digital silence"
EMPTY_BAND: Final = "there is nothing in this band"
BELOW_GATE: Final = "nothing is above the absolute gate of -70 LUFS"
BELOW_FLOOR: Final = f"nothing is above {LOUDNESS_FLOOR_LUFS:g} LUFS"

Progress = Callable[[float], None]


class Analysis(BaseModel):
    """Measurements of one file.

    A value that cannot be known is None, and ``unavailable`` has the reason under the field's name
    (``bands_db.air`` for one band). Definitions: loudness by ITU-R BS.1770-5 Annex 1, its maxima
    and the true peak by EBU Tech 3341, range by EBU Tech 3342, ``plr_lu`` is true peak less
    integrated loudness (EBU Tech 3343). ``rms_dbfs`` is the mathematical RMS (a full-scale sine
    reads -3.01; AES17 would add 3.01 dB) of the mean of the channels' mean squares; each band is a
    mean square on the same terms, so the bands' powers add up to that of ``rms_dbfs`` less what
    lies outside 20 Hz-20 kHz. Loudness sums the channels instead, as the standard says. Range is
    taken over the short-term windows that lie wholly inside the file: the silence that Tech 3342
    has appended to a file would itself read as range in a short loop.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    file: str
    integrated_lufs: float | None
    momentary_max_lufs: float | None
    short_term_max_lufs: float | None
    loudness_range_lu: float | None
    true_peak_dbtp: float | None
    sample_peak_dbfs: float | None
    rms_dbfs: float | None
    plr_lu: float | None
    bands_db: dict[str, float | None]
    correlation: float | None
    sample_rate: int
    channels: int
    duration_s: float
    unavailable: dict[str, str]
    notes: tuple[str, ...]


def _db(power: float) -> float | None:
    return 10.0 * math.log10(power) if power > 0.0 else None


class _Report:
    """Values and reasons as they come together."""

    def __init__(self) -> None:
        self.values: dict[str, float | None] = {}
        self.bands: dict[str, float | None] = {}
        self.unavailable: dict[str, str] = {}
        self.notes: list[str] = []

    def put(self, field: str, value: float | None, reason: str) -> None:
        self.values[field] = value
        if value is None:
            self.unavailable[field] = reason


def _maximum(lufs: float) -> float | None:
    return lufs if lufs > LOUDNESS_FLOOR_LUFS else None


def _loudness(report: _Report, tally: Tally, duration_s: float) -> None:
    below_floor = BELOW_FLOOR if tally.sample_peak > 0.0 else SILENT
    if duration_s >= MOMENTARY_S:
        report.put("integrated_lufs", integrated_lufs(tally.k_power), BELOW_GATE)
        report.put("momentary_max_lufs", _maximum(tally.momentary_max), below_floor)
    else:
        reason = f"the file is shorter than a gating block of {MOMENTARY_S:g} s"
        report.put("integrated_lufs", None, reason)
        report.put("momentary_max_lufs", None, reason)
    if duration_s >= SHORT_TERM_S:
        report.put("short_term_max_lufs", _maximum(tally.short_term_max), below_floor)
        report.put("loudness_range_lu", loudness_range_lu(tally.lufs_s), BELOW_GATE)
    else:
        reason = f"the file is shorter than the short-term window of {SHORT_TERM_S:g} s"
        report.put("short_term_max_lufs", None, reason)
        report.put("loudness_range_lu", None, reason)
    if report.values["loudness_range_lu"] is not None and duration_s < STABLE_RANGE_S:
        report.notes.append(
            f"loudness range is not stable below {STABLE_RANGE_S:g} s (EBU Tech 3341)"
        )


def _levels(report: _Report, tally: Tally, channels: int) -> None:
    count = tally.samples * channels
    report.put("true_peak_dbtp", _db(tally.true_peak**2), SILENT)
    report.put("sample_peak_dbfs", _db(tally.sample_peak**2), SILENT)
    report.put("rms_dbfs", _db(float(tally.energy.sum()) / count), SILENT)
    peak, integrated = report.values["true_peak_dbtp"], report.values["integrated_lufs"]
    plr_lu = None if peak is None or integrated is None else peak - integrated
    report.put("plr_lu", plr_lu, "there is no integrated loudness")


def _bands(report: _Report, tally: Tally, channels: int, sample_rate_hz: int) -> None:
    count = tally.samples * channels
    carried = available_bands(sample_rate_hz)
    empty = EMPTY_BAND if tally.sample_peak > 0.0 else SILENT
    above = f"a sample rate of {sample_rate_hz} Hz does not carry the whole band"
    for k, name in enumerate(BAND_NAMES):
        value = _db(float(tally.band_energy[k]) / count) if k < carried else None
        report.bands[name] = value
        if value is None:
            report.unavailable[f"bands_db.{name}"] = empty if k < carried else above


def _correlation(report: _Report, tally: Tally, channels: int) -> None:
    product = float(tally.energy[0]) * float(tally.energy[1])
    if channels == 1:
        report.put("correlation", None, "a mono file has no second channel")
    elif product <= 0.0:
        report.put("correlation", None, "a channel is silent" if tally.sample_peak else SILENT)
    else:
        value = tally.energy_lr / math.sqrt(product)
        report.put("correlation", min(1.0, max(-1.0, value)), "")


def _non_finite(report: _Report, tally: Tally, channels: int, sample_rate_hz: int) -> None:
    reason = (
        f"{tally.bad_samples} of {tally.samples * channels} samples are NaN or infinite,"
        f" the first at {tally.first_bad / sample_rate_hz:.3f} s"
    )
    for field in MEASURED:
        report.put(field, None, reason)
    del report.values["bands_db"]
    report.bands = dict.fromkeys(BAND_NAMES)


def analyze_file(path: str | Path, progress: Progress | None = None) -> Analysis:
    """Measure one audio file, in bounded memory however long it is.

    Parameters
    ----------
    path : str or Path
        WAV, AIFF, FLAC, OGG or MP3 of one or two channels.
    progress : callable, optional
        Called with the share of the file done since its last call; the shares add up to 1.

    Raises
    ------
    TargetMissing
        The file does not exist.
    AudioFileError
        The file cannot be read, see `AudioReader`.
    """
    with AudioReader(path) as reader:
        rate_hz, channels, expected = (
            reader.sample_rate_hz,
            reader.channels,
            reader.expected_samples,
        )
        blocks = reader.blocks()
        if progress is not None:
            blocks = _reported(blocks, expected, progress)
        tally = Tally(blocks, rate_hz)
    return _analysis(str(path), tally, rate_hz, channels, expected)


def _reported(blocks: Iterator[Pcm], expected: int | None, progress: Progress) -> Iterator[Pcm]:
    done = 0.0
    for block in blocks:
        yield block
        if expected is not None:
            share = min(len(block) / expected, 1.0 - done)
            done += share
            progress(share)
    progress(1.0 - done)


def _analysis(
    file: str, tally: Tally, rate_hz: int, channels: int, expected: int | None
) -> Analysis:
    duration_s = tally.samples / rate_hz
    report = _Report()
    if expected is not None and tally.samples < expected:
        report.notes.append(
            f"the file ends early: {expected / rate_hz:.2f} s promised, {duration_s:.2f} s read"
        )
    if tally.bad_samples:
        _non_finite(report, tally, channels, rate_hz)
    else:
        _loudness(report, tally, duration_s)
        _levels(report, tally, channels)
        _bands(report, tally, channels, rate_hz)
        _correlation(report, tally, channels)
    return Analysis(
        file=file,
        **report.values,
        bands_db=report.bands,
        sample_rate=rate_hz,
        channels=channels,
        duration_s=duration_s,
        unavailable=report.unavailable,
        notes=tuple(report.notes),
    )


def load_frames(path: str | Path, tempo_bpm: float, beats_per_bar: float = 4.0) -> Frames:
    """Frames of a whole audio file, as if the transport had run from its first sample.

    What is left of the file after its last whole frame of 50 ms is not used.

    Parameters
    ----------
    path : str or Path
        WAV, AIFF, FLAC, OGG or MP3 of one or two channels.
    tempo_bpm, beats_per_bar : float
        Tempo, and quarter notes per bar; 120 and 4 make bars of 2 s.

    Returns
    -------
    Frames
        Frames with a sample that is not finite are NaN.

    Raises
    ------
    TargetMissing, AudioFileError
        As `analyze_file`.
    """
    with AudioReader(path) as reader:
        frames = measure(reader.blocks(), reader.sample_rate_hz)
    return stamp_transport(frames, tempo_bpm=tempo_bpm, beats_per_bar=beats_per_bar)
