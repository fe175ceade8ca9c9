"""``MixerDevice`` of a track, ``ChainMixerDevice`` of a chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live.arguments import INT
from pybackend.studio.live.declaring import reading
from pybackend.studio.live.devices import MAIN
from pybackend.studio.live.enums import CrossfadeAssignments, PanningModes
from pybackend.studio.live.lom.common import LomObject, between, child, children

if TYPE_CHECKING:
    from typing import Any


def _main_only(obj: Any, name: str) -> None:
    if obj._node.parent["track_kind"] != MAIN:
        what = {"crossfader": "a crossfader", "cue_volume": "a cue volume"}.get(name, f"a {name}")
        main = obj._rt.live.main_name.lower()
        raise RuntimeError(f"Only the {main} track has {what}!")


def _not_main(obj: Any, name: str) -> None:
    if obj._node.parent["track_kind"] == MAIN:
        raise RuntimeError(f"{obj._rt.live.main_name} track has no '{name}' property!")


class MixerDevice(LomObject):
    """Volume, pan and sends of a track."""

    __slots__ = ()

    volume = child("volume")
    panning = child("panning")
    track_activator = child("track_activator")
    left_split_stereo = child("left_split_stereo")
    right_split_stereo = child("right_split_stereo")
    sends = children("sends")
    cue_volume = child("cue_volume", gate=_main_only)
    crossfader = child("crossfader", gate=_main_only)
    song_tempo = child("song_tempo", gate=_main_only)
    crossfade_assignments = CrossfadeAssignments
    panning_modes = PanningModes

    @reading(listen=True, gate=_not_main)
    def crossfade_assign(self) -> int:
        """0 A, 1 none, 2 B."""
        return int(self._node["crossfade_assign"])

    @crossfade_assign.writing(INT)
    def _write_crossfade(self: Any, value: int) -> None:
        valid = between(0, 2, "Crossfade assignment")(value)
        self._world.put(self._node, "crossfade_assign", valid)

    @reading(listen=True)
    def panning_mode(self) -> int:
        """0 stereo, 1 split stereo."""
        return int(self._node["panning_mode"])

    @panning_mode.writing(INT)
    def _write_mode(self: Any, value: int) -> None:
        self._world.put(self._node, "panning_mode", between(0, 1, "Panning mode")(value))


class ChainMixerDevice(LomObject):
    """Volume, pan and sends of a chain."""

    __slots__ = ()

    volume = child("volume")
    panning = child("panning")
    chain_activator = child("chain_activator")
    sends = children("sends")
