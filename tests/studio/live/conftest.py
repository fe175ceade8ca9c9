from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pybackend.studio.live import Studio, StudioHost, install


@pytest.fixture
def live() -> Iterator[Studio]:
    """The band's set in Live 12.4; nothing forbidden may have been tried at the end."""
    with install("12.4", set="band", seed=1) as studio:
        yield studio
        studio.check()


@pytest.fixture
def host() -> Iterator[StudioHost]:
    """The tiny set under a loop with a Mac's timers."""
    with StudioHost("12.4", timer="mac", set="tiny", seed=1) as studio:
        yield studio


@pytest.fixture
def track(live: Studio) -> dict[str, Any]:
    """The band's tracks by name."""
    song = live.song
    every = [*song.tracks, *song.return_tracks, song.master_track]
    return {one.name: one for one in every}
