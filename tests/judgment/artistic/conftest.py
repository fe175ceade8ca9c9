"""Fixtures of the tests of the artistic family."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def pieces() -> ModuleType:
    """The module that makes pieces of notes and edits them."""
    name = "movejudge_composition_pieces"
    path = Path(__file__).parents[1] / "composition" / "pieces.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def sound(synth: ModuleType) -> Callable[..., Any]:
    """Features of a move on a synthesised programme: see `synth.comparison`."""
    from pybackend.judgment.features import bar_features

    def sound(seed: int = 1, *, swapped: bool = False, **fields: Any) -> Any:
        aligned = synth.comparison(seed, **fields)
        return bar_features(synth.swapped(aligned) if swapped else aligned)

    return sound
