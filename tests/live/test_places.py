from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.errors import InputError, TargetMissing
from pybackend.live.places import Machine, find_library, library_in_config, this_machine

Write = Callable[..., Path]
Make = Callable[[Machine], Path]


def test_the_default_library_is_found(machine: Machine, default_library: Make) -> None:
    folder = default_library(machine)
    found = find_library(machine)
    assert (found.folder, found.source, found.notes) == (folder, "default place", ())


def test_a_custom_library_comes_before_the_default_one(
    machine: Machine, write_config: Write, default_library: Make, tmp_path: Path
) -> None:
    default_library(machine)
    custom = tmp_path / "Große Platte" / "Beats & Takes" / "My Library"
    custom.mkdir(parents=True)
    config = write_config(machine, "Live 12.3.6", custom.parent, "My Library")
    found = find_library(machine)
    assert (found.folder, found.source) == (custom, str(config))


def test_the_live_that_was_used_last_decides_and_others_are_told(
    machine: Machine, write_config: Write, tmp_path: Path
) -> None:
    for name in ("old", "new"):
        (tmp_path / name / "User Library").mkdir(parents=True)
    newer = write_config(machine, "Live 11.3.43", tmp_path / "new")
    older = write_config(machine, "Live 12.1.5", tmp_path / "old")
    os.utime(older, (1000, 1000))
    os.utime(newer, (2000, 2000))
    found = find_library(machine)
    assert found.folder == tmp_path / "new" / "User Library"
    assert len(found.notes) == 1
    assert str(tmp_path / "old") in found.notes[0]


def test_of_two_written_at_once_the_higher_version_decides(
    machine: Machine, write_config: Write, tmp_path: Path
) -> None:
    for name in ("nine", "ten"):
        (tmp_path / name / "User Library").mkdir(parents=True)
    for version, name in (("Live 12.9", "nine"), ("Live 12.10", "ten")):
        os.utime(write_config(machine, version, tmp_path / name), (1000, 1000))
    assert find_library(machine).folder == tmp_path / "ten" / "User Library"


def test_a_missing_drive_is_told_and_the_default_is_not_taken_instead(
    machine: Machine, write_config: Write, default_library: Make, tmp_path: Path
) -> None:
    default_library(machine)
    write_config(machine, "Live 12.3.6", tmp_path / "unplugged")
    with pytest.raises(TargetMissing, match="connect the drive"):
        find_library(machine)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"<Ableton>", b"<!DOCTYPE a><Ableton/>"])
def test_an_unreadable_config_is_told_and_left_out(
    machine: Machine, write_config: Write, default_library: Make, content: bytes
) -> None:
    folder = default_library(machine)
    config = write_config(machine, "Live 12.3.6", "/nowhere")
    config.write_bytes(content)
    found = find_library(machine)
    assert found.folder == folder
    assert str(config) in found.notes[0]


def test_without_live_it_says_so(machine: Machine) -> None:
    with pytest.raises(TargetMissing, match=r"no Ableton Live was found.*--library"):
        find_library(machine)


def test_linux_has_no_live(tmp_path: Path) -> None:
    (tmp_path / "Music" / "Ableton" / "User Library").mkdir(parents=True)
    with pytest.raises(TargetMissing, match="no Ableton Live"):
        find_library(Machine("linux", tmp_path, {}))


def test_windows_folders_that_were_moved(tmp_path: Path, write_config: Write) -> None:
    home = tmp_path / "home"
    moved = tmp_path / "OneDrive" / "Dokumente"
    library = moved / "Ableton" / "User Library"
    library.mkdir(parents=True)
    machine = Machine("win32", home, {}, documents=moved)
    assert find_library(machine).folder == library
    (tmp_path / "x" / "User Library").mkdir(parents=True)
    write_config(machine, "Live 12.0", tmp_path / "x")
    roaming = home / "AppData" / "Roaming"
    roaming.rename(tmp_path / "Roaming")
    assert find_library(machine).folder == library
    machine = replace(machine, environ={"APPDATA": str(tmp_path / "Roaming")})
    assert find_library(machine).folder == tmp_path / "x" / "User Library"


def test_a_given_library_is_taken_as_it_is(machine: Machine, tmp_path: Path) -> None:
    assert find_library(machine, tmp_path).folder == tmp_path
    with pytest.raises(TargetMissing, match="no such folder"):
        find_library(machine, tmp_path / "none")
    for name in ("Remote Scripts", "User Remote Scripts"):
        (tmp_path / name).mkdir()
        with pytest.raises(InputError, match="give the User Library"):
            find_library(machine, tmp_path / name)


def test_the_first_project_counts_and_a_trailing_slash_does_not() -> None:
    project = "<LibraryProject><ProjectPath Value='{}'/></LibraryProject>"
    inside = project.format("") + project.format("/one/") + project.format("/two")
    text = f"<Ableton><!-- <!x> --><UserLibrary>{inside}</UserLibrary></Ableton>"
    assert library_in_config(text) == Path("/one/User Library")
    assert library_in_config("<Ableton/>") is None


def test_entities_are_refused_before_they_grow() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><Ableton>&c;</Ableton>'
    with pytest.raises(ValueError, match="declarations"):
        library_in_config(bomb)


@given(st.text())
def test_any_text_is_a_library_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert library_in_config(text) is None


def test_this_machine_is_described() -> None:
    assert this_machine().home == Path.home()
