"""New devices, chains, mixers and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import catalogue
from pybackend.studio.live.node import Later, Node
from pybackend.studio.live.values import float32

if TYPE_CHECKING:
    from pybackend.studio.live.catalogue import DeviceSpec
    from pybackend.studio.live.values import ParameterSpec

MIDI, AUDIO, GROUP, RETURN, MAIN = "midi", "audio", "group", "return", "main"


def make_parameter(owner: Node, spec: ParameterSpec, name: str | None = None) -> Node:
    """Make a parameter at its default."""
    return Node(
        owner.world,
        "DeviceParameter",
        owner,
        spec=spec,
        name=name or spec.name,
        value=float32(spec.default),
        is_enabled=True,
        state=0,
        automation_state=0,
        automated_value=0.0,
        automation_points=(),
    )


def make_device(owner: Node, spec: DeviceSpec) -> Node:
    """Make a device for a track or chain; its parameters are built when first read."""

    def parameters(node: Node) -> tuple[Node, ...]:
        return tuple(make_parameter(node, one) for one in (catalogue.DEVICE_ON, *spec.parameters))

    made = Node(
        owner.world, spec.kind, owner, spec=spec, name=spec.name, parameters=Later(parameters)
    )
    made.fields["view"] = Later(
        lambda node: Node(node.world, f"{spec.kind}.View", node, collapsed=False)
    )
    if spec.kind == "RackDevice":
        made.fields.update(
            chains=(),
            return_chains=(),
            visible_macro_count=8,
            chain_selector=Later(lambda node: make_parameter(node, catalogue.CHAIN_SELECTOR)),
            drum_pads=Later(_pads) if spec.drums else (),
        )
    if spec.kind == "PluginDevice":
        made.fields.update(selected_preset_index=0)
    return made


def _pads(rack: Node) -> tuple[Node, ...]:
    return tuple(Node(rack.world, "DrumPad", rack, note=note) for note in range(128))


def make_chain(rack: Node, name: str, in_note: int | None = None) -> Node:
    """Make a chain of a rack; of a drum rack with the note that plays it."""
    drums = rack["spec"].drums
    made = Node(
        rack.world,
        "DrumChain" if drums else "Chain",
        rack,
        name=name,
        devices=(),
        color_index=0,
        solo=False,
        mixer_device=Later(_chain_mixer),
    )
    if drums:
        made.fields.update(in_note=in_note or 36, out_note=60, choke_group=0)
    return made


def _chain_mixer(owner: Node) -> Node:
    mixer = Node(owner.world, "ChainMixerDevice", owner, sends=())
    mixer.fields.update(
        volume=make_parameter(mixer, catalogue.CHAIN_VOLUME),
        panning=make_parameter(mixer, catalogue.CHAIN_PANNING),
        chain_activator=make_parameter(mixer, catalogue.CHAIN_ACTIVATOR),
    )
    return mixer


def make_mixer(track: Node) -> Node:
    """Make the mixer of a track, with a send to every return."""
    made = Node(track.world, "MixerDevice", track, crossfade_assign=1, panning_mode=0)
    specs = {
        "volume": catalogue.VOLUME,
        "panning": catalogue.PANNING,
        "track_activator": catalogue.ACTIVATOR,
        "left_split_stereo": catalogue.SPLIT,
        "right_split_stereo": catalogue.SPLIT,
    }
    if track["track_kind"] == MAIN:
        specs.update(
            cue_volume=catalogue.CUE_VOLUME,
            crossfader=catalogue.CROSSFADER,
            song_tempo=catalogue.TEMPO,
        )
    for name, spec in specs.items():
        made.fields[name] = make_parameter(made, spec)
    returns = track.world.song["return_tracks"] if track["track_kind"] != MAIN else ()
    made.fields["sends"] = tuple(make_send(made, number) for number in range(len(returns)))
    return made


def make_send(mixer: Node, number: int) -> Node:
    """Make the send to a return; from a return to a return it is inactive at first."""
    made = make_parameter(mixer, catalogue.SEND, f"{chr(65 + number)} Send")
    owner = mixer.parent
    if owner is not None and owner["track_kind"] == RETURN:
        made.fields["state"] = 1
    return made
