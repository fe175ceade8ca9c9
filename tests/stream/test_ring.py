from __future__ import annotations

import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.stream.protocol import FRAME_WIDTH, SEQ_MODULUS, column
from pybackend.stream.ring import RING_FRAMES, FrameLog, Ring


def block(index: list[int], first_seq: int = 0):
    """Rows whose song_beats name their index, received every 50 ms."""
    rows = np.zeros((len(index), FRAME_WIDTH), dtype=np.float32)
    rows[:, column("song_beats")] = index
    rows[:, column("seq")] = (np.array(index) + first_seq) % SEQ_MODULUS
    places = np.array(index, dtype=np.int64)
    return rows, places * 0.05, places


def names(frames) -> list[int]:
    return frames.column("song_beats").astype(int).tolist()


@settings(deadline=None)
@given(st.lists(st.integers(0, 25), max_size=8))
def test_the_newest_frames_stay(sizes):
    ring, total = Ring(10), 0
    for size in sizes:
        ring.append(*block(list(range(total, total + size))))
        total += size
    held = list(range(max(0, total - 10), total))
    assert names(ring.all()) == held
    assert len(ring) == len(held)
    assert ring.written == total
    assert ring.all().received_s.tolist() == [0.05 * i for i in held]


def test_values_are_float64_copies():
    ring = Ring(4)
    ring.append(*block([0, 1]))
    frames = ring.all()
    assert frames.values.dtype == np.float64
    ring.append(*block([2, 3, 4, 5]))
    assert names(frames) == [0, 1]


def test_late_frames_are_given_in_their_place():
    for store in (Ring(8), FrameLog()):
        store.append(*block([0, 1, 3, 2]))
        store.append(*block([5, 4]))
        assert names(store.all()) == [0, 1, 2, 3, 4, 5]
        assert (np.diff(store.all().received_s) > 0).all()


def test_windows_by_time_counter_and_mark():
    ring = Ring(100)
    ring.append(*block(list(range(40)), first_seq=SEQ_MODULUS - 20))
    assert names(ring.last(0.5)) == list(range(30, 40))
    assert names(ring.last(1e9)) == list(range(40))
    assert names(ring.between(0.5, 0.75)) == [10, 11, 12, 13, 14]
    assert names(ring.between_seq(SEQ_MODULUS - 2, 1)) == [18, 19, 20, 21]
    assert names(ring.between_seq(3, 3)) == [23]
    mark = ring.written
    frames, mark = ring.since(mark)
    assert len(frames) == 0
    ring.append(*block([40, 41]))
    frames, mark = ring.since(mark)
    assert (names(frames), mark) == ([40, 41], 42)
    ring.append(*block(list(range(42, 242))))
    assert names(ring.since(mark)[0]) == list(range(142, 242))


def test_empty_stores_give_no_frames():
    for store in (Ring(4), FrameLog()):
        store.append(*block([]))
        assert store.all().values.shape == (0, FRAME_WIDTH)
    assert len(Ring(4).last(10.0)) == 0
    assert len(FrameLog().all()) == 0


def test_a_ring_holds_ten_minutes_and_never_grows():
    ring = Ring()
    assert RING_FRAMES == 12000
    rows, times_s, index = block(list(range(200)))
    tracemalloc.start()
    for start in range(0, 3 * RING_FRAMES, 200):
        ring.append(rows, times_s, index + start)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(ring) == RING_FRAMES
    assert grown < 50_000


def test_readers_see_whole_blocks_while_another_thread_appends():
    ring, stop, wrong = Ring(500), threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            found = names(ring.all())
            if found and found != list(range(found[0], found[0] + len(found))):
                wrong.append(found)

    reader = threading.Thread(target=read)
    reader.start()
    for start in range(0, 30_000, 30):
        ring.append(*block(list(range(start, start + 30))))
    stop.set()
    reader.join()
    assert not wrong
    assert names(ring.all()) == list(range(29_500, 30_000))


@pytest.mark.parametrize("store", [Ring(1000), FrameLog()])
def test_float32_holds_every_number_of_the_wire(store):
    rows, times_s, index = block([0])
    rows[0, column("instance")] = 2**24 - 1
    store.append(rows, times_s, index)
    assert store.all().column("instance").tolist() == [2**24 - 1]
