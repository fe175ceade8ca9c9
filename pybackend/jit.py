"""How kernels are compiled: without the GIL, and cached for exactly this source.

numba looks only at the file of a cached function, not at what it inlines from other files, so after
an upgrade it could run kernels of the version before. The name of the cache folder is therefore a
digest of all sources of the kernel's package; a kernel calls no kernel of another package.
"""

from __future__ import annotations

import importlib
import shutil
import time
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

import numba
import platformdirs

Function = TypeVar("Function", bound=Callable[..., Any])

# numba fills this module from the environment, which type checkers cannot see.
_config: Final[Any] = importlib.import_module("numba.core.config")

FORGOTTEN_AFTER_S: Final = 30 * 86400.0


@cache
def cache_folder(package: Path) -> Path:
    """Folder of a package's compiled kernels, below ``NUMBA_CACHE_DIR`` or the user's cache."""
    digest = sha256()
    for source in sorted(package.glob("*.py")):
        digest.update(source.read_bytes())
    base = _config.CACHE_DIR or platformdirs.user_cache_dir("MoveJudge", appauthor=False)
    folder = Path(base) / f"{package.name}-{digest.hexdigest()[:16]}"
    if not folder.exists():
        _forget_others(folder, package.name)
    return folder


def _forget_others(folder: Path, package: str) -> None:
    """Remove kernels of sources that nobody has compiled for a month."""
    for other in folder.parent.glob(f"{package}-*"):
        if time.time() - other.stat().st_mtime > FORGOTTEN_AFTER_S:
            shutil.rmtree(other, ignore_errors=True)


def kernel(function: Function) -> Function:
    """Compile ``function`` on its first call, without the GIL, and keep the result on disk."""
    package = Path(function.__code__.co_filename).parent
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(cache_folder(package))
    try:
        compiled: Any = numba.njit(cache=True, nogil=True)(function)
    finally:
        _config.CACHE_DIR = before
    kernel_function: Function = compiled
    return kernel_function
