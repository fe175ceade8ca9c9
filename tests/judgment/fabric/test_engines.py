from __future__ import annotations

import json
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pybackend.errors import GoalError, InputError
from pybackend.judgment.composition.notes import Section
from pybackend.judgment.fabric.bundle import SessionSnapshot
from pybackend.judgment.fabric.evaluate import evaluate_mix_move, evaluate_with_fabric
from pybackend.judgment.fabric.written import ENGINES, EngineVerdict
from pybackend.judgment.goal import GoalVector, compile_goal_vector
from pybackend.judgment.masking.tracks import Strip, TrackCapture
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FRAME_COLUMNS, column

Array = npt.NDArray[np.float64]
SOUND = ("mix", "transition", "translation")
SECTIONS = (
    Section(name="build", start_bar=0, end_bar=8),
    Section(name="drop", start_bar=8, end_bar=16),
)
WORD = {"mix": "brightness", "transition": "transition_energy", "translation": "mono_level"}


def frames(values: Array) -> Frames:
    values = values.copy()
    values[:, FRAME_COLUMNS["true_peak"]] = 0.5 * values[:, FRAME_COLUMNS["sample_peak"]]
    return Frames(values, 0.05 * np.arange(1, len(values) + 1))


@pytest.fixture
def captures(synth: ModuleType) -> Any:
    """Captures of one programme of 16 bars: two before, and one after a move."""

    def make(noise: str = "J", seed: int = 3, **move: Any) -> tuple[list[Frames], list[Frames]]:
        rng = np.random.default_rng(seed)
        piece = synth.programme(seed, 16)
        before = [frames(synth.capture(piece, rng, noise)) for _ in range(2)]
        return before, [frames(synth.capture(piece, rng, noise, **move)) for _ in range(2)]

    return make


def side(master: list[Frames], **more: Any) -> SessionSnapshot:
    return SessionSnapshot(master=tuple(master), sections=SECTIONS, **more)


def judged(engine: str, sides: tuple[list[Frames], list[Frames]], *args: Any) -> EngineVerdict:
    return evaluate_with_fabric(engine, side(sides[0]), side(sides[1]), *args)


@pytest.mark.parametrize("engine", ENGINES)
def test_evidence_of_another_kind_is_never_kept(engine: str, captures: Any) -> None:
    before, after = captures(band_db=[0] * 6 + [3] * 3)
    if engine == "composition":
        found = judged(engine, (before, after), {"groove": 1})
    else:
        notes = {"tracks": []}
        found = evaluate_with_fabric(engine, notes, notes, {"brightness": 1})
    assert found.engine == engine
    assert not found.keep_change
    assert found.decision == "inconclusive"
    assert found.score is None
    assert found.reasons


@pytest.mark.parametrize("engine", ENGINES)
def test_a_mapping_of_another_kind_is_an_error(engine: str) -> None:
    with pytest.raises(InputError, match="neither frames"):
        evaluate_with_fabric(engine, {"issues": []}, {"issues": []}, {"brightness": 1})


def test_an_unknown_engine_is_an_error_with_a_suggestion(captures: Any) -> None:
    before, after = captures()
    with pytest.raises(GoalError, match="did you mean 'translation'"):
        evaluate_with_fabric("translatoin", before, after, {"brightness": 1})


@pytest.mark.parametrize("engine", SOUND)
def test_single_readings_decide_nothing(engine: str) -> None:
    bands = dict.fromkeys(
        ("sub_low", "sub", "low", "low_mid", "mid", "high_mid", "high", "presence", "air"), 0.1
    )
    reading = {"spectrum": bands, "rms": 0.3, "peak": 0.9}
    found = evaluate_with_fabric(engine, reading, reading, {"brightness": 1})
    assert not found.keep_change
    assert [reason.code for reason in found.reasons] == ["point_snapshot"]


@pytest.mark.parametrize("engine", SOUND)
def test_identical_captures_score_a_half(engine: str, captures: Any) -> None:
    before, _ = captures()
    found = judged(engine, (before, before), {WORD[engine]: 1})
    assert found.score == 0.5
    assert not found.keep_change


@pytest.mark.parametrize("engine", SOUND)
def test_swapping_the_sides_mirrors_the_score(engine: str, captures: Any) -> None:
    before, after = captures("H.25", band_db=[0] * 6 + [2] * 3, side_db=-3.0)
    goal = {WORD[engine]: 1}
    there, back = judged(engine, (before, after), goal), judged(engine, (after, before), goal)
    assert there.score is not None
    assert back.score is not None
    assert there.score != 0.5
    assert there.score == 1.0 - back.score


@pytest.mark.parametrize("engine", SOUND)
def test_a_whole_goal_is_taken_verbatim(engine: str, captures: Any) -> None:
    sides = captures(band_db=[0] * 6 + [2] * 3)
    goal = compile_goal_vector("", {WORD[engine]: 1}, {"weight": None}, "finish")
    for given in (goal, json.dumps(goal), GoalVector(**goal)):
        found = judged(engine, sides, given)
        assert found.mode == "finish"
        assert set(found.protects) == {"weight"}
    with pytest.raises(GoalError, match="own protects"):
        judged(engine, sides, goal, {"weight": None})


@pytest.mark.parametrize("engine", SOUND)
def test_protecting_what_is_not_measured_forbids_a_keep(engine: str, captures: Any) -> None:
    sides = captures(band_db=[0] * 6 + [3] * 3, side_db=-6.0)
    found = judged(engine, sides, {"brightness": 1}, {"clarity": 0.7})
    assert not found.keep_change
    assert "protect_unavailable" in [reason.code for reason in found.reasons]


def test_a_brighter_mix_is_kept_and_a_clipping_one_is_not(captures: Any) -> None:
    sides = captures(band_db=[0] * 6 + [2] * 3, gain_db=-6.0)
    found = evaluate_mix_move(*sides, {"brightness": 1}, {"weight": None})
    assert found.decision == "keep"
    assert 1.8 < (found.dimensions["brightness"].delta or 0.0) < 2.2
    assert found.dimensions["clarity"].state == "unavailable"
    assert found.masking_after is not None
    assert found.masking_after.clarity is None
    loud = captures(band_db=[0] * 6 + [2] * 3, gain_db=12.0)
    clipped = evaluate_mix_move(*loud, {"brightness": 1})
    assert (clipped.evidence.true_peak_after_dbtp or 0.0) > -1.0
    assert not clipped.keep_change
    assert [reason.code for reason in clipped.reasons] == ["true_peak"]


def test_headroom_is_measured_in_decibels(captures: Any) -> None:
    found = judged("mix", captures(gain_db=-3.0), {"headroom": 1})
    assert found.decision == "keep"
    assert found.dimensions["headroom"].delta == pytest.approx(3.0, abs=0.3)


def mono_level_db(values: Array) -> float:
    left, right = values[:, FRAME_COLUMNS["mean_square"]].sum(axis=0)
    cross = values[:, column("lr_product")].sum()
    return float(10 * np.log10((left + right + 2 * cross) / 4 / ((left + right) / 2)))


def test_narrowing_helps_mono_by_what_the_sums_say(captures: Any) -> None:
    before, after = captures(side_db=-6.0)
    found = judged("translation", (before, after), {"mono_level": 1, "mono_low_end": 1})
    truth = mono_level_db(after[0].values) - mono_level_db(before[0].values)
    delta = found.dimensions["mono_level"].delta
    assert delta == pytest.approx(truth, abs=0.05)
    assert truth > 0.2


def test_unrelated_channels_lose_three_decibels_in_mono(captures: Any) -> None:
    before, _ = captures()
    unrelated = []
    for each in before:
        values = each.values.copy()
        values[:, column("lr_product")] = 0.0
        values[:, FRAME_COLUMNS["band_lr"]] = 0.0
        unrelated.append(frames(values))
    found = judged("translation", (before, unrelated), {"mono_level": 1})
    assert found.decision == "undo"
    assert found.dimensions["mono_level"].after == pytest.approx(-3.01, abs=0.01)
    assert found.dimensions["mono_low_end"].after == pytest.approx(-3.01, abs=0.01)
    checks = {check.name: check for check in found.checks}
    assert checks["mono_level"].passed
    opposed = []
    for each in before:
        values = each.values.copy()
        values[:, column("lr_product")] *= -1.0
        opposed.append(frames(values))
    found = judged("translation", (before, opposed), {"mono_level": 1})
    assert {check.name: check.passed for check in found.checks}["mono_level"] is False
    assert any(note.startswith("mono_level fails: -") for note in found.notes)


def test_less_bass_leaves_more_to_small_speakers_and_low_level(captures: Any) -> None:
    bassy = [10, 10] + [0] * 7
    sides = captures(band_db=bassy)[::-1]
    found = judged("translation", sides, {"small_speaker": 1, "low_level": 1})
    assert found.decision == "keep"
    bands = [each[0].values[:, FRAME_COLUMNS["band_power"]].sum(axis=0) for each in sides]
    truth = [10 * np.log10(power[2:].sum() / power.sum()) for power in bands]
    assert found.dimensions["small_speaker"].delta == pytest.approx(truth[1] - truth[0], abs=0.1)
    assert found.dimensions["low_level"].verdict == "improved"


def test_gain_moves_nothing_but_headroom_in_translation(captures: Any) -> None:
    found = judged("translation", captures(gain_db=-4.0), {"small_speaker": 1})
    for name in ("mono_level", "mono_low_end", "small_speaker", "low_level"):
        assert found.dimensions[name].verdict == "same", name
    assert found.dimensions["headroom"].delta == pytest.approx(4.0, abs=0.3)


def stepped(sides: list[Frames], gain_db: float, bars_per_s: float = 0.5) -> list[Frames]:
    """Everything from bar 8 on, louder: the drop lifts more."""
    made = []
    for each in sides:
        values = each.values.copy()
        drop = np.arange(len(values)) * 0.05 * bars_per_s >= 8
        for name in ("band_power", "band_lr", "mean_square", "lr_product", "k_power"):
            values[drop, FRAME_COLUMNS[name]] *= 10 ** (gain_db / 10)
        made.append(frames(values))
    return made


def test_a_louder_drop_is_a_bigger_step(captures: Any) -> None:
    before, after = captures("H.25")
    found = judged("transition", (before, stepped(after, 2.0)), {"transition_energy": 1})
    assert found.decision == "keep"
    assert found.dimensions["transition_energy"].delta == pytest.approx(2.0, abs=0.4)
    assert found.dimensions["transition_brightness"].verdict in ("same", "inconclusive")
    assert found.compared == "8 pairs of bars across the boundary at bar 8 (from 0)"
    whole = judged("transition", captures("J", gain_db=-5.0), {"transition_energy": 1})
    assert whole.dimensions["transition_energy"].verdict == "same"


def test_silence_before_the_drop_is_a_gap(captures: Any) -> None:
    before, after = captures()
    cut = []
    for each in after:
        values = each.values.copy()
        beats = values[:, column("song_beats")]
        last = (beats > 31.0) & (beats < 31.95)
        for name in ("band_power", "band_lr", "mean_square", "lr_product", "k_power"):
            values[last, FRAME_COLUMNS[name]] *= 1e-3
        cut.append(frames(values))
    found = judged("transition", (before, cut), {"transition_gap": 1})
    assert found.decision == "keep"
    assert (found.dimensions["transition_gap"].delta or 0.0) > 8.0
    assert found.dimensions["transition_energy"].verdict != "improved"
    null = judged("transition", captures(), {"transition_gap": 1})
    assert null.decision == "undo"


@pytest.mark.parametrize(
    "sections", [(), (SECTIONS[0],), (Section(start_bar=0, end_bar=2), SECTIONS[1])]
)
def test_without_a_boundary_nothing_is_judged(sections: tuple[Section, ...], captures: Any) -> None:
    before, after = captures()
    found = evaluate_with_fabric(
        "transition",
        replace(side(before), sections=sections),
        replace(side(after), sections=sections),
        {"transition_energy": 1},
    )
    assert [reason.code for reason in found.reasons] == ["no_boundary"]


def parts(synth: ModuleType, seed: int, bass_db: float) -> dict[str, Array]:
    """A bass, and a pad that shares its bands by ``bass_db``."""
    rng = np.random.default_rng(seed)
    piece = synth.programme(seed, 8)
    only = np.full(9, -60.0)
    bass, pad = only.copy(), only.copy()
    bass[:3] = 0.0
    pad[3:6] = 0.0
    pad[:3] = bass_db
    return {
        "bass": synth.capture(piece, rng, band_db=bass, jitter_ms=0),
        "pad": synth.capture(piece, rng, band_db=pad, jitter_ms=0),
    }


def mixed(tracks: dict[str, Array], strips: dict[str, Strip] | None = None) -> SessionSnapshot:
    strips = strips or {}
    master = tracks["bass"].copy()
    for name in ("band_power", "band_lr", "mean_square", "lr_product", "k_power"):
        where = FRAME_COLUMNS[name]
        master[:, where] = sum(
            values[:, where] * sum(strips.get(track, Strip()).powers) / 2
            for track, values in tracks.items()
        )
    return SessionSnapshot(
        master=(frames(master),),
        tracks={
            name: TrackCapture((frames(values),), strips.get(name, Strip()))
            for name, values in tracks.items()
        },
    )


def test_carving_the_pad_gives_the_bass_clarity(synth: ModuleType) -> None:
    before, after = mixed(parts(synth, 5, 0.0)), mixed(parts(synth, 5, -18.0))
    found = evaluate_mix_move(before, after, {"clarity": 1})
    assert found.decision == "keep"
    assert found.dimensions["clarity"].state == "measured"
    assert found.masking_before is not None
    assert found.masking_after is not None
    losses = [
        {part.name: part.loss for part in each.parts}
        for each in (found.masking_before, found.masking_after)
    ]
    assert losses[1]["bass"] < losses[0]["bass"] - 0.1
    undone = evaluate_mix_move(after, before, {"clarity": 1})
    assert undone.decision == "undo"
    assert undone.score == 1.0 - (found.score or 0.0)


def test_a_fader_pulled_down_counts_though_the_tap_is_before_it(synth: ModuleType) -> None:
    tracks = parts(synth, 5, 0.0)
    down = {"pad": Strip(gain_db=-20.0)}
    found = evaluate_mix_move(mixed(tracks), mixed(tracks, down), {"clarity": 1})
    assert found.masking_before is not None
    assert found.masking_after is not None
    bass = [each.parts[0].loss for each in (found.masking_before, found.masking_after)]
    assert bass[1] < bass[0] - 0.2


def test_tracks_on_one_side_only_make_clarity_unavailable(synth: ModuleType) -> None:
    tracks = parts(synth, 5, 0.0)
    bare = replace(mixed(tracks), tracks={})
    found = evaluate_mix_move(mixed(tracks), bare, {"clarity": 1})
    assert not found.keep_change
    assert "only before" in (found.dimensions["clarity"].reason or "")
    renamed = replace(mixed(tracks), tracks={"bass": mixed(tracks).tracks["bass"]})
    found = evaluate_mix_move(mixed(tracks), renamed, {"clarity": 1})
    assert "'pad'" in (found.dimensions["clarity"].reason or "")


def test_sections_let_the_sonic_engine_see_contrast(captures: Any) -> None:
    before, after = captures()
    found = judged("sonic", (before, stepped(after, 3.0)), {"contrast": 1})
    assert found.decision == "keep"
    bare = evaluate_with_fabric("sonic", before, stepped(after, 3.0), {"contrast": 1})
    assert bare.dimensions["contrast"].state == "unavailable"
    assert not bare.keep_change


def test_tracks_are_laid_over_a_session_loop_as_the_master_is(synth: ModuleType) -> None:
    tracks = parts(synth, 5, 0.0)
    before, after = mixed(tracks), mixed(parts(synth, 5, -18.0))
    later = {}
    for name, track in after.tracks.items():
        values = track.frames[0].values.copy()
        values[:, column("song_beats")] += 64.0
        later[name] = TrackCapture((Frames(values, track.frames[0].received_s),))
    values = after.master[0].values.copy()
    values[:, column("song_beats")] += 64.0
    moved = SessionSnapshot(master=(Frames(values, after.master[0].received_s),), tracks=later)
    found = evaluate_mix_move(before, moved, {"clarity": 1}, loop_beats=32.0)
    assert found.decision == "keep"
    apart = evaluate_mix_move(before, moved, {"clarity": 1})
    assert [reason.code for reason in apart.reasons] == ["no_overlap"]


def test_a_track_analyzer_that_was_off_makes_clarity_unavailable(synth: ModuleType) -> None:
    snapshot = mixed(parts(synth, 5, 0.0))
    short = snapshot.tracks["pad"].frames[0].select(slice(0, 100))
    tracks = {**snapshot.tracks, "pad": TrackCapture((short,))}
    found = evaluate_mix_move(snapshot, replace(snapshot, tracks=tracks), {"clarity": 1})
    assert not found.keep_change
    assert "capture all analyzers at once" in (found.dimensions["clarity"].reason or "")


@pytest.mark.parametrize("targets", [None, {}, [], 3, "no json", {"brightnes": 1}])
def test_a_goal_that_is_none_is_an_error(targets: Any, captures: Any) -> None:
    with pytest.raises(GoalError):
        evaluate_mix_move(*captures(), targets)
