"""A concept packet measured from reference audio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.capture.aligned import Incomparable
from pybackend.errors import InputError
from pybackend.judgment.artistic.packet import (
    FROM_FRAMES,
    ConceptPacket,
    Kind,
    MeasuredFile,
    NumericTarget,
    TempoHint,
)
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_INDEX

Array = npt.NDArray[np.float64]

BAND_WEIGHT: Final = 0.25
"""Bands stand beside the words that are made of them, so each counts a quarter."""
BLOCK_BARS: Final = 4
SPREADS: Final = 1.0
"""The range reaches one standard deviation to either side."""
FALLOFF_EFFECTS: Final = 4.0
MAX_FILES: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    file: MeasuredFile
    values: dict[str, Array]
    """Per bar."""


def packet_from_files(
    paths: Sequence[Path],
    identity: str,
    *,
    name: str = "",
    kind: Kind = "genre",
    tempo_bpm: float | None = None,
    beats_per_bar: float = 4.0,
    advance: Callable[[float], None] = lambda _: None,
) -> ConceptPacket:
    """Measure files with the meter that judges moves, and put the figures into a packet.

    A target is the mean over files. Its range is what the files differ by, or with one file what
    its blocks of four bars differ by, and at least the smallest effect that counts.

    Parameters
    ----------
    paths : sequence of Path
        Audio files.
    identity, name, kind : str
        ``id``, ``name`` and ``type`` of the packet.
    tempo_bpm : float, optional
        Of the files, if known: it makes bars of the right length and becomes the packet's tempo.
        It is never guessed; without it a bar is two seconds.
    beats_per_bar : float
        Quarter notes in a bar.
    advance : callable
        Told 1 after every file.

    Returns
    -------
    ConceptPacket
        With no prose.

    Raises
    ------
    InputError
        If there are no files or too many, or one is silent, too short or unreadable.
    TargetMissing
        If one does not exist.
    """
    if not 1 <= len(paths) <= MAX_FILES:
        raise InputError(f"give 1 to {MAX_FILES} reference files, got {len(paths)}")
    measured = []
    for path in paths:
        measured.append(_measure(path, tempo_bpm, beats_per_bar))
        advance(1)
    shown = set.intersection(*(set(each.values) for each in measured))
    targets = {
        dimension: _target(dimension, [each.values[dimension] for each in measured])
        for dimension in FROM_FRAMES
        if dimension in shown
    }
    if not targets:
        raise InputError("the files share nothing that can be measured; use fuller music")
    tempo = None if tempo_bpm is None else TempoHint(min=tempo_bpm, max=tempo_bpm)
    return ConceptPacket(
        id=identity,
        name=name,
        type=kind,
        tempo_hint=tempo,
        targets=targets,
        measured_from=tuple(each.file for each in measured),
    )


def _measure(path: Path, tempo_bpm: float | None, beats_per_bar: float) -> _Measured:
    from pybackend.capture.align import align  # noqa: PLC0415 - compiles kernels
    from pybackend.capture.material import Meter  # noqa: PLC0415
    from pybackend.files import file_sha256  # noqa: PLC0415
    from pybackend.judgment.features import bar_features  # noqa: PLC0415
    from pybackend.metering.analysis import analyze_file, load_frames  # noqa: PLC0415

    analysis = analyze_file(path)
    meter = Meter(tempo_bpm, beats_per_bar)
    frames = load_frames(path, tempo_bpm=meter.bar_tempo_bpm, beats_per_bar=beats_per_bar)
    # One file as both sides of a move that changed nothing: the very figures that moves are
    # judged by.
    aligned = align([frames], [frames], positions="start")
    features = aligned if isinstance(aligned, Incomparable) else bar_features(aligned)
    if isinstance(features, Incomparable):
        why = "; ".join(reason.text for reason in features.reasons)
        raise InputError(f"{path}: cannot be a reference: {why}")
    values = {
        name: features.x[FRAME_INDEX[name], 0]
        for name in FROM_FRAMES
        if not features.reasons[FRAME_INDEX[name]]
    }
    file = MeasuredFile(
        name=path.name,
        sha256=file_sha256(path),
        duration_s=analysis.duration_s,
        bars=features.n_bars,
        integrated_lufs=analysis.integrated_lufs,
        plr_lu=analysis.plr_lu,
        loudness_range_lu=analysis.loudness_range_lu,
        correlation=analysis.correlation,
    )
    return _Measured(file, values)


def _target(name: str, bars: list[Array]) -> NumericTarget:
    entry = DIMENSIONS[name]
    means = np.array([each.mean() for each in bars])
    if len(bars) > 1:
        spread = float(means.std(ddof=1))
        source = f"{len(bars)} files, spread between them"
    else:
        whole = len(bars[0]) // BLOCK_BARS * BLOCK_BARS
        blocks = bars[0][:whole].reshape(-1, BLOCK_BARS).mean(axis=1)
        spread = float(blocks.std(ddof=1)) if len(blocks) > 1 else 0.0
        source = f"1 file, spread between blocks of {BLOCK_BARS} bars"
    tol = max(entry.smallest_effect, SPREADS * spread)
    return NumericTarget(
        mu=round(float(means.mean()), 3),
        tol=round(tol, 3),
        falloff=round(max(2.0 * tol, FALLOFF_EFFECTS * entry.smallest_effect), 3),
        weight=BAND_WEIGHT if name.startswith("band_") else 1.0,
        source=source,
    )
