"""Random moves, edits by the human, undo, redo, reloads and stalls; nobody's edit may be lost.

Oracles: no edit of the human is lost; an undo restores exactly or refuses and changes nothing; a
refused move changes nothing; every request has exactly one answer; a repeated one runs once; the
virtual Live objects to nothing (threads, listeners that write, leaks, crashes).
"""

from __future__ import annotations

import contextlib
import tempfile
import uuid
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pybackend.studio.live.profiles import UNDO_VARIANTS, profile

UNIT = st.floats(0.05, 0.95).map(lambda value: round(value, 3))


class Machine(RuleBasedStateMachine):
    """One set, one client, one human."""

    staged: Any = None

    def __init__(self) -> None:
        super().__init__()
        self.open: Any = None
        self.moves: list[dict[str, Any]] = []
        self.repeats: list[tuple[int, dict[str, Any], dict[str, Any]]] = []

    @initialize(
        variant=st.sampled_from(sorted(UNDO_VARIANTS)),
        version=st.sampled_from(["11.3", "12.0", "12.1", "12.2", "12.3", "12.4"]),
        timer=st.sampled_from(["mac", "windows"]),
        opened=st.sampled_from(["tiny", "band"]),
        seed=st.integers(0, 99),
    )
    def begin(self, variant: str, version: str, timer: str, opened: str, seed: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.env = mock.patch.dict("os.environ", {"MOVEJUDGE_HOME": self.folder.name})
        self.env.start()
        live = profile(version, UNDO_VARIANTS[variant], locale="xx" if seed % 2 else "en")
        self.open = type(self).staged(
            Path(self.folder.name), live, timer=timer, set=opened, seed=seed
        )
        self.stage = self.open.__enter__()
        self.host = self.stage.host
        self.learn()

    def learn(self) -> None:
        self.client = self.stage.client()
        self.moves.clear()
        self.rows = self.client.rows("session.read", {"levels": ["structure", "parameters"]})
        self.tracks = [row for row in self.rows if row["kind"] == "track"]
        self.normal = [row for row in self.tracks if row["slot"].startswith("tracks")]

    def pick(self, things: Any, at: int) -> Any:
        things = list(things)
        return things[at % len(things)] if things else None

    def apply(self, *writes: dict[str, Any]) -> dict[str, Any]:
        """Make a move; a refusal has to leave the set as it was."""
        before = self.host.dump()
        move_id = uuid.uuid4().hex
        args = {"writes": list(writes)}
        reply = self.client.ask("move.apply", args, move_id=move_id)
        if reply["ok"]:
            assert reply["result"]["state"] in ("applied", "noop")
            self.moves.append(
                {"move_id": move_id, "before": before, "after": self.host.dump(), "args": args}
            )
        else:
            assert reply["error"]["code"] != "internal", reply
            assert self.host.dump() == before, reply
        return reply

    # What the script does.

    @rule(at=st.integers(0, 40), value=UNIT)
    def mix(self, at: int, value: float) -> None:
        track = self.pick(self.tracks, at)
        self.apply({"write": "mixer", "track": track["id"], "control": "volume", "value": value})

    @rule(at=st.integers(0, 200), values=st.lists(UNIT, min_size=1, max_size=4))
    def parameters(self, at: int, values: list[float]) -> None:
        row = self.pick([row for row in self.rows if row["kind"] == "parameters"], at)
        shape = next(r for r in self.rows if r["kind"] == "shape" and r["shape"] == row["shape"])
        writes = []
        for i, part in enumerate(values, 1):
            if i >= len(row["ids"]):
                break
            low, high = shape["min"][i], shape["max"][i]
            value = low + part * (high - low)
            value = round(value) if shape["quantized"][i] else value
            writes.append({"write": "parameter", "parameter": row["ids"][i], "value": value})
        if writes:
            self.apply(*writes)

    @rule(
        at=st.integers(0, 40),
        name=st.sampled_from(["mute", "solo", "arm", "name"]),
        value=st.booleans(),
    )
    def track_property(self, at: int, name: str, value: bool) -> None:
        track = self.pick(self.tracks, at)
        wanted = f"Track {value}" if name == "name" else value
        self.apply({"write": "track", "track": track["id"], "property": name, "value": wanted})

    @rule(tempo=st.floats(60, 180).map(lambda value: round(value, 2)))
    def tempo(self, tempo: float) -> None:
        self.apply({"write": "song", "property": "tempo", "value": tempo})

    @rule(at=st.integers(0, 20), pitch=st.integers(0, 127), start=st.integers(0, 15))
    def patch_notes(self, at: int, pitch: int, start: int) -> None:
        clip = self.pick(self.midi_clips(), at)
        if clip is None:
            return
        reply = self.client.ask("notes.read", {"clip": clip["id"]})
        if not reply["ok"]:
            return
        rows = self.client.items.get(reply["id"], [])
        patch: dict[str, Any] = {"add": [[0, pitch, start / 4.0, 0.25]]}
        if rows:
            patch["remove"] = [rows[0][0]]
        if len(rows) > 1:
            patch["modify"] = [{"id": rows[1][0], "velocity": 33.0}]
        revision = reply["result"]["revision"]
        self.apply(
            {"write": "notes", "clip": clip["id"], "expect_revision": revision, "patch": patch}
        )

    def midi_clips(self) -> list[Any]:
        clips = [clip for row in self.normal for clip in row["clips"] + row["arrangement"]]
        return [clip for clip in clips if clip["is_midi_clip"] is True]

    @rule(at=st.integers(0, 20), start=st.integers(0, 3), length=st.integers(1, 8))
    def frame(self, at: int, start: int, length: int) -> None:
        clip = self.pick(self.midi_clips(), at)
        if clip is not None:
            end = start + length
            self.apply(
                {
                    "write": "clip_frame",
                    "clip": clip["id"],
                    "loop_start": float(start),
                    "loop_end": float(end),
                }
            )

    @rule(at=st.integers(0, 20), scene=st.integers(0, 3))
    def create_clip(self, at: int, scene: int) -> None:
        track = self.pick(self.normal, at)
        reply = self.apply(
            {
                "write": "create_clip",
                "track": track["id"],
                "scene": scene,
                "length_beats": 4.0,
                "notes": [[0, 60, 0.0, 1.0]],
            }
        )
        if reply["ok"]:
            assert reply["result"]["created"]["id"]

    @rule(at=st.integers(0, 20))
    def delete_clip(self, at: int) -> None:
        clip = self.pick(self.midi_clips(), at)
        if clip is not None:
            self.apply({"write": "delete_clip", "clip": clip["id"], "confirm": True})

    @rule(kind=st.sampled_from(["midi", "audio", "return"]))
    def create_track(self, kind: str) -> None:
        self.apply({"write": "create_track", "kind": kind})

    @rule(at=st.integers(0, 20))
    def delete_track(self, at: int) -> None:
        track = self.pick(self.normal, at)
        self.apply({"write": "delete_track", "track": track["id"], "confirm": True})

    @precondition(lambda self: self.moves)
    @rule(back=st.sampled_from([0, 0, 0, 1, 2, 3]), revert=st.sampled_from([False, False, True]))
    def undo(self, back: int, revert: bool) -> None:
        move = self.moves[max(len(self.moves) - 1 - back, 0)]
        self.take("move.undo", move, {"mode": "revert"} if revert else {})

    @precondition(lambda self: self.moves)
    @rule(back=st.integers(0, 3))
    def redo(self, back: int) -> None:
        self.take("move.redo", self.moves[max(len(self.moves) - 1 - back, 0)], {})

    @precondition(lambda self: self.moves)
    @rule(at=st.integers(0, 40), edit=st.sampled_from(["turn", "rename", "note", "menu"]))
    def undo_under_a_human(self, at: int, edit: str) -> None:
        """The human edits between a move and its undo, or while it runs."""
        if edit == "turn":
            self.human_turns(at, 0.5)
        elif edit == "rename":
            self.human_renames(at, "just now")
        else:
            # In the middle of the undo's own pumps.
            self.host.plan(0.015, lambda: self.human_renames(at, "meanwhile"))
        self.take("move.undo", self.moves[-1], {}, alone=edit in ("turn", "rename"))

    @precondition(lambda self: self.moves)
    @rule()
    def undo_and_redo(self) -> None:
        self.take("move.undo", self.moves[-1], {})
        self.take("move.redo", self.moves[-1], {})

    @precondition(lambda self: self.moves)
    @rule(redo=st.booleans())
    def apply_and_undo(self, redo: bool) -> None:
        """Right after a move nothing foreign can be in the way: undo has to restore exactly."""
        track = self.tracks[0]
        reply = self.apply(
            {"write": "mixer", "track": track["id"], "control": "panning", "value": 0.25},
            {"write": "track", "track": track["id"], "property": "color", "value": 255},
        )
        if not reply["ok"]:
            return
        move = self.moves[-1]
        undone = self.client.ask("move.undo", {"target": move["move_id"]})
        assert undone["ok"], undone
        assert self.host.dump() == move["before"]
        if redo:
            redone = self.client.ask("move.redo", {"target": move["move_id"]})
            assert redone["ok"], redone
            assert self.host.dump() == move["after"]

    def take(self, op: str, move: dict[str, Any], args: dict[str, Any], alone: bool = True) -> None:
        """Undo or redo: exactly, or not at all, and never over an edit of the human."""
        before = self.host.dump()
        lost = len(self.host.user.lost())
        written = len(self.host.world.puts)
        args = {"target": move["move_id"], **args}
        move_id = uuid.uuid4().hex
        reply = self.client.ask(op, args, move_id=move_id)
        if not alone:
            self.host.run(0.05)
        now = self.host.dump()
        assert not self.host.user.overwritten(since=written)
        if not (op == "move.redo" and "delete" in str(move["args"])):
            assert len(self.host.user.lost()) <= lost
        if not reply["ok"]:
            assert reply["error"]["code"] != "internal", reply
            if alone:
                assert reply["error"]["code"] != "undo_unverified", reply
                assert now == before, reply
            assert reply["error"].get("detail", {}).get("restored", True), reply
        again = self.client.ask(op, args, move_id=move_id)
        assert again["ok"] == reply["ok"]
        assert again["repeated"]
        assert self.host.dump() == now

    # What the human and the world do.

    @rule(at=st.integers(0, 40), value=UNIT)
    def human_turns(self, at: int, value: float) -> None:
        track = self.pick([*self.host.song.tracks], at)
        device = self.pick(track.devices, at)
        if device is None:
            return
        parameter = self.pick(device.parameters, at)
        if parameter.is_enabled and not parameter.automation_state:
            low, high = parameter.min, parameter.max
            value = low + value * (high - low)
            self.host.user.set_parameter(
                parameter, round(value) if parameter.is_quantized else value
            )

    @rule(at=st.integers(0, 40), name=st.sampled_from(["mine", "yours", "ours"]))
    def human_renames(self, at: int, name: str) -> None:
        self.host.user.rename(self.pick([*self.host.song.tracks], at), name)

    @rule()
    def human_undoes(self) -> None:
        self.host.user.undo()

    @rule()
    def human_redoes(self) -> None:
        self.host.user.redo()

    @rule(seconds=st.floats(0.01, 1.0))
    def wait(self, seconds: float) -> None:
        self.host.run(seconds)

    @rule(seconds=st.floats(0.1, 3.0))
    def menu(self, seconds: float) -> None:
        """A request that waits longer than its deadline never runs."""
        before = self.host.dump()
        self.host.stall(seconds)
        number = self.client.send(
            "move.apply",
            {"writes": [{"write": "song", "property": "tempo", "value": 99.0}]},
            wait_s=seconds / 2.0,
        )
        reply = self.client.wait(number)
        assert reply["error"]["code"] == "expired"
        assert self.host.dump() == before

    @rule(at=st.integers(0, 40), value=UNIT)
    def lost_connection(self, at: int, value: float) -> None:
        """The answer is lost with the connection; the retry gets it and runs nothing again."""
        track = self.pick(self.tracks, at)
        write = {"write": "mixer", "track": track["id"], "control": "volume", "value": value}
        move_id = uuid.uuid4().hex
        before = self.host.dump()
        self.client.send("move.apply", {"writes": [write]}, move_id=move_id)
        self.host.run(0.2)
        ran = self.host.dump()
        self.client.wire.close()
        self.host.run(0.1)
        self.client = self.stage.client()
        reply = self.client.ask("move.apply", {"writes": [write]}, move_id=move_id)
        assert reply["repeated"]
        assert self.host.dump() == ran
        if reply["ok"]:
            self.moves.append({"move_id": move_id, "before": before, "after": ran, "args": {}})

    @precondition(lambda self: len(self.moves) > 5)
    @rule(opened=st.sampled_from(["tiny", "band"]))
    def reload(self, opened: str) -> None:
        """Another set: the connection ends, and what was planned before is refused."""
        boot_id = self.client.hello["boot_id"]
        self.host.load_set(opened)
        self.learn()
        assert self.client.hello["boot_id"] != boot_id
        code = self.client.error(
            "move.apply",
            {"writes": [{"write": "song", "property": "tempo", "value": 99.0}]},
            boot_id=boot_id,
        )
        assert code == "unknown_after_reload"

    @invariant()
    def live_objects_to_nothing(self) -> None:
        if self.open is not None:
            assert not self.host.violations
            assert len(self.client.answers) == len(set(self.client.answers))

    def teardown(self) -> None:
        if self.open is not None:
            try:
                self.open.__exit__(None, None, None)
            finally:
                self.env.stop()
                self.folder.cleanup()


def run(
    examples: int, steps: int, seed: int | None = None, phases: Any = settings.default.phases
) -> None:
    from hypothesis import seed as seeded

    limits = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=seed is None,
        phases=phases,
        report_multiple_bugs=False,
        database=None,
    )
    run_state_machine_as_test(Machine if seed is None else seeded(seed)(Machine), settings=limits)


@pytest.fixture(autouse=True)
def _staged(stage_factory: Any) -> None:
    Machine.staged = staticmethod(stage_factory)


def test_nobody_loses_an_edit() -> None:
    run(examples=12, steps=20)


def test_an_undo_that_trusts_live_would_be_caught(stage_factory: Any) -> None:
    """The oracles can fail: with a naive undo the human loses an edit, and they say so."""

    @contextlib.contextmanager
    def naive(*arguments: Any, **options: Any) -> Any:
        with stage_factory(*arguments, **options) as opened:
            session = opened.script._session

            def undo(request: Any) -> Any:
                session.song.undo()
                return {"target": request.args["target"], "state": "undone", "method": "native"}

            session._operations["move.undo"].handler = undo
            yield opened

    Machine.staged = staticmethod(naive)
    with pytest.raises(AssertionError):
        run(examples=12, steps=20, phases=[Phase.generate])


@pytest.mark.soak
def test_nobody_loses_an_edit_for_long() -> None:
    run(examples=400, steps=40)
