"""A window of frames, and what was learned from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pybackend.capture import quality
from pybackend.capture.aligned import Reason
from pybackend.capture.bars import whole_bars
from pybackend.capture.timeline import Positions, Survey, trace
from pybackend.config import STALE_AFTER_S
from pybackend.metering.design import FRAME_S
from pybackend.metering.units import k_power_from_lufs, lufs, power_db
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FRAME_FIELDS, Field

Array = npt.NDArray[np.float64]

SCHEMA: Final = 1
_MEASURED: Final = ("FS^2", "FS", "LUFS", "dB")
_UNSUMMED: Final = ("band_lr", "lr_product", "k_power_prev")


@dataclass(frozen=True, slots=True)
class Feature:
    """One measured field over a window.

    Parameters
    ----------
    mean : float
        Level of the mean power (of loudness and levels), or plain mean; NaN if unavailable.
    spread : float
        Standard deviation from frame to frame, in ``unit``.
    largest : float
        Largest single frame.
    unit : str
        "dBFS" (levels; powers read 0 dBFS at a mean square of 1), "dBTP", "LUFS", or "dB" for
        flux.
    """

    mean: float
    spread: float
    largest: float
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A window of frames, with what was learned from it.

    Parameters
    ----------
    frames : Frames
        The frames as they were captured.
    survey : Survey
        Loss, device, sample rate, transport and silence.
    features : mapping of str to Feature
        By field name, with the label after a dot where a field has several numbers.
    correlation : float
        Of left and right over the window, -1..1; NaN if a channel is silent.
    bars : int
        Whole bars covered; a bar played twice counts twice.
    start_beats, end_beats : float
        Song positions of the first usable frame's start and the last one's end; NaN without one.
    age_s : float
        Time from the newest frame to when the snapshot was taken.
    device_version : str
        Of the analyzer, as its hello said; empty if it said nothing.
    positions : {"song", "start"}
        Whether positions are those of the song.
    """

    frames: Frames
    survey: Survey
    features: Mapping[str, Feature]
    correlation: float
    bars: int
    start_beats: float
    end_beats: float
    age_s: float
    device_version: str
    positions: Positions

    @property
    def silent(self) -> bool:
        """Whether no frame is louder than `quality.SILENCE_LUFS`."""
        return self.survey.loudest_lufs <= quality.SILENCE_LUFS

    def problems(
        self, label: str = "The capture", min_bars: int = quality.MIN_BARS
    ) -> list[Reason]:
        """Every reason why this snapshot cannot be compared with any other."""
        found = quality.capture_problems(
            self.survey, label, bars=self.bars, min_bars=min_bars, positions=self.positions
        )
        if self.age_s > STALE_AFTER_S and self.survey.gap_s <= STALE_AFTER_S:
            found.append(quality.stale(label, self.age_s))
        return found

    def device_problems(self, later: Snapshot) -> list[Reason]:
        """Reasons why this snapshot's device cannot be compared with that of a later one."""
        found = []
        rates = {*self.survey.sample_rates_hz, *later.survey.sample_rates_hz}
        if len(rates) > 1:
            found.append(quality.sample_rate_changed("Between the captures", sorted(rates)))
        versions = (self.device_version, later.device_version)
        if all(versions) and versions[0] != versions[1]:
            found.append(quality.device_changed(*versions))
        return found

    def summary(self) -> dict[str, Any]:
        """What was learned, ready for JSON: numbers that are not finite are null."""
        survey = self.survey
        return {
            "schema": SCHEMA,
            "frames": survey.frames,
            "bars": self.bars,
            "positions": self.positions,
            "start_beats": _number(self.start_beats),
            "end_beats": _number(self.end_beats),
            "tempo_bpm": _number(survey.tempo_bpm),
            "beats_per_bar": _number(survey.beats_per_bar),
            "duration_s": survey.frames * FRAME_S,
            "loss": survey.loss,
            "missing": survey.missing,
            "non_finite": survey.non_finite,
            "stopped": survey.stopped,
            "jumps": survey.jumps,
            "age_s": _number(self.age_s),
            "longest_gap_s": survey.gap_s,
            "sample_rates_hz": list(survey.sample_rates_hz),
            "instances": list(survey.instances),
            "device_version": self.device_version or None,
            "silent": self.silent,
            "loudest_lufs": _number(survey.loudest_lufs),
            "correlation": _number(self.correlation),
            "features": {
                name: {
                    "mean": _number(feature.mean),
                    "spread": _number(feature.spread),
                    "largest": _number(feature.largest),
                    "unit": feature.unit,
                }
                for name, feature in self.features.items()
            },
        }


def take(
    frames: Frames,
    *,
    now_s: float | None = None,
    device_version: str = "",
    positions: Positions = "song",
) -> Snapshot:
    """Take a snapshot of a window of frames.

    Parameters
    ----------
    frames : Frames
        The window.
    now_s : float, optional
        The present on the clock of ``frames.received_s``; by default the newest frame's time.
    device_version : str
        Of the analyzer, as its hello said.
    positions : {"song", "start"}
        As in `align.align`.
    """
    timeline = trace(frames, positions)
    survey, usable = timeline.survey, timeline.frames.select(timeline.valid)
    newest_s = float(frames.received_s.max()) if len(frames) else math.nan
    some = len(usable) > 0
    return Snapshot(
        frames=frames,
        survey=survey,
        features=_features(usable),
        correlation=_correlation(usable),
        bars=whole_bars(timeline),
        start_beats=float(timeline.start_beats[timeline.valid].min()) if some else math.nan,
        end_beats=float(timeline.end_beats[timeline.valid].max()) if some else math.nan,
        age_s=0.0 if now_s is None else max(0.0, now_s - newest_s),
        device_version=device_version,
        positions=positions,
    )


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _features(frames: Frames) -> dict[str, Feature]:
    features = {}
    for field in FRAME_FIELDS:
        if field.unit not in _MEASURED or field.name in _UNSUMMED:
            continue
        table = frames.column(field.name).reshape(len(frames), field.count)
        for k, label in enumerate(field.labels or ("",)):
            name = f"{field.name}.{label}" if label else field.name
            features[name] = _feature(table[:, k], field)
    return features


def _feature(numbers: Array, field: Field) -> Feature:
    if field.unit == "dB":
        unit, levels = "dB", numbers
        mean = float(numbers.mean()) if len(numbers) else math.nan
    else:
        unit, power = _power(numbers, field)
        to_level = lufs if unit == "LUFS" else power_db
        levels = to_level(power)
        mean = float(to_level(power.mean())) if len(power) else math.nan
    if len(levels) == 0:
        return Feature(math.nan, math.nan, math.nan, unit)
    return Feature(mean, float(levels.std()), float(levels.max()), unit)


def _power(numbers: Array, field: Field) -> tuple[str, Array]:
    """Unit of the level that people read, and the power behind each number."""
    if field.unit == "LUFS":
        return "LUFS", k_power_from_lufs(numbers)
    if field.name == "k_power":
        return "LUFS", numbers
    if field.unit == "FS":
        return ("dBTP" if field.name == "true_peak" else "dBFS"), numbers**2
    return "dBFS", numbers


def _correlation(frames: Frames) -> float:
    left, right = frames.column("mean_square").sum(axis=0)
    if not (left > 0.0 and right > 0.0):
        return math.nan
    return float(frames.column("lr_product").sum() / math.sqrt(left * right))
