"""EBU Tech 3342 (2023) table 1, loudness range, from frames as a live meter sends them."""

from __future__ import annotations

from pybackend.metering.loudness import loudness_range_lu


def test_loudness_range_from_frames(range_case, rate_hz, frames_of):
    value = loudness_range_lu(frames_of(range_case, rate_hz).column("lufs_s"))
    assert range_case.accepts(value), value
