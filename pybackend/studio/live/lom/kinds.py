"""Which members of a track raise on which kind of track, and with which words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live.devices import GROUP, MAIN, MIDI, RETURN

if TYPE_CHECKING:
    from typing import Any


def not_main(obj: Any, name: str) -> None:
    """Raise on the main track."""
    if obj._node["track_kind"] == MAIN:
        raise RuntimeError(f"{obj._rt.live.main_name} track has no '{name}' property!")


def can_arm(obj: Any, name: str) -> None:
    """Raise on groups, returns and the main track."""
    if obj._node["track_kind"] in (GROUP, RETURN, MAIN):
        what = "'Arm' state" if name == "arm" else f"'{name}' property"
        raise RuntimeError(f"{obj._rt.live.main_name} and Return Tracks have no {what}!")


def has_clips(obj: Any, _: str) -> None:
    """Raise on groups, returns and the main track."""
    if obj._node["track_kind"] in (GROUP, RETURN, MAIN):
        raise RuntimeError(
            f"{obj._rt.live.main_name}, Group and Return Tracks have no arrangement clips"
        )


def foldable_only(obj: Any, _: str) -> None:
    """Raise unless it is a group."""
    if obj._node["track_kind"] != GROUP:
        raise RuntimeError("Only foldable tracks have a fold state")


def audio_output_only(obj: Any, name: str) -> None:
    """Raise on a MIDI track without an instrument."""
    devices = obj._node["devices"]
    silent = not any(device["spec"].device_type == 1 for device in devices)
    if obj._node["track_kind"] == MIDI and silent:
        raise RuntimeError(f"MIDI tracks have no '{name}' property!")


def audio_clip_only(obj: Any, name: str) -> None:
    """Raise on a MIDI clip."""
    if obj._node["is_midi"]:
        raise RuntimeError(f"MIDI clips have no '{name}' property!")


def midi_clip_only(obj: Any) -> None:
    """Raise on an audio clip."""
    if not obj._node["is_midi"]:
        raise RuntimeError("Notes are available for MIDI clips only")
