"""A set as plain data, to compare it before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pybackend.studio.live.catalogue import DeviceSpec
from pybackend.studio.live.node import Node
from pybackend.studio.live.values import ParameterSpec

if TYPE_CHECKING:
    from pybackend.studio.live.node import World

# What undo neither knows nor restores: transport, selection, what is derived, what is internal.
UNTRACKED = frozenset(
    (
        "parent",
        "born",
        "playing_slot",
        "fired_slot",
        "playing",
        "selected",
        "arm",
        "fold_state",
        "song_time",
        "is_playing",
        "start_time",
        "record_mode",
        "session_record",
        "arrangement_overdub",
        "session_automation_record",
        "back_to_arranger",
        "metronome",
        "loop",
        "loop_start",
        "loop_length",
        "punch_in",
        "punch_out",
        "view",
        "next_note_id",
        "anchor",
        "data",
        "shown_extent",
        "clip_trigger_quantization",
        "tempo_follower_enabled",
        "is_ableton_link_enabled",
        "appointed_device",
        "automation_state",
        "automated_value",
        "drum_pads",
    )
)


def dump(world: World) -> dict[str, Any]:
    """Return everything in the set that undo restores.

    Objects are nested as they are owned; notes come as sorted lists without ids, MPE data
    included, so that ids given anew by undo do not matter.
    """
    return _dump(world.song)


def _dump(node: Node) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": node.kind}
    for name in sorted(node.fields):
        if name not in UNTRACKED:
            plain[name] = _plain(node[name], node, name)
    return plain


def _plain(value: Any, owner: Node, name: str) -> Any:
    if name == "notes":
        return sorted([list(note) for note in value.values()])
    if isinstance(value, Node):
        if value.parent is owner:
            return _dump(value)
        return f"{value.kind} {value.world.song['tracks'].index(value)}"
    if isinstance(value, tuple):
        return [_plain(one, owner, "") for one in value]
    if isinstance(value, (DeviceSpec, ParameterSpec)):
        return value.name
    return value
