"""Layout of the ring through which frames leave ``gen~``, derived from the protocol's table.

After a frame has ended, ``gen~`` hands out its values one per sample, each with its place in a
``buffer~`` that holds the last frames. Messages read whole frames from there, so that a late poll
loses nothing and finds no half-written frame. The messages add protocol number and instance.
"""

from __future__ import annotations

from typing import Final

from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_WIDTH, SEQ_MODULUS, column

RING_FRAMES: Final = 64
"""Frames that the ring holds: 3.2 s."""
STRIDE: Final = 64
"""Places per frame; those after the last value stay empty."""
RING_SAMPLES: Final = RING_FRAMES * STRIDE

FIRST_COLUMN: Final = column("instance") + 1
"""Column of a wire frame that stands first in the ring."""
VALUES: Final = FRAME_WIDTH - FIRST_COLUMN
"""Numbers of one frame in the ring."""

FIELDS: Final = {
    name: slice(where.start - FIRST_COLUMN, where.stop - FIRST_COLUMN)
    for name, where in FRAME_COLUMNS.items()
    if where.start >= FIRST_COLUMN
}
"""Places of each field within a frame of the ring, in order."""

INLETS: Final = ("left", "right", "song_beats", "bar", "beats_per_bar", "tempo", "flags")
"""Signals into ``gen~``; the last is the number that the protocol describes."""
OUTLETS: Final = ("value", "index", "counter")
"""Signals out of ``gen~``: a value, its place in the ring (-1 when there is none), and the count of
frames that are completely written, modulo ``SEQ_MODULUS``."""


def place(frame: int, value: int) -> int:
    """Place in the ring of a value of a frame, both counted from 0."""
    return frame % RING_FRAMES * STRIDE + value


if STRIDE < VALUES or SEQ_MODULUS % RING_FRAMES:
    raise AssertionError("the ring does not fit the protocol's table")
