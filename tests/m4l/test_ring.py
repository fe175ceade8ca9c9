from __future__ import annotations

import pytest

from m4l import ring
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_FIELDS, SEQ_MODULUS


def test_fields_are_the_wire_after_the_instance() -> None:
    names = [field.name for field in FRAME_FIELDS]
    assert list(ring.FIELDS) == names[names.index("instance") + 1 :]
    assert names[: names.index("instance") + 1] == ["protocol", "instance"]
    for name, where in ring.FIELDS.items():
        wire = FRAME_COLUMNS[name]
        assert (where.start + 2, where.stop + 2) == (wire.start, wire.stop)


def test_values_fill_a_frame_without_gaps() -> None:
    places = [k for where in ring.FIELDS.values() for k in range(where.start, where.stop)]
    assert places == list(range(ring.VALUES))
    assert ring.VALUES <= ring.STRIDE


@pytest.mark.parametrize(
    ("frame", "value", "expected"),
    [(0, 0, 0), (0, 43, 43), (1, 0, 64), (63, 43, 4075), (64, 0, 0), (SEQ_MODULUS, 5, 5)],
)
def test_place(frame: int, value: int, expected: int) -> None:
    assert ring.place(frame, value) == expected


def test_places_of_the_last_frames_are_all_different() -> None:
    places = {
        ring.place(frame, value)
        for frame in range(1000, 1000 + ring.RING_FRAMES)
        for value in range(ring.VALUES)
    }
    assert len(places) == ring.RING_FRAMES * ring.VALUES
    assert max(places) < ring.RING_SAMPLES
