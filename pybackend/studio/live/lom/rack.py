"""``RackDevice``, ``Chain``, ``DrumChain``, ``DrumPad``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import edits
from pybackend.studio.live.arguments import BOOL, INT, TEXT
from pybackend.studio.live.declaring import calling, fixed, reading, stored
from pybackend.studio.live.devices import make_chain
from pybackend.studio.live.lom.common import (
    LomObject,
    between,
    child,
    children,
    color_of,
    set_color,
    valid_color_index,
    wrapped,
)
from pybackend.studio.live.lom.device import Device, DeviceView
from pybackend.studio.live.rules import INSERT_S, LIST_READ_S
from pybackend.studio.live.vectors import Vector

if TYPE_CHECKING:
    from typing import Any

# One drum pad costs about 5 ms; all 128 of them the 600 ms that were measured.
PAD_READ_S = 0.6


def _drums_only(obj: Any, _: str) -> None:
    if not obj._node["spec"].drums:
        raise RuntimeError("The device has no drum pads")


class RackView(DeviceView):
    """``RackDevice.View``."""

    __slots__ = ()


class RackDevice(Device):
    """A rack: devices in parallel chains."""

    __slots__ = ()

    chains = children("chains")
    return_chains = children("return_chains")
    chain_selector = child("chain_selector")
    has_drum_pads = fixed(lambda obj: obj._node["spec"].drums, listen=True)
    has_macro_mappings = fixed(lambda _: False, listen=True)
    can_show_chains = fixed(lambda obj: len(obj._node["chains"]) > 1)
    visible_macro_count = fixed(lambda obj: obj._node["visible_macro_count"], listen=True)
    variation_count = fixed(lambda _: 0, listen=True)

    @reading(listen=True, cost_s=PAD_READ_S, gate=_drums_only)
    def drum_pads(self) -> Vector[Any]:
        """All 128 pads; slow."""
        return wrapped(self, self._node["drum_pads"])

    @reading(listen=True, cost_s=LIST_READ_S, gate=_drums_only)
    def visible_drum_pads(self) -> Vector[Any]:
        """The 16 pads on screen."""
        return wrapped(self, self._node["drum_pads"][36:52])

    @calling(INT, required=0, cost_s=INSERT_S, since=(12, 3, 0))
    def insert_chain(self, index: int = -1) -> Any:
        """Add an empty chain."""
        chains = self._node["chains"]
        where = edits.place(index, len(chains), "chain")
        made = make_chain(self._node, f"Chain {len(chains) + 1}")
        self._world.put(self._node, "chains", edits.with_one(chains, where, made))
        return self._rt.wrap(made)


class Chain(LomObject):
    """One chain of a rack."""

    __slots__ = ()

    name = stored(TEXT)
    devices = children("devices")
    mixer_device = child("mixer_device")
    color_index = stored(INT, valid=valid_color_index)
    solo = stored(BOOL)
    muted_via_solo = fixed(
        lambda obj: _others_solo(obj._node) and not obj._node["solo"], listen=True
    )
    has_audio_input = fixed(lambda obj: obj._node.parent["spec"].device_type != 1)
    has_midi_input = fixed(lambda obj: obj._node.parent["spec"].device_type == 1)
    has_audio_output = fixed(lambda _: True)
    has_midi_output = fixed(lambda _: False)

    @reading(listen=True)
    def color(self) -> int:
        """RGB of the palette."""
        return color_of(self)

    @color.writing(INT)
    def _write_color(self: Any, value: int) -> None:
        set_color(self, value)

    @reading(listen=True)
    def mute(self) -> bool:
        """The chain's activator, the other way round."""
        return bool(self._node["mixer_device"]["chain_activator"]["value"] == 0.0)

    @mute.writing(BOOL)
    def _write_mute(self: Any, value: bool) -> None:
        activator = self._node["mixer_device"]["chain_activator"]
        self._world.put(activator, "value", 0.0 if value else 1.0, says=((self._node, "mute"),))

    @calling(INT)
    def delete_device(self, index: int) -> None:
        """Delete a device of the chain."""
        edits.delete_device(self._node, index)

    @calling(TEXT, INT, required=1, since=(12, 3, 0))
    def insert_device(self, device_name: str, device_index: int = -1) -> Any:
        """Insert a native device."""
        spec = edits.device_spec(device_name)
        return self._rt.wrap(edits.insert_device(self._node, spec, device_index))


def _others_solo(chain: Any) -> bool:
    return any(one["solo"] for one in chain.parent["chains"])


class DrumChain(Chain):
    """A chain of a drum rack, played by a note."""

    __slots__ = ()

    in_note = stored(INT, valid=between(-1, 127, "Note"), since=(12, 3, 0))
    out_note = stored(INT, valid=between(0, 127, "Note"))
    choke_group = stored(INT, valid=between(0, 16, "Choke group"))


class DrumPad(LomObject):
    """A pad of a drum rack: the chains that its note plays."""

    __slots__ = ()

    note = fixed(lambda obj: obj._node["note"])

    def _chains(self) -> list[Any]:
        rack = self._node.parent
        if rack is None:
            return []
        return [one for one in rack["chains"] if one["in_note"] == self._node["note"]]

    @reading(listen=True, cost_s=LIST_READ_S)
    def chains(self) -> Vector[Any]:
        """Chains of the pad's note."""
        return wrapped(self, self._chains())

    @reading(listen=True)
    def name(self) -> str:
        """The first chain's name, or the note's."""
        chains = self._chains()
        return str(chains[0]["name"]) if chains else note_name(self._node["note"])

    @reading(listen=True)
    def mute(self) -> bool:
        """Whether all its chains are off."""
        mixers = [one["mixer_device"] for one in self._chains()]
        return bool(mixers) and all(one["chain_activator"]["value"] == 0.0 for one in mixers)

    @reading(listen=True)
    def solo(self) -> bool:
        """Whether a chain of it is soloed."""
        return any(one["solo"] for one in self._chains())


def note_name(pitch: int) -> str:
    """Name a MIDI note as Live does: 60 is C3."""
    names = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
    return f"{names[pitch % 12]}{pitch // 12 - 2}"
