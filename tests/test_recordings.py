"""Recordings measured from real music, replayed to pinned verdicts.

How each was made is in recordings/README.md. Pinned effects are the true ones, computed from the
sound without the meter (recordings/truth.py); verdicts have to come within the tolerance.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from pybackend.cli import main
from pybackend.judgment.verdict import Verdict
from pybackend.loop.plan import Plan, load_plan
from pybackend.loop.rejudge import Recordings, judge_plan
from pybackend.stream.codec import Reject
from pybackend.stream.replay import Recording, load_recording

FOLDER = Path(__file__).parent / "recordings"
PLANS = sorted(path.stem for path in FOLDER.glob("*.json"))
MASTER, GUITARS = 640_332, 640_333


class Pin(NamedTuple):
    """What a move has to be judged, and its true effect on the target within a tolerance."""

    plan: str
    move: str
    decision: str
    reasons: tuple[str, ...]
    target: str = "brightness"
    effect: float | None = None
    tolerance: float = 0.06

    def __str__(self) -> str:
        return f"{self.plan}/{self.move}"


KEPT, SAME, WORSE = ("goal_better",), ("no_change_shown",), ("goal_worse",)

PINS = (
    Pin("metal-madness", "shelf", "keep", KEPT, effect=2.15),
    Pin("metal-madness", "fader", "undo", SAME, effect=0.0, tolerance=0.01),
    Pin("metal-madness", "tilt", "undo", ("protect_violated",), effect=2.22),
    Pin("metal-madness", "bypassed", "undo", SAME, effect=0.0, tolerance=0.01),
    Pin("metal-madness", "darker", "undo", WORSE, effect=2.15),
    Pin("metal-madness", "louder", "inconclusive", ("true_peak",), "energy", 3.0),
    Pin("escape", "late-shelf", "keep", KEPT, effect=1.50),
    Pin("escape", "guitar", "undo", WORSE, "weight", -1.55),
    Pin("coherence", "wider", "keep", KEPT, "width", 3.0),
    Pin("coherence", "hardly", "undo", SAME, effect=0.19),
    Pin("coherence", "cut", "keep", KEPT, "band_low_mid", -2.23, 0.15),
    Pin("chaos-god", "shelf", "keep", KEPT, effect=1.18),
    Pin("chaos-god", "limiter", "keep", KEPT, "energy", 3.61),
    Pin("chaos-god", "flatter", "keep", KEPT, "dynamics", -0.80, 0.1),
    Pin("chaos-god", "elsewhere", "inconclusive", ("no_overlap",)),
    Pin("war-of-freedom", "takes", "inconclusive", ("goal_unclear",), effect=0.0, tolerance=0.2),
    Pin("war-of-freedom", "shelf", "keep", KEPT, effect=2.46, tolerance=0.2),
    Pin("loops", "nothing", "undo", SAME, effect=0.0, tolerance=0.1),
    Pin("loops", "shelf", "keep", KEPT, effect=1.80, tolerance=0.1),
    Pin("loops", "bass", "keep", KEPT, "weight", 2.12, 0.1),
    Pin("loops", "all", "keep", KEPT, effect=1.80, tolerance=0.1),
    Pin("refusals", "muted", "inconclusive", ("silence",)),
    Pin("refusals", "stopped", "inconclusive", ("transport_stopped", "too_few_bars")),
    Pin("refusals", "short", "inconclusive", ("too_few_bars",)),
    Pin("damaged", "shelf", "keep", KEPT, effect=2.47, tolerance=0.3),
    Pin("damaged", "lossy", "inconclusive", ("loss",)),
)


def plan(name: str) -> Plan:
    return load_plan(FOLDER / f"{name}.json")


@lru_cache
def verdicts(name: str) -> dict[str, Verdict]:
    return {move.id: verdict for move, verdict in judge_plan(plan(name), Recordings(FOLDER))}


@lru_cache
def loaded(name: str) -> Recording:
    return load_recording(FOLDER / name)


def test_every_move_of_every_plan_is_pinned() -> None:
    planned = [f"{name}/{move.id}" for name in PLANS for move in plan(name).moves]
    assert sorted(planned) == sorted(str(pin) for pin in PINS)


@pytest.mark.parametrize("pin", PINS, ids=str)
def test_a_replay_gives_the_pinned_verdict(pin: Pin) -> None:
    verdict = verdicts(pin.plan)[pin.move]
    assert verdict.decision == pin.decision, verdict.explanation
    assert tuple(reason.code for reason in verdict.reasons) == pin.reasons
    assert verdict.keep_change is (pin.decision == "keep")
    shown = verdict.dimensions[pin.target]
    if pin.effect is None:
        assert verdict.score is None
        assert shown.state == "unavailable"
        assert shown.reason
    else:
        assert shown.delta == pytest.approx(pin.effect, abs=pin.tolerance)


@pytest.mark.parametrize("pin", [pin for pin in PINS if pin.effect is not None], ids=str)
def test_the_score_takes_the_goals_side(pin: Pin) -> None:
    verdict = verdicts(pin.plan)[pin.move]
    (weight,) = (shown.weight for name, shown in verdict.dimensions.items() if name == pin.target)
    gained = (pin.effect or 0.0) * (weight or 0.0)
    assert verdict.score is not None
    if abs(gained) > pin.tolerance:
        assert (verdict.score > 0.5) is (gained > 0.0)
    else:
        assert verdict.score == pytest.approx(0.5, abs=0.05)


def test_a_fader_moves_no_timbre() -> None:
    fader, bypassed = (verdicts("metal-madness")[name] for name in ("fader", "bypassed"))
    for name in ("brightness", "weight", "width", "dynamics", "balance", "band_presence"):
        moved, still = fader.dimensions[name].delta, bypassed.dimensions[name].delta
        assert moved == pytest.approx(still, abs=0.01), name
    assert fader.level_match_lu == pytest.approx(-3.0, abs=0.01)


def test_a_late_equaliser_is_found_late_and_judged_in_time() -> None:
    verdict = verdicts("escape")["late-shelf"]
    assert verdict.evidence.lag_s == pytest.approx((0.0, 0.0, 4096 / 44100), abs=0.015)
    assert any("ms against the first capture" in note for note in verdict.notes)


def test_repeats_of_a_session_loop_are_found_in_running_song_time() -> None:
    verdict = verdicts("loops")["shelf"]
    assert verdict.evidence.bars == 8
    assert plan("loops").moves[0].after[0].window != plan("loops").moves[0].before[0].window


def test_other_takes_of_a_riff_widen_the_interval() -> None:
    """Four takes of a riff differ by more than one take heard twice."""

    def half_width(name: str, move: str) -> float:
        shown = verdicts(name)[move].dimensions["brightness"]
        assert shown.ci_low is not None
        assert shown.ci_high is not None
        return (shown.ci_high - shown.ci_low) / 2.0

    assert half_width("war-of-freedom", "takes") > 3.0 * half_width("metal-madness", "bypassed")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.pcap*")), ids=lambda path: path.name)
def test_flat_out_and_in_real_time_are_the_same(path: Path) -> None:
    flat, timed = loaded(path.name), load_recording(path, realtime=True, speed=400.0)
    assert flat.capture == timed.capture
    assert flat.rejects == timed.rejects
    assert flat.devices == timed.devices
    assert flat.frames.keys() == timed.frames.keys()
    for instance, frames in flat.frames.items():
        assert np.array_equal(frames.values, timed.frames[instance].values, equal_nan=True)
        assert np.array_equal(frames.received_s, timed.frames[instance].received_s)


def test_the_command_judges_in_real_time_as_it_does_flat_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = FOLDER / "damaged.pcapng"
    command = ["replay", str(path), "--plan", str(path.with_suffix(".json")), "--json"]
    said: list[Any] = []
    for more in ([], ["--realtime", "--speed", "400"]):
        assert main([*command, *more]) == 11
        said.append(json.loads(capsys.readouterr().out)["moves"])
    assert said[0] == said[1]
    assert [move["verdict"]["decision"] for move in said[0]] == ["keep", "inconclusive"]


def test_all_damage_is_counted() -> None:
    """What spoil.py did, and traffic of others to other ports that is not ours either."""
    recording = loaded("damaged.pcapng")
    stats = {device.instance: device.stats for device in recording.devices}
    assert (stats[MASTER].lost, stats[MASTER].torn) == (22 + 4, 4)
    assert (stats[MASTER].repeats, stats[MASTER].reordered) == (19, 14)
    assert (stats[GUITARS].lost, stats[GUITARS].repeats, stats[GUITARS].reordered) == (0, 0, 0)
    assert recording.rejects == {
        Reject.NOT_OSC: 2 + 8,
        Reject.OVERSIZE: 1,
        Reject.BUNDLE: 1,
        Reject.UNKNOWN_ADDRESS: 1 + 4,
        Reject.LEGACY: 1,
        Reject.LENGTH: 2,
        Reject.TYPE_TAGS: 1,
        Reject.WRONG_PROTOCOL: 1,
        Reject.NON_FINITE: 2,
        Reject.OUT_OF_RANGE: 1,
        Reject.TORN: 4,
    }
    assert (recording.capture.other, recording.capture.fragments) == (12, 4)
    assert recording.capture.damage is not None
    assert "ends inside a packet" in recording.capture.damage


def test_the_master_is_taken_where_two_devices_speak() -> None:
    recording = loaded("damaged.pcapng")
    assert set(recording.frames) == {MASTER, GUITARS}
    assert [device.instance for device in recording.masters] == [MASTER]


def test_damage_changes_the_verdict_little() -> None:
    whole = verdicts("war-of-freedom")["shelf"].dimensions["brightness"]
    damaged = verdicts("damaged")["shelf"].dimensions["brightness"]
    assert damaged.verdict == whole.verdict == "improved"
    assert damaged.delta == pytest.approx(whole.delta, abs=0.3)


def test_recordings_stay_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.pcap*")) < 3_000_000


MATERIAL = FOLDER / ".material"


def _run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    if not MATERIAL.is_dir():
        pytest.skip("no music; run python tests/recordings/fetch_material.py")
    root = FOLDER.parent.parent
    environment = os.environ | {"PYTHONPATH": str(root)}
    return subprocess.run(
        [sys.executable, str(FOLDER / script), *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


@pytest.mark.material
def test_the_music_gives_the_same_recordings_again(tmp_path: Path) -> None:
    done = _run("make_recordings.py", "--into", str(tmp_path))
    assert done.returncode == 0, done.stderr
    for path in sorted(FOLDER.glob("*.pcap*")):
        kept, made = loaded(path.name), load_recording(tmp_path / path.name)
        assert kept.frames.keys() == made.frames.keys()
        for instance, frames in kept.frames.items():
            again = made.frames[instance].values
            assert np.allclose(frames.values, again, rtol=1e-5, atol=1e-9, equal_nan=True)
    for path in sorted(FOLDER.glob("*.json")):
        assert json.loads(path.read_text()) == json.loads((tmp_path / path.name).read_text())


@pytest.mark.material
def test_verdicts_agree_with_what_was_done_to_the_sound() -> None:
    done = _run("judge_material.py", "War of freedom", "Inevitable", "loop_mika")
    assert done.returncode == 0, done.stdout
