"""Build scripts import this package without numpy and numba."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MODULES = (
    *("m4l.amxd", "m4l.boxes", "m4l.objects", "m4l.genexpr.lint", "m4l.genexpr.count"),
    *("m4l.check", "m4l.dsp", "m4l.extract", "m4l.patch", "pybackend.assets"),
    *("m4l.genexpr.c_backend", "m4l.genexpr.numba_backend", "m4l.genexpr.machine"),
)


def test_only_the_standard_library_is_imported() -> None:
    code = (
        f"import sys, {', '.join(MODULES)}\n"
        "own = {name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(sorted(name for name in own if not name.startswith('_')))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['m4l', 'pybackend']"
