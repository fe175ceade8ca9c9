"""``mypy --strict`` over the script, and its protocols against Live's published stubs.

The stubs import ``Vector`` from themselves, so mypy takes every vector for ``Any`` and would accept
anything; a copy without that line is checked instead. A wrong protocol has to be found.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SELF_IMPORT = "if TYPE_CHECKING:\n    from Live.Base import Vector\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = [
        Path(entry) / "Live-stubs" for entry in sys.path if (Path(entry) / "Live-stubs").is_dir()
    ]
    if not found:
        pytest.skip("ableton-live-stubs is not installed")
    work = tmp_path_factory.mktemp("typing")
    shutil.copytree(found[0], work / "Live")
    base = work / "Live" / "Base.pyi"
    text = base.read_text(encoding="utf-8")
    base.write_text(text.replace(SELF_IMPORT, ""), encoding="utf-8")
    shutil.copytree(ROOT / "remote_script" / "MoveJudge", work / "MoveJudge")
    shutil.copy(HERE / "conformance.py", work / "conformance.py")
    wrong = (HERE / "conformance.py").read_text(encoding="utf-8")
    wrong = wrong.replace("-> mine.Track", "-> mine.Song").replace("-> mine.Note", "-> mine.Clip")
    (work / "wrong.py").write_text(wrong, encoding="utf-8")
    (work / "mypy.ini").write_text("[mypy]\nstrict = true\npython_version = 3.11\n")
    return work


def test_types(folder: Path) -> None:
    pytest.importorskip("mypy")
    found = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file",
            "mypy.ini",
            "conformance.py",
            "wrong.py",
            "MoveJudge",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    errors = [line for line in found.stdout.splitlines() if ": error:" in line]
    mine = [line for line in errors if not re.match(r"Live[/\\]", line)]
    assert {line.split(":")[0] for line in mine} == {"wrong.py"}, found.stdout
    assert sum("Incompatible return value" in line for line in mine) == 2
