"""Synthesised captures with known truth: programmes, noise classes, moves.

Noise classes, as in docs/judgment-core.md: J shifts the frames of each capture by 0-20 ms against a
fine envelope and changes nothing else (a deterministic replay); H adds to that, in every bar and
capture, independent noise to each band and to the common gain (a humanised performance).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pybackend.capture.aligned import AlignedCaptures
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_WIDTH

Array = npt.NDArray[np.float64]

BAR_MS = 2000
FRAME_MS = 50
FRAMES_PER_BAR = BAR_MS // FRAME_MS
MAX_JITTER_MS = 20
K_WEIGHT_DB = np.array([-9.0, -2.2, -0.6, -0.1, 0.2, 1.4, 3.2, 3.9, 4.0])
SPECTRUM_DB = np.array([-14.0, -8.0, -10.0, -11.0, -13.0, -15.0, -18.0, -21.0, -25.0])
NOISE_DB = {"J": 0.0, "H.25": 0.25, "H.5": 0.5}


@dataclass(frozen=True)
class Programme:
    """Band powers of a piece in steps of 1 ms, as running sums, with its stereo image."""

    energy: Array
    n_bars: int
    side: Array
    balance: float


def programme(seed: int, n_bars: int = 8) -> Programme:
    """Piece with kick, bass, pads and hats that vary from bar to bar."""
    rng = np.random.default_rng(seed)
    length = n_bars * BAR_MS
    ms = np.arange(length + MAX_JITTER_MS)
    beat = ms % 500
    eighth = (ms + 250 * rng.integers(0, 2)) % 250
    kick = np.exp(-beat / rng.uniform(40, 120))
    hat = np.exp(-eighth / rng.uniform(15, 60))
    pad = 0.5 + 0.3 * np.sin(2 * np.pi * ms / rng.uniform(1500, 6000))
    rhythm = np.stack(
        (
            kick + 0.02,
            kick + 0.1 * pad,
            0.4 * kick + pad,
            pad + 0.3 * kick,
            pad + 0.2 * hat,
            pad + 0.3 * hat,
            0.4 * pad + hat,
            0.2 * pad + hat,
            0.05 * pad + hat,
        )
    )
    level_db = SPECTRUM_DB + rng.normal(0.0, 2.0, 9)
    by_bar_db = rng.normal(0.0, 1.5, (9, n_bars + 1)) + rng.normal(0.0, 1.0, n_bars + 1)
    power = rhythm * 10 ** (
        (level_db[:, None] + np.repeat(by_bar_db, BAR_MS, 1)[:, : len(ms)]) / 10
    )
    energy = np.concatenate((np.zeros((9, 1)), np.cumsum(power, axis=1)), axis=1)
    return Programme(energy, n_bars, rng.uniform(0.05, 0.3, 9), float(rng.uniform(-0.05, 0.05)))


def capture(
    piece: Programme,
    rng: np.random.Generator,
    noise: str = "J",
    *,
    band_db: Sequence[float] | float = 0.0,
    gain_db: float = 0.0,
    side_db: float = 0.0,
    jitter_ms: int | None = None,
) -> Array:
    """Frames of one playing, shape (frames, FRAME_WIDTH), with a move applied."""
    n = piece.n_bars * FRAMES_PER_BAR
    start = int(rng.integers(0, MAX_JITTER_MS + 1)) if jitter_ms is None else jitter_ms
    edges = start + FRAME_MS * np.arange(n + 1)
    bands = np.diff(piece.energy[:, edges], axis=1).T / FRAME_MS
    noise_db = NOISE_DB[noise]
    if noise_db:
        wander = rng.normal(0.0, noise_db, (piece.n_bars, 9))
        wander += rng.normal(0.0, noise_db, (piece.n_bars, 1))
        bands = bands * np.repeat(10 ** (wander / 10), FRAMES_PER_BAR, axis=0)
    bands = bands * 10 ** ((np.asarray(band_db) + gain_db) / 10)
    return frames_of(bands, piece.side * 10 ** (side_db / 10), piece.balance)


def frames_of(bands: Array, side: Array, balance: float = 0.0) -> Array:
    """Frame rows from band powers (L^2 + R^2), side share per band and balance."""
    values = np.zeros((len(bands), FRAME_WIDTH))
    mid_power, side_power = bands / (1 + side), bands * side / (1 + side)
    lr = (mid_power - side_power) / 2
    total = bands.sum(axis=1)
    k_power = bands @ 10 ** (K_WEIGHT_DB / 10)
    window = np.concatenate((np.repeat(k_power[:1], 7), k_power))
    momentary = np.convolve(window, np.full(8, 1 / 8), "valid")
    crest = np.sqrt(total)
    columns = {
        "protocol": 1.0,
        "instance": 7.0,
        "flags": 5.0,
        "sample_rate": 48000.0,
        "seq": np.arange(len(bands)),
        "seq_check": np.arange(len(bands)),
        "song_beats": 0.1 * np.arange(1, len(bands) + 1),
        "beats_per_bar": 4.0,
        "tempo": 120.0,
        "band_power": bands,
        "band_lr": lr,
        "mean_square": total[:, None] * np.array([0.5 + balance, 0.5 - balance]),
        "lr_product": lr.sum(axis=1),
        "sample_peak": crest[:, None],
        "true_peak": 1.02 * crest[:, None],
        "lufs_m": -0.691 + 10 * np.log10(np.maximum(momentary, 1e-12)),
        "k_power": k_power,
    }
    for name, column in columns.items():
        where = FRAME_COLUMNS[name]
        values[:, where] = np.asarray(column)[:, None] if np.ndim(column) == 1 else column
    return values


def aligned(before: Sequence[Array], after: Sequence[Array]) -> AlignedCaptures:
    """Captures laid over one another, complete and in step."""
    values = np.stack([*before, *after])
    n = values.shape[1]
    return AlignedCaptures(
        values=values,
        valid=np.ones(values.shape[:2], bool),
        bar=np.arange(n) // FRAMES_PER_BAR,
        n_before=len(before),
        beats_per_bar=4.0,
        tempo_bpm=120.0,
        start_beats=0.0,
        end_beats=n / 10,
        positions="song",
        lag_s=(0.0,) * len(values),
        loss=(0.0,) * len(values),
    )


def comparison(
    seed: int = 1,
    *,
    noise: str = "J",
    n_bars: int = 8,
    captures: tuple[int, int] = (2, 1),
    moves: Mapping[str, float | Sequence[float]] | None = None,
) -> AlignedCaptures:
    """Captures before and after a move on a programme; ``moves`` are arguments of `capture`."""
    rng = np.random.default_rng(seed)
    piece = programme(seed, n_bars)
    before = [capture(piece, rng, noise) for _ in range(captures[0])]
    after = [capture(piece, rng, noise, **(moves or {})) for _ in range(captures[1])]
    return aligned(before, after)


def swapped(captures: AlignedCaptures) -> AlignedCaptures:
    """The same captures with before and after exchanged."""
    order = [*range(captures.n_before, len(captures.values)), *range(captures.n_before)]
    return replace(
        captures,
        values=captures.values[order],
        valid=captures.valid[order],
        n_before=len(captures.values) - captures.n_before,
    )


def shelf(treble_db: float = 0.0, bass_db: float = 0.0, mid_db: float = 0.0) -> list[float]:
    """Gain per band: below 120 Hz, 250 Hz-2 kHz, above 2 kHz."""
    return [bass_db, bass_db, 0.0, mid_db, mid_db, mid_db, treble_db, treble_db, treble_db]
