from __future__ import annotations

import socket
import struct
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.config import RECEIVE_BUFFER_BYTES
from pybackend.stream.batch import BATCH_DATAGRAMS, SLOT_BYTES, Batch
from pybackend.stream.codec import ARGUMENTS_AT, MAX_DATAGRAM_BYTES, Reject, decode, limits
from pybackend.stream.protocol import FRAME_FIELDS, FRAME_WIDTH, column


def batch_of(datagrams: list[bytes]) -> Batch:
    batch = Batch()
    for i, datagram in enumerate(datagrams):
        batch.add(datagram, float(i))
    return batch


def assert_equal_to_decode(datagrams: list[bytes], same_numbers) -> None:
    is_frame, rows = batch_of(datagrams).frames()
    assert len(rows) == len(datagrams)
    for datagram, accepted, row in zip(datagrams, is_frame, rows, strict=True):
        decoded = decode(datagram)
        assert bool(accepted) == isinstance(decoded, tuple)
        if accepted:
            assert same_numbers(row.astype(float), decoded)


words = st.one_of(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0x7F800001, 0x7FC00000, 0xFF800000, 0x80000000, 1, 0x80000001, 0x7F7FFFFF]),
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 500), st.lists(st.tuples(st.integers(0, 45), words), max_size=3)),
        max_size=12,
    )
)
def test_the_vector_path_equals_decode(make_frame, same_numbers, recipes):
    datagrams = []
    for seq, changes in recipes:
        frame = bytearray(make_frame(seq=seq))
        for i, bits in changes:
            struct.pack_into(">I", frame, ARGUMENTS_AT + 4 * i, bits)
        datagrams.append(bytes(frame))
    assert_equal_to_decode(datagrams, same_numbers)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 250), st.binary(max_size=8), st.integers(0, 250)), max_size=12
    )
)
def test_the_vector_path_equals_decode_on_garbage(make_frame, same_numbers, recipes):
    frame = make_frame(seq=3)
    datagrams = [
        (frame[:at] + patch + frame[at + len(patch) :])[:length] for at, patch, length in recipes
    ]
    assert_equal_to_decode(datagrams, same_numbers)


def test_limits_and_rates_decide_alike(make_frame, same_numbers):
    datagrams = []
    for i, (low, high) in enumerate(limits(FRAME_FIELDS)):
        for bound in (low, high):
            for value in np.float32([bound, np.nextafter(np.float32(bound), np.float32(np.inf))]):
                frame = bytearray(make_frame())
                integer = FRAME_FIELDS[i].tag == "i" if i < 3 else False
                struct.pack_into(
                    ">i" if integer else ">f",
                    frame,
                    ARGUMENTS_AT + 4 * i,
                    int(value) if integer else float(value),
                )
                datagrams.append(bytes(frame))
    datagrams += [make_frame(sample_rate=rate) for rate in (8000, 22050, 40000, 40001, 44100)]
    assert_equal_to_decode(datagrams[:BATCH_DATAGRAMS], same_numbers)


def test_integers_that_float32_would_round_are_rejected(make_frame, same_numbers):
    frame = bytearray(make_frame())
    struct.pack_into(">i", frame, ARGUMENTS_AT + 4 * column("instance"), 2**24 + 1)
    assert_equal_to_decode([bytes(frame)], same_numbers)


def test_rows_do_not_change_when_the_batch_is_filled_again(make_frame):
    batch = batch_of([make_frame(seq=1)])
    _, rows = batch.frames()
    before = rows.copy()
    batch.clear()
    batch.add(make_frame(seq=2), 9.0)
    assert (rows == before).all()
    assert rows.shape == (1, FRAME_WIDTH)


def test_a_batch_says_when_it_is_full(make_frame):
    batch = Batch()
    full = [batch.add(make_frame(seq=i), float(i)) for i in range(BATCH_DATAGRAMS)]
    assert full == [False] * (BATCH_DATAGRAMS - 1) + [True]
    assert batch.times_s.tolist() == list(range(BATCH_DATAGRAMS))


def test_a_batch_takes_what_waits_at_a_socket(make_frame):
    frames = [make_frame(seq=i) for i in range(3)]
    oversize = b"/" * 4000
    batch = Batch()
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        receiver.bind(("127.0.0.1", 0))
        receiver.setblocking(False)
        assert not batch.receive(receiver, time.perf_counter)
        assert len(batch) == 0
        for datagram in (*frames, b"", oversize):
            sender.sendto(datagram, receiver.getsockname())
        ticks = iter(range(100))
        assert not batch.receive(receiver, lambda: float(next(ticks)))
        assert len(batch) == 5
        for i in range(BATCH_DATAGRAMS):
            sender.sendto(frames[i % 3], receiver.getsockname())
        assert batch.receive(receiver, time.perf_counter)
    assert [batch.payload(i) for i in range(4)] == [*frames, b""]
    assert batch.payload(4) == oversize[:SLOT_BYTES]
    assert decode(batch.payload(4)) is Reject.OVERSIZE
    assert SLOT_BYTES > MAX_DATAGRAM_BYTES
    assert batch.times_s[:5].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert len(batch) == BATCH_DATAGRAMS


class FailingSocket:
    """Raises what it is given, and puts the datagrams between into the buffer."""

    def __init__(self, *events: bytes | OSError) -> None:
        self._events = iter(events)

    def recv_into(self, slot: memoryview) -> int:
        event = next(self._events)
        if isinstance(event, OSError):
            raise event
        slot[: len(event)] = event
        return len(event)


def test_windows_errors_end_a_turn_and_lose_nothing():
    batch = Batch()
    source = FailingSocket(b"one", OSError(10040, "too long"), b"two", ConnectionResetError())
    assert not batch.receive(source, lambda: 1.0)
    assert [len(batch.payload(i)) for i in range(len(batch))] == [3, SLOT_BYTES]
    assert not batch.receive(source, lambda: 2.0)
    assert batch.payload(2) == b"two"
    assert batch.times_s.tolist() == [1.0, 1.0, 2.0]
    with pytest.raises(OSError, match="bad descriptor"):
        batch.receive(FailingSocket(b"three", OSError(9, "bad descriptor")), lambda: 3.0)
    assert batch.payload(3) == b"three"
