import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.capture.align import align
from pybackend.capture.aligned import AlignedCaptures, Incomparable
from pybackend.errors import InputError
from pybackend.metering.design import BAND_NAMES
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FRAME_COLUMNS, SEQ_MODULUS, column

BARS, BAR_MS = 6, 2000
K_POWER = column("k_power")
FEW = settings(max_examples=25, deadline=None)


@pytest.fixture(scope="module")
def song(make):
    return make.music(BARS * BAR_MS / 1000 + 1.0, seed=3)


@pytest.fixture(scope="module")
def captures(make, song):
    """Before, a repeat, and after with 2 dB more above 2 kHz; three phases of the frame clock."""
    brighter = song.copy()
    brighter[:, 6:] *= 10.0**0.2
    return [
        make.frames(make.played_again(song, 1, spread_db=0.2), phase_ms=0),
        make.frames(make.played_again(song, 2, spread_db=0.2), phase_ms=17),
        make.frames(make.played_again(brighter, 3, spread_db=0.2), phase_ms=38),
    ]


@pytest.fixture(scope="module")
def good(make, song):
    return make.frames(song)


def codes(result):
    assert isinstance(result, Incomparable)
    return {reason.code for reason in result.reasons}


def bar_power(aligned, capture):
    power = np.where(aligned.valid[capture], aligned.values[capture, :, K_POWER], 0.0)
    return np.bincount(aligned.bar, power)


def brightness_db(aligned, capture):
    bands = aligned.values[capture][aligned.valid.all(axis=0)][:, FRAME_COLUMNS["band_power"]]
    return 10.0 * np.log10(bands[:, 6:].sum() / bands[:, 3:6].sum())


def test_identical_captures_have_identical_values(make, song):
    frames = make.frames(song, phase_ms=23)
    aligned = align([frames], [frames])
    np.testing.assert_array_equal(aligned.values[0], aligned.values[1])
    np.testing.assert_array_equal(aligned.valid[0], aligned.valid[1])
    assert aligned.lag_s == (0.0, 0.0)
    assert aligned.notes == ()


def test_layout(captures):
    aligned = align(captures[:2], captures[2:])
    assert aligned.values.shape == (3, BARS * 40, 46)
    assert aligned.n_before == 2
    assert aligned.n_bars == BARS
    assert (aligned.start_beats, aligned.end_beats) == (0.0, BARS * 4.0)
    assert (aligned.tempo_bpm, aligned.beats_per_bar) == (120.0, 4.0)
    np.testing.assert_array_equal(np.bincount(aligned.bar), 40)
    assert aligned.loss == (0.0, 0.0, 0.0)
    assert aligned.positions == "song"
    assert np.isfinite(aligned.values[aligned.valid]).all()
    assert np.isnan(aligned.values[~aligned.valid]).all()
    np.testing.assert_allclose(
        aligned.values[0, aligned.valid[0], column("song_beats")],
        (0.1 * np.arange(BARS * 40))[aligned.valid[0]],
    )


def test_swapping_sides_swaps_the_captures(captures):
    first = align(captures[:2], captures[2:])
    second = align(captures[2:], captures[:2])
    np.testing.assert_array_equal(second.values, first.values[[2, 0, 1]])
    np.testing.assert_array_equal(second.valid, first.valid[[2, 0, 1]])
    assert (first.start_beats, first.end_beats) == (second.start_beats, second.end_beats)


def test_swapping_sides_swaps_the_captures_when_one_is_late(make, song):
    early, late = make.frames(song, phase_ms=9), make.frames(song, phase_ms=31, lag_ms=80)
    first, second = align([early], [late]), align([late], [early])
    assert first.lag_s[1] == pytest.approx(-second.lag_s[1], abs=1e-9)
    # A row's middle can fall on the edge of a frame; only whole-row copies may differ then.
    sums = slice(FRAME_COLUMNS["band_power"].start, FRAME_COLUMNS["lr_product"].stop)
    both = first.valid[0] & first.valid[1]
    for i, j in ((0, 1), (1, 0)):
        np.testing.assert_allclose(
            first.values[i][both][:, sums], second.values[j][both][:, sums], rtol=1e-6, atol=1e-9
        )


@FEW
@given(phases=st.lists(st.integers(0, 49), min_size=2, max_size=4))
def test_the_phase_of_the_frame_clock_does_not_matter(make, song, phases):
    frames = [make.frames(song, phase_ms=phase) for phase in phases]
    aligned = align(frames[:1], frames[1:])
    assert aligned.lag_s == (0.0,) * len(phases)
    inner = (aligned.bar > 0) & (aligned.bar < aligned.n_bars - 1)
    for capture in range(1, len(phases)):
        change_db = brightness_db(aligned, capture) - brightness_db(aligned, 0)
        assert abs(change_db) < 0.02
        power = aligned.values[:, inner, K_POWER].sum(axis=1)
        assert abs(10.0 * np.log10(power[capture] / power[0])) < 0.02


def test_no_power_is_lost_or_counted_twice(make, song):
    """The sum over inner rows is the song's own power, whatever the phase of the clock."""
    frames = make.frames(song, phase_ms=33)
    aligned = align([frames], [frames])
    rows = slice(41, 201)
    truth = song[2000:10000].mean(axis=0)
    bands = aligned.values[0, rows][:, FRAME_COLUMNS["band_power"]].mean(axis=0)
    edge = frames.column("band_power").max(axis=0) * 2.0 / 160.0
    assert (np.abs(bands - truth) <= edge).all()


@FEW
@given(data=st.data())
def test_lost_frames_are_missing_and_never_filled(make, song, data):
    whole = make.frames(song, phase_ms=12)
    lost = data.draw(st.sets(st.integers(1, len(whole) - 2), min_size=1, max_size=9))
    holey = whole.select(np.setdiff1d(np.arange(len(whole)), list(lost)))
    aligned = align([whole], [holey])
    assert isinstance(aligned, AlignedCaptures)
    both = aligned.valid[0] & aligned.valid[1]
    np.testing.assert_allclose(aligned.values[1][both], aligned.values[0][both], rtol=1e-9)
    # Bars begin one row before the barline, and with this clock a frame reaches into two rows.
    expected = {row for frame in lost for row in (frame + 1, frame + 2)}
    missing = set(np.flatnonzero(~aligned.valid[1])) - set(np.flatnonzero(~aligned.valid[0]))
    assert missing == {row for row in expected if row < BARS * 40}
    assert aligned.loss[1] == pytest.approx(len(lost) / len(whole))
    assert any("missing" in note for note in aligned.notes)


@FEW
@given(seed=st.integers(0, 2**32 - 1), first_seq=st.sampled_from([0, 77, SEQ_MODULUS - 100]))
def test_order_repeats_and_wrap_of_the_counter_do_not_matter(make, song, seed, first_seq):
    rng = np.random.default_rng(seed)
    plain = make.frames(song, phase_ms=5)
    wrapped = make.frames(song, phase_ms=5, first_seq=first_seq)
    near = np.argsort(np.arange(len(wrapped)) + rng.uniform(0, 4, len(wrapped)))
    doubled = np.sort(np.concatenate([near, rng.integers(0, len(wrapped), 6)]))
    shuffled = wrapped.select(np.concatenate([near, doubled[:20]]))
    straight, mixed = align([plain], [plain]), align([plain], [shuffled])
    seqs = [column("seq"), column("seq_check")]
    np.testing.assert_array_equal(
        np.delete(mixed.values[1], seqs, axis=1), np.delete(straight.values[1], seqs, axis=1)
    )
    assert mixed.loss == (0.0, 0.0)


def test_torn_frames_are_dropped(make, song):
    frames = make.frames(song)
    torn = make.changed(frames, [50, 51], seq_check=3.0)
    aligned = align([frames], [torn])
    assert np.flatnonzero(~aligned.valid[1]).tolist() == [0, 51, 52]
    assert aligned.loss[1] == pytest.approx(2 / len(frames))


def test_a_frame_that_holds_a_jump_is_not_paired(make, song):
    """The loop jumps back two bars after four: bars 2 and 3 are played twice."""
    beats = np.concatenate([np.arange(160) * 0.1, 8.0 + np.arange(80) * 0.1]) + 0.1
    heard = np.concatenate([song[:8000], song[4000:8000]])
    looped = make.changed(make.frames(heard), slice(None), song_beats=(beats - 0.03)[:, None])
    aligned = align([make.frames(song)], [looped])
    assert aligned.n_bars == 4
    # The latest complete playing of bars 2 and 3 counts: it lacks its first frame, so the earlier
    # one, which is complete, is taken for bar 2.
    np.testing.assert_array_equal(aligned.values[1, 81:120, column("seq")], np.arange(80, 119))
    np.testing.assert_array_equal(aligned.values[1, 121:160, column("seq")], np.arange(200, 239))


def test_a_loop_counts_with_its_latest_complete_pass(make, song):
    passes = np.concatenate([song[:8000], song[:8000] * 2.0, song[:4000] * 4.0])
    n = len(passes) // 50
    beats = (np.arange(n) % 160 + 1) * 0.1
    looped = make.changed(make.frames(passes), slice(None), song_beats=beats[:, None])
    # On the frame grid the step over a jump has the length of the loop, which is no frame.
    aligned = align([make.frames(song)], [looped])
    assert aligned.n_bars == 4
    level_db = 10.0 * np.log10(bar_power(aligned, 1) / bar_power(aligned, 0))
    # Bars 0 and 1 of the last pass are complete but for the frame with the jump in bar 0.
    np.testing.assert_allclose(level_db[1:], [6.0206, 3.0103, 3.0103], atol=0.01)


def test_session_view_pairs_modulo_the_loop(make, song):
    four = song[:8000]
    before = make.frames(np.concatenate([four] * 3), start_beats=16.0, phase_ms=3)
    after = make.frames(np.concatenate([four * 2.0] * 3), start_beats=992.0, phase_ms=44)
    assert codes(align([before], [after])) == {"no_overlap"}
    aligned = align([before], [after], loop_beats=16.0)
    # Both hold three loops, so the four bars count three times.
    assert aligned.n_bars == 12
    level_db = 10.0 * np.log10(bar_power(aligned, 1) / bar_power(aligned, 0))
    np.testing.assert_allclose(level_db, 3.0103, atol=0.15)


def test_a_loop_shorter_than_a_bar_is_unrolled(make):
    one = make.music(1.5, seed=5)
    frames = make.frames(np.concatenate([one] * 12), start_beats=3.0)
    assert align([frames], [frames], loop_beats=3.0).n_bars == 6
    with pytest.raises(InputError, match="never fills whole bars"):
        align([frames], [frames], loop_beats=np.pi)
    with pytest.raises(InputError, match="no length"):
        align([frames], [frames], loop_beats=0.0)


def test_positions_that_come_late_are_smoothed(make, song):
    steady = make.frames(song, phase_ms=20)
    jittery = [make.frames(song, phase_ms=20, jitter_ms=20.0, seed=seed) for seed in (1, 2)]
    aligned = align([steady], jittery)
    assert aligned.lag_s == (0.0, 0.0, 0.0)
    power = aligned.values[:, 40:200, K_POWER]
    # The mean lateness of 10 ms is all that is left of the jitter, and it is common to both.
    np.testing.assert_allclose(power[2], power[1], rtol=0.1, atol=1e-5)
    assert abs(10.0 * np.log10(power[1].sum() / power[0].sum())) < 0.02


def test_tempo_may_change_inside_the_window(make, song):
    def ramped(phase_ms):
        frames = make.frames(song, phase_ms=phase_ms)
        tempo = 120.0 + 10.0 * np.sin(0.05 * np.arange(len(frames)))
        beats = 0.1 * phase_ms / 50.0 + np.cumsum(tempo) / 1200.0
        return make.changed(frames, slice(None), tempo=tempo[:, None], song_beats=beats[:, None])

    aligned = align([ramped(0)], [ramped(0)])
    np.testing.assert_array_equal(aligned.values[0], aligned.values[1])
    assert aligned.n_bars == 6
    assert aligned.valid.mean() > 0.95


def test_another_tempo_is_paired_by_position_and_said(make, song):
    slow = make.frames(make.music(15.0, seed=3, tempo_bpm=112.0), tempo_bpm=112.0)
    aligned = align([make.frames(song)], [slow])
    assert isinstance(aligned, AlignedCaptures)
    assert any("112" in note for note in aligned.notes)


def test_another_signature_is_not_comparable(make, song):
    waltz = make.frames(song, beats_per_bar=3.0)
    result = align([make.frames(song)], [waltz])
    assert codes(result) == {"no_overlap"}
    assert "3 and 4" in result.reasons[0].text


def test_bars_of_another_signature_inside_are_left_out(make, song):
    frames = make.changed(make.frames(song), slice(80, 110), beats_per_bar=3.0)
    aligned = align([frames], [frames])
    assert aligned.n_bars == BARS - 1
    assert any("left out" in note for note in aligned.notes)


def test_files_are_paired_from_their_starts(make, song):
    plain = make.changed(make.frames(song), slice(None), flags=0, tempo=0, beats_per_bar=0)
    aligned = align([plain], [plain], positions="start")
    assert aligned.positions == "start"
    assert aligned.n_bars == BARS
    assert (aligned.tempo_bpm, aligned.beats_per_bar) == (120.0, 4.0)
    rows = aligned.values[0, 1:, K_POWER]
    np.testing.assert_array_equal(rows, plain.column("k_power")[: BARS * 40 - 1])


def test_rows_that_fit_frames_are_those_frames(make, song):
    frames = make.frames(song)
    aligned = align([frames], [frames])
    measured = slice(FRAME_COLUMNS["band_power"].start, FRAME_COLUMNS["seq_check"].start)
    np.testing.assert_allclose(
        aligned.values[0, 1:, measured],
        frames.values[: BARS * 40 - 1, measured],
        rtol=1e-9,
        atol=1e-15,
    )


def test_every_peak_is_kept(make, song):
    frames = make.frames(song, phase_ms=26)
    aligned = align([frames], [frames])
    inside = (frames.column("song_beats") > 0.2) & (frames.column("song_beats") < 23.9)
    for name in ("true_peak", "sample_peak", "peak10_high"):
        at = FRAME_COLUMNS[name]
        rows = aligned.values[0][aligned.valid[0]][:, at]
        assert set(frames.values[inside][:, at].ravel()) <= set(rows.ravel())


def test_momentary_loudness_is_read_where_a_row_ends(make):
    """A rise of one power per frame: between two frames it lies between their readings."""
    power = np.tile(np.repeat(np.linspace(1e-3, 1e-1, 240), 50)[:, None], (1, len(BAND_NAMES)))
    early, late = make.frames(power), make.frames(power, phase_ms=25)
    aligned = align([early], [late])
    loud = aligned.values[:, 20:200, column("lufs_m")]
    np.testing.assert_allclose(loud[0], loud[1], atol=0.02)


def test_bands_above_nyquist_stay_unavailable(make, song):
    def narrow(phase_ms):
        frames = make.frames(song, phase_ms=phase_ms, sample_rate=16000.0)
        return make.changed(
            frames,
            slice(None),
            band_power=[*[0.01] * 7, np.nan, np.nan],
            band_lr=[*[0.0] * 7, np.nan, np.nan],
        )

    aligned = align([narrow(0)], [narrow(30)])
    bands = aligned.values[:, :, FRAME_COLUMNS["band_power"]][aligned.valid]
    assert np.isnan(bands[:, 7:]).all()
    assert np.isfinite(bands[:, :7]).all()


@pytest.mark.parametrize("lag_ms", [20, 50, 125, 300])
def test_latency_is_found_and_taken_off(make, song, lag_ms):
    power = np.concatenate([song, song[:400]])
    before = make.frames(make.played_again(power, 1), phase_ms=11)
    repeat = make.frames(make.played_again(power, 2), phase_ms=42)
    louder_bass = power * 10.0 ** (np.array([9, 8, 6, 0, -3, 0, 2, -6, -9]) / 10.0)
    after = make.frames(make.played_again(louder_bass, 3), phase_ms=29, lag_ms=lag_ms)
    aligned = align([before, repeat], [after])
    assert aligned.lag_s[:2] == (0.0, 0.0)
    assert aligned.lag_s[2] == pytest.approx(lag_ms / 1000.0, abs=0.01)


def test_repeats_are_never_corrected(make, song):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        eq = 10.0 ** (rng.uniform(-9.0, 9.0, len(BAND_NAMES)) / 10.0)
        before = make.frames(make.played_again(song, seed), phase_ms=int(rng.integers(50)))
        after = make.frames(
            make.played_again(song * eq, seed + 100), phase_ms=int(rng.integers(50))
        )
        assert align([before], [after]).lag_s == (0.0, 0.0)


def test_a_steady_sound_needs_no_lag(make):
    drone = np.tile(np.linspace(0.01, 0.002, 9), (13000, 1))
    aligned = align([make.frames(drone)], [make.frames(drone, phase_ms=20, lag_ms=0)])
    assert aligned.lag_s == (0.0, 0.0)


class TestReasons:
    """Each code is reached, and all that apply are reported."""

    def only(self, good, bad):
        return codes(align([good], [bad]))

    def test_no_frames(self, good):
        assert self.only(good, Frames.empty()) == {"no_frames"}

    def test_non_finite(self, make, good):
        bad = make.changed(good, slice(20, 60), k_power=np.nan)
        assert self.only(good, bad) == {"non_finite"}
        everywhere = make.changed(good, slice(None), band_power=np.inf)
        assert "non_finite" in self.only(good, everywhere)
        counter = make.changed(good, slice(None), seq=np.nan)
        assert self.only(good, counter) == {"no_frames", "non_finite"}

    def test_single_bad_frames_are_left_out(self, make, good):
        aligned = align([good], [make.changed(good, [30], lufs_s=np.nan)])
        assert np.flatnonzero(~aligned.valid[1]).tolist() == [0, 31]
        assert any("no numbers" in note for note in aligned.notes)

    def test_transport_stopped(self, make, good):
        stopped = make.changed(good, slice(None), flags=1)
        assert self.only(good, stopped) == {"transport_stopped", "too_few_bars"}
        half = make.changed(good, slice(70, None), flags=1)
        assert self.only(good, half) == {"transport_stopped", "too_few_bars"}

    def test_silence(self, make, song, good):
        assert self.only(good, make.frames(song * 1e-8)) == {"silence"}

    def test_silence_in_the_shared_bars_only(self, make, song, good):
        quiet = song.copy()
        quiet[: BARS * BAR_MS] *= 1e-8
        longer = make.frames(np.concatenate([quiet[: BARS * BAR_MS], song]))
        assert "silence" in self.only(good, longer)

    def test_loss(self, good):
        kept = np.arange(len(good)) % 12 != 5
        result = align([good], [good.select(kept)])
        assert codes(result) == {"loss"}
        assert "8.5%" in result.reasons[0].text

    def test_loss_at_the_limit_is_tolerated(self, good):
        kept = np.arange(len(good)) % 25 != 5
        assert isinstance(align([good], [good.select(kept)]), AlignedCaptures)

    def test_too_few_bars(self, good):
        assert self.only(good, good.select(slice(0, 130))) == {"too_few_bars"}

    def test_too_few_bars_in_common(self, make, good, song):
        later = make.frames(song, start_beats=12.0)
        result = align([good], [later])
        assert codes(result) == {"too_few_bars"}
        assert "In common" in result.reasons[0].text

    def test_no_overlap(self, make, song, good):
        result = align([good], [make.frames(song, start_beats=64.0)])
        assert codes(result) == {"no_overlap"}
        assert "64.0" in result.reasons[0].text

    def test_no_tempo(self, make, good):
        assert "no_overlap" in self.only(good, make.changed(good, slice(None), tempo=0.0))

    def test_sample_rate_changed(self, make, song, good):
        assert self.only(good, make.frames(song, sample_rate=44100.0)) == {"sample_rate_changed"}
        inside = make.changed(good, slice(100, None), sample_rate=44100.0)
        assert self.only(good, inside) == {"sample_rate_changed"}

    def test_device_loaded_again(self, make, song, good):
        assert isinstance(align([good], [make.frames(song, instance=9)]), AlignedCaptures)
        inside = make.changed(good, slice(120, None), instance=9)
        assert "device_changed" in self.only(good, inside)

    def test_two_masters(self, make, song, good):
        other = make.frames(song, instance=9, first_seq=4000)
        pairs = np.arange(2 * len(good)).reshape(2, -1).T.ravel()
        both = Frames.concatenate([good, other]).select(pairs)
        assert self.only(good, both) == {"two_masters"}

    def test_stale(self, good):
        late = good.received_s.copy()
        late[150:] += 6.0
        assert self.only(good, Frames(good.values, late)) == {"stale"}

    def test_lag_unclear(self, make, good):
        other = make.music(BARS * BAR_MS / 1000 + 1.0, seed=99)
        result = align([good], [make.frames(other)])
        assert codes(result) == {"lag_unclear"}

    def test_all_reasons_are_reported_in_plain_lines(self, make, good):
        bad = make.changed(good, slice(20, 60), k_power=np.nan)
        bad = make.changed(bad, slice(100, None), sample_rate=44100.0)
        result = align([good, good], [good, bad.select(np.arange(len(bad)) % 9 != 0)])
        assert codes(result) >= {"non_finite", "sample_rate_changed", "loss"}
        for reason in result.reasons:
            assert reason.text.startswith("After, capture 2: ")
            assert reason.text.endswith(".")
            assert "\n" not in reason.text


def test_one_to_eight_captures_per_side(make, song):
    frames = make.frames(song)
    assert align([frames] * 8, [frames] * 8).values.shape[0] == 16
    for before, after in (([], [frames]), ([frames], []), ([frames] * 9, [frames])):
        with pytest.raises(InputError, match="1 to 8"):
            align(before, after)
    with pytest.raises(InputError, match="at least 1"):
        align([frames], [frames], min_bars=0)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_arrives_gets_an_answer(make, song, data):
    """Numbers of any kind in any control field: never an exception, never NaN in a valid row."""
    frames = make.frames(song[:9000])
    anything = st.floats(width=32) | st.sampled_from([0.0, -1.0, 1e7, np.nan, np.inf])
    names = ["flags", "seq", "song_beats", "tempo", "beats_per_bar", "instance", "sample_rate"]
    for name in data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3)):
        start = data.draw(st.integers(0, len(frames)))
        frames = make.changed(
            frames,
            slice(start, start + data.draw(st.integers(1, 200))),
            **{name: data.draw(anything)},
        )
    result = align([frames], [make.frames(song)], min_bars=2)
    if isinstance(result, AlignedCaptures):
        assert np.isfinite(result.values[result.valid]).all()
    else:
        assert result.reasons
