"""Fixtures of the tests of notes: pieces of known make."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def pieces() -> ModuleType:
    """The module that makes pieces and edits them."""
    path = Path(__file__).with_name("pieces.py")
    spec = importlib.util.spec_from_file_location("movejudge_composition_pieces", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
