from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pybackend.errors import InputError, TargetMissing
from pybackend.live.launcher import interpreter, launcher_bytes, parse_launcher, read_launcher

LAUNCHER_JS = Path(__file__).parents[2] / "m4l" / "launcher.js"
GOOD: dict[str, Any] = {
    "schema_version": 1,
    "python": "/opt/py thon/bin/python3",
    "args": ["-m", "pybackend", "serve"],
    "udp_port": 9701,
    "http_port": 9702,
}
TEXTS = [
    *(
        json.dumps({**GOOD, **change})
        for change in (
            {},
            {"schema_version": 2},
            {"schema_version": True},
            {"schema_version": "1"},
            {"python": "python"},
            {"python": ""},
            {"python": None},
            {"python": "C:\\Python\\pythonw.exe"},
            {"python": "c:/Python/pythonw.exe"},
            {"python": "\\\\server\\share\\python.exe"},
            {"python": "\\python.exe"},
            {"python": "/a\0b"},
            {"args": []},
            {"args": "serve"},
            {"args": None},
            {"args": ["a"] * 32},
            {"args": ["a"] * 33},
            {"args": [1]},
            {"args": ["a\0"]},
            {"udp_port": 0},
            {"udp_port": True},
            {"udp_port": "9701"},
            {"udp_port": 65536},
            {"http_port": 9702.5},
            {"http_port": None},
            {"more": {"is": "ignored"}},
        )
    ),
    "",
    "[]",
    "null",
    "{",
    "\ufeff{}",
    "NaN",
    json.dumps({key: value for key, value in GOOD.items() if key != "http_port"}),
]


def accepts(text: str, platform: str) -> bool:
    try:
        parse_launcher(text, platform, Path("launcher.json"))
    except InputError as error:
        assert str(error).endswith("run: movejudge install")  # noqa: PT017
        return False
    return True


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_we_accept_what_the_devices_launcher_accepts(platform: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    code = (
        "const {parseConfig} = require(process.argv[1]);"
        "const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "const good = (t) => { try { parseConfig(t, process.argv[2]); return true; }"
        "  catch (e) { return false; } };"
        "console.log(JSON.stringify(texts.map(good)));"
    )
    done = subprocess.run(
        [node, "-e", code, str(LAUNCHER_JS), platform],
        input=json.dumps(TEXTS),
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(done.stdout)
    assert [accepts(text, platform) for text in TEXTS] == theirs
    assert {True, False} == set(theirs)


def test_what_is_written_is_what_the_launcher_takes(tmp_path: Path) -> None:
    path = tmp_path / "launcher.json"
    path.write_bytes(launcher_bytes(Path("/opt/Jürgens py/bin/python"), path))
    assert read_launcher(path) == {**GOOD, "python": "/opt/Jürgens py/bin/python"}


def test_ports_that_a_person_chose_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "launcher.json"
    path.write_text(json.dumps({**GOOD, "udp_port": 9801, "http_port": 9802}), "utf-8")
    again = json.loads(launcher_bytes(Path("/new/python"), path))
    assert again == {**GOOD, "python": "/new/python", "udp_port": 9801, "http_port": 9802}
    path.write_text("{", "utf-8")
    assert json.loads(launcher_bytes(Path("/new/python"), path))["udp_port"] == 9701


def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "launcher.json"
    with pytest.raises(TargetMissing):
        read_launcher(path)
    path.write_bytes(b" " * 17000)
    with pytest.raises(InputError, match="larger than 16384 bytes"):
        read_launcher(path)
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(InputError, match="cannot be read"):
        read_launcher(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        read_launcher(path)


def test_windows_takes_the_interpreter_without_a_console(tmp_path: Path) -> None:
    python = tmp_path / "python.exe"
    assert interpreter(python, "win32") == python
    (tmp_path / "pythonw.exe").touch()
    assert interpreter(python, "win32") == tmp_path / "pythonw.exe"
    assert interpreter(python, "darwin") == python
