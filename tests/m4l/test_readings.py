"""What the built device shows: numbers, bars, status and the backend's state."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from m4l.extract import load
from m4l.face import READINGS
from m4l.readings import STATUS_TEXTS
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_FIELDS, FRAME_WIDTH
from tests.m4l.maxsim.engine import BANG, Live
from tests.m4l.maxsim.live_objects import ThisDevice
from tests.m4l.maxsim.stage import Outbox, Stage


@pytest.fixture(scope="module")
def patcher(built: Any) -> dict[str, Any]:
    """Patcher of the release device."""
    return load(built.release).patcher


def frame(seq: int = 0, **fields: float | list[float]) -> list[float]:
    """A frame of silence, with some fields set."""
    row = [0.0] * FRAME_WIDTH
    fields |= {"protocol": 1, "flags": 1, "sample_rate": 48000.0, "seq": seq, "seq_check": seq}
    for name in ("lufs_m", "lufs_m_max", "lufs_s", "lufs_s_max"):
        fields.setdefault(name, -120.0)
    assert set(fields) <= {field.name for field in FRAME_FIELDS}
    for name, value in fields.items():
        where = FRAME_COLUMNS[name]
        row[where] = value if isinstance(value, list) else [value]
    return row


def reading(stage: Stage, name: str) -> float:
    """What a number box shows."""
    (value,) = stage.max.all("flonum")[READINGS.index(name)].value
    return float(value)


def comments(stage: Stage) -> list[Any]:
    """Texts that the patch has changed."""
    return [box for box in stage.max.all("live.comment") if box.value]


def status(stage: Stage) -> str:
    """The status line."""
    return next(str(box.text) for box in comments(stage) if box.text in STATUS_TEXTS)


def backend(stage: Stage) -> str:
    """The backend's line."""
    return next(str(box.text) for box in comments(stage) if box.text not in STATUS_TEXTS)


def test_bars_and_loudness(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    powers = [10.0 ** (-band) for band in range(9)]
    stage.play([frame(i, band_power=powers, lufs_m=-23.0, lufs_s=-24.5) for i in range(10)])
    bars = stage.max.one("multislider").value
    assert bars == pytest.approx([-10.0 * band for band in range(9)], abs=1e-3)
    assert reading(stage, "lufs_m") == pytest.approx(-23.0)
    assert reading(stage, "lufs_s") == pytest.approx(-24.5)


def test_silence_shows_the_floor_and_no_error(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    stage.play([frame(i) for i in range(30)])
    assert stage.max.one("multislider").value == pytest.approx([-120.0] * 9)
    assert reading(stage, "lufs_m") == -120.0
    assert reading(stage, "true_peak") == pytest.approx(-120.0)
    assert reading(stage, "crest") == 0.0


def test_peak_is_the_largest_of_the_last_second_whatever_the_face_skipped(
    patcher: dict[str, Any],
) -> None:
    stage = Stage(patcher, Outbox())
    stage.play([frame(i, true_peak=[0.1, 0.1]) for i in range(25)])
    stage.play([frame(25, true_peak=[0.2, 0.9])])
    stage.play([frame(26 + i, true_peak=[0.1, 0.1]) for i in range(15)])
    assert reading(stage, "true_peak") == pytest.approx(20 * math.log10(0.9), abs=1e-4)
    stage.play([frame(41 + i, true_peak=[0.1, 0.1]) for i in range(40)])
    assert reading(stage, "true_peak") == pytest.approx(-20.0, abs=1e-4)


def test_crest_is_peak_over_rms(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    sine = {"true_peak": [0.5, 0.5], "mean_square": [0.125, 0.125]}
    stage.play([frame(i, **sine) for i in range(160)])
    assert reading(stage, "crest") == pytest.approx(3.01, abs=0.02)


def test_nothing_is_drawn_more_than_ten_times_a_second(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    stage.play([frame(i, lufs_m=-30.0 + i % 7) for i in range(60)])
    for i in range(60, 120):  # also after a late poll
        stage.write(frame(i))
    stage.max.advance(2000.0)
    boxes = [*stage.max.all("flonum"), stage.max.one("multislider")]
    assert all(box.drawn_ms for box in boxes)
    for box in boxes:
        steps = [after - before for before, after in itertools.pairwise(box.drawn_ms)]
        assert min(steps) >= 99.9
    # drawing on the scheduler's thread would have failed in the simulator
    assert min(len(box.drawn_ms) for box in boxes) >= 4


# ---- status


def test_status_goes_through_all_its_states(patcher: dict[str, Any]) -> None:
    live = Live(enabled=0, audio_on=0)
    stage = Stage(patcher, Outbox(), live)
    stage.max.advance(100.0)
    assert status(stage) == "Device off"
    stage.max.one("live.thisdevice").enable(1)
    stage.max.advance(1000.0)
    assert status(stage) == "Audio off"
    live.audio_on = 1
    stage.max.one("dspstate~").report()
    stage.max.advance(1000.0)
    assert status(stage) == "Waiting for frames"
    stage.play([frame(i) for i in range(40)])
    assert status(stage) == "Sending"
    stage.max.one("node.script").say("state", 2, "backend 0.1.0 running")
    stage.play([frame(40 + i) for i in range(40)])
    assert (status(stage), backend(stage)) == ("Streaming", "backend 0.1.0 running")
    stage.max.advance(2100.0)
    assert status(stage) == "Waiting for frames"
    stage.max.one("live.thisdevice").enable(0)
    stage.max.advance(1000.0)
    assert status(stage) == "Device off"


def test_a_backend_is_found_only_by_the_launchers_word(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    node = stage.max.one("node.script")
    rows = itertools.count()

    def second() -> str:
        stage.play([frame(next(rows)) for _ in range(21)])
        return status(stage)

    assert second() == "Sending"
    for number, text in ((0, "run: movejudge install"), (1, "starting"), (3, "exit code 1: x")):
        node.say("state", number, text)
        assert (second(), backend(stage)) == ("Sending", text)
    node.say("state", 2, "backend running")
    assert second() == "Streaming"
    node.say("state", 3, "backend lost; press Start")
    assert second() == "Sending"


def test_without_a_word_of_live_the_device_counts_as_on(
    patcher: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should ``live.thisdevice`` say only changes of its state, and nothing when it loads."""
    monkeypatch.setattr(ThisDevice, "announce", lambda box: box.out(0, *BANG))
    quiet = Stage(patcher, Outbox())
    quiet.play([frame(i) for i in range(30)])
    assert status(quiet) == "Sending"
    assert quiet.gen.inlet(6) == 1.0


def test_level_meters_are_grey_while_the_device_is_off(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    assert [box.value for box in stage.max.all("live.meter~")] == [(1,), (1,)]
    stage.max.one("live.thisdevice").enable(0)
    assert [box.value for box in stage.max.all("live.meter~")] == [(0,), (0,)]


# ---- Start button


def test_start_loads_the_script_once_and_then_sends_start(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    button, node = stage.max.one("live.text"), stage.max.one("node.script")
    stage.max.advance(3000.0)
    assert node.got == []
    button.press()
    button.press()
    assert node.got == [("script", "start"), ("start",)]
    node.event("start", "success", "dictionary", "u1")
    node.event("loadstart", "success", "dictionary", "u2")
    node.event("loadend", "success", "dictionary", "u3")
    button.press()
    assert node.got[2:] == [("start",)]


def test_after_node_has_ended_the_script_is_loaded_again(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    button, node = stage.max.one("live.text"), stage.max.one("node.script")
    button.press()
    node.say("state", 2, "backend running")
    node.event("terminated", "success", "dictionary", "u4")
    assert backend(stage) == "launcher ended: press Start"
    button.press()
    assert node.got == [("script", "start"), ("script", "start")]


def test_node_restarts_a_crashed_script_by_itself(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    button, node = stage.max.one("live.text"), stage.max.one("node.script")
    button.press()
    for event in ("terminated", "restarting", "restarted"):
        node.event(event, "success", "dictionary", "u5")
    button.press()
    assert node.got == [("script", "start"), ("start",)]


def test_node_that_does_not_start(patcher: dict[str, Any]) -> None:
    stage = Stage(patcher, Outbox())
    button, node = stage.max.one("live.text"), stage.max.one("node.script")
    button.press()
    node.event("start", "error", "dictionary", "u6")
    assert backend(stage) == "Node did not start: press Start"
    button.press()
    assert node.got[-1] == ("script", "start")


def test_metering_does_not_need_node(patcher: dict[str, Any]) -> None:
    outbox = Outbox()
    stage = Stage(patcher, outbox)
    stage.play([frame(i) for i in range(20)])
    assert stage.max.one("node.script").got == []
    assert len(outbox.sent) == 21
