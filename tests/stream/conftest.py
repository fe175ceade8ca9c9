from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from pybackend.stream.batch import Batch
from pybackend.stream.codec import encode_frame
from pybackend.stream.intake import Intake
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_WIDTH

Row = list[float]


def _make_row(instance: int = 7, seq: int = 0, **fields: float) -> Row:
    rng = np.random.default_rng(seq + 1)
    row = np.zeros(FRAME_WIDTH)

    def put(name: str, value: object) -> None:
        row[FRAME_COLUMNS[name]] = value

    put("protocol", 1)
    put("instance", instance)
    put("flags", 5)
    put("sample_rate", 48000.0)
    put("seq", seq)
    put("song_beats", seq * 0.1)
    put("bar", seq // 40)
    put("beats_per_bar", 4.0)
    put("tempo", 120.0)
    put("band_power", rng.uniform(0.0, 0.01, 9))
    put("band_lr", rng.uniform(-0.01, 0.01, 9))
    put("mean_square", rng.uniform(0.0, 0.1, 2))
    put("lr_product", rng.uniform(-0.1, 0.1))
    put("sample_peak", rng.uniform(0.1, 1.0, 2))
    put("true_peak", rng.uniform(0.1, 1.2, 2))
    for name in ("lufs_m", "lufs_m_max", "lufs_s", "lufs_s_max"):
        put(name, rng.uniform(-40.0, -5.0))
    for name in ("k_power_prev", "k_power", "peak10_full", "peak10_low", "peak10_high"):
        put(name, rng.uniform(0.0, 0.5))
    put("flux_full", rng.uniform(0.0, 9.0))
    put("flux_low", rng.uniform(0.0, 9.0))
    put("seq_check", seq)
    for name, value in fields.items():
        put(name, value)
    return [float(value) for value in row]


@pytest.fixture(scope="session")
def make_row() -> Callable[..., Row]:
    """A plausible frame's values; keywords set fields."""
    return _make_row


@pytest.fixture(scope="session")
def make_frame() -> Callable[..., bytes]:
    """A plausible frame as a datagram; keywords set fields."""

    def make(instance: int = 7, seq: int = 0, **fields: float) -> bytes:
        return encode_frame(_make_row(instance, seq, **fields))

    return make


@pytest.fixture(scope="session")
def feed() -> Callable[..., None]:
    """Feed (time, payload) pairs to an intake, in batches of a given size."""

    def feed(intake: Intake, datagrams: list[tuple[float, bytes]], size: int = 256) -> None:
        batch = Batch()
        for time_s, payload in datagrams:
            if batch.add(payload, time_s) or len(batch) == size:
                intake.feed(batch)
                batch.clear()
        intake.feed(batch)

    return feed


@pytest.fixture(scope="session")
def same_numbers() -> Callable[[object, object], bool]:
    """Whether two sequences hold the same numbers, NaN equal to NaN."""

    def same(left: object, right: object) -> bool:
        pairs = zip(left, right, strict=True)  # type: ignore[call-overload]
        return all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in pairs)

    return same
