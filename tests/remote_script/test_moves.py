"""Moves: checked before the first write, one step, read back, compare-and-set, idempotent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pybackend.studio.live.profiles import UNDO_VARIANTS, profile

if TYPE_CHECKING:
    from collections.abc import Callable


class Desk:
    """A stage with a client and the rows of its set."""

    def __init__(self, opened: Any) -> None:
        self.stage = opened
        self.host = opened.host
        self.client = opened.client()
        self.rows = self.client.rows("session.read", {"levels": ["full"]})

    def track(self, name: str) -> Any:
        return next(r for r in self.rows if r["kind"] == "track" and r["name"] == name)

    def parameter(self, device: str, name: str) -> str:
        values = next(r for r in self.rows if r.get("device") == device)
        shape = next(r for r in self.rows if r.get("shape") == values["shape"])
        return str(values["ids"][shape["names"].index(name)])

    def notes(self, clip: str) -> tuple[list[Any], str]:
        number = self.client.send("notes.read", {"clip": clip})
        reply = self.client.wait(number)
        return self.client.items[number], reply["result"]["revision"]


@pytest.fixture
def desk(stage: Callable[..., Any]) -> Desk:
    return Desk(stage("12.4", set="band"))


def steps(desk: Desk) -> int:
    desk.host.run(0.05)
    return len(desk.host.world.history.done)


def test_fader_in_decibel_by_name(desk: Desk) -> None:
    move = desk.client.move(
        {"write": "mixer", "track": {"name": "Bass"}, "control": "volume", "display": -6.0}
    )
    (change,) = move["changes"]
    assert change["after"]["text"] == "-6.0 dB"
    assert change["before"]["text"] == "0.0 dB"
    assert move["changed"]
    assert desk.host.song.tracks[2].mixer_device.volume.value == change["after"]["value"]


def test_everything_in_one_move_is_one_step(desk: Desk) -> None:
    bass, drums = desk.track("Bass"), desk.track("Drums")
    clip = bass["clips"][0]
    rows, revision = desk.notes(clip["id"])
    before = desk.host.dump()
    count = steps(desk)
    move = desk.client.move(
        {"write": "mixer", "track": bass["id"], "control": "send", "send": 0, "value": 0.5},
        {"write": "mixer", "track": bass["id"], "control": "panning", "display": "25L"},
        {"write": "track", "track": drums["id"], "property": "mute", "value": True},
        {"write": "song", "property": "tempo", "value": 97.5},
        {"write": "clip", "clip": clip["id"], "property": "name", "value": "Better"},
        {"write": "device_on", "device": bass["devices"][1]["id"], "value": False},
        {
            "write": "device_on",
            "device": {"track": bass["id"], "name": "Compressor"},
            "value": False,
        },
        {
            "write": "notes",
            "clip": clip["id"],
            "expect_revision": revision,
            "patch": {"modify": [{"id": rows[0][0], "velocity": 12.0}]},
        },
    )
    assert all(change["as_requested"] for change in move["changes"]), move
    assert steps(desk) == count + 1
    undone = desk.client.undo(move)
    assert undone["result"]["method"] == "native"
    assert undone["result"]["evidence"] == "world"
    assert desk.host.dump() == before
    assert steps(desk) == count


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"write": "mixer", "track": {"name": "Nobody"}, "control": "volume", "value": 0.5},
        "unknown_object",
    ),
    ({"write": "mixer", "track": "t99999", "control": "volume", "value": 0.5}, "unknown_object"),
    (
        {"write": "mixer", "track": {"name": "Bass"}, "control": "volume", "value": 1.5},
        "out_of_range",
    ),
    (
        {"write": "mixer", "track": {"name": "Bass"}, "control": "volume", "display": 40},
        "out_of_range",
    ),
    (
        {"write": "mixer", "track": {"name": "Bass"}, "control": "crossfader", "value": 0},
        "wrong_kind",
    ),
    (
        {"write": "mixer", "track": {"name": "Bass"}, "control": "send", "send": 7, "value": 0},
        "out_of_range",
    ),
    (
        {
            "write": "mixer",
            "track": {"index": 0, "expect_name": "Bass"},
            "control": "volume",
            "value": 0.1,
        },
        "conflict",
    ),
    (
        {
            "write": "mixer",
            "track": {"name": "Bass"},
            "control": "volume",
            "value": 0.1,
            "expect": 0.4,
        },
        "conflict",
    ),
    (
        {"write": "track", "track": {"master": True}, "property": "mute", "value": True},
        "unavailable",
    ),
    (
        {"write": "track", "track": {"name": "Rhythm"}, "property": "arm", "value": True},
        "wrong_kind",
    ),
    ({"write": "track", "track": {"name": "Bass"}, "property": "mute", "value": 1}, "bad_request"),
    ({"write": "song", "property": "tempo", "value": 5}, "bad_request"),
    ({"write": "song", "property": "file_path", "value": "x"}, "bad_request"),
    (
        {
            "write": "clip",
            "clip": {"track": {"name": "Bass"}, "scene": 0},
            "property": "name",
            "value": "x",
        },
        "unknown_object",
    ),
    (
        {
            "write": "clip",
            "clip": {"track": {"name": "Bass"}, "scene": 1},
            "property": "gain",
            "value": 0.5,
        },
        "wrong_kind",
    ),
    (
        {
            "write": "clip_frame",
            "clip": {"track": {"name": "Bass"}, "scene": 1},
            "loop_start": 8,
            "loop_end": 2,
        },
        "out_of_range",
    ),
    (
        {
            "write": "notes",
            "clip": {"track": {"name": "Vocal"}, "arrangement": 0},
            "expect_revision": "0" * 16,
            "replace": [],
        },
        "wrong_kind",
    ),
    (
        {
            "write": "notes",
            "clip": {"track": {"name": "Frozen"}, "scene": 0},
            "expect_revision": "0" * 16,
            "replace": [],
        },
        "frozen",
    ),
    (
        {
            "write": "notes",
            "clip": {"track": {"name": "Bass"}, "scene": 1},
            "expect_revision": "0" * 16,
            "replace": [],
        },
        "stale_revision",
    ),
    ({"write": "create_clip", "track": {"name": "Bass"}, "scene": 1, "length_beats": 4}, "overlap"),
    (
        {"write": "create_clip", "track": {"name": "Keys"}, "start_beats": 14.0, "length_beats": 4},
        "overlap",
    ),
    (
        {"write": "create_clip", "track": {"name": "Vocal"}, "scene": 1, "length_beats": 4},
        "wrong_kind",
    ),
    (
        {"write": "create_clip", "track": {"name": "Rhythm"}, "scene": 1, "length_beats": 4},
        "wrong_kind",
    ),
    ({"write": "delete_track", "track": {"master": True}, "confirm": True}, "wrong_kind"),
    ({"write": "delete_track", "track": {"name": "Bass"}}, "bad_request"),
    (
        {"write": "delete_clip", "clip": {"track": {"name": "Bass"}, "scene": 1}, "confirm": False},
        "bad_request",
    ),
    (
        {
            "write": "parameter",
            "parameter": {"device": {"track": {"name": "Bass"}, "name": "Compressor"}, "index": 1},
            "value": 0.5,
        },
        "disabled",
    ),
    (
        {
            "write": "parameter",
            "parameter": {"device": {"track": {"name": "Keys"}, "name": "Auto Filter"}, "index": 1},
            "value": 0.9,
        },
        "automated",
    ),
]


@pytest.mark.parametrize(("write", "code"), REFUSED, ids=lambda value: str(value)[:48])
def test_one_wrong_write_and_nothing_is_written(
    desk: Desk, write: dict[str, Any], code: str
) -> None:
    before, count = desk.host.dump(), steps(desk)
    good = {"write": "song", "property": "tempo", "value": 97.0}
    structural = write["write"].startswith(("create", "delete"))
    assert desk.client.refused(*([write] if structural else [good, write])) == code
    assert desk.host.dump() == before
    assert steps(desk) == count


def test_a_write_that_live_refuses_takes_the_others_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    place = sys.modules["MoveJudge.places"].PropertyPlace
    original = place.write

    def refuse(self: Any, value: Any) -> None:
        if value == "refused":
            raise RuntimeError("Live says no")
        original(self, value)

    monkeypatch.setattr(place, "write", refuse)
    before = desk.host.dump()
    reply = desk.client.ask(
        "move.apply",
        {
            "writes": [
                {"write": "mixer", "track": {"name": "Bass"}, "control": "volume", "value": 0.2},
                {
                    "write": "track",
                    "track": {"name": "Bass"},
                    "property": "name",
                    "value": "refused",
                },
            ]
        },
    )
    assert reply["error"]["detail"] == {"rolled_back": True}
    assert desk.host.dump() == before


def test_a_move_that_changes_nothing_is_told_apart(desk: Desk) -> None:
    count = steps(desk)
    move = desk.client.move({"write": "song", "property": "tempo", "value": 120.0})
    assert (move["state"], move["changed"], move["undo_steps"]) == ("noop", False, 0)
    assert steps(desk) == count
    assert desk.client.undo(move)["result"]["method"] == "nothing"
    assert steps(desk) == count


def test_twice_the_same_thing_is_refused(desk: Desk) -> None:
    write = {"write": "mixer", "track": {"name": "Bass"}, "control": "volume", "value": 0.2}
    assert desk.client.refused(write, {**write, "value": 0.3}) == "bad_request"


def test_a_retry_runs_nothing_and_gets_the_first_answer(desk: Desk) -> None:
    write = {"write": "mixer", "track": {"name": "Bass"}, "control": "volume", "value": 0.2}
    first = desk.client.ask("move.apply", {"writes": [write]}, move_id="m1")
    count = steps(desk)
    again = desk.client.ask("move.apply", {"writes": [write]}, move_id="m1")
    assert again["repeated"]
    assert again["result"] == first["result"]
    assert steps(desk) == count
    other = {**write, "value": 0.3}
    assert desk.client.error("move.apply", {"writes": [other]}, move_id="m1") == "bad_request"


def test_writes_need_id_boot_and_a_deadline_in_the_scripts_clock(desk: Desk) -> None:
    wire, args = desk.client.wire, {"writes": [{"write": "song", "property": "tempo", "value": 90}]}
    whole = {
        "op": "move.apply",
        "args": args,
        "move_id": "x",
        "boot_id": desk.client.hello["boot_id"],
        "deadline_at": desk.host.clock() + 5.0,
    }
    for number, missing in enumerate(("move_id", "boot_id", "deadline_at"), 700):
        wire.send({"id": number, **{k: v for k, v in whole.items() if k != missing}})
        reply = desk.client.wait(number)
        assert (reply["error"]["code"], reply["error"]["where"]) == ("bad_request", missing)


def test_a_request_that_waited_behind_a_menu_never_runs_late(desk: Desk) -> None:
    before = desk.host.dump()
    desk.host.stall(5.0)
    write = {"write": "song", "property": "tempo", "value": 90.0}
    number = desk.client.send("move.apply", {"writes": [write]}, wait_s=2.0)
    assert desk.client.wait(number)["error"]["code"] == "expired"
    assert desk.host.dump() == before


def test_nothing_is_written_while_a_dialog_is_open_or_live_records(desk: Desk) -> None:
    write = {"write": "song", "property": "tempo", "value": 90.0}
    desk.host.user.open_dialog()
    assert desk.client.refused(write) == "dialog_open"
    desk.host.user.close_dialog()
    desk.host.song.record_mode = True
    desk.host.song.start_playing()
    desk.host.run(0.05)
    assert desk.client.refused(write) == "recording"


def test_stale_ids_are_refused_even_when_the_address_is_used_again(desk: Desk) -> None:
    empty = desk.track("7-MIDI")
    desk.host.user.delete_track(6)
    desk.host.user.create_track("midi", 6, "New")
    write = {"write": "track", "track": empty["id"], "property": "name", "value": "x"}
    assert desk.client.refused(write) == "stale_object"
    assert desk.host.song.tracks[6].name == "New"


def test_expected_epoch(desk: Desk) -> None:
    epoch = desk.client.ask("ping")["epoch"]
    args = {
        "writes": [{"write": "song", "property": "tempo", "value": 90.0}],
        "expect_epoch": epoch,
    }
    desk.host.user.create_track("midi", 0)
    assert desk.client.error("move.apply", args) == "conflict"


def test_overriding_automation_is_said_and_put_back(desk: Desk) -> None:
    keys = desk.track("Keys")
    cutoff = {"device": keys["devices"][1]["id"], "index": 1}
    move = desk.client.move(
        {"write": "parameter", "parameter": cutoff, "value": 0.9, "override_automation": True}
    )
    parameter = desk.host.song.tracks[3].devices[1].parameters[1]
    assert parameter.automation_state == 2
    undone = desk.client.undo(move)
    assert undone["ok"], undone
    assert parameter.automation_state == 1


def test_quantised_parameters_take_steps_and_names(desk: Desk) -> None:
    device = desk.track("Vocal")["devices"][0]["id"]
    row = next(r for r in desk.rows if r.get("device") == device)
    shape = next(r for r in desk.rows if r.get("shape") == row["shape"])
    at = next(i for i, q in enumerate(shape["quantized"]) if q and i > 0)
    items = shape["items"][str(at)]
    write = {"write": "parameter", "parameter": row["ids"][at]}
    move = desk.client.move({**write, "display": items[-1]})
    assert move["changes"][0]["after"]["text"] == items[-1]
    assert desk.client.refused({**write, "value": 0.5}) == "out_of_range"
    assert desk.client.refused({**write, "display": "no such thing"}) == "out_of_range"


def test_notes_keep_mpe_by_id(desk: Desk) -> None:
    clip = desk.track("Drums")["clips"][0]["id"]
    rows, revision = desk.notes(clip)
    wanted = [[0, *row[1:]] for row in rows]
    wanted[2][4] = 50.0
    wanted.append([0, 50, 3.5, 0.25])
    move = desk.client.move(
        {"write": "notes", "clip": clip, "expect_revision": revision, "replace": wanted}
    )
    assert move["changes"][0]["as_requested"]
    assert move["changes"][0]["after"] == {"notes": 5, "revision": desk.notes(clip)[1]}
    stored = desk.host.song.tracks[1].clip_slots[0].clip._node["notes"].values()
    assert [note.expression for note in stored if note.velocity == 50.0] == [7]
    assert desk.client.undo(move)["ok"]
    after, again = desk.notes(clip)
    assert again == revision
    assert len(after) == len(rows)


def test_pickup_notes_and_extending_the_loop(desk: Desk) -> None:
    clip = desk.track("Bass")["clips"][0]["id"]
    rows, revision = desk.notes(clip)
    assert rows[0][2] == -0.5
    move = desk.client.move(
        {
            "write": "notes",
            "clip": clip,
            "expect_revision": revision,
            "extend_loop": True,
            "patch": {"add": [[0, 127, 9.0, 1.0], [0, 0, 9.0, 1.0]]},
        }
    )
    assert [change["target"]["kind"] for change in move["changes"]] == ["clip", "clip"]
    assert desk.host.song.tracks[2].clip_slots[1].clip.loop_end == 10.0
    rows, revision = desk.notes(clip)
    assert {row[1] for row in rows if row[2] == 9.0} == {0, 127}
    move = desk.client.move(
        {
            "write": "notes",
            "clip": clip,
            "expect_revision": revision,
            "range": {"start": 8.0, "end": 16.0},
            "replace": [],
        }
    )
    assert max(row[1] for row in desk.notes(clip)[0]) < 127
    assert desk.client.undo(move)["ok"]


@pytest.mark.parametrize("version", ["11.3", "12.0", "12.1", "12.2", "12.3", "12.4"])
@pytest.mark.parametrize("variant", sorted(UNDO_VARIANTS))
def test_undo_and_redo_on_every_version(
    stage: Callable[..., Any], version: str, variant: str
) -> None:
    desk = Desk(stage(profile(version, UNDO_VARIANTS[variant]), set="tiny"))
    keys = desk.track("Keys")
    before = desk.host.dump()
    move = desk.client.move(
        {"write": "mixer", "track": keys["id"], "control": "volume", "value": 0.4},
        {"write": "mixer", "track": keys["id"], "control": "panning", "value": -0.5},
        {"write": "track", "track": keys["id"], "property": "name", "value": "Pad"},
    )
    after = desk.host.dump()
    for _ in range(2):
        undone = desk.client.undo(move)
        assert undone["ok"], undone
        assert desk.host.dump() == before
        redone = desk.client.redo(move)
        assert redone["ok"], redone
        assert desk.host.dump() == after


def test_the_humans_edit_above_ours_stays(desk: Desk) -> None:
    move = desk.client.move({"write": "song", "property": "tempo", "value": 90.0})
    desk.host.run(0.2)
    desk.host.user.rename(desk.host.song.tracks[4], "Lead")
    undone = desk.client.undo(move)
    assert undone["result"]["method"] == "compensating"
    assert undone["result"]["foreign"][0] == {"what": "name", "before": "Vocal", "after": "Lead"}
    assert desk.host.song.tempo == 120.0
    assert desk.host.song.tracks[4].name == "Lead"
    assert not desk.host.user.lost()


def test_an_edit_that_no_picture_shows_is_brought_back_at_once(desk: Desk) -> None:
    move = desk.client.move({"write": "song", "property": "tempo", "value": 90.0})
    clip = desk.host.song.tracks[1].clip_slots[0].clip
    desk.host.user.erase_notes(clip, 1)
    assert desk.client.undo(move)["result"]["method"] == "compensating"
    assert len(clip.get_all_notes_extended()) == 3
    assert not desk.host.user.lost()


def test_the_same_thing_edited_by_the_human_is_a_conflict(desk: Desk) -> None:
    move = desk.client.move({"write": "song", "property": "tempo", "value": 90.0})
    desk.host.user.set_tempo(101.0)
    reply = desk.client.undo(move)
    assert reply["error"]["code"] == "undo_conflict"
    assert reply["error"]["detail"]["targets"][0]["found"] == {"value": 101.0}
    assert desk.host.song.tempo == 101.0


def test_a_deletion_under_an_edit_is_refused(desk: Desk) -> None:
    clip = {"track": {"name": "Drums"}, "scene": 0}
    move = desk.client.move({"write": "delete_clip", "clip": clip, "confirm": True})
    desk.host.run(0.2)
    desk.host.user.rename(desk.host.song.tracks[4], "Lead")
    reply = desk.client.undo(move)
    assert reply["error"]["code"] == "undo_foreign"
    desk.host.user.undo()
    assert desk.client.undo(move)["result"]["method"] == "native"


def test_what_the_human_undid_is_undone_already(desk: Desk) -> None:
    move = desk.client.move({"write": "song", "property": "tempo", "value": 90.0})
    desk.host.run(0.05)
    desk.host.user.undo()
    assert desk.client.undo(move)["result"]["method"] == "already"
    assert desk.host.song.tempo == 120.0


def test_only_the_newest_unless_reverted(desk: Desk) -> None:
    first = desk.client.move({"write": "song", "property": "tempo", "value": 90.0})
    second = desk.client.move(
        {"write": "track", "track": {"name": "Bass"}, "property": "mute", "value": True}
    )
    reply = desk.client.undo(first)
    assert reply["error"]["code"] == "undo_not_latest"
    assert reply["error"]["detail"]["latest"] == second["move_id"]
    assert desk.client.undo(first, mode="revert")["result"]["method"] == "compensating"
    assert desk.host.song.tempo == 120.0
    assert desk.host.song.tracks[2].mute


def test_a_created_track_goes_again_but_not_once_it_was_used(desk: Desk) -> None:
    before = desk.host.dump()
    move = desk.client.move({"write": "create_track", "kind": "midi", "name": "Idea"})
    assert desk.host.song.tracks[7].name == "Idea"
    assert desk.client.undo(move)["ok"]
    assert desk.host.dump() == before
    assert desk.client.redo(move)["ok"]
    desk.host.user.load_device(desk.host.song.tracks[7], "Operator")
    reply = desk.client.undo(move)
    assert reply["error"]["code"] == "undo_foreign"
    assert len(desk.host.song.tracks[7].devices) == 1


def test_moves_are_listed(desk: Desk) -> None:
    desk.client.move({"write": "song", "property": "tempo", "value": 90.0})
    (row,) = desk.client.rows("move.list")
    assert (row["state"], row["changes"][0]["before"]) == ("applied", {"value": 120.0})


def test_solo_and_arm_are_put_back_by_us(desk: Desk) -> None:
    move = desk.client.move(
        {"write": "track", "track": {"name": "Keys"}, "property": "solo", "value": True},
        {"write": "track", "track": {"name": "Keys"}, "property": "arm", "value": True},
    )
    assert desk.client.undo(move)["result"]["method"] == "compensating"
    assert not desk.host.song.tracks[3].solo
    assert not desk.host.song.tracks[3].arm
