from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pybackend import assets
from pybackend.live import installing, setup
from pybackend.live.finding import Status
from pybackend.live.installed import Installed
from pybackend.live.installing import DEVICE_PLACE, SCRIPT_PLACE, apply_install, plan_install
from pybackend.live.launcher import launcher_bytes
from pybackend.live.places import Library, Machine


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """A library into which this checkout's script and a stand-in device are installed."""
    monkeypatch.setenv("MOVEJUDGE_HOME", str(tmp_path / "state"))
    device = tmp_path / "built" / assets.DEVICE_NAME
    device.parent.mkdir()
    device.write_bytes(b"ampf")
    monkeypatch.setattr(installing, "device_file", lambda: device)
    folder = tmp_path / "User Library"
    folder.mkdir()
    launcher = tmp_path / "state" / "launcher.json"
    wanted = launcher_bytes(Path(sys.executable), launcher)
    apply_install(
        plan_install(folder, Installed(), launcher, wanted), tmp_path / "state" / "installed.json"
    )
    return Library(folder, "test")


def test_a_fresh_installation_passes(library: Library) -> None:
    assert setup.check_script(library).status is Status.PASS
    assert setup.check_device(library).status is Status.PASS
    assert setup.check_launcher(library).status is Status.PASS


def test_libraries(machine: Machine, default_library: Callable[[Machine], Path]) -> None:
    found, library = setup.check_library(machine, None)
    assert (found.status, library) == (Status.SKIP, None)
    assert "movejudge demo" in found.hint
    found, _ = setup.check_library(machine, machine.home / "none")
    assert found.status is Status.FAIL
    folder = default_library(machine)
    found, library = setup.check_library(machine, None)
    assert found.status is Status.PASS
    assert library is not None
    assert library.folder == folder


def test_a_library_that_live_names_and_is_not_there_fails(
    machine: Machine, write_config: Callable[..., Path], tmp_path: Path
) -> None:
    write_config(machine, "Live 12.3", tmp_path / "unplugged")
    found, library = setup.check_library(machine, None)
    assert (found.status, library) == (Status.FAIL, None)
    assert "connect the drive" in found.hint


def test_nothing_installed_fails_with_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOVEJUDGE_HOME", str(tmp_path / "state"))
    library = Library(tmp_path, "test")
    for check in (setup.check_script, setup.check_device, setup.check_launcher):
        found = check(library)
        assert (found.status, found.hint) == (Status.FAIL, "run: movejudge install")
        assert check(None).status is Status.SKIP


def test_an_old_script_fails_and_a_foreign_module_warns(library: Library) -> None:
    script = library.folder / SCRIPT_PLACE
    (script / "mine.py").touch()
    assert setup.check_script(library).status is Status.WARN
    (script / "version.py").write_text('SCRIPT_VERSION = "0.0.9"\n', "utf-8")
    found = setup.check_script(library)
    assert found.status is Status.FAIL
    assert "version 0.0.9" in found.detail
    assert "restart Live" in found.hint
    (script / "version.py").unlink()
    assert "version unknown" in setup.check_script(library).detail


def test_an_old_device_fails(library: Library) -> None:
    (library.folder / DEVICE_PLACE).write_bytes(b"older")
    assert setup.check_device(library).status is Status.FAIL


def test_a_damaged_package_cannot_be_compared(
    library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(assets, "_PACKAGE", tmp_path / "pybackend")
    for check in (setup.check_script, setup.check_device):
        found = check(library)
        assert (found.status, found.hint) == (Status.WARN, "install movejudge again")


def test_launcher_configurations(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "state" / "launcher.json"
    content = json.loads(path.read_text("utf-8"))
    other = tmp_path / "python"
    other.touch()
    path.write_text(json.dumps({**content, "python": str(other)}), "utf-8")
    assert setup.check_launcher(library).status is Status.WARN
    other.unlink()
    assert setup.check_launcher(library).status is Status.FAIL
    path.write_text("{}", "utf-8")
    found = setup.check_launcher(library)
    assert (found.status, found.hint) == (Status.FAIL, "run: movejudge install")
