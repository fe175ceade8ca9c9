from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.stream.codec import Hello, Reject, encode_hello
from pybackend.stream.intake import MAX_INSTANCES, Intake
from pybackend.stream.protocol import column
from pybackend.stream.ring import FrameLog, Ring


def hello(instance: int, kind: int = 0, index: int = -1) -> bytes:
    return encode_hello(Hello(instance, (0, 1, 0), 48000.0, 1, kind, index))


def torn(frame: bytes) -> bytes:
    return frame[:-4] + b"\x49\x00\x00\x00"


def state(intake: Intake) -> dict[str, object]:
    """Everything an intake tells, comparable."""
    return {
        "datagrams": intake.datagrams,
        "rejects": dict(intake.rejects),
        "devices": [asdict(device) for device in intake.devices()],
        "frames": {
            instance: (
                intake.store(instance).all().values.tolist(),
                intake.store(instance).all().received_s.tolist(),
            )
            for instance in intake.instances
        },
    }


def test_streams_of_several_devices_are_kept_apart(make_frame, feed):
    intake = Intake(Ring)
    datagrams = []
    for seq in range(50):
        datagrams += [(seq * 0.05, make_frame(instance, seq)) for instance in (11, 22, 33)]
    feed(intake, datagrams)
    assert intake.instances == (11, 22, 33)
    for device in intake.devices():
        frames = intake.store(device.instance).all()
        assert set(frames.column("instance")) == {device.instance}
        assert frames.column("seq").tolist() == list(range(50))
        assert (device.stats.received, device.stats.lost) == (50, 0)
    assert intake.datagrams == 150
    assert intake.rejects == {}


def test_garbage_is_counted_by_reason_and_harms_nothing(make_frame, feed):
    intake = Intake(Ring)
    feed(
        intake,
        [
            (0.0, make_frame(7, 1)),
            (0.1, b"noise"),
            (0.2, torn(make_frame(7, 2))),
            (0.3, torn(make_frame(8, 2))),
            (0.4, make_frame(7, 3)[:-1]),
            (0.5, make_frame(7, 4)),
        ],
    )
    assert intake.rejects == {Reject.NOT_OSC: 1, Reject.TORN: 2, Reject.LENGTH: 1}
    (device,) = intake.devices()
    assert (device.stats.received, device.stats.lost, device.stats.torn) == (2, 2, 1)


def test_the_latest_hello_is_kept(feed):
    intake = Intake(Ring)
    feed(intake, [(1.0, hello(7, kind=1, index=3)), (3.0, hello(7, kind=1, index=4))])
    (device,) = intake.devices()
    assert device.hello == Hello(7, (0, 1, 0), 48000.0, 1, 1, 4)
    assert (device.hellos, device.first_s, device.last_s) == (2, 1.0, 3.0)
    assert device.stats.last_s is None
    assert not device.is_master


def test_two_masters_are_found(feed):
    intake = Intake(Ring)
    feed(
        intake,
        [
            (t, hello(instance, kind))
            for t in (0.0, 2.0, 4.0)
            for instance, kind in ((7, 0), (8, 0), (9, 2))
        ],
    )
    assert [device.instance for device in intake.masters()] == [7, 8]
    assert [device.instance for device in intake.masters(9.0)] == [7, 8]
    assert intake.masters(9.1) == ()


def test_a_device_loaded_again_replaces_the_one_that_fell_silent(make_frame, feed):
    intake = Intake(Ring)
    feed(intake, [(0.0, hello(7)), (0.1, make_frame(7, 1)), (2.0, hello(7))])
    feed(intake, [(3.0, hello(8)), (3.1, make_frame(8, 0)), (3.2, hello(9, kind=1, index=0))])
    assert [device.restart_of for device in intake.devices()] == [None, 7, None]
    assert [device.instance for device in intake.masters()] == [8]
    feed(intake, [(4.1, make_frame(7, 42))])
    assert [device.instance for device in intake.masters()] == [7, 8]


def test_invented_instances_cannot_fill_the_memory(make_frame, feed):
    intake = Intake(Ring)
    feed(intake, [(0.0, make_frame(1 + i, 0)) for i in range(1000)] + [(0.1, hello(5000))])
    assert len(intake.instances) == MAX_INSTANCES
    assert intake.rejects == {Reject.TOO_MANY_INSTANCES: 1000 - MAX_INSTANCES + 1}
    feed(intake, [(0.2, make_frame(1, 1))])
    assert intake.devices()[0].stats.received == 2


def test_who_was_silent_for_long_gives_way(make_frame, feed):
    intake = Intake(Ring, max_instances=2, forget_after_s=10.0)
    feed(intake, [(0.0, make_frame(1, 0)), (5.0, make_frame(2, 0)), (10.0, make_frame(3, 0))])
    assert intake.instances == (1, 2)
    feed(intake, [(10.1, make_frame(3, 1))])
    assert intake.instances == (2, 3)
    assert intake.rejects == {Reject.TOO_MANY_INSTANCES: 1}


def test_an_unknown_device_has_no_frames():
    with pytest.raises(KeyError):
        Intake(Ring).store(1)


kinds = st.sampled_from(["frame"] * 8 + ["hello", "torn", "noise", "repeat", "skip"])


@settings(max_examples=80, deadline=None)
@given(
    events=st.lists(
        st.tuples(kinds, st.integers(1, 5), st.sampled_from([0.01, 0.05, 3.0, 9.0])), max_size=60
    ),
    size=st.integers(1, 60),
    room=st.integers(1, 5),
)
def test_batches_change_nothing(make_frame, feed, events, size, room):
    seqs = dict.fromkeys(range(1, 6), 0)
    now_s, datagrams = 0.0, []
    for kind, instance, pause_s in events:
        now_s += pause_s
        seqs[instance] += {"repeat": 0, "skip": 3}.get(kind, 1)
        frame = make_frame(instance, seqs[instance])
        made = {"hello": hello(instance), "torn": torn(frame), "noise": b"\0noise"}
        datagrams.append((now_s, made.get(kind, frame)))
    one_by_one, grouped = (
        Intake(FrameLog, max_instances=room, forget_after_s=10.0) for _ in range(2)
    )
    feed(one_by_one, datagrams, 1)
    feed(grouped, datagrams, size)
    assert state(grouped) == state(one_by_one)


def test_unavailable_bands_reach_the_store_as_nan(make_frame, feed):
    intake = Intake(Ring)
    feed(intake, [(0.0, make_frame(7, 0, sample_rate=22050.0))])
    values = intake.store(7).all().values[0]
    assert math.isnan(values[column("band_power") + 8])
    assert np.isfinite(values[column("band_power")])
