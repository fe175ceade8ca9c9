"""Where the files for Live are found; wheels and editable installs are in m4l/test_build.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from pybackend.assets import DEVICE_NAME, device_file, remote_script_folder
from pybackend.errors import TargetMissing


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty package folder."""
    folder = tmp_path / "pybackend"
    folder.mkdir()
    monkeypatch.setattr("pybackend.assets._PACKAGE", folder)
    return folder


def test_an_installed_package_has_them_inside(package: Path) -> None:
    with pytest.raises(TargetMissing, match="install movejudge again"):
        device_file()
    inside = package / "_assets"
    (inside / "MoveJudge").mkdir(parents=True)
    (inside / DEVICE_NAME).touch()
    assert device_file() == inside / DEVICE_NAME
    assert remote_script_folder() == inside / "MoveJudge"


def test_a_checkout_builds_them(package: Path) -> None:
    root = package.parent
    (root / "build" / "out").mkdir(parents=True)
    (root / "build" / "make_device.py").touch()
    with pytest.raises(TargetMissing, match=r"run: python build/make_device\.py"):
        device_file()
    with pytest.raises(TargetMissing, match="check it out again"):
        remote_script_folder()
    (root / "build" / "out" / DEVICE_NAME).touch()
    (root / "remote_script" / "MoveJudge").mkdir(parents=True)
    assert device_file() == root / "build" / "out" / DEVICE_NAME
    assert remote_script_folder() == root / "remote_script" / "MoveJudge"
