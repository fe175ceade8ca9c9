"""Session reads: levels, per-field capture, sections, deltas, transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

VERSIONS = ["11.3", "12.0", "12.1", "12.2", "12.3", "12.4"]


def tracks(rows: list[Any]) -> dict[str, Any]:
    return {row["slot"]: row for row in rows if row["kind"] == "track"}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_kind_of_track_can_be_read(stage: Callable[..., Any], version: str) -> None:
    opened = stage(version, set="band")
    client = opened.client("reader")
    rows = client.rows("session.read", {"levels": ["full"]})
    found = tracks(rows)
    assert [row["type"] for row in found.values()] == [
        "group",
        "midi",
        "midi",
        "midi",
        "audio",
        "midi",
        "midi",
        "return",
        "return",
        "master",
    ]
    assert not [row for row in rows if row["kind"] == "unreadable"]
    # The master is known by its place: its name differs between versions.
    assert found["master"]["name"] == ("Main" if version >= "12.0" else "Master")
    assert found["tracks/0"]["arm"] is None
    assert found["tracks/5"]["is_frozen"] is True
    assert found["tracks/1"]["group"] == found["tracks/0"]["id"]
    assert set(found["master"]["mixer"]) == {
        "volume",
        "panning",
        "cue_volume",
        "crossfader",
        "sends",
    }
    drums = found["tracks/1"]["devices"][0]
    assert [chain["name"] for chain in drums["chains"]] == ["Kick", "Snare", "Hat"]
    inner = drums["chains"][0]["devices"][-1]
    assert inner["chains"][0]["devices"][0]["class_display_name"] == "Reverb"
    assert [(row["name"], row["time"]) for row in rows if row["kind"] == "cue"] == [
        ("Intro", 0.0),
        ("Verse", 32.0),
        ("Chorus", 64.0),
    ]
    assert [row["name"] for row in rows if row["kind"] == "scene"][:3] == [
        "Intro",
        "Verse",
        "Chorus",
    ]
    bass = found["tracks/2"]["clips"][0]
    assert (bass["scene"], bass["length"], bass["start_marker"]) == (1, 4.0, -1.0)
    theme = found["tracks/3"]["arrangement"][0]
    assert (theme["start_time"], theme["end_time"], theme["is_midi_clip"]) == (0.0, 16.0, True)


def test_levels_read_only_what_was_asked(stage: Callable[..., Any]) -> None:
    client = stage(set="band").client("reader")
    mixer = client.rows("session.read", {"levels": ["mixer"]})
    assert "devices" not in tracks(mixer)["tracks/2"]
    assert tracks(mixer)["tracks/2"]["mixer"]["volume"]["text"] == "0.0 dB"
    one = client.rows("session.read", {"levels": ["structure"], "tracks": [{"name": "Bass"}]})
    assert [row["name"] for row in one] == ["Bass"]
    assert "mixer" not in one[0]
    summary = client.ok("session.summary")
    assert summary["counts"] == {"tracks": 7, "return_tracks": 2, "scenes": 4, "cue_points": 3}
    assert summary["tracks"][-1]["slot"] == "master"


def test_ids_are_the_same_at_every_read(stage: Callable[..., Any]) -> None:
    client = stage(set="band").client("reader")
    reads = [client.rows("session.read", {"levels": ["full"]}) for _ in range(2)]
    for rows in reads:
        for row in rows:
            row.pop("shape", None)  # numbers of tables; racks and plug-ins get a new one
    assert reads[0] == reads[1]


def test_a_device_with_texts(stage: Callable[..., Any]) -> None:
    client = stage(set="band").client("reader")
    rows = client.rows("device.read", {"device": {"track": {"name": "Bass"}, "name": "Compressor"}})
    shape, values = rows
    assert shape["names"][0] == "Device On"
    assert len(values["texts"]) == len(values["ids"]) == len(shape["names"])
    assert values["disabled"] == [1]
    (row,) = client.ok("parameters.read", {"parameters": [values["ids"][0]]})["parameters"]
    assert (row["name"], row["text"]) == ("Device On", "On")


def test_a_member_that_raises_costs_only_itself(
    stage: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = stage(set="tiny")
    client = opened.client("reader")
    clip = opened.host.runtime.classes["Clip"]

    def broken(self: Any) -> Any:
        raise RuntimeError("not now")

    monkeypatch.setattr(clip, "color", property(broken))
    row = tracks(client.rows("session.read"))["tracks/0"]["clips"][0]
    assert row["color"] == {"unavailable": "unavailable"}
    assert row["name"] == "Riff"


def test_a_change_of_structure_in_between_starts_the_read_again(stage: Callable[..., Any]) -> None:
    opened = stage(set="band", timer="windows")
    client = opened.client("reader")
    opened.host.run(0.5)
    opened.host.plan(0.04, lambda: opened.host.user.delete_track(6))
    number = client.send("session.read", {"levels": ["full"]})
    result = client.wait(number)["result"]
    assert not result["torn"]
    rows = client.items[number]
    assert len(rows) == result["items"]
    # Whether before or after: one state, and no track twice.
    slots = [row["slot"] for row in rows if row["kind"] == "track"]
    assert len(slots) == len(set(slots))


def test_notes_are_read_whole(stage: Callable[..., Any]) -> None:
    opened = stage(set="band")
    client = opened.client("reader")
    number = client.send("notes.read", {"clip": {"track": {"name": "Bass"}, "scene": 1}})
    result = client.wait(number)["result"]
    rows = client.items[number]
    assert rows[0][1:4] == [40, -0.5, 0.5]
    assert result["notes"] == len(rows) == 7
    # Before the loop, and behind its end.
    assert result["outside_loop"] == sum(not 0.0 <= row[2] < 4.0 for row in rows) == 3
    assert result["mpe"] == "unknown"
    theme = client.rows("notes.read", {"clip": {"track": {"name": "Keys"}, "arrangement": 0}})
    assert theme[1][6] == 0.5
    audio = {"track": {"name": "Vocal"}, "arrangement": 0}
    assert client.error("notes.read", {"clip": audio}) == "wrong_kind"


def test_what_sounds_in_session_view(stage: Callable[..., Any]) -> None:
    opened = stage(set="band")
    client = opened.client("reader")
    assert client.ok("session.sounding")["clips"] == []
    opened.host.song.tracks[1].clip_slots[0].fire()
    opened.host.run(0.1)
    result = client.ok("session.sounding")
    (clip,) = result["clips"]
    assert result["playing"]
    assert (clip["name"], clip["loop_beats"]) == ("Four", 4.0)


def test_deltas_are_numbered_coalesced_and_only_what_was_asked_for(
    stage: Callable[..., Any],
) -> None:
    opened = stage(set="tiny")
    client, other = opened.client("reader"), opened.client("reader")
    volume = opened.host.song.tracks[0].mixer_device.volume
    row = tracks(client.rows("session.read"))["tracks/0"]["mixer"]["volume"]
    asked = client.ok("watch.set", {"parameters": [row["id"]]})
    assert (asked["seq"], asked["values"][0]["id"]) == (0, row["id"])
    opened.host.run(0.2)
    client.events.clear()
    for value in (0.1, 0.2, 0.3):
        volume.value = value
    opened.host.run(0.1)
    opened.host.user.create_track("midi")
    opened.host.user.set_tempo(99.0)
    opened.host.run(0.2)
    client.poll()
    other.poll()
    deltas = [event for event in client.events if event["event"] == "delta"]
    assert [delta["seq"] for delta in deltas] == list(range(1, len(deltas) + 1))
    changes = [change for delta in deltas for change in delta["changes"]]
    assert [c["text"] for c in changes if c.get("id") == row["id"]] == ["-20.1 dB"] or [
        round(c["value"], 3) for c in changes if c.get("id") == row["id"]
    ] == [0.3]
    assert {"structure": "tracks"} in changes
    assert {"song": "tempo", "value": 99.0} in changes
    assert not [event for event in other.events if event["event"] == "delta"]
    client.ok("watch.set", {"structure": False})
    client.events.clear()
    volume.value = 0.7
    opened.host.user.create_track("midi")
    opened.host.run(0.3)
    client.poll()
    assert not [event for event in client.events if event["event"] == "delta"]


def test_transport_is_put_back_where_nobody_else_changed_it(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    client = opened.client()
    song = opened.host.song
    result = client.ok(
        "transport.set",
        {
            "playing": True,
            "position_beats": 8.0,
            "loop": True,
            "loop_start": 8.0,
            "loop_length": 16.0,
        },
    )
    assert result["before"] == {
        "playing": False,
        "position_beats": 0.0,
        "loop": False,
        "loop_start": 0.0,
        "loop_length": 16.0,
    }
    assert song.is_playing
    assert song.loop
    assert song.loop_start == 8.0
    assert song.current_song_time >= 8.0
    assert not opened.host.world.history.done
    song.loop_start = 12.0
    opened.host.run(0.05)
    back = client.ok("transport.restore", {"token": result["token"]})
    assert back["left_alone"] == ["loop_start"]
    assert (song.is_playing, song.loop, song.loop_start) == (False, False, 12.0)
    assert client.error("transport.restore", {"token": result["token"]}) == "unknown_object"


@pytest.mark.parametrize("keep", [True, False])
def test_a_lost_client_leaves_the_transport_as_it_found_it(
    stage: Callable[..., Any], keep: bool
) -> None:
    opened = stage(set="tiny")
    client = opened.client()
    client.ok("transport.set", {"loop": True, "restore_on_close": keep})
    client.wire.close()
    opened.host.run(0.2)
    assert opened.host.song.loop is not keep


def test_the_status_bar(stage: Callable[..., Any]) -> None:
    opened = stage(set="tiny")
    client = opened.client("reader")
    client.ok("notify", {"text": "kept: low end +1.2 dB"})
    assert opened.host.messages == ["kept: low end +1.2 dB"]
    assert client.error("notify", {"text": "two\nlines"}) == "bad_request"


def test_unknown_operations_and_odd_envelopes(stage: Callable[..., Any]) -> None:
    client = stage(set="tiny").client("reader")
    assert client.error("song.tracks.__class__") == "unknown_op"
    client.wire.send({"id": 5, "op": "ping", "extra": 1})
    assert client.wait(5)["error"]["code"] == "bad_request"
    client.wire.send({"id": True, "op": "ping"})
    assert client.wait(None)["error"]["code"] == "bad_request"  # type: ignore[arg-type]
