"""New objects of a set, before anybody can see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pybackend.studio.live.devices import AUDIO, GROUP, MAIN, MIDI, make_mixer
from pybackend.studio.live.node import Later, Node

if TYPE_CHECKING:
    from pybackend.studio.live.node import World
    from pybackend.studio.live.notes import Note


def track(world: World, kind: str, name: str | None = None) -> Node:
    """Make a track of one of the five kinds; no name means Live's default name."""
    made = Node(
        world,
        "Track",
        world.song,
        track_kind=kind,
        given_name=name,
        color_index=0,
        devices=(),
        arrangement_clips=(),
        take_lanes=(),
        solo=False,
        arm=False,
        is_frozen=False,
        group_track=None,
        fold_state=False,
        current_monitoring_state=1,
        playing_slot=-1,
        fired_slot=-1,
        born=world.runtime.turn,
        input_type="All Ins" if kind == MIDI else "Ext. In",
        output_type="Ext. Out" if kind == MAIN else world.runtime.live.main_name,
        mixer_device=Later(make_mixer),
    )
    has_slots = kind in (MIDI, AUDIO, GROUP)
    made.fields["clip_slots"] = Later(_slots) if has_slots else ()
    made.fields["view"] = Later(
        lambda node: Node(
            node.world, "Track.View", node, is_collapsed=False, device_insert_mode=0, device=None
        )
    )
    return made


def _slots(owner: Node) -> tuple[Node, ...]:
    return tuple(slot(owner) for _ in owner.world.song["scenes"])


def slot(owner: Node) -> Node:
    """Make an empty clip slot."""
    return Node(owner.world, "ClipSlot", owner, clip=None, has_stop_button=True)


def scene(world: World, name: str = "") -> Node:
    """Make a scene without tempo and signature of its own."""
    return Node(
        world,
        "Scene",
        world.song,
        name=name,
        color_index=None,
        tempo=120.0,
        tempo_enabled=False,
        time_signature_numerator=-1,
        time_signature_denominator=-1,
        time_signature_enabled=False,
    )


def clip(
    owner: Node,
    length: float,
    *,
    midi: bool = True,
    at: float | None = None,
    name: str = "",
    notes: dict[int, Note] | Later | None = None,
    next_note_id: int = 1,
) -> Node:
    """Make a clip for a slot, or for the arrangement of a track where ``at`` says where (beats)."""
    made = Node(
        owner.world,
        "Clip",
        owner,
        name=name,
        color_index=0,
        is_midi=midi,
        muted=False,
        looping=midi,
        loop_from=0.0,
        loop_to=length,
        start_marker=0.0,
        end_marker=length,
        signature_numerator=4,
        signature_denominator=4,
        launch_mode=0,
        launch_quantization=0,
        legato=False,
        velocity_amount=0.0,
        playing=False,
        is_recording=False,
        is_overdubbing=False,
        groove=None,
        selected=frozenset(),
        next_note_id=next_note_id,
        start=at,
        extent=length,
        shown_extent=length,
    )
    made.fields["notes"] = notes if notes is not None else {}
    if not midi:
        made.fields.update(
            file_path="", gain=0.4, pitch_coarse=0, pitch_fine=0.0, warping=True, warp_mode=0
        )
        made.fields.update(ram_mode=False, sample_length=int(length * 22050))
    made.fields["view"] = Later(lambda node: Node(node.world, "Clip.View", node))
    return made


def song(world: World, name: str, file_path: str) -> Node:
    """Make an empty song: no tracks but the main one."""
    transport: dict[str, Any] = {
        "is_playing": False,
        "song_time": 0.0,
        "start_time": 0.0,
        "record_mode": False,
        "session_record": False,
        "arrangement_overdub": False,
        "session_automation_record": False,
        "back_to_arranger": False,
        "metronome": False,
        "loop": False,
        "loop_start": 0.0,
        "loop_length": 16.0,
        "punch_in": False,
        "punch_out": False,
        "clip_trigger_quantization": 4,
    }
    made = Node(
        world,
        "Song",
        None,
        name=name,
        file_path=file_path,
        tracks=(),
        return_tracks=(),
        scenes=(),
        cue_points=(),
        signature_numerator=4,
        signature_denominator=4,
        groove_amount=1.0,
        swing_amount=0.0,
        root_note=0,
        scale_name="Major",
        scale_mode=False,
        tempo_follower_enabled=False,
        is_ableton_link_enabled=False,
        appointed_device=None,
        **transport,
    )
    world.song = made
    made.fields["master_track"] = track(world, MAIN, world.runtime.live.main_name)
    made.fields["groove_pool"] = Node(world, "GroovePool", made, grooves=())
    made.fields["view"] = Node(
        world,
        "Song.View",
        made,
        selected_track=made.fields["master_track"],
        selected_scene=None,
        selected_parameter=None,
        selected_chain=None,
        detail_clip=None,
        highlighted_clip_slot=None,
        follow_song=False,
        draw_mode=False,
    )
    return made


def copy(node: Node, owner: Node) -> Node:
    """Make a copy of a node and all that it owns."""
    made = Node(node.world, node.kind, owner)
    for name, value in node.fields.items():
        if name == "parent":
            continue
        if isinstance(value, Node) and value.parent is node:
            made.fields[name] = copy(value, made)
        elif isinstance(value, tuple) and value and isinstance(value[0], Node):
            made.fields[name] = tuple(copy(child, made) for child in value)
        else:
            made.fields[name] = value
    return made
