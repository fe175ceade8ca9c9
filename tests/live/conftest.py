from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pybackend.live.places import Machine

CONFIG = """<?xml version="1.0" encoding="UTF-8"?>
<Ableton MajorVersion="5" MinorVersion="12.0_12300">
\t<ContentLibrary>
\t\t<UserLibrary>
\t\t\t<LibraryProject Id="0">
\t\t\t\t<ProjectLocation />
\t\t\t\t<ProjectName Value="{name}" />
\t\t\t\t<ProjectPath Value="{path}" />
\t\t\t</LibraryProject>
\t\t</UserLibrary>
\t\t<OtherLibrary>
\t\t\t<LibraryProject Id="9">
\t\t\t\t<ProjectName Value="Decoy" />
\t\t\t\t<ProjectPath Value="/decoy" />
\t\t\t</LibraryProject>
\t\t</OtherLibrary>
\t</ContentLibrary>
</Ableton>
"""


@pytest.fixture(params=["darwin", "win32"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    """An empty home of a Mac and of a Windows machine, with a space and letters beyond ASCII."""
    home = tmp_path / "Jürgen Ωmega"
    home.mkdir()
    return Machine(request.param, home, {})


@pytest.fixture
def write_config() -> Callable[..., Path]:
    """Write the Library.cfg of one Live version."""

    def write(machine: Machine, version: str, path: str | Path, name: str = "User Library") -> Path:
        if machine.platform == "darwin":
            folder = machine.home / "Library" / "Preferences" / "Ableton" / version
        else:
            folder = machine.home / "AppData" / "Roaming" / "Ableton" / version / "Preferences"
        folder.mkdir(parents=True)
        text = CONFIG.format(path=str(path).replace("&", "&amp;"), name=name)
        (folder / "Library.cfg").write_text(text, "utf-8")
        return folder / "Library.cfg"

    return write


@pytest.fixture
def default_library() -> Callable[[Machine], Path]:
    """Make the library where Live makes it."""

    def make(machine: Machine) -> Path:
        parent = "Music" if machine.platform == "darwin" else "Documents"
        folder = machine.home / parent / "Ableton" / "User Library"
        folder.mkdir(parents=True)
        return folder

    return make
