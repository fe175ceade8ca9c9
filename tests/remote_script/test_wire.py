"""Sockets for real, the clock virtual: bad peers, slow peers, several peers, lost descriptors."""

from __future__ import annotations

import json
import os
import socket
import struct
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


def closed(stage: Any, wire: Any, within_s: float = 1.0) -> list[dict[str, Any]]:
    """Wait until the script closes a connection; give what it said."""
    said: list[dict[str, Any]] = []

    def gone() -> bool:
        said.extend(wire.receive())
        return bool(wire.eof)

    assert stage.host.run_until(gone, within_s)
    return said


def hello(stage: Any, **changes: Any) -> dict[str, Any]:
    message = {"hello": 1, "token": stage.rendezvous["token"], "client": "test", "role": "reader"}
    return {**message, **changes}


@pytest.mark.parametrize("data", [b"POST / HTTP/1.1\r\nHost: x\r\n\r\n{}", b"\xff" * 64, b"\0" * 8])
def test_garbage_is_closed_without_an_answer(stage: Callable[..., Any], data: bytes) -> None:
    opened = stage(set="tiny")
    wire = opened.wire()
    wire.send_bytes(data)
    assert closed(opened, wire) == []
    assert opened.client().ok("ping")


def test_wrong_token(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    wire = opened.wire()
    wire.send(hello(opened, token="0" * 64))
    assert closed(opened, wire)[0]["error"]["code"] == "unauthorized"


def test_a_request_before_the_hello_is_refused(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    wire = opened.wire()
    wire.send({"id": 1, "op": "ping"})
    assert closed(opened, wire)[0]["error"]["code"] == "bad_request"


def test_wrong_protocol_says_what_to_do(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    wire = opened.wire()
    wire.send(hello(opened, protocol=[2, 3]))
    (said,) = closed(opened, wire)
    assert said["error"]["code"] == "protocol_mismatch"
    assert "install" in said["error"]["message"]


def test_silence_is_closed_after_two_seconds(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    wire = opened.wire()
    opened.host.run(1.8)
    assert not wire.receive()
    assert not wire.eof
    closed(opened, wire)


def test_a_hello_that_waited_behind_an_open_menu_counts(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    wire = opened.wire()
    opened.host.run(0.05)
    opened.host.stall(10.0)
    wire.send(hello(opened))
    assert opened.host.run_until(lambda: bool(wire.receive()), 11.0)
    assert not wire.eof


def test_half_frames_and_a_bad_one_in_between(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    client = opened.client()
    body = json.dumps({"id": 900, "op": "ping"}).encode()
    frame = struct.pack(">I", len(body)) + body
    for i in range(len(frame)):
        client.wire.send_bytes(frame[i : i + 1])
        opened.host.run(0.011)
    assert client.wait(900)["ok"]
    client.wire.send_bytes(struct.pack(">I", 5) + b"{nope" + frame.replace(b"900", b"901"))
    assert client.wait(901)["ok"]
    assert client.replies[None]["error"]["code"] == "bad_request"  # type: ignore[index]


def test_a_frame_above_a_megabyte_ends_the_connection(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    client = opened.client()
    client.wire.send_bytes(struct.pack(">I", (1 << 20) + 1))
    assert closed(opened, client.wire)[-1]["error"]["code"] == "bad_request"


def test_many_readers_one_writer(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    writer = opened.client()
    reader = opened.client("reader")
    write = {"write": "song", "property": "tempo", "value": 99.0}
    assert reader.refused(write) == "unauthorized"
    assert reader.ok("session.summary")["tempo"] == 120.0
    wire = opened.wire()
    wire.send(hello(opened, role="writer"))
    assert closed(opened, wire)[0]["error"]["code"] == "busy"
    writer.wire.close()
    opened.host.run(0.1)
    assert opened.client().move(write)["state"] == "applied"


def test_a_silent_writer_loses_its_lease_to_the_next(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    old = opened.client()
    opened.host.run(11.0)
    new = opened.client()
    assert new.hello["role"] == "writer"
    said = closed(opened, old.wire)
    assert said[-1]["event"] == "bye"


def test_more_than_eight_are_turned_away(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    first = [opened.client("reader") for _ in range(8)]
    wire = opened.wire()
    assert closed(opened, wire)[0]["error"]["code"] == "busy"
    assert all(client.ok("ping") for client in first)


def test_heartbeat_five_times_a_second_with_clock_and_epoch(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    client = opened.client("reader")
    client.events.clear()
    opened.host.run(2.0)
    client.poll()
    beats = [event for event in client.events if event["event"] == "heartbeat"]
    assert 9 <= len(beats) <= 11
    assert {beat["boot_id"] for beat in beats} == {client.hello["boot_id"]}
    assert abs(beats[-1]["clock"] - opened.host.clock()) < 0.3


def test_a_gap_is_told_after_the_menu_was_open(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    client = opened.client("reader")
    opened.host.stall(1.5)
    opened.host.run(2.0)
    client.poll()
    assert max(beat["longest_gap_ms"] for beat in client.events) > 1400


def test_too_many_requests_are_answered_busy_each(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    client = opened.client()
    write = {"write": "song", "property": "tempo", "value": 99.0}
    numbers = [client.send("move.apply", {"writes": [write]}, wait_s=9.0) for _ in range(100)]
    replies = [client.wait(number) for number in numbers]
    busy = [reply for reply in replies if not reply["ok"]]
    assert {reply["error"]["code"] for reply in busy} == {"busy"}
    assert len(busy) in (35, 36)  # the first may have begun before the last came in
    assert sorted(client.answers) == sorted(set(client.answers))


def test_fifty_pipelined_requests_cost_one_tick(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny", timer="windows")
    client = opened.client("reader")
    opened.host.run(0.05)
    numbers = [client.send("ping") for _ in range(50)]
    replies = [client.wait(number) for number in numbers]
    assert max(reply["took_ms"] for reply in replies) < 8.0
    assert len({round(reply["result"]["clock"], 2) for reply in replies}) <= 2


def test_a_reader_that_stops_reading_is_dropped_and_the_rest_goes_on(
    stage: Callable[..., Any],
) -> None:
    opened = stage(set="band")
    slow = opened.client("reader")
    slow.wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer = opened.script._server.connections[0]
    peer._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
    writer = opened.client()
    for _ in range(200):
        if len(opened.script._server.connections) == 1:
            break
        for _ in range(20):
            slow.send("session.read", {"levels": ["full"]}, wait_s=60.0)
        opened.host.run(0.3)
        assert writer.ok("ping")
    else:
        pytest.fail("the slow reader was never dropped")
    assert peer.closed
    assert writer.ok("ping")


def test_a_lost_listening_socket_is_opened_again(stage: Callable[..., Any]) -> None:
    """Live closes every descriptor of its process when a set is opened from the Finder."""
    opened = stage(set="tiny")
    client = opened.client()
    boot_id = client.hello["boot_id"]
    listening = opened.script._listener._sock
    os.close(listening.fileno())
    for connection in opened.script._server.connections:
        os.close(connection._sock.fileno())
    opened.host.run(3.0)
    again = opened.client()
    assert again.hello["boot_id"] == boot_id
    assert again.ok("ping")
    # The descriptors are gone, so that closing the objects must not close somebody else's.
    listening.detach()


def test_a_taken_port_is_no_obstacle() -> None:
    from remote_script.MoveJudge.listener import Listener
    from remote_script.MoveJudge.log import Log

    lines: list[str] = []
    with socket.socket() as squatter:
        squatter.bind(("127.0.0.1", 0))
        squatter.listen()
        taken = squatter.getsockname()[1]
        listener = Listener(lambda: 0.0, Log(lines.append, lambda: 0.0), taken)
        assert listener.open()
        assert listener.port not in (0, taken)
        assert str(taken) in lines[0]
        with socket.create_connection(("127.0.0.1", listener.port)):
            accepted = listener.accept()
            assert accepted is not None
            accepted.close()
        listener.close()


def test_only_loopback(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    opened.client()
    assert opened.script._listener._sock.getsockname()[0] == "127.0.0.1"


def test_work_of_a_lost_connection_that_has_not_begun_never_runs(
    stage: Callable[..., Any],
) -> None:
    opened = stage(set="tiny")
    client = opened.client()
    before = opened.host.dump()
    write = {"write": "song", "property": "tempo", "value": 99.0}
    for i in range(30):
        client.send("move.apply", {"writes": [{**write, "value": 99.0 + i}]}, wait_s=9.0)
    opened.host.run(0.012)
    client.wire.close()
    opened.host.run(1.0)
    assert opened.host.song.tempo < 110.0
    assert opened.host.dump() != before


def test_the_timer_is_started_again_when_it_died(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    client = opened.client()
    opened.script._timer.stop()
    opened.host.run(1.5)
    assert opened.script._timer.running
    assert client.ok("ping")


def test_nothing_stays_after_disconnect_and_a_second_one_is_harmless(
    stage: Callable[..., Any],
) -> None:
    opened = stage(set="band")
    client = opened.client()
    client.ok("watch.set", {"structure": True})
    assert opened.host.listeners()
    opened.script.disconnect()
    opened.script.disconnect()
    opened.script.update_display()
    assert not opened.host.listeners()
    client.poll()
    assert client.events[-1] == {"event": "bye", "reason": "Live dropped the script"}
    assert client.wire.eof


def test_a_script_that_cannot_start_says_so(
    stage: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = stage(set="tiny")
    import sys

    package = sys.modules["MoveJudge"]
    monkeypatch.setattr(sys.modules["MoveJudge.surface"], "Rendezvous", None)
    stand_in = package.create_instance(opened.host.c_instance())
    stand_in.update_display()
    stand_in.disconnect()
    assert "cannot start" in opened.host.messages[-1]
