from __future__ import annotations

import socket
import struct
import threading
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from pybackend.config import RECEIVE_BUFFER_BYTES
from pybackend.errors import Busy, InputError
from pybackend.stream.codec import ARGUMENTS_AT, Hello, Reject, encode_hello
from pybackend.stream.protocol import column
from pybackend.stream.receiver import Receiver
from pybackend.stream.recording import Recorder
from pybackend.stream.replay import load_recording, send_datagrams


@pytest.fixture
def send():
    """Send datagrams to a receiver over loopback, a few at a time."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:

        def send(receiver: Receiver, datagrams: list[bytes]) -> None:
            for i, datagram in enumerate(datagrams):
                sender.sendto(datagram, ("127.0.0.1", receiver.port))
                if i % 100 == 99:
                    time.sleep(0.002)

        yield send


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def hello(instance: int, kind: int = 0) -> bytes:
    return encode_hello(Hello(instance, (0, 1, 0), 48000.0, 1, kind, -1))


def test_frames_of_several_devices_arrive(make_frame, send):
    datagrams = [make_frame(i, seq) for seq in range(400) for i in (1, 2, 3)]
    with Receiver(port=0) as receiver:
        before_s = receiver.now_s()
        send(receiver, datagrams)
        wait_for(lambda: receiver.intake.datagrams == 1200)
        after_s = receiver.now_s()
    for instance in (1, 2, 3):
        frames = receiver.intake.store(instance).all()
        assert frames.column("seq").tolist() == list(range(400))
        assert before_s <= frames.received_s[0] <= frames.received_s[-1] <= after_s
        assert (np.diff(frames.received_s) >= 0).all()
    assert abs(before_s - time.time()) < 60.0
    assert receiver.failure is None


def test_loss_repeats_tears_and_garbage_are_accounted_for(make_frame, send):
    torn = make_frame(7, 9)[:-4] + b"\x49\0\0\0"
    datagrams = [make_frame(7, seq) for seq in (0, 1, 1, 4, 3, 6)] + [torn, b"", b"x", b"/" * 9000]
    with Receiver(port=0) as receiver:
        send(receiver, datagrams)
        wait_for(lambda: receiver.intake.datagrams == len(datagrams))
        (device,) = receiver.intake.devices()
        assert not device.stats.is_stale(receiver.now_s())
        assert device.stats.is_stale(receiver.now_s() + 5.1)
    stats = device.stats
    assert (stats.received, stats.lost, stats.gaps, stats.repeats) == (5, 2, 2, 1)
    assert (stats.reordered, stats.torn) == (1, 1)
    assert receiver.intake.rejects == {Reject.TORN: 1, Reject.NOT_OSC: 2, Reject.OVERSIZE: 1}


def test_two_masters_are_reported_while_they_speak(send):
    with Receiver(port=0) as receiver:
        assert receiver.masters() == ()
        send(receiver, [hello(7), hello(8), hello(9, kind=1)])
        time.sleep(1.1)
        send(receiver, [hello(7), hello(8)])
        wait_for(lambda: receiver.intake.datagrams == 5)
        assert [device.instance for device in receiver.masters()] == [7, 8]


def test_what_is_recorded_from_a_tap_replays_to_the_same(tmp_path, make_frame, send):
    path = tmp_path / "take.pcap"
    seqs = [0, 1, 2, 2, 5, 4, 6, *range(7, 300)]
    datagrams = [hello(1), *(make_frame(i, seq) for seq in seqs for i in (1, 2)), b"noise"]
    with Receiver(port=0) as receiver:
        with Recorder(path) as recorder, receiver.tap(recorder.write):
            send(receiver, datagrams)
            wait_for(lambda: recorder.written == len(datagrams))
        send(receiver, [b"after the recording"])
        wait_for(lambda: receiver.intake.datagrams == len(datagrams) + 1)
    recording = load_recording(path)
    assert recording.devices == receiver.intake.devices()
    assert recording.rejects == {Reject.NOT_OSC: 1}
    for instance, frames in recording.frames.items():
        live = receiver.intake.store(instance).all()
        np.testing.assert_array_equal(frames.values, live.values)
        np.testing.assert_array_equal(frames.received_s, live.received_s)

    with Receiver(port=0) as second:
        sent = send_datagrams(path, second.port, speed=2.0)
        wait_for(lambda: second.intake.datagrams == sent)
    for instance, frames in recording.frames.items():
        again = second.intake.store(instance).all()
        np.testing.assert_array_equal(frames.values, again.values)


def test_a_failing_tap_tells_its_user_and_stops_nothing(make_frame, send):
    def broken(payload: bytes, time_s: float) -> None:
        raise RuntimeError("no more tape")

    came: list[bytes] = []

    def listen(receiver: Receiver) -> None:
        with receiver.tap(broken):
            send(receiver, [make_frame(seq=i) for i in range(3)])
            wait_for(lambda: len(came) == 3)

    with Receiver(port=0) as receiver, receiver.tap(lambda payload, _: came.append(payload)):
        with pytest.raises(RuntimeError, match="no more tape"):
            listen(receiver)
        assert receiver.failure is None
        wait_for(lambda: receiver.intake.datagrams == 3)


def test_a_taken_port_names_itself_and_the_way_out():
    with Receiver(port=0) as receiver:
        with pytest.raises(Busy, match=f"port {receiver.port} .*choose another") as caught:
            Receiver(port=receiver.port)
        assert "\n" not in str(caught.value)
        port = receiver.port
    Receiver(port=port).close()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "::1", "example.org", ""])  # noqa: S104
def test_only_loopback_is_listened_at(host):
    with pytest.raises(InputError, match="only loopback"):
        Receiver(port=0, host=host)


def test_localhost_is_loopback():
    Receiver(port=0, host="localhost").close()


@pytest.mark.parametrize("port", [-1, 65536])
def test_impossible_ports_are_refused(port):
    with pytest.raises(InputError, match="ports go from"):
        Receiver(port=port)


def test_closing_frees_thread_and_socket_and_keeps_the_frames(make_frame, send):
    threads = threading.active_count()
    receiver = Receiver(port=0)
    assert receiver.buffer_bytes >= RECEIVE_BUFFER_BYTES // 8
    send(receiver, [make_frame(seq=0)])
    wait_for(lambda: receiver.intake.datagrams == 1)
    receiver.close()
    receiver.close()
    assert threading.active_count() == threads
    assert len(receiver.intake.store(7).all()) == 1


def test_a_thread_that_died_is_not_silent(make_frame, send, monkeypatch):
    def listen() -> None:
        with Receiver(port=0) as receiver:
            monkeypatch.setattr(receiver.intake, "feed", lambda batch: 1 / 0)
            send(receiver, [make_frame()])
            wait_for(lambda: receiver.failure is not None)

    with pytest.raises(ZeroDivisionError):
        listen()


def test_a_busy_program_loses_no_frames(make_frame, send):
    """Six devices at 20 Hz while another Python thread never rests."""
    stop = threading.Event()

    def burn() -> None:
        while not stop.is_set():
            sum(range(1000))

    burner = threading.Thread(target=burn)
    with Receiver(port=0) as receiver:
        burner.start()
        try:
            for seq in range(20):
                send(receiver, [make_frame(i, seq) for i in range(1, 7)])
                time.sleep(0.05)
            wait_for(lambda: receiver.intake.datagrams == 120)
        finally:
            stop.set()
            burner.join()
    assert all(device.stats.lost == 0 for device in receiver.intake.devices())


@pytest.mark.soak
def test_an_hour_of_stream_keeps_memory_flat(make_frame, send):
    """72,000 frames of each of two devices over UDP, as fast as they are taken."""
    templates = {instance: bytearray(make_frame(instance)) for instance in (1, 2)}
    in_use = []
    with Receiver(port=0) as receiver:
        tracemalloc.start()
        for minute in range(60):
            for seq in range(minute * 1200, (minute + 1) * 1200):
                for frame in templates.values():
                    for name in ("seq", "seq_check"):
                        struct.pack_into(">f", frame, ARGUMENTS_AT + 4 * column(name), seq)
                send(receiver, [bytes(frame) for frame in templates.values()])
                if seq % 40 == 0:
                    send(receiver, [hello(1), hello(2, kind=1), b"garbage"])
                    sent = 2 * (seq + 1) + 3 * (seq // 40 + 1)
                    wait_for(lambda sent=sent: receiver.intake.datagrams == sent)
            in_use.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        wait_for(lambda: receiver.intake.datagrams == 2 * 72_000 + 3 * 1800)
    for device in receiver.intake.devices():
        assert (device.stats.received, device.stats.lost) == (72_000, 0)
        assert len(receiver.intake.store(device.instance)) == 12_000
    assert max(in_use[1:]) - in_use[0] < 100_000
