from __future__ import annotations

import socket
import struct
import threading
import time
import tracemalloc

import numpy as np
import pytest

from pybackend.errors import RecordingError
from pybackend.stream import replay as replay_module
from pybackend.stream.codec import ARGUMENTS_AT, Hello, Reject, encode_hello
from pybackend.stream.intake import Intake
from pybackend.stream.protocol import FRAME_WIDTH, column
from pybackend.stream.recording import Recorder
from pybackend.stream.replay import load_recording, paced, replay, send_datagrams
from pybackend.stream.ring import Ring

START_S = 1_700_000_000.0


@pytest.fixture
def messy(tmp_path, make_frame):
    """Half a second of two devices with loss, a repeat, a late frame, a tear, and garbage."""
    path = tmp_path / "messy.pcap"
    with Recorder(path) as recorder:
        recorder.write(encode_hello(Hello(1, (0, 1, 0), 48000.0, 1, 0, -1)), START_S)
        recorder.write(encode_hello(Hello(2, (0, 1, 0), 48000.0, 1, 1, 0)), START_S + 0.001)
        seqs = [0, 1, 1, 2, 5, 4, 6, 7, 8, 9]
        for i, seq in enumerate(seqs):
            time_s = START_S + 0.01 + 0.05 * i
            recorder.write(make_frame(1, seq), time_s)
            recorder.write(make_frame(2, i, sample_rate=22050.0), time_s + 0.003)
        recorder.write(make_frame(1, 10)[:-4] + b"\x49\0\0\0", START_S + 0.52)
        recorder.write(b"garbage", START_S + 0.53)
    return path


def assert_same_intake(left: Intake, right: Intake) -> None:
    assert left.devices() == right.devices()
    assert left.rejects == right.rejects
    assert left.datagrams == right.datagrams
    for instance in left.instances:
        ours, theirs = left.store(instance).all(), right.store(instance).all()
        np.testing.assert_array_equal(ours.values, theirs.values)
        np.testing.assert_array_equal(ours.received_s, theirs.received_s)


def test_real_time_and_flat_out_give_the_same(messy):
    flat, timed = Intake(Ring), Intake(Ring)
    counts = replay(messy, flat)
    started_s = time.perf_counter()
    assert replay(messy, timed, realtime=True) == counts
    assert time.perf_counter() - started_s >= 0.52
    assert_same_intake(flat, timed)
    first, second = flat.devices()
    assert (first.stats.received, first.stats.lost, first.stats.repeats) == (9, 1, 1)
    assert (first.stats.reordered, first.stats.torn) == (1, 1)
    assert (second.stats.received, second.stats.sample_rate_hz) == (10, 22050.0)
    assert flat.store(1).all().received_s[0] == START_S + 0.01


def test_a_recording_is_loaded_whole(messy):
    recording = load_recording(messy)
    assert [device.instance for device in recording.devices] == [1, 2]
    assert [device.instance for device in recording.masters] == [1]
    assert recording.rejects == {Reject.TORN: 1, Reject.NOT_OSC: 1}
    assert recording.frames[1].column("seq").tolist() == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert recording.capture.datagrams == 24
    assert recording.capture.damage is None
    rung = Intake(Ring)
    replay(messy, rung)
    np.testing.assert_array_equal(recording.frames[2].values, rung.store(2).all().values)


def test_only_one_port_is_read_if_asked(messy):
    assert load_recording(messy, port=9701).frames.keys() == {1, 2}
    other = load_recording(messy, port=1)
    assert not other.frames
    assert other.capture.other_ports == 24


def test_a_cut_recording_is_loaded_up_to_there(messy):
    messy.write_bytes(messy.read_bytes()[:-30])
    recording = load_recording(messy)
    assert "ends inside" in recording.capture.damage
    assert len(recording.frames[1]) == 9


def test_what_cannot_be_loaded_is_refused(tmp_path, monkeypatch, messy):
    with pytest.raises(RecordingError, match="cannot be read"):
        load_recording(tmp_path / "none.pcap")
    monkeypatch.setattr(replay_module, "MAX_RECORDING_BYTES", 1 << 10)
    with pytest.raises(RecordingError, match="is more than"):
        load_recording(messy)


def test_a_replay_can_be_stopped_in_a_pause(tmp_path, make_frame):
    path = tmp_path / "slow.pcap"
    with Recorder(path) as recorder:
        recorder.write(make_frame(seq=0), START_S)
        recorder.write(make_frame(seq=1), START_S + 3600.0)
    stop, intake = threading.Event(), Intake(Ring)

    def stop_after_the_first() -> None:
        while intake.datagrams == 0:
            time.sleep(0.005)
        stop.set()

    watcher = threading.Thread(target=stop_after_the_first, daemon=True)
    watcher.start()
    replay(path, intake, realtime=True, stop=stop)
    watcher.join()
    assert intake.datagrams == 1
    replay(path, intake, stop=stop)
    assert intake.datagrams == 1


def test_pacing_keeps_the_timing():
    datagrams = [(START_S + 0.05 * i, b"") for i in range(5)]
    started_s = time.perf_counter()
    came_s = [time.perf_counter() - started_s for _ in paced(datagrams, 0.5)]
    assert all(came >= 0.1 * i - 1e-3 for i, came in enumerate(came_s))
    started_s = time.perf_counter()
    assert len(list(paced([(START_S, b""), (START_S + 900.0, b"")], 1e5))) == 2
    assert time.perf_counter() - started_s < 5.0


def test_times_that_run_backwards_do_not_stop_a_replay():
    assert len(list(paced([(START_S, b""), (START_S - 50.0, b""), (START_S, b"")], 1.0))) == 3


@pytest.mark.parametrize("realtime", [False, True])
def test_a_recording_is_sent_to_a_port(messy, realtime):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(5.0)
        sent = send_datagrams(messy, receiver.getsockname()[1], realtime=realtime, speed=10.0)
        came = [receiver.recv(2000) for _ in range(sent)]
    assert sent == 24
    assert came[-1] == b"garbage"


def test_a_long_recording_loads_fast_and_fits_into_memory(tmp_path, make_frame):
    path, frames = tmp_path / "long.pcap", 12_000
    templates = [bytearray(make_frame(instance)) for instance in (1, 2)]
    with Recorder(path) as recorder:
        for seq in range(frames):
            for frame in templates:
                for name in ("seq", "seq_check"):
                    struct.pack_into(">f", frame, ARGUMENTS_AT + 4 * column(name), seq)
                recorder.write(bytes(frame), START_S + 0.05 * seq)
    tracemalloc.start()
    started_s = time.perf_counter()
    recording = load_recording(path)
    took_s = time.perf_counter() - started_s
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [device.stats.received for device in recording.devices] == [frames, frames]
    assert [len(found) for found in recording.frames.values()] == [frames, frames]
    # Ten minutes; an hour may take six times as long.
    assert took_s < 10.0
    assert peak_bytes < 2 * frames * FRAME_WIDTH * 8 * 3
