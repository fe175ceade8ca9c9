"""Sets to open: tiny, a band with one of everything that is awkward, and large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import making
from pybackend.studio.live.catalogue import DEVICES, bulk
from pybackend.studio.live.devices import AUDIO, GROUP, MIDI, RETURN, make_chain, make_device
from pybackend.studio.live.node import Later, Node
from pybackend.studio.live.notes import Note

if TYPE_CHECKING:
    from collections.abc import Callable

    from pybackend.studio.live.node import World


def _tracks(world: World, *kinds: tuple[str, str | None]) -> list[Node]:
    made = [making.track(world, kind, name) for kind, name in kinds]
    for node in made:
        node.fields["born"] = -1
    return made


def _scenes(world: World, *names: str) -> None:
    world.song.fields["scenes"] = tuple(making.scene(world, name) for name in names)
    world.song["view"].fields["selected_scene"] = world.song.fields["scenes"][0]


def _cues(world: World, **times: float) -> None:
    world.song.fields["cue_points"] = tuple(
        Node(world, "CuePoint", world.song, name=name, time=time) for name, time in times.items()
    )


def _load(chain: Node, *names: str) -> None:
    chain.fields["devices"] = tuple(make_device(chain, DEVICES[name]) for name in names)


def _fill(track: Node, index: int, name: str, notes: list[Note], length: float) -> Node:
    slot = track["clip_slots"][index]
    numbered = dict(enumerate(notes, 1))
    clip = making.clip(slot, length, name=name, notes=numbered, next_note_id=len(notes) + 1)
    slot.fields["clip"] = clip
    return clip


def tiny(world: World) -> None:
    """Open one MIDI and one audio track, two scenes, one return, one clip with four notes."""
    song = world.song
    _scenes(world, "", "")
    song.fields["return_tracks"] = tuple(_tracks(world, (RETURN, "Reverb")))
    keys, audio = _tracks(world, (MIDI, "Keys"), (AUDIO, None))
    song.fields["tracks"] = (keys, audio)
    song["view"].fields["selected_track"] = keys
    _load(keys, "Operator", "Utility")
    _load(audio, "EQ Eight")
    _fill(keys, 0, "Riff", [Note(60 + n, float(n), 0.5) for n in range(4)], 4.0)


def band(world: World) -> None:
    """Open a small song with groups, racks, returns, frozen and automated things, cue points."""
    song = world.song
    _scenes(world, "Intro", "Verse", "Chorus", "")
    song.fields["return_tracks"] = tuple(_tracks(world, (RETURN, "Reverb"), (RETURN, "Delay")))
    group, drums, bass, keys, vocal, frozen, empty = _tracks(
        world,
        *((GROUP, "Rhythm"), (MIDI, "Drums"), (MIDI, "Bass"), (MIDI, "Keys")),
        *((AUDIO, "Vocal"), (MIDI, "Frozen"), (MIDI, None)),
    )
    song.fields["tracks"] = (group, drums, bass, keys, vocal, frozen, empty)
    song["view"].fields["selected_track"] = drums
    for member in (drums, bass):
        member.fields["group_track"] = group
    frozen.fields["is_frozen"] = True
    _cues(world, Intro=0.0, Verse=32.0, Chorus=64.0)
    _drums(drums)
    _load(bass, "Arpeggiator", "Operator", "Compressor")
    _load(keys, "Operator", "Auto Filter", "Utility")
    _load(vocal, "EQ Eight", "Compressor", "Plug-in")
    _load(frozen, "Operator")
    _load(song["return_tracks"][0], "Reverb")
    _load(song["master_track"], "Limiter", "MoveJudge Analyzer")
    four = [Note(36, float(n), 0.25, expression=7 if n == 2 else 0) for n in range(4)]
    _fill(drums, 0, "Four", four, 4.0)
    _fill(drums, 1, "Verse beat", [Note(38, n / 2.0, 0.25) for n in range(8)], 4.0)
    pickup = [Note(40, -0.5, 0.5), *(Note(43, float(n), 0.9, 90.0) for n in range(6))]
    _fill(bass, 1, "Line", pickup, 4.0).fields["start_marker"] = -1.0
    _fill(frozen, 0, "Ice", [Note(60, 0.0, 1.0)], 4.0)
    notes = {1: Note(72, 0.0, 1.0), 2: Note(76, 1.0, 1.0, 80.0, probability=0.5)}
    keys.fields["arrangement_clips"] = (
        making.clip(keys, 16.0, at=0.0, name="Theme", notes=dict(notes), next_note_id=3),
        making.clip(keys, 8.0, at=32.0, name="Answer", notes=dict(notes), next_note_id=3),
    )
    vocal.fields["arrangement_clips"] = (
        making.clip(vocal, 32.0, midi=False, at=32.0, name="Take 3"),
    )
    threshold = bass["devices"][2]["parameters"][1]
    threshold.fields["is_enabled"] = False
    cutoff = keys["devices"][1]["parameters"][1]
    cutoff.fields.update(automation_state=1, automated_value=0.5, value=0.5)


def _drums(track: Node) -> None:
    rack = make_device(track, DEVICES["Drum Rack"])
    track.fields["devices"] = (rack,)
    chains = []
    for name, note in (("Kick", 36), ("Snare", 38), ("Hat", 42)):
        chain = make_chain(rack, name, note)
        _load(chain, "Operator", "Utility")
        chains.append(chain)
    rack.fields["chains"] = tuple(chains)
    inner = make_device(chains[0], DEVICES["Audio Effect Rack"])
    wet = make_chain(inner, "Wet")
    _load(wet, "Reverb")
    inner.fields["chains"] = (wet,)
    chains[0].fields["devices"] = (*chains[0]["devices"], inner)


def large(
    world: World,
    *,
    tracks: int = 120,
    devices: int = 960,
    parameters: int = 40_000,
    notes: int = 10_000,
    scenes: int = 100,
) -> None:
    """Open a set of a size that few have; parameters, slots and notes are built when read."""
    song = world.song
    _scenes(world, *(f"Scene {n + 1}" for n in range(scenes)))
    song.fields["return_tracks"] = tuple(_tracks(world, *((RETURN, f"R{n}") for n in range(4))))
    kinds = ((MIDI if n % 2 == 0 else AUDIO, f"Track {n + 1}") for n in range(tracks))
    made = _tracks(world, *kinds)
    song.fields["tracks"] = tuple(made)
    song["view"].fields["selected_track"] = made[0]
    per_device, more = divmod(parameters, devices)
    specs = [bulk("Plug A", per_device), bulk("Plug B", per_device + 1)]
    per_track, rest = divmod(devices, tracks)
    number = 0
    for index, track in enumerate(made):
        chain = []
        for _ in range(per_track + (index < rest)):
            chain.append(make_device(track, specs[number < more]))
            number += 1
        track.fields["devices"] = tuple(chain)
    built = Later(lambda _: {n + 1: Note(n % 128, n / 8.0, 0.1) for n in range(notes)})
    made[0].fields["arrangement_clips"] = (
        making.clip(
            made[0], notes / 8.0, at=0.0, name="Dense", notes=built, next_note_id=notes + 1
        ),
    )


SETS: dict[str, Callable[[World], None]] = {"tiny": tiny, "band": band, "large": large}
