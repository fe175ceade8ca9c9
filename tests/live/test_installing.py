from __future__ import annotations

import json
from pathlib import Path

import pytest

from pybackend import assets, files
from pybackend.errors import InputError
from pybackend.live import installing
from pybackend.live.installed import Installed, read_record
from pybackend.live.installing import (
    DEVICE_PLACE,
    SCRIPT_PLACE,
    Plan,
    apply_install,
    apply_uninstall,
    plan_install,
    plan_uninstall,
)

Tree = dict[str, bytes]


class Setup:
    """A package with a small script and a device, a library, a state folder."""

    def __init__(self, root: Path) -> None:
        self.package = root / "site" / "pybackend"
        inside = self.package / "_assets"
        self.script = inside / assets.REMOTE_SCRIPT_NAME
        self.script.mkdir(parents=True)
        for name in ("__init__", "surface", "version"):
            (self.script / f"{name}.py").write_text(f'NAME = "{name}"\n', "utf-8")
        (self.script / "__pycache__").mkdir()
        (self.script / "__pycache__" / "surface.cpython-311.pyc").touch()
        self.device = inside / assets.DEVICE_NAME
        self.device.write_bytes(b"ampf device 1")
        self.library = root / "Großer Raum" / "User Library"
        self.library.mkdir(parents=True)
        self.record = root / "state" / "installed.json"
        self.launcher = root / "state" / "launcher.json"

    def plan(self) -> Plan:
        return plan_install(self.library, read_record(self.record), self.launcher, b"{}\n")

    def install(self) -> Plan:
        plan = self.plan()
        apply_install(plan, self.record)
        return plan

    def uninstall(self) -> dict[str, str]:
        record = read_record(self.record)
        steps = plan_uninstall(record, self.launcher)
        apply_uninstall(steps, record, self.record)
        return {step.path.name: step.action for step in steps}

    def tree(self) -> Tree:
        return {
            path.relative_to(self.library).as_posix(): path.read_bytes()
            for path in self.library.rglob("*")
            if path.is_file()
        }

    @property
    def installed_script(self) -> Path:
        return self.library / SCRIPT_PLACE


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    made = Setup(tmp_path)
    monkeypatch.setattr(assets, "_PACKAGE", made.package)
    return made


def actions(plan: Plan) -> dict[str, str]:
    return {step.path.name: step.action for step in plan.steps}


def test_a_plan_changes_nothing(setup: Setup) -> None:
    plan = setup.plan()
    assert set(actions(plan).values()) == {"add"}
    assert setup.tree() == {}
    assert not setup.record.parent.exists()


def test_install_copies_every_file_and_nothing_else(setup: Setup) -> None:
    setup.install()
    tree = setup.tree()
    assert tree.pop(DEVICE_PLACE) == b"ampf device 1"
    assert tree == {
        f"{SCRIPT_PLACE}/{path.name}": path.read_bytes() for path in setup.script.glob("*.py")
    }
    assert setup.launcher.read_bytes() == b"{}\n"
    document = json.loads(setup.record.read_text("utf-8"))
    for name, sums in document["libraries"][str(setup.library)].items():
        assert sums == [files.file_sha256(setup.library / name)]


def test_a_second_install_changes_nothing(setup: Setup) -> None:
    setup.install()
    stamps = {path: path.stat().st_mtime_ns for path in setup.library.rglob("*")}
    plan = setup.install()
    assert plan.is_done
    assert {path: path.stat().st_mtime_ns for path in setup.library.rglob("*")} == stamps


def test_an_update_replaces_adds_and_removes(setup: Setup) -> None:
    setup.install()
    cache = setup.installed_script / "__pycache__"
    cache.mkdir()
    for name in ("surface.cpython-311.pyc", "version.cpython-37.pyc", "theirs.cpython-311.pyc"):
        (cache / name).touch()
    (setup.script / "surface.py").write_text("NEW = 1\n", "utf-8")
    (setup.script / "version.py").unlink()
    (setup.script / "later.py").touch()
    plan = setup.install()
    assert actions(plan) == {
        "__init__.py": "same",
        "later.py": "add",
        "surface.py": "update",
        "version.py": "remove",
        assets.DEVICE_NAME: "same",
    }
    assert {path.name for path in setup.installed_script.glob("*.py")} == {
        "__init__.py",
        "surface.py",
        "later.py",
    }
    assert [path.name for path in cache.iterdir()] == ["theirs.cpython-311.pyc"]
    assert setup.plan().is_done


@pytest.mark.parametrize("place", [f"{SCRIPT_PLACE}/surface.py", DEVICE_PLACE])
def test_a_foreign_file_is_never_overwritten(setup: Setup, place: str) -> None:
    target = setup.library / place
    target.parent.mkdir(parents=True)
    target.write_bytes(b"mine")
    before = setup.tree()
    with pytest.raises(InputError, match=r"not from MoveJudge.*nothing was installed"):
        setup.install()
    assert setup.tree() == before
    assert not setup.record.exists()


def test_a_file_changed_after_installing_is_not_overwritten(setup: Setup) -> None:
    setup.install()
    changed = setup.installed_script / "surface.py"
    changed.write_text("MY = 1\n", "utf-8")
    (setup.script / "surface.py").write_text("NEW = 1\n", "utf-8")
    with pytest.raises(InputError, match=r"surface\.py"):
        setup.install()
    assert changed.read_text("utf-8") == "MY = 1\n"


def test_a_folder_in_the_place_of_a_file_blocks(setup: Setup) -> None:
    (setup.library / DEVICE_PLACE).mkdir(parents=True)
    assert len(setup.plan().blocked) == 1


def test_same_files_without_a_record_are_adopted(setup: Setup) -> None:
    setup.install()
    setup.record.unlink()
    assert set(actions(setup.plan()).values()) == {"same"}
    setup.install()
    setup.uninstall()
    assert setup.tree() == {}


def test_a_linked_script_folder_is_neither_written_nor_emptied(setup: Setup) -> None:
    setup.install()
    for path in list(setup.installed_script.iterdir()):
        path.unlink()
    setup.installed_script.rmdir()
    try:
        setup.installed_script.symlink_to(setup.script, target_is_directory=True)
    except OSError:
        pytest.skip("this user may not make links")
    assert "is a link" in setup.plan().blocked[0]
    fates = setup.uninstall()
    assert fates["surface.py"] == "changed"
    assert (setup.script / "surface.py").exists()
    assert (setup.script / "__pycache__" / "surface.cpython-311.pyc").exists()


def test_a_crash_between_files_leaves_nothing_foreign(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup.install()
    for path in setup.script.glob("*.py"):
        path.write_text(f"SECOND = '{path.name}'\n", "utf-8")
    real = files.write_bytes
    written = []

    def fail_at_second(path: Path, data: bytes) -> None:
        if path.suffix == ".py":
            written.append(path)
            if len(written) == 2:
                raise PermissionError(13, "held by Live", str(path))
        real(path, data)

    monkeypatch.setattr(files, "write_bytes", fail_at_second)
    with pytest.raises(InputError, match="held by Live; close Live"):
        setup.install()
    monkeypatch.setattr(files, "write_bytes", real)
    # A third version arrives: what the second left half written is still known as ours.
    for path in setup.script.glob("*.py"):
        path.write_text(f"THIRD = '{path.name}'\n", "utf-8")
    plan = setup.install()
    assert plan.blocked == ()
    assert setup.plan().is_done
    setup.uninstall()
    assert setup.tree() == {}


def test_uninstall_leaves_what_others_put_there(setup: Setup) -> None:
    theirs = setup.library / "Remote Scripts" / "Other" / "__init__.py"
    theirs.parent.mkdir(parents=True)
    theirs.touch()
    setup.install()
    (setup.installed_script / "__pycache__").mkdir()
    (setup.installed_script / "__pycache__" / "surface.cpython-311.pyc").touch()
    fates = setup.uninstall()
    assert set(fates.values()) == {"remove"}
    assert setup.tree() == {"Remote Scripts/Other/__init__.py": b""}
    assert not setup.installed_script.exists()
    assert not setup.record.exists()
    assert not setup.launcher.exists()


def test_uninstall_keeps_changed_files_and_their_record(setup: Setup) -> None:
    setup.install()
    (setup.installed_script / "surface.py").write_text("MY = 1\n", "utf-8")
    (setup.library / DEVICE_PLACE).unlink()
    setup.launcher.write_text("{}", "utf-8")
    fates = setup.uninstall()
    assert fates == {
        "__init__.py": "remove",
        "version.py": "remove",
        "surface.py": "changed",
        assets.DEVICE_NAME: "gone",
        "launcher.json": "changed",
    }
    assert setup.tree() == {f"{SCRIPT_PLACE}/surface.py": b"MY = 1\n"}
    assert setup.launcher.exists()
    assert setup.uninstall() == {"surface.py": "changed", "launcher.json": "changed"}


def test_a_library_that_is_not_there_stays_in_the_record(setup: Setup, tmp_path: Path) -> None:
    setup.install()
    away = tmp_path / "unplugged"
    setup.library.rename(away)
    fates = setup.uninstall()
    assert fates.pop("launcher.json") == "remove"
    assert set(fates.values()) == {"unreachable"}
    away.rename(setup.library)
    assert set(setup.uninstall().values()) == {"remove"}
    assert setup.tree() == {}


def test_two_libraries_are_both_remembered(setup: Setup, tmp_path: Path) -> None:
    first = setup.library
    setup.install()
    setup.library = tmp_path / "second"
    setup.library.mkdir()
    setup.install()
    setup.uninstall()
    assert setup.tree() == {}
    setup.library = first
    assert setup.tree() == {}


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"schema_version": 2, "libraries": {}, "launcher": []}',
        '{"schema_version": 1, "libraries": {}}',
        '{"schema_version": 1, "libraries": {"relative": {}}, "launcher": []}',
        '{"schema_version": 1, "libraries": {"/a": {"../../etc/passwd": ["x"]}}, "launcher": []}',
        '{"schema_version": 1, "libraries": {"/a": {"/etc/passwd": ["x"]}}, "launcher": []}',
        '{"schema_version": 1, "libraries": {"/a": {"b": [1]}}, "launcher": []}',
    ],
)
def test_a_corrupt_record_removes_nothing_and_is_set_aside(setup: Setup, content: str) -> None:
    setup.record.parent.mkdir()
    setup.record.write_text(content, "utf-8")
    record = read_record(setup.record)
    assert record == Installed(corrupt=True)
    assert plan_uninstall(record, setup.launcher) == []
    setup.install()
    assert setup.record.with_name("installed.json.corrupt-1").read_text("utf-8") == content
    assert not read_record(setup.record).corrupt


def test_a_corrupt_launcher_configuration_is_set_aside(setup: Setup) -> None:
    setup.launcher.parent.mkdir()
    setup.launcher.write_bytes(b"\xff")
    setup.install()
    assert setup.launcher.with_name("launcher.json.corrupt-1").read_bytes() == b"\xff"
    assert setup.launcher.read_bytes() == b"{}\n"


def test_the_checkout_gives_the_same_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installing, "device_file", lambda: tmp_path / assets.DEVICE_NAME)
    carried = installing.sources()
    script = assets.remote_script_folder()
    assert len(carried) == len(list(script.rglob("*.py"))) + 1
    assert carried[f"{SCRIPT_PLACE}/__init__.py"] == script / "__init__.py"
    assert carried[DEVICE_PLACE] == tmp_path / assets.DEVICE_NAME
