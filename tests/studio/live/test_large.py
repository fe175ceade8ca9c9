"""A set of a size that few have."""

from __future__ import annotations

import time

from pybackend.studio.live import install


def test_the_large_set_has_its_size_and_opens_quickly() -> None:
    started_s = time.perf_counter()
    with install("12.4", set="large") as live:
        opened_s = time.perf_counter() - started_s
        song = live.song
        devices = [device for track in song.tracks for device in track.devices]
        assert (len(song.tracks), len(devices)) == (120, 960)
        assert len(song.tracks[0].clip_slots) == 100
        values = [one.value for device in devices for one in device.parameters]
        assert len(values) == 40_000
        dense = song.tracks[0].arrangement_clips[0]
        assert len(dense.get_all_notes_extended()) == 10_000
        assert live.clock() > 40_000 * 4.5e-6
        live.check()
    # Opening builds tracks and devices only; a tenth of a second is ten times what it takes.
    assert opened_s < 0.5
    assert time.perf_counter() - started_s < 10.0
