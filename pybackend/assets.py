"""Files for Live that come with the package: the device and the remote script."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pybackend.errors import TargetMissing

DEVICE_NAME: Final = "MoveJudge Analyzer.amxd"
REMOTE_SCRIPT_NAME: Final = "MoveJudge"

_PACKAGE: Final = Path(__file__).parent


def device_file() -> Path:
    """The Max for Live device.

    In an installed package it lies inside; in a checkout, also one installed with ``pip -e``, it is
    what ``build/make_device.py`` has built.

    Raises
    ------
    TargetMissing
        It has not been built yet, or the installation is damaged.
    """
    return _asset(
        DEVICE_NAME, Path("build") / "out" / DEVICE_NAME, "run: python build/make_device.py"
    )


def remote_script_folder() -> Path:
    """Folder of the control surface, to be copied into Live's user library.

    Raises
    ------
    TargetMissing
        The installation is damaged.
    """
    return _asset(
        REMOTE_SCRIPT_NAME, Path("remote_script") / REMOTE_SCRIPT_NAME, "check it out again"
    )


def _asset(name: str, in_checkout: Path, what_to_do: str) -> Path:
    packaged = _PACKAGE / "_assets" / name
    checkout = _PACKAGE.parent
    is_checkout = (checkout / "build" / "make_device.py").is_file()
    found = checkout / in_checkout if is_checkout else packaged
    if not found.exists():
        hint = what_to_do if is_checkout else "install movejudge again"
        raise TargetMissing(f"'{name}' is missing at {found}: {hint}")
    return found
