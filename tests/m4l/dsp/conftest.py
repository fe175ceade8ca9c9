"""Runs the code of the built device: sound and song position in, frames out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from m4l import ring
from m4l.extract import codebox_of
from m4l.genexpr.c_backend import compile_c
from m4l.genexpr.ir import Code
from m4l.genexpr.lower import lower
from m4l.genexpr.machine import HistoryReading, Machine, Step
from m4l.genexpr.numba_backend import compile_numba
from m4l.genexpr.parser import parse
from pybackend.metering.design import EXACT_RATES_HZ, FRAME_S
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FRAME_WIDTH, PROTOCOL, column

TAIL = ring.VALUES + 8
"""Samples after the last frame's end until it is written."""
SOUND = 2
DEFAULTS = {"flags": 1.0, "tempo": 120.0, "beats_per_bar": 4.0}


class Analyzer:
    """One instance of the code at one sample rate."""

    def __init__(self, code: Code, step: Step, rate_hz: float) -> None:
        self.rate_hz = rate_hz
        self.machine = Machine(code, step, rate_hz)

    def outlets(self, pcm: np.ndarray, **signals: np.ndarray) -> np.ndarray:
        """Outlets for a stretch of sound, shape (n, 3); other inlets by name, shape (n,)."""
        parts = []
        for start in range(0, len(pcm), 1 << 16):
            block = slice(start, start + (1 << 16))
            inputs = np.zeros((len(pcm[block]), len(ring.INLETS)))
            inputs[:, :SOUND] = pcm[block]
            for name in ring.INLETS[SOUND:]:
                given = signals[name][block] if name in signals else DEFAULTS.get(name, 0.0)
                inputs[:, ring.INLETS.index(name)] = given
            parts.append(self.machine.run(inputs))
        return np.concatenate(parts)

    def frames(self, pcm: np.ndarray, **signals: np.ndarray) -> Frames:
        """Frames that a stretch of sound completes, which starts where a frame starts."""
        silence = np.zeros((TAIL, SOUND))
        longer = {name: np.append(x, np.full(TAIL, x[-1])) for name, x in signals.items()}
        return written_frames(self.outlets(np.concatenate((pcm, silence)), **longer))

    def change_rate(self, rate_hz: float) -> None:
        """Let the code read another sample rate without the reset that Max makes."""
        self.rate_hz = rate_hz
        self.machine._rate_hz = rate_hz

    def set_history(self, name: str, value: float) -> None:
        self.machine._history[self.machine._history_index[name]] = value

    def histories(self) -> np.ndarray:
        return self.machine._history.copy()


def as_frames(values: np.ndarray) -> Frames:
    """Frames of instance 1 from rows of the ring, shape (n, ring.VALUES)."""
    rows = np.empty((len(values), FRAME_WIDTH))
    rows[:, column("protocol")] = PROTOCOL
    rows[:, column("instance")] = 1
    rows[:, ring.FIRST_COLUMN :] = values
    return Frames(rows, FRAME_S * np.arange(1, len(values) + 1))


def written_frames(outlets: np.ndarray) -> Frames:
    """Whole frames that left through the outlets, in float64 and in order."""
    is_value = outlets[:, 1] >= 0
    values, places = outlets[is_value, 0], outlets[is_value, 1].astype(np.int64)
    whole = len(values) // ring.VALUES
    values = values[: whole * ring.VALUES].reshape(whole, ring.VALUES)
    first = places[0] // ring.STRIDE if whole else 0
    expected = [ring.place(first + f, k) for f in range(whole) for k in range(ring.VALUES)]
    assert places[: whole * ring.VALUES].tolist() == expected
    return as_frames(values)


@pytest.fixture(scope="session")
def source(built: Any) -> str:
    """GenExpr out of the built device."""
    return codebox_of(built.release)


@pytest.fixture(scope="session")
def code(source: str) -> Code:
    return lower(parse(source))


@pytest.fixture(scope="session")
def c_step(code: Code) -> Callable[[HistoryReading], Step]:
    """Kernel of the C back end under a reading of History."""
    return functools.cache(functools.partial(compile_c, code))


@pytest.fixture(scope="session")
def numba_step(code: Code, request: pytest.FixtureRequest) -> Step:
    return compile_numba(code, "immediate", request.config.cache.mkdir("genexpr"))


@pytest.fixture(scope="session")
def analyzer(code: Code, c_step: Callable[[HistoryReading], Step]) -> Callable[..., Analyzer]:
    """``analyzer(rate_hz)``: the code at work, in C, which compiles and runs fastest."""

    def analyzer(rate_hz: float, step: Step | None = None) -> Analyzer:
        return Analyzer(code, step or c_step("immediate"), rate_hz)

    return analyzer


@pytest.fixture(scope="session")
def parsed_frames() -> Callable[[np.ndarray], Frames]:
    """Frames out of outlets."""
    return written_frames


@pytest.fixture(params=EXACT_RATES_HZ, ids=lambda rate: f"{rate}Hz", scope="session")
def rate_hz(request: pytest.FixtureRequest) -> int:
    return int(request.param)


class Deviations:
    """Largest deviation per quantity and rate, for the report at the end of the session."""

    def __init__(self) -> None:
        self.largest: dict[tuple[str, str], dict[int, float]] = {}

    def note(self, quantity: str, unit: str, rate_hz: int, deviation: float) -> float:
        """Keep a deviation and hand it back."""
        row = self.largest.setdefault((quantity, unit), {})
        row[rate_hz] = max(row.get(rate_hz, 0.0), float(deviation))
        return float(deviation)

    def table(self) -> list[str]:
        rates = sorted({rate for row in self.largest.values() for rate in row})
        lines = ["| quantity | " + " | ".join(f"{r / 1000:g} kHz" for r in rates) + " |"]
        lines.append("|---" * (len(rates) + 1) + "|")
        for (quantity, unit), row in self.largest.items():
            cells = [f"{row[r]:.1e}" if r in row else "" for r in rates]
            lines.append(f"| {quantity}, {unit} | " + " | ".join(cells) + " |")
        return lines


@pytest.fixture(scope="session")
def deviations() -> Iterator[Deviations]:
    """Collects deviations and prints them as a table (``pytest -s`` shows it)."""
    found = Deviations()
    yield found
    print("\n" + "\n".join(found.table()))
