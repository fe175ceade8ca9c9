"""The script against its promises: Python 3.7, Live's stubs, no threads, a closed table."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest

from remote_script.MoveJudge import properties, rows, watch, world
from remote_script.MoveJudge.failure import CODES
from remote_script.MoveJudge.noteclip import FRAME

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "remote_script" / "MoveJudge"
FILES = sorted(SCRIPT.glob("*.py"))
# Protocol -> class of the stubs.
CLASSES = {
    "Parameter": "DeviceParameter",
    "Mixer": "MixerDevice",
    "ChainMixer": "ChainMixerDevice",
    "Device": "Device",
    "Chain": "Chain",
    "Rack": "RackDevice",
    "Note": "MidiNote",
    "Clip": "Clip",
    "Slot": "ClipSlot",
    "Track": "Track",
    "Scene": "Scene",
    "Cue": "CuePoint",
    "Song": "Song",
    "Application": "Application",
    "Timer": "Timer",
    "LiveObject": "LomObject",
}
ALLOWED = {
    "__future__",
    "bisect",
    "collections",
    "contextlib",
    "errno",
    "hashlib",
    "hmac",
    "json",
    "math",
    "operator",
    "os",
    "pathlib",
    "platform",
    "re",
    "secrets",
    "socket",
    "struct",
    "sys",
    "time",
    "traceback",
    "types",
    "typing",
    "Live",
}
LEGACY = {
    "get_notes",
    "set_notes",
    "remove_notes",
    "replace_selected_notes",
    "remove_notes_extended",
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_source_is_python_37_and_standard_library_only(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 7))
    assert len(text.splitlines()) < (400 if path.name == "live_types.py" else 330)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {name.name.split(".")[0] for name in node.names} <= ALLOWED
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert (node.module or "").split(".")[0] in ALLOWED
        elif isinstance(node, ast.Attribute):
            assert node.attr not in LEGACY
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec", "compile", "__import__")
        # Annotated assignments from a yield or an unparenthesised star are 3.8.
        elif isinstance(node, ast.AnnAssign):
            assert not isinstance(node.value, ast.YieldFrom | ast.Yield)


def test_typing_names_of_38_are_never_imported_at_run_time() -> None:
    for path in FILES:
        if path.name == "live_types.py":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module == "typing":
                assert [name.name for name in node.names] == ["TYPE_CHECKING"], path.name


@pytest.mark.skipif(not shutil.which("python3.7"), reason="no Python 3.7 here")
def test_everything_compiles_and_imports_under_python_37(tmp_path: Path) -> None:
    code = (
        "import importlib, pathlib, sys; assert sys.version_info[:2] == (3, 7);"
        "names = [p.stem for p in pathlib.Path(sys.argv[1], 'MoveJudge').glob('*.py')];"
        "sys.path.insert(0, sys.argv[1]);"
        "[importlib.import_module('MoveJudge.' + n) for n in names"
        " if n not in ('__init__', 'live_types')];"
        "print(len(names))"
    )
    found = subprocess.run(
        ["python3.7", "-W", "error", "-B", "-c", code, str(SCRIPT.parent)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYENV_VERSION": "3.7.16"},
    )
    if "not found" in found.stderr or "not installed" in found.stderr:
        pytest.skip("python3.7 is a name without an interpreter here")
    assert found.stdout.strip() == str(len(FILES)), found.stderr


def _stubs() -> Path:
    spec = util.find_spec("Live-stubs")
    for entry in sys.path:
        folder = Path(entry) / "Live-stubs"
        if folder.is_dir():
            return folder
    assert spec is None
    pytest.skip("ableton-live-stubs is not installed")


def _classes(path: Path) -> dict[str, ast.ClassDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _members(classes: dict[str, ast.ClassDef], name: str) -> set[str]:
    node = classes[name]
    found = set()
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            found.add(item.name)
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found.add(item.target.id)
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            found |= _members(classes, base.id)
    return found


@pytest.fixture(scope="module")
def stubs() -> dict[str, set[str]]:
    every: dict[str, ast.ClassDef] = {}
    for path in _stubs().glob("*.pyi"):
        every.update(_classes(path))
    return {name: _members(every, name) for name in CLASSES.values()}


@pytest.mark.parametrize("protocol", sorted(CLASSES))
def test_every_member_of_the_protocols_is_in_the_stubs(
    protocol: str, stubs: dict[str, set[str]]
) -> None:
    mine = _members(_classes(SCRIPT / "live_types.py"), protocol)
    assert mine <= stubs[CLASSES[protocol]], mine - stubs[CLASSES[protocol]]


def test_every_member_of_the_tables_is_in_the_stubs(stubs: dict[str, set[str]]) -> None:
    tables = {
        "Song": {*rows.SONG, *world.SONG, *watch.SONG_LISTS, *watch.SONG_VALUES},
        "Track": {*rows.TRACK, *rows.NORMAL_TRACK, *rows.RETURN_TRACK, *world.TRACK},
        "Scene": {*rows.SCENE, *world.SCENE},
        "Clip": {
            *rows.CLIP,
            *rows.SESSION_CLIP,
            *rows.ARRANGEMENT_CLIP,
            *world.CLIP,
            *world.AUDIO,
            *FRAME,
        },
        "Device": set(rows.DEVICE),
        "Chain": set(world.CHAIN),
        "CuePoint": set(world.CUE),
    }
    for owner, names in properties.SETTABLE.items():
        tables[
            {"song": "Song", "track": "Track", "clip": "Clip", "scene": "Scene"}.get(
                owner, "Device"
            )
        ] |= set(names)
    for name, members in tables.items():
        assert members <= stubs[name], members - stubs[name]
    for name, listened in (
        ("Song", (*watch.SONG_LISTS, *watch.SONG_VALUES)),
        ("Track", (*watch.TRACK_LISTS, *watch.TRACK_VALUES)),
        ("DeviceParameter", ("value",)),
        ("Clip", ("notes",)),
    ):
        for member in listened:
            assert {f"add_{member}_listener", f"remove_{member}_listener"} <= stubs[name]


def test_every_failure_code_is_documented_and_used() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    page = (ROOT / "docs" / "remote-script.md").read_text(encoding="utf-8")
    for code in CODES:
        assert f"`{code}`" in page, code
        assert len(re.findall(f'"{code}"', text)) >= 2, f"{code} is never raised"


def test_the_table_of_operations_in_the_documentation_is_current() -> None:
    from remote_script.MoveJudge.describe import tables

    page = (ROOT / "docs" / "remote-script.md").read_text(encoding="utf-8")
    begin, end = "<!-- operations: begin -->\n", "<!-- operations: end -->"
    written = page[page.index(begin) + len(begin) : page.index(end)]
    assert written == tables(), "run python -m MoveJudge.describe in remote_script and paste"


def test_every_test_that_the_bug_list_names_exists() -> None:
    page = (ROOT / "docs" / "remote-script-bugs.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)
    assert rows == [str(number) for number in range(1, 48)]
    sources = {
        path.stem: path.read_text(encoding="utf-8")
        for path in Path(__file__).parent.glob("test_*.py")
    }
    for name in re.findall(r"\btest_\w+", page):
        assert name in sources or any(f"def {name}(" in text for text in sources.values()), name
