from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pybackend.assets import DEVICE_NAME
from pybackend.cli import main
from pybackend.live import computer, contact, doctor, installing, places
from pybackend.live.installing import DEVICE_PLACE, SCRIPT_PLACE
from pybackend.live.places import Machine


class Home:
    """A home with Live's library in it, and a state folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.state = root / "state"
        self.library = root / "Jürgen Ω" / "Music" / "Ableton" / "User Library"

    @property
    def files(self) -> set[Path]:
        return {path for path in self.root.rglob("*") if path.is_file() and path.suffix != ".lock"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    device = tmp_path / "built" / DEVICE_NAME
    device.parent.mkdir()
    device.write_bytes(b"ampf")
    monkeypatch.setattr(installing, "device_file", lambda: device)
    made = Home(tmp_path / "user")
    made.root.mkdir()
    machine = Machine("darwin", made.root / "Jürgen Ω", {})
    monkeypatch.setattr(places, "this_machine", lambda: machine)
    monkeypatch.setenv("MOVEJUDGE_HOME", str(made.state))
    return made


@pytest.fixture
def library(home: Home) -> Path:
    home.library.mkdir(parents=True)
    return home.library


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main([*words, "--json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else {"error": captured.err}


def test_install_and_uninstall(
    home: Home, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = home.files
    code, planned = run(capsys, "install", "--dry-run")
    assert code == 0
    assert home.files == before
    assert not home.state.exists()
    code, done = run(capsys, "install")
    assert code == 0
    assert [step["action"] for step in done["files"]] == ["add"] * len(done["files"])
    assert done["files"] == planned["files"]
    assert {Path(step["path"]) for step in done["files"]} == home.files - {
        home.state / "installed.json"
    }
    launcher = json.loads((home.state / "launcher.json").read_text("utf-8"))
    assert launcher["python"] == sys.executable
    code, again = run(capsys, "install")
    assert (code, again["already_installed"]) == (0, True)
    after = home.files
    code, removal = run(capsys, "uninstall", "--dry-run")
    assert code == 0
    assert home.files == after
    code, removed = run(capsys, "uninstall")
    assert (code, removed["files"]) == (0, removal["files"])
    assert {step["action"] for step in removed["files"]} == {"remove"}
    assert home.files == before
    assert run(capsys, "uninstall") == (0, {"dry_run": False, "record": "none", "files": []})


def test_without_live_it_says_so_and_changes_nothing(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install"]) == 3
    captured = capsys.readouterr()
    assert "no Ableton Live was found" in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert home.files == set()


def test_a_named_library_needs_no_live(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    other = home.root / "Other Library"
    other.mkdir()
    code, done = run(capsys, "install", "--library", str(other))
    assert (code, done["library"]) == (0, str(other))
    assert (other / DEVICE_PLACE).is_file()


def test_something_foreign_stops_it(
    home: Home, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign = library / SCRIPT_PLACE / "__init__.py"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("mine", "utf-8")
    assert main(["install", "--dry-run"]) == 2
    assert "in the way" in capsys.readouterr().err
    code, told = run(capsys, "install")
    assert code == 2
    assert "nothing was installed" in told["error"]
    assert home.files == {foreign}


def test_people_are_told_what_to_do_next_and_what_live_will_not_see(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install"]) == 0
    captured = capsys.readouterr()
    assert "Restart Live" in captured.out
    assert "warning: MOVEJUDGE_HOME" in captured.err
    assert main(["install"]) == 0
    assert "in place already" in capsys.readouterr().out
    (library / DEVICE_PLACE).write_bytes(b"mine")
    assert main(["uninstall"]) == 0
    assert "kept, because it was changed" in capsys.readouterr().out
    assert (library / DEVICE_PLACE).read_bytes() == b"mine"


def test_an_unreadable_record_removes_nothing(
    home: Home, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "install")
    (home.state / "installed.json").write_text("{", "utf-8")
    before = home.files
    code, told = run(capsys, "uninstall")
    assert (code, told["record"]) == (2, "corrupt")
    assert home.files == before
    run(capsys, "install")
    assert run(capsys, "uninstall")[0] == 0
    assert not (library / DEVICE_PLACE).exists()


def test_a_library_that_went_away_is_told(
    home: Home, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "install")
    library.rename(home.root / "away")
    assert run(capsys, "uninstall")[0] == 3


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ports of this test's own, and a short listen."""
    monkeypatch.setattr(doctor, "ports", lambda: (0, 1))
    monkeypatch.setattr(contact, "LISTEN_S", 0.01)


@pytest.mark.usefixtures("quick")
def test_doctor_without_live_fails_nothing(
    home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computer, "TIMEOUT_S", 0.2)
    code, report = run(capsys, "doctor", "--workspace", str(home.root))
    assert code == 0
    assert report["ok"] is True
    found = {check["check"]: check["status"] for check in report["checks"]}
    assert found["library"] == found["remote script"] == found["launcher"] == "skip"
    assert found["python"] == found["state folder"] == found["workspace"] == "pass"
    assert found["script in Live"] == found["streaming"] == "warn"
    assert sum(report["counts"].values()) == len(report["checks"]) == 15
    assert home.files == set()


@pytest.mark.usefixtures("quick")
def test_doctor_with_live(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--workspace", str(library)]) == 3
    printed = capsys.readouterr().out
    assert "FAIL  remote script: not installed" in printed
    assert "-> run: movejudge install" in printed
    assert main(["install"]) == 0
    capsys.readouterr()
    code, report = run(capsys, "doctor", "--workspace", str(library))
    assert code == 0
    found = {check["check"]: check["status"] for check in report["checks"]}
    assert found["library"] == found["remote script"] == found["device file"] == "pass"
    for check in report["checks"]:
        assert check["status"] in {"pass", "skip"} or check["hint"], check


def test_doctor_uses_the_ports_of_the_launcher(home: Home) -> None:
    assert doctor.ports() == (9701, 9702)
    home.state.mkdir()
    content = {
        "schema_version": 1,
        "python": "C:\\python.exe" if sys.platform == "win32" else "/python",
        "args": ["-m", "pybackend", "serve"],
        "udp_port": 9801,
        "http_port": 9802,
    }
    (home.state / "launcher.json").write_text(json.dumps(content), "utf-8")
    assert doctor.ports() == (9801, 9802)
