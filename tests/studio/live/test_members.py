"""Every public member of the virtual Live exists in the published stubs, with the same arity."""

from __future__ import annotations

import ast
import functools
import importlib.metadata
from pathlib import Path
from typing import Any

import pytest

from pybackend.studio.live import VERSIONS, install
from pybackend.studio.live.binding import Call, Prop
from pybackend.studio.live.family import CLASSES

STUBS = "ableton-live-stubs"
# On Live 12.4, in no documentation and in no stub; see the notes on undo.
UNDOCUMENTED = {"Song.sync_parameter_changes"}


@functools.cache
def _stub_classes() -> dict[str, dict[str, ast.FunctionDef | None]]:
    """Members of each class by name; properties that are settable as ``name=``."""
    try:
        files = importlib.metadata.files(STUBS) or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{STUBS} is not installed")
    found: dict[str, dict[str, ast.FunctionDef | None]] = {}
    bases: dict[str, list[str]] = {}
    for file in files:
        if file.suffix == ".pyi":
            for node in ast.parse(Path(str(file.locate())).read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    _collect(node, node.name, found, bases)
    return {name: _inherited(name, found, bases) for name in found}


def _inherited(
    name: str,
    found: dict[str, dict[str, ast.FunctionDef | None]],
    bases: dict[str, list[str]],
) -> dict[str, ast.FunctionDef | None]:
    members: dict[str, ast.FunctionDef | None] = {}
    for base in bases.get(name, []):
        members.update(_inherited(base, found, bases))
    return {**members, **found.get(name, {})}


def _collect(
    node: ast.ClassDef,
    name: str,
    found: dict[str, dict[str, ast.FunctionDef | None]],
    bases: dict[str, list[str]],
) -> None:
    members: dict[str, ast.FunctionDef | None] = {}
    bases[name] = [ast.unparse(base) for base in node.bases]
    for one in node.body:
        if isinstance(one, ast.ClassDef):
            _collect(one, f"{name}.{one.name}", found, bases)
            members[one.name] = None
        elif isinstance(one, ast.FunctionDef):
            setter = any(ast.unparse(mark).endswith(".setter") for mark in one.decorator_list)
            members[f"{one.name}=" if setter else one.name] = one
    found[name] = members


def _public(cls: type[Any]) -> dict[str, Any]:
    return {
        name: getattr(cls, name) for name in dir(cls) if not name.startswith("_") and name != "View"
    }


@pytest.mark.parametrize("kind", [kind for kind, _ in CLASSES])
def test_members_are_those_of_the_stubs(kind: str) -> None:
    stubs = _stub_classes()
    with install("12.4") as live:
        cls = live.runtime.classes[kind]
    members = stubs.get(kind) or stubs["Device.View"]
    for name, member in _public(cls).items():
        if f"{kind}.{name}" in UNDOCUMENTED:
            continue
        assert name in members, f"{kind}.{name} is in no stub"
        stub = members[name]
        if isinstance(member, Call):
            assert stub is not None
            arguments = [*stub.args.posonlyargs, *stub.args.args][1:]
            assert len(member.kinds) == len(arguments), f"{kind}.{name} has another arity"
            required = len(arguments) - len(stub.args.defaults)
            assert member.required == required, f"{kind}.{name} needs other arguments"
        if isinstance(member, Prop):
            assert stub is None or stub.decorator_list, f"{kind}.{name} is no property"
            if member.write is not None:
                assert f"{name}=" in members, f"{kind}.{name} cannot be set"


def test_modules_are_those_of_the_stubs() -> None:
    stubs = _stub_classes()
    with install("12.4") as live:
        for name, module in live.modules.items():
            for member in vars(module):
                if not member.startswith("_") and name != "Live" and member != "get_application":
                    assert member in stubs, f"{name}.{member}"


SINCE = {
    "Song.file_path": "12.0",
    "Song.scale_mode": "12.1",
    "Application.get_build_id": "12.0",
    "Clip.is_session_clip": "12.2",
    "Clip.add_start_time_listener": "12.2",
    "Clip.note_number_to_name": "12.1",
    "Track.create_midi_clip": "12.2",
    "Track.take_lanes": "12.2",
    "Track.insert_device": "12.3",
    "Chain.insert_device": "12.3",
    "RackDevice.insert_chain": "12.3",
    "DeviceParameter.display_value": "12.2",
    "DeviceParameter.add_display_value_listener": "12.2",
    "Song.sync_parameter_changes": "12.4",
}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_lacks_what_came_later(version: str) -> None:
    with install(version, set="tiny") as live:
        for member, since in SINCE.items():
            kind, name = member.split(".")
            there = VERSIONS.index(version) >= VERSIONS.index(since)
            assert hasattr(live.runtime.classes[kind], name) is there, member
        song = live.song
        assert hasattr(song, "file_path") is (version != "11.3")
        assert live.application.get_version_string() == live.runtime.live.text
        assert [
            live.application.get_major_version(),
            live.application.get_minor_version(),
            live.application.get_bugfix_version(),
        ] == list(live.runtime.live.version)


def test_cue_points_can_be_named_from_12_1_on() -> None:
    with install("12.0") as live, pytest.raises(AttributeError):
        live.song.cue_points[0].name = "A"
    with install("12.1") as live:
        live.song.cue_points[0].name = "A"
        assert live.song.cue_points[0].name == "A"


def test_classes_say_what_they_are_like_live() -> None:
    with install("12.4") as live:
        modules = live.modules
        assert type(live.song) is modules["Live.Song"].Song
        assert type(live.song).__module__ == "Song"
        rack = live.song.tracks[1].devices[0]
        assert isinstance(rack, modules["Live.RackDevice"].RackDevice)
        assert isinstance(rack, modules["Live.Device"].Device)
        assert isinstance(rack, modules["Live.LomObject"].LomObject)
        assert isinstance(rack.chains[0], modules["Live.Chain"].Chain)
        assert type(live.song.view) is modules["Live.Song"].Song.View
        assert modules["Live.Device"].DeviceType.audio_effect == 2
        assert rack.type == 1
        assert repr(rack.type) == "Device.DeviceType.instrument"
