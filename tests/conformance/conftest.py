"""Fixtures of the conformance tests: each case of the tables at each rate, metered once."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest


def _load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"movejudge_conformance_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


_signals = _load("signals")
_programme = _load("programme")


def _name(case: Any) -> str:
    return str(case.name)


@pytest.fixture(scope="session")
def signals() -> ModuleType:
    return _signals


@pytest.fixture(scope="session", params=_signals.RATES_HZ, ids=lambda rate: f"{rate}Hz")
def rate_hz(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(params=_signals.STEADY, ids=_name)
def steady_case(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=_signals.INTEGRATED, ids=_name)
def integrated_case(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=_signals.FILES, ids=_name)
def file_case(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=_signals.TRUE_PEAK, ids=_name)
def peak_case(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=_signals.RANGE, ids=_name)
def range_case(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(
    params=(*_signals.INTEGRATED, *_signals.FILES, *_signals.TRUE_PEAK, *_signals.RANGE), ids=_name
)
def any_file_case(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=_programme.PROGRAMMES, ids=_name)
def programme(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=_programme.LONG_PROGRAMMES, ids=_name)
def long_programme(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="session")
def frames_of(signals: ModuleType) -> Callable[[Any, int], Any]:
    """Frames of a case at a rate, as a live meter would send them: metered once per session."""
    from pybackend.metering.meter import Meter

    done: dict[tuple[str, int], Any] = {}

    def frames_of(case: Any, rate_hz: int) -> Any:
        key = (case.name, rate_hz)
        if key not in done:
            pcm = case.make(rate_hz)
            after = np.zeros((rate_hz // 10, pcm.shape[1]), np.float32)
            meter = Meter(rate_hz, pcm.shape[1])
            done[key] = meter.process(np.concatenate((pcm, after)))
        return done[key]

    return frames_of
