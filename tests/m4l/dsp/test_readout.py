"""Frames through the ring: late polls, the wrap of the counter, and the wire."""

from __future__ import annotations

import numpy as np
import pytest

from m4l import ring
from pybackend.metering.meter import Meter
from pybackend.stream.codec import decode, encode_frame
from pybackend.stream.protocol import PROTOCOL, SEQ_MODULUS, column

RATE_HZ = 48000
VECTOR = 64
FRAME = RATE_HZ // 20
INSTANCE = 4711


class Reader:
    """The message side: poke~ into a float32 buffer~, polls that read new frames and send them."""

    def __init__(self) -> None:
        self.buffer = np.zeros(ring.RING_SAMPLES, np.float32)
        self.read = 0
        self.sent: list[bytes] = []

    def hear(self, outlets: np.ndarray) -> None:
        """One vector through poke~ (which ignores an index outside of the buffer~)."""
        for value, index, _ in outlets:
            if 0 <= index < len(self.buffer):
                self.buffer[int(index)] = value

    def poll(self, counter: float) -> int:
        """Send the frames that are new; the result is how many."""
        new = (int(counter) - self.read) % SEQ_MODULUS
        for frame in range(self.read, self.read + new):
            start = ring.place(frame, 0)
            values = self.buffer[start : start + ring.VALUES]
            self.sent.append(encode_frame((PROTOCOL, INSTANCE, *values)))
        self.read = int(counter)
        return new


def listen(outlets: np.ndarray, polls_s: np.ndarray, reader: Reader) -> list[int]:
    """Play vectors to a reader that polls at the first vector's end after each given time."""
    polls, found = list(np.round(polls_s * RATE_HZ)), []
    for start in range(0, len(outlets), VECTOR):
        vector = outlets[start : start + VECTOR]
        reader.hear(vector)
        if polls and start + len(vector) >= polls[0]:
            polls = [at for at in polls if at > start + len(vector)]
            found.append(reader.poll(vector[-1, 2]))
    return found


def sound(seconds: float, seed: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 0.2 * rng.standard_normal((round(seconds * RATE_HZ), 2))


@pytest.mark.parametrize("late_s", [0.0, 0.5, 3.0])
def test_a_late_poll_loses_nothing(analyzer, late_s):
    pcm = sound(6.0)
    outlets = analyzer(RATE_HZ).outlets(pcm)
    polls_s = np.arange(0.0, 6.0, 0.015)
    polls_s = polls_s[(polls_s < 1.0) | (polls_s >= 1.0 + late_s)]
    reader = Reader()
    found = listen(outlets, np.append(polls_s, 6.0 - 0.002), reader)
    assert max(1, round(late_s * 20)) <= max(found) < ring.RING_FRAMES
    frames = np.array([decode(datagram) for datagram in reader.sent])
    assert frames[:, column("seq")].tolist() == list(range(119))
    expected = Meter(RATE_HZ, 2).process(pcm).values[:119]
    compared = slice(column("band_power"), column("seq_check"))
    np.testing.assert_allclose(frames[:, compared], expected[:, compared], rtol=1e-6, atol=1e-7)


def test_what_arrives_is_what_was_written(analyzer, parsed_frames):
    """Ring, message and decoder keep every value of a frame, in its place, as float32."""
    pcm = sound(2.0)
    beats = np.arange(len(pcm)) / RATE_HZ * 2.0
    outlets = analyzer(RATE_HZ).outlets(
        pcm, song_beats=beats, bar=np.floor(beats / 4.0), flags=np.full(len(pcm), 7.0)
    )
    reader = Reader()
    listen(outlets, np.arange(0.0, 2.0, 0.015), reader)
    written = parsed_frames(outlets).values[: len(reader.sent)].astype(np.float32)
    written[:, column("instance")] = INSTANCE
    np.testing.assert_array_equal([decode(datagram) for datagram in reader.sent], written)
    assert len(reader.sent) == 39


def test_counter_advances_only_after_the_last_value(analyzer):
    outlets = analyzer(RATE_HZ).outlets(sound(0.5))
    places, counter = outlets[:, 1], outlets[:, 2]
    assert counter[0] == 0.0
    steps = np.flatnonzero(np.diff(counter)) + 1
    last = np.flatnonzero(np.mod(places, ring.STRIDE) == ring.VALUES - 1)
    assert len(steps) == len(last) == 9
    assert (steps == last + 1).all()
    assert (np.diff(counter)[steps - 1] == 1.0).all()
    # The 44 samples after a frame's end carry its values, and no others do.
    writing = np.flatnonzero(places >= 0)
    starts = FRAME * np.arange(1, 10)
    assert writing.tolist() == [s + k for s in starts for k in range(ring.VALUES)]


def test_results_stay_until_the_next_frame(analyzer):
    """Between two frames the ring does not change, whenever it is read."""
    outlets = analyzer(RATE_HZ).outlets(sound(0.5))
    reader = Reader()
    reader.hear(outlets[: 5 * FRAME + ring.VALUES])
    before = reader.buffer.copy()
    reader.hear(outlets[5 * FRAME + ring.VALUES : 6 * FRAME])
    np.testing.assert_array_equal(reader.buffer, before)


def test_wrap_of_the_counter(analyzer):
    """Eight frames across the wrap, which is 14 hours away: the count is set near it."""
    running, reader = analyzer(RATE_HZ), Reader()
    running.outlets(sound(0.02))
    first = SEQ_MODULUS - 4
    running.set_history("seq_z", float(first))
    reader.read = first
    outlets = running.outlets(sound(0.43, seed=8))
    assert sorted(set(outlets[:, 2])) == [0, 1, 2, 3, 4, *range(first + 1, SEQ_MODULUS)]
    listen(outlets, np.arange(0.08, 0.45, 0.015), reader)
    frames = np.array([decode(datagram) for datagram in reader.sent])
    expected = [*range(first, SEQ_MODULUS), 0, 1, 2, 3]
    assert frames[:, column("seq")].tolist() == expected
    assert frames[:, column("seq_check")].tolist() == expected
