"""The built patch, run as Max would, over real UDP into the real receiver."""

from __future__ import annotations

import shutil
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pytest

from m4l import ring
from m4l.extract import codebox_of, load
from m4l.genexpr.c_backend import c_machine
from m4l.genexpr.machine import Machine
from m4l.genexpr.numba_backend import numba_machine
from m4l.genexpr.parser import parse
from pybackend.config import HOST, UDP_PORT
from pybackend.stream.codec import Hello, Reject, decode, encode_frame
from pybackend.stream.protocol import (
    FRAME_FIELDS,
    FRAME_WIDTH,
    MAX_INSTANCE,
    SEQ_MODULUS,
    column,
    type_tags,
)
from pybackend.stream.receiver import Receiver
from tests.m4l.maxsim.engine import Live
from tests.m4l.maxsim.stage import FRAME_MS, Outbox, Stage

Rows = list[list[float]]


@pytest.fixture(scope="module")
def patcher(built: Any) -> dict[str, Any]:
    """Patcher of the release device."""
    return load(built.release).patcher


def make_rows(count: int, first: int = 0, rate_hz: float = 48000.0, flags: int = 5) -> Rows:
    """Frames with a different number in every field, within the plausible range."""
    rng = np.random.default_rng(first)
    fixed = {"protocol": 1, "instance": 1, "flags": flags, "sample_rate": rate_hz}
    rows = []
    for number in range(first, first + count):
        row = []
        for name, low, high, values in ((f.name, f.low, f.high, f.count) for f in FRAME_FIELDS):
            if name in ("seq", "seq_check"):
                row += [float(number % SEQ_MODULUS)]
            elif name in fixed:
                row += [float(fixed[name])]
            else:
                row += rng.uniform(max(low, -90.0), min(high, 90.0), values).tolist()
        rows.append(row)
    return rows


def as_sent(rows: Rows, instance: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What a receiver reads of these frames: 32-bit numbers with the device's own instance."""
    values = np.array(rows)
    values[:, column("instance")] = instance
    return values.astype(np.float32).astype(np.float64)


class Wire:
    """Receiver and sender on a port of their own."""

    def __init__(self, receiver: Receiver, sender: socket.socket) -> None:
        self.receiver = receiver
        self._sender = sender
        self._sent = 0

    def __call__(self, host: str, port: int, datagram: bytes) -> None:
        assert (host, port) == (HOST, UDP_PORT)
        self._sender.sendto(datagram, (host, self.receiver.port))
        self._sent += 1
        if self._sent % 50 == 0:
            self.settle()

    def settle(self) -> None:
        """Wait until everything sent has been taken in."""
        deadline = time.monotonic() + 10.0
        while self.receiver.intake.datagrams < self._sent:
            assert time.monotonic() < deadline
            time.sleep(0.001)

    def values(self, instance: int) -> Any:
        """Frames received from a device, one row each."""
        self.settle()
        return self.receiver.intake.store(instance).all().values

    def device(self, instance: int) -> Any:
        """What the receiver knows of a device."""
        self.settle()
        return next(d for d in self.receiver.intake.devices() if d.instance == instance)


@pytest.fixture
def wire() -> Iterator[Wire]:
    """A receiver on a free port and a way to it."""
    with Receiver(port=0) as receiver, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        yield Wire(receiver, sender)


def instance_of(stage: Stage) -> int:
    """Number that the patch has drawn for its load."""
    packs = [box for box in stage.max.all("pack") if len(box.args) == FRAME_WIDTH]
    return int(packs[0].items[column("instance")])


# ---- frames


@pytest.mark.parametrize("fan_out", ["drawn", "reversed"])
def test_every_frame_arrives_as_it_was_measured(
    patcher: dict[str, Any], wire: Wire, fan_out: Literal["drawn", "reversed"]
) -> None:
    stage = Stage(patcher, wire, fan_out=fan_out)
    rows = make_rows(80)
    stage.play(rows)
    instance = instance_of(stage)
    assert np.array_equal(wire.values(instance), as_sent(rows, instance))
    stats = wire.device(instance).stats
    assert (stats.received, stats.lost, stats.repeats, stats.torn) == (80, 0, 0, 0)
    assert wire.receiver.intake.rejects == {}


def test_the_datagram_is_the_one_the_codec_writes(patcher: dict[str, Any]) -> None:
    outbox = Outbox()
    stage = Stage(patcher, outbox)
    stage.max.advance(1.0)
    outbox.take()  # the hello
    (row,) = make_rows(1)
    stage.play([row])
    row[column("instance")] = instance_of(stage)
    assert outbox.take() == [encode_frame(row)]


def test_flags_leave_as_an_int(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    pack = next(box for box in stage.max.all("pack") if len(box.args) == FRAME_WIDTH)
    kinds = {"i": int, "f": float}
    assert [type(item) for item in pack.items] == [kinds[t] for t in type_tags(FRAME_FIELDS)]


@pytest.mark.parametrize("late_frames", [1, 10, ring.RING_FRAMES - 2])
def test_a_late_poll_loses_nothing(patcher: dict[str, Any], wire: Wire, late_frames: int) -> None:
    stage = Stage(patcher, wire)
    rows = make_rows(20 + late_frames)
    stage.play(rows[:10])
    for row in rows[10 : 10 + late_frames]:
        stage.write(row)
        stage.max.stall(FRAME_MS)
    stage.play(rows[10 + late_frames :])
    values = wire.values(instance_of(stage))
    assert values[:, column("seq")].tolist() == list(range(len(rows)))
    assert np.array_equal(values, as_sent(rows, instance_of(stage)))


def test_after_too_long_a_wait_what_the_ring_holds_is_sent(
    patcher: dict[str, Any], wire: Wire
) -> None:
    stage = Stage(patcher, wire)
    stage.play(make_rows(5))
    for row in make_rows(100, first=5):
        stage.write(row)
        stage.max.stall(FRAME_MS)
    stage.play(make_rows(1, first=105))
    values = wire.values(instance_of(stage))
    newest = list(range(105 - (ring.RING_FRAMES - 1) + 1, 106))
    assert values[:, column("seq")].tolist() == [*range(5), *newest]
    assert wire.device(instance_of(stage)).stats.lost == 105 - 5 - len(newest) + 1


def test_the_counter_wraps(patcher: dict[str, Any], wire: Wire) -> None:
    stage = Stage(patcher, wire)
    stage.counter = start = SEQ_MODULUS - 30
    stage.max.advance(FRAME_MS)  # the ring's old content, once
    wire.settle()
    before = wire.receiver.intake.datagrams
    rows = make_rows(60, first=start)
    stage.play(rows[:25])
    for row in rows[25:40]:  # a late poll across the wrap
        stage.write(row)
        stage.max.stall(FRAME_MS)
    stage.play(rows[40:])
    values = wire.values(instance_of(stage))[-60:]
    assert np.array_equal(values, as_sent(rows, instance_of(stage)))
    assert wire.receiver.intake.datagrams == before + 60 + 1  # and a hello


def test_a_standing_counter_sends_nothing(patcher: dict[str, Any]) -> None:
    outbox = Outbox()
    stage = Stage(patcher, outbox)
    stage.play(make_rows(3))
    outbox.take()
    stage.max.advance(1000.0)
    assert outbox.take() == []


def test_gen_begins_anew(patcher: dict[str, Any], wire: Wire) -> None:
    """After a change of sample rate: the count starts again, old frames are not sent again."""
    stage = Stage(patcher, wire)
    stage.play(make_rows(40))
    stage.live.sample_rate_hz = 96000.0
    stage.counter = 0
    stage.max.one("dspstate~").report()
    later = make_rows(30, rate_hz=96000.0)
    for row in later[:5]:  # and the first poll comes late
        stage.write(row)
        stage.max.stall(FRAME_MS)
    stage.play(later[5:])
    values = wire.values(instance_of(stage))
    assert values[:, column("seq")].tolist() == [*range(40), *range(30)]
    assert np.array_equal(values[40:], as_sent(later, instance_of(stage)))
    stats = wire.device(instance_of(stage)).stats
    assert (stats.sample_rate_changes, stats.repeats, stats.lost) == (1, 0, 0)
    stage.max.advance(2100.0)
    assert wire.device(instance_of(stage)).hello.sample_rate_hz == 96000.0


def test_a_torn_frame_is_dropped_and_the_next_is_whole(patcher: dict[str, Any], wire: Wire) -> None:
    stage = Stage(patcher, wire)
    rows = make_rows(30)
    rows[12][column("seq_check")] = 11.0
    stage.play(rows)
    seqs = wire.values(instance_of(stage))[:, column("seq")].tolist()
    assert seqs == [*range(12), *range(13, 30)]
    stats = wire.device(instance_of(stage)).stats
    assert (stats.torn, stats.lost, stats.repeats) == (1, 1, 0)


def test_an_audio_stop_that_hides_the_counter_repeats_at_worst(
    patcher: dict[str, Any], wire: Wire
) -> None:
    """``snapshot~`` may give 0 while the audio is off; what is sent again is known as a repeat."""
    stage = Stage(patcher, wire)
    rows = make_rows(100)
    stage.play(rows[:70])
    kept, stage.counter = stage.counter, 0
    stage.max.advance(500.0)
    stage.counter = kept
    stage.play(rows[70:])
    values = wire.values(instance_of(stage))
    assert np.array_equal(values, as_sent(rows, instance_of(stage)))
    assert wire.device(instance_of(stage)).stats.lost == 0


# ---- devices


def test_two_devices_side_by_side(patcher: dict[str, Any], wire: Wire) -> None:
    places = ("live_set master_track devices 0", "live_set tracks 3 devices 1")
    stages = [
        Stage(patcher, wire, Live(path=path), seed=seed) for seed, path in enumerate(places, 1)
    ]
    rows = [make_rows(40), make_rows(40, first=200)]
    stages[1].counter = 200
    for i in range(40):
        for stage, own in zip(stages, rows, strict=True):
            stage.play([own[i]])
    instances = [instance_of(stage) for stage in stages]
    assert len(set(instances)) == 2
    assert np.array_equal(wire.values(instances[0]), as_sent(rows[0], instances[0]))
    second = wire.values(instances[1])[-40:]
    assert np.array_equal(second, as_sent(rows[1], instances[1]))
    assert [device.instance for device in wire.receiver.masters()] == instances[:1]
    assert [wire.device(i).hello.kind for i in instances] == [0, 1]


def test_loading_again_is_a_new_device(patcher: dict[str, Any], wire: Wire) -> None:
    old = Stage(patcher, wire, seed=1)
    old.play(make_rows(10))
    old.max.advance(100.0)
    wire.settle()
    new = Stage(patcher, wire, seed=2)
    new.play(make_rows(10))
    wire.settle()
    assert instance_of(old) != instance_of(new)
    assert wire.device(instance_of(new)).restart_of == instance_of(old)
    assert [device.instance for device in wire.receiver.masters()] == [instance_of(new)]


def test_a_preset_keeps_the_number_and_tells_the_address_again(
    patcher: dict[str, Any], wire: Wire
) -> None:
    stage = Stage(patcher, wire)
    rows = make_rows(20)
    stage.play(rows[:10])
    number, sender = instance_of(stage), stage.max.one("udpsend")
    # the address first, and the port once more from the port setting itself
    assert sender.told[-2:] == ["host", "port"]
    sender.told.clear()
    stage.max.one("live.thisdevice").announce()
    stage.max.idle()
    assert sender.told == ["host", "port"]
    stage.play(rows[10:])
    assert instance_of(stage) == number
    assert np.array_equal(wire.values(number), as_sent(rows, number))


def test_instances_use_the_whole_range(patcher: dict[str, Any]) -> None:
    numbers = {instance_of(Stage(patcher, Outbox(), seed=seed)) for seed in range(30)}
    assert len(numbers) == 30
    assert all(1 <= number <= MAX_INSTANCE for number in numbers)
    assert max(numbers) > MAX_INSTANCE // 2


def test_the_port_that_the_user_chooses(patcher: dict[str, Any]) -> None:
    outbox = Outbox()
    stage = Stage(patcher, outbox)
    stage.play(make_rows(2))
    stage.max.one("live.numbox").choose(9801.0)
    stage.play(make_rows(2, first=2))
    assert [port for _, port, _ in outbox.sent] == [9701] * 3 + [9801] * 2
    stage.max.one("live.thisdevice").announce()
    stage.max.idle()
    stage.play(make_rows(1, first=4))
    assert outbox.sent[-1][1] == 9801


# ---- hello


def hellos(datagrams: list[bytes]) -> list[Hello]:
    return [found for found in map(decode, datagrams) if isinstance(found, Hello)]


@pytest.mark.parametrize(
    ("path", "kind", "index"),
    [
        ("live_set master_track devices 0", 0, -1),
        ("live_set tracks 0 devices 2", 1, 0),
        ("live_set tracks 17 devices 0 chains 1 devices 0", 1, 17),
        ("live_set return_tracks 1 devices 0", 2, 1),
    ],
)
def test_hello_says_where_the_device_sits(
    patcher: dict[str, Any], path: str, kind: int, index: int
) -> None:
    outbox = Outbox()
    stage = Stage(patcher, outbox, Live(path=path, sample_rate_hz=44100.0))
    stage.max.advance(10.0)
    (found,) = hellos(outbox.take())
    assert found == Hello(instance_of(stage), (0, 1, 0), 44100.0, 1, kind, index)


def test_hello_follows_a_device_that_is_moved(patcher: dict[str, Any]) -> None:
    outbox = Outbox()
    stage = Stage(patcher, outbox, Live(path="live_set tracks 2 devices 0"))
    stage.max.advance(2100.0)
    stage.live.path = "live_set master_track devices 0"
    stage.max.advance(4000.0)
    places = [(found.kind, found.index) for found in hellos(outbox.take())]
    assert places == [(1, 2), (1, 2), (0, -1), (0, -1)]


def test_hello_comes_every_two_seconds_also_from_a_device_that_is_off(
    patcher: dict[str, Any], wire: Wire
) -> None:
    stage = Stage(patcher, wire)
    stage.play(make_rows(10))
    stage.max.one("live.thisdevice").enable(0)
    stage.max.advance(10000.0)
    device = wire.device(instance_of(stage))
    assert device.hellos == 6
    assert device.hello.flags == 0
    assert device.stats.received == 10
    assert device.stats.is_stale(device.stats.last_s + 6.0)
    stage.max.one("live.thisdevice").enable(1)
    stage.play(make_rows(10, first=10))
    stage.max.advance(2000.0)
    device = wire.device(instance_of(stage))
    assert (device.stats.received, device.stats.lost, device.hello.flags) == (20, 0, 1)


def test_without_an_answer_from_live_there_is_no_hello_but_there_are_frames(
    patcher: dict[str, Any], wire: Wire
) -> None:
    stage = Stage(patcher, wire, Live(path=None))
    rows = make_rows(50)
    stage.play(rows)
    device = wire.device(instance_of(stage))
    assert device.hello is None
    assert device.stats.received == 50


# ---- transport


def carried(stage: Stage) -> dict[str, float]:
    """What ``gen~`` reads besides the sound."""
    return {name: stage.gen.inlet(i) for i, name in enumerate(ring.INLETS) if i > 1}


def test_the_transport_reaches_gen_at_every_poll(patcher: dict[str, Any]) -> None:
    live = Live(running=1, bar=9, signature=(6, 8), samples_per_beat=22050.0, beats=33.25)
    live.sample_rate_hz = 44100.0
    stage = Stage(patcher, Outbox(), live)
    stage.max.advance(20.0)
    assert carried(stage) == {
        "song_beats": 33.25,
        "bar": 9.0,
        "beats_per_bar": 3.0,
        "tempo": 120.0,
        "flags": 5.0,
    }
    live.beats, live.running, live.preview = 40.0, 0, 1
    stage.max.one("live.thisdevice").announce()
    stage.max.advance(15.0)
    assert (carried(stage)["song_beats"], carried(stage)["flags"]) == (40.0, 3.0)


def test_what_plugsync_says_between_polls_changes_nothing(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox(), Live(beats=8.0))
    stage.max.advance(20.0)
    before = carried(stage)
    stage.live.beats = 9.0
    with stage.max.on("scheduler"):
        stage.max.one("plugsync~").report()
    assert carried(stage) == before
    stage.max.advance(15.0)
    assert carried(stage)["song_beats"] == 9.0


def test_an_unknown_transport_is_zero(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox(), Live(synced=False))
    stage.max.advance(20.0)
    assert carried(stage) == dict.fromkeys(ring.INLETS[2:6], 0.0) | {"flags": 1.0}


# ---- the shipped code


def compiled(code: str, rate_hz: float) -> Machine:
    program = parse(code)
    has_compiler = any(map(shutil.which, ("gcc", "cc", "clang")))
    return (c_machine if has_compiler else numba_machine)(program, rate_hz)


def run_code(stage: Stage, machine: Machine, pcm: Any, tick: Callable[[float], None]) -> None:
    """Play sound through the code in steps of 5 ms, in turn with the patch."""
    step = round(stage.live.sample_rate_hz * 0.005)
    for start in range(0, len(pcm), step):
        block = pcm[start : start + step]
        tick((start + step) / stage.live.sample_rate_hz)
        values = [stage.gen.inlet(i) for i in range(2, len(ring.INLETS))]
        inputs = np.column_stack([block, np.tile(values, (len(block), 1))])
        for value, index, counter in machine.run(inputs):
            if index >= 0:
                stage.gen.poke(value, index)
            stage.gen.outlets[ring.OUTLETS.index("counter")] = counter
        stage.max.advance(5.0)


def test_sound_through_code_and_patch_arrives_as_the_backend_measures_it(
    built: Any, patcher: dict[str, Any], wire: Wire
) -> None:
    from pybackend.metering.meter import Meter  # compiles; only this test needs it

    rate_hz, duration_s, tempo_bpm = 48000, 4.0, 126.0
    rng = np.random.default_rng(3)
    pcm = rng.normal(0.0, 0.1, (round(rate_hz * duration_s), 2)) * [1.0, 0.6]
    pcm[:, 1] += 0.5 * pcm[:, 0]
    pcm = np.vstack([pcm, np.zeros((480, 2))])  # the last frame is written out after its end
    live = Live(running=1, samples_per_beat=rate_hz * 60.0 / tempo_bpm, beats=16.0)
    stage = Stage(patcher, wire, live)

    def tick(now_s: float) -> None:
        live.beats = 16.0 + tempo_bpm / 60.0 * now_s
        live.bar = 1 + int(live.beats // 4)

    stage.max.advance(16.0)
    run_code(stage, compiled(codebox_of(built.release), float(rate_hz)), pcm, tick)
    stage.max.advance(20.0)
    values = wire.values(instance_of(stage))
    reference = Meter(rate_hz).process(pcm).values
    assert values[:, column("seq")].tolist() == list(range(80))
    assert wire.receiver.intake.rejects == {}
    measured = slice(column("band_power"), column("seq_check") + 1)
    np.testing.assert_allclose(values[:, measured], reference[:, measured], rtol=2e-5, atol=2e-5)
    ends_s = np.arange(1, 81) * 0.05
    beats = 16.0 + tempo_bpm / 60.0 * ends_s
    assert np.abs(values[2:, column("song_beats")] - beats[2:]).max() < 0.06
    assert set(values[:, column("flags")]) == {5.0}
    np.testing.assert_allclose(values[:, column("tempo")], tempo_bpm, rtol=1e-6)
    assert wire.device(instance_of(stage)).stats.lost == 0
    assert Reject.TORN not in wire.receiver.intake.rejects
