"""Members that raise by kind, with the words that were measured on Live."""

from __future__ import annotations

from typing import Any

import pytest

from pybackend.studio.live import Studio, install


@pytest.mark.parametrize(
    ("name", "member", "message"),
    [
        ("Rhythm", "arm", "Main and Return Tracks have no 'Arm' state!"),
        ("A-Reverb", "arm", "Main and Return Tracks have no 'Arm' state!"),
        ("Main", "arm", "Main and Return Tracks have no 'Arm' state!"),
        ("Main", "mute", "Main track has no 'mute' property!"),
        ("Main", "solo", "Main track has no 'solo' property!"),
        ("Main", "muted_via_solo", "Main track has no"),
        ("Rhythm", "arrangement_clips", "Main, Group and Return Tracks have no arrangement clips"),
        ("A-Reverb", "arrangement_clips", "have no arrangement clips"),
        ("Main", "arrangement_clips", "have no arrangement clips"),
        ("Drums", "fold_state", "foldable"),
        ("7-MIDI", "output_meter_left", "MIDI tracks have no 'output_meter_left' property!"),
    ],
)
def test_members_that_do_not_apply_raise(
    track: dict[str, Any], name: str, member: str, message: str
) -> None:
    one = track[name]
    assert hasattr(type(one), member)
    with pytest.raises(RuntimeError, match=message):
        getattr(one, member)
    with pytest.raises(RuntimeError):
        getattr(one, member, None)
    adder = getattr(one, f"add_{member}_listener", None)
    if adder is not None:
        with pytest.raises(RuntimeError, match=message):
            adder(print)


@pytest.mark.parametrize("member", ["crossfader", "cue_volume", "song_tempo"])
def test_only_the_main_mixer_has_these(track: dict[str, Any], member: str) -> None:
    assert getattr(track["Main"].mixer_device, member).name
    with pytest.raises(RuntimeError, match="Only the main track has"):
        getattr(track["Bass"].mixer_device, member)


def test_the_main_mixer_has_no_sends_and_no_crossfade(track: dict[str, Any]) -> None:
    assert len(track["Main"].mixer_device.sends) == 0
    with pytest.raises(RuntimeError):
        _ = track["Main"].mixer_device.crossfade_assign


def test_a_parameter_has_items_or_a_default(track: dict[str, Any]) -> None:
    switch, band = track["Vocal"].devices[0].parameters[0], track["Vocal"].devices[0].parameters[4]
    assert list(switch.value_items) == ["Off", "On"]
    with pytest.raises(RuntimeError, match="There is no default value"):
        _ = switch.default_value
    with pytest.raises(RuntimeError, match="Only quantized parameters have value items"):
        _ = band.value_items
    assert band.default_value == 0.0


def test_kinds_of_tracks(track: dict[str, Any]) -> None:
    assert track["Rhythm"].is_foldable
    assert track["Rhythm"].has_audio_input
    assert track["Drums"].group_track == track["Rhythm"]
    assert track["Drums"].is_grouped
    assert not track["A-Reverb"].can_be_armed
    assert track["Drums"].has_midi_input
    assert track["7-MIDI"].has_midi_output
    assert track["Drums"].has_audio_output
    assert len(track["A-Reverb"].clip_slots) == 0
    slots = track["Rhythm"].clip_slots
    assert len(slots) == 4
    assert all(slot.is_group_slot and not slot.has_clip for slot in slots)


def test_audio_and_midi_clips_refuse_each_others_members(track: dict[str, Any]) -> None:
    audio, midi = track["Vocal"].arrangement_clips[0], track["Keys"].arrangement_clips[0]
    assert audio.gain == 0.4
    with pytest.raises(RuntimeError, match="'gain'"):
        _ = midi.gain
    with pytest.raises(RuntimeError, match="MIDI clips only"):
        audio.get_all_notes_extended()


def test_the_master_is_called_so_in_live_11() -> None:
    with install("11.3") as live:
        assert live.song.master_track.name == "Master"
        with pytest.raises(RuntimeError, match="Master track has no 'mute' property!"):
            _ = live.song.master_track.mute


def test_a_return_keeps_its_letter_and_gets_another_with_every_rename(
    track: dict[str, Any],
) -> None:
    track["B-Delay"].name = "B-Echo"
    assert track["B-Delay"].name == "B-B-Echo"


def test_default_names_count_tracks_and_change_when_one_goes(
    live: Studio, track: dict[str, Any]
) -> None:
    heard: list[str] = []
    track["7-MIDI"].add_name_listener(lambda: heard.append(live.song.tracks[5].name))
    live.song.delete_track(4)
    assert live.song.tracks[5].name == "6-MIDI"
    assert heard == ["6-MIDI"]


def test_drum_pads_show_the_chains_of_their_notes(track: dict[str, Any]) -> None:
    rack = track["Drums"].devices[0]
    assert rack.can_have_drum_pads
    assert len(rack.drum_pads) == 128
    assert [pad.name for pad in rack.visible_drum_pads if len(pad.chains)] == [
        "Kick",
        "Snare",
        "Hat",
    ]
    with pytest.raises(AttributeError):
        _ = track["Vocal"].devices[0].chains
    inner = rack.chains[0].devices[2]
    assert inner.chains[0].devices[0].name == "Reverb"
    with pytest.raises(RuntimeError, match="drum pads"):
        _ = inner.drum_pads


def test_devices_in_a_rack_that_is_off_are_not_active(track: dict[str, Any]) -> None:
    rack = track["Drums"].devices[0]
    inner = rack.chains[0].devices[0]
    assert inner.is_active
    rack.parameters[0].value = 0.0
    assert not inner.is_active


def test_routing_of_a_new_track_is_known_a_turn_later(live: Studio) -> None:
    live.turn()
    made = live.song.create_audio_track(-1)
    assert [one.display_name for one in made.available_output_routing_types] == [""]
    live.turn()
    offered = made.available_output_routing_types
    bass = next(one for one in offered if one.display_name == "Bass")
    assert bass.attached_object == live.song.tracks[2]
    made.output_routing_type = bass
    assert made.output_routing_type == bass
    with pytest.raises(ValueError, match="not one of"):
        live.song.tracks[0].output_routing_type = type(bass)("Nowhere", "external")
