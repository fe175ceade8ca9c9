from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pybackend.jit import cache_folder

KERNEL = """
from pybackend.jit import kernel
from inner import scale

@kernel
def double(x):
    return scale(x)
"""
INNER = "from numba import njit\n\n@njit(inline='always')\ndef scale(x):\n    return x * {factor}\n"


def run(folder: Path) -> float:
    code = "import sys; sys.path[:0] = [sys.argv[1]]; from outer import double; print(double(1.0))"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=Path(__file__).parents[1],
    )
    return float(done.stdout)


def test_a_change_in_an_inlined_file_is_never_served_from_the_cache(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(KERNEL)
    inner = tmp_path / "inner.py"
    inner.write_text(INNER.format(factor=2.0))
    assert run(tmp_path) == 2.0
    assert run(tmp_path) == 2.0
    assert list((tmp_path / "cache").rglob("*.nbi"))
    # Same size and time, as a reproducible wheel of the next version may have.
    stamp = inner.stat().st_mtime_ns
    inner.write_text(INNER.format(factor=3.0))
    os.utime(inner, ns=(stamp, stamp))
    assert run(tmp_path) == 3.0


def test_old_folders_go_and_other_packages_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    package = tmp_path / "sources" / "metering"
    package.mkdir(parents=True)
    (package / "a.py").write_text("x = 1\n")
    old, new, other = (tmp_path / name for name in ("metering-old", "metering-new", "capture-old"))
    for folder in (old, new, other):
        folder.mkdir()
    for folder in (old, other):
        os.utime(folder, (0, 0))
    cache_folder.cache_clear()
    folder = cache_folder(package)
    cache_folder.cache_clear()
    assert folder.parent == tmp_path
    assert not old.exists()
    assert new.exists()
    assert other.exists()
