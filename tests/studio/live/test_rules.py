"""Naive code passes with a rule off and fails with it on: no rule is decoration."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from pybackend.studio.live import LiveCrashed, Rules, StudioHost

LENIENT = Rules(**{one.name: False for one in fields(Rules)})


def owner_thread(host: StudioHost) -> bool:
    got: list[Any] = []
    song = host.song
    thread = threading.Thread(target=lambda: got.append(_quiet(lambda: song.tempo)))
    thread.start()
    thread.join()
    return got == [120.0]


def _quiet(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except BaseException:  # noqa: BLE001 - the rule's own exception is one
        return None


def fresh_wrappers(host: StudioHost) -> bool:
    return host.song.tracks[0] is host.song.tracks[0]


def dead_objects(host: StudioHost) -> bool:
    track = host.song.tracks[0]
    host.song.delete_track(0)
    return bool(track.name)


def strict_arguments(host: StudioHost) -> bool:
    host.song.tempo = "96"
    return host.song.tempo == 96.0


def raising_kinds(host: StudioHost) -> bool:
    song = host.song
    every = [*song.tracks, *song.return_tracks, song.master_track]
    return [one.arm for one in every] == [False] * 4


def value_limits(host: StudioHost) -> bool:
    volume = host.song.tracks[0].mixer_device.volume
    volume.value = 0.7
    return volume.value == 0.7


def deferred_commits(host: StudioHost) -> bool:
    host.song.loop = True
    return host.song.loop


def notification_guard(host: StudioHost) -> bool:
    song = host.song
    volume = song.tracks[0].mixer_device.volume

    def react() -> None:
        volume.value = 0.5

    song.add_tempo_listener(react)
    song.tempo = 90.0
    return volume.value == 0.5


def note_limits(host: StudioHost) -> bool:
    clip = host.song.tracks[0].clip_slots[0].clip
    silent = host.modules["Live.Clip"].MidiNoteSpecification(
        pitch=60, start_time=8.0, duration=1.0, velocity=0.0
    )
    return len(clip.add_new_notes([silent])) == 1


def arrangement_overwrites(host: StudioHost) -> bool:
    track = host.song.tracks[0]
    first = track.create_midi_clip(0.0, 8.0)
    track.create_midi_clip(4.0, 8.0)
    return first.end_time == 8.0


def timer_dies_on_error(host: StudioHost) -> bool:
    fired = []

    def callback() -> None:
        fired.append(1)
        if len(fired) == 1:
            raise ValueError("once")

    timer = host.modules["Live.Base"].Timer(callback, 10, True, True)
    host.run(0.5)
    timer.stop()
    return len(fired) > 2


def one_deletion_per_turn(host: StudioHost) -> bool:
    host.song.create_midi_track(-1)
    host.song.delete_track(2)
    host.song.delete_track(1)
    return len(host.song.tracks) == 1


def reentrant_calls(host: StudioHost) -> bool:
    depth, deepest = [0], [0]

    def callback() -> None:
        depth[0] += 1
        deepest[0] = max(deepest[0], depth[0])
        host.clock.wait_until(host.clock() + 0.1)
        if depth[0] == 1:
            host.song.tracks[0].insert_device("Utility")
        depth[0] -= 1

    timer = host.modules["Live.Base"].Timer(callback, 10, True, True)
    host.run(0.3)
    timer.stop()
    return deepest[0] == 1


def reuse_pointers(host: StudioHost) -> bool:
    song = host.song
    track = song.create_midi_track(-1)
    old = track._live_ptr
    song.delete_track(2)
    return all(song.create_midi_track(-1)._live_ptr != old for _ in range(3))


def costs(host: StudioHost) -> bool:
    before_s = host.clock()
    _ = [one.value for one in host.song.tracks[0].devices[0].parameters]
    return host.clock() == before_s


NAIVE = [
    owner_thread,
    fresh_wrappers,
    dead_objects,
    strict_arguments,
    raising_kinds,
    value_limits,
    deferred_commits,
    notification_guard,
    note_limits,
    arrangement_overwrites,
    timer_dies_on_error,
    one_deletion_per_turn,
    reentrant_calls,
    reuse_pointers,
    costs,
]


def test_every_rule_has_its_naive_code() -> None:
    assert [one.__name__ for one in NAIVE] == [one.name for one in fields(Rules)]


@pytest.mark.parametrize("naive", NAIVE, ids=lambda one: one.__name__)
def test_a_rule_bites_when_it_is_on(naive: Callable[[StudioHost], bool]) -> None:
    with StudioHost("12.4", set="tiny", rules=LENIENT) as host:
        assert naive(host)
    rules = replace(LENIENT, **{naive.__name__: True})
    with (
        StudioHost("12.4", set="tiny", rules=rules) as host,
        contextlib.suppress(RuntimeError, TypeError, LiveCrashed),
    ):
        assert not naive(host)  # or it raises, which is the other way to bite
