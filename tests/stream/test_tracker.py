from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.stream.protocol import FRAME_WIDTH, SEQ_MODULUS, column
from pybackend.stream.tracker import JUMP_FRAMES, LATE_FRAMES, Tracker


def rows_of(seqs: list[int], rates_hz: list[float] | None = None) -> np.ndarray:
    rows = np.zeros((len(seqs), FRAME_WIDTH), dtype=np.float32)
    rows[:, column("seq")] = seqs
    rows[:, column("sample_rate")] = rates_hz or [48000.0] * len(seqs)
    return rows


def track(seqs, times_s=None, rates_hz=None, cuts=()):
    """Tracker fed with frames, in groups cut at the given places; kept positions and index."""
    tracker, kept, index = Tracker(), [], []
    rows = rows_of(seqs, rates_hz)
    times = np.arange(len(seqs)) * 0.05 if times_s is None else np.array(times_s, dtype=float)
    bounds = [0, *sorted(cuts), len(seqs)]
    for start, stop in pairwise(bounds):
        if start == stop:
            continue
        keep, found = tracker.admit(rows[start:stop], times[start:stop])
        where = np.arange(start, stop)
        kept += (where if keep is None else where[keep]).tolist()
        index += found.tolist()
    return tracker.stats(), kept, index


def test_an_unbroken_stream_loses_nothing():
    stats, kept, index = track([5, 6, 7, 8], cuts=[1, 3])
    assert (stats.received, stats.lost, stats.gaps, stats.loss) == (4, 0, 0, 0.0)
    assert kept == [0, 1, 2, 3]
    assert np.diff(index).tolist() == [1, 1, 1]
    assert (stats.first_s, stats.last_s) == (0.0, pytest.approx(0.15))
    assert (stats.last_seq, stats.sample_rate_hz) == (8, 48000.0)


def test_gaps_are_counted_with_their_length():
    stats, _, index = track([1, 2, 5, 6, 16])
    assert (stats.received, stats.lost, stats.gaps, stats.longest_gap) == (5, 11, 2, 9)
    assert stats.loss == pytest.approx(11 / 16)
    assert np.diff(index).tolist() == [1, 3, 1, 10]


def test_the_counter_wraps_without_loss():
    last = SEQ_MODULUS - 1
    stats, _, index = track([last - 1, last, 0, 1, 4], cuts=[1])
    assert (stats.received, stats.lost, stats.gaps) == (5, 2, 1)
    assert np.diff(index).tolist() == [1, 1, 1, 3]


def test_repeats_are_dropped():
    stats, kept, _ = track([1, 2, 2, 3, 1, 3, 4])
    assert (stats.received, stats.repeats, stats.lost) == (4, 3, 0)
    assert kept == [0, 1, 3, 6]


def test_a_late_frame_finds_its_place_and_is_not_lost():
    stats, kept, index = track([1, 2, 4, 5, 3, 6])
    assert (stats.received, stats.reordered, stats.lost, stats.gaps) == (6, 1, 0, 1)
    assert kept == [0, 1, 2, 3, 4, 5]
    assert np.argsort(index).tolist() == [0, 1, 4, 2, 3, 5]


def test_a_frame_late_across_the_wrap_finds_its_place():
    stats, _, index = track([SEQ_MODULUS - 2, 0, SEQ_MODULUS - 1, 1])
    assert (stats.reordered, stats.lost) == (1, 0)
    assert np.argsort(index).tolist() == [0, 2, 1, 3]


def test_a_frame_from_before_the_first_takes_nothing_off_the_loss():
    stats, _, index = track([10, 9, 8, 12])
    assert (stats.received, stats.reordered, stats.lost) == (4, 2, 1)
    assert np.argsort(index).tolist() == [2, 1, 0, 3]


@pytest.mark.parametrize(
    "second", [5000 - LATE_FRAMES, 5001 + JUMP_FRAMES, 5000 + SEQ_MODULUS // 2]
)
def test_a_jump_that_nothing_explains_is_a_new_count(second):
    stats, _, index = track([5000, second, second + 1, second + 3])
    assert (stats.counter_restarts, stats.lost, stats.reordered, stats.repeats) == (1, 1, 0, 0)
    assert (np.diff(index) > 0).all()


def test_the_longest_lateness_and_the_longest_gap_are_not_a_new_count():
    assert track([5000, 5001 - LATE_FRAMES])[0].reordered == 1
    stats, _, _ = track([5000, 5000 + JUMP_FRAMES])
    assert (stats.counter_restarts, stats.lost) == (0, JUMP_FRAMES - 1)


def test_another_sample_rate_starts_a_new_count():
    stats, kept, index = track([30, 31, 0, 1], rates_hz=[48000, 48000, 96000, 96000])
    assert (stats.sample_rate_changes, stats.sample_rate_hz) == (1, 96000.0)
    assert (stats.lost, stats.repeats, stats.counter_restarts) == (0, 0, 0)
    assert kept == [0, 1, 2, 3]
    assert (np.diff(index) > 0).all()


def test_pauses_and_staleness():
    stats, _, _ = track([1, 2, 3, 4], times_s=[0.0, 0.05, 5.06, 5.11])
    assert stats.stalls == 1
    assert not stats.is_stale(10.1)
    assert stats.is_stale(10.2)
    assert Tracker().stats().is_stale(0.0)


def test_torn_frames_are_counted():
    tracker = Tracker()
    tracker.count_torn()
    assert tracker.stats().torn == 1
    assert tracker.stats().loss == 0.0


@settings(max_examples=200, deadline=None)
@given(
    start=st.integers(0, SEQ_MODULUS - 1),
    order=st.permutations(range(24)),
    dropped=st.sets(st.integers(0, 23), max_size=8),
    repeated=st.lists(st.integers(0, 23), max_size=5),
)
def test_shuffled_lossy_streams_are_accounted_for_exactly(start, order, dropped, repeated):
    came = [place for place in order if place not in dropped]
    for place in repeated:
        if place in came:
            came.append(place)
    stats, kept, index = track([(start + place) % SEQ_MODULUS for place in came])
    distinct = set(came)
    first = came[0]
    missing_after_first = set(range(first, max(distinct) + 1)) - distinct
    assert stats.received == len(distinct) == len(kept)
    assert stats.repeats == len(came) - len(distinct)
    assert stats.lost == len(missing_after_first)
    assert [came[kept[i]] for i in np.argsort(index)] == sorted(distinct)


steps = st.sampled_from([0, 1, 1, 1, 1, 1, 1, 2, 3, -1, -2, -40, -70, 500, 20000, SEQ_MODULUS - 1])


@settings(max_examples=300, deadline=None)
@given(
    start=st.integers(0, SEQ_MODULUS - 1),
    walk=st.lists(
        st.tuples(steps, st.sampled_from([0.05, 0.05, 0.0, -0.02, 6.0]), st.booleans()), max_size=40
    ),
    cuts=st.sets(st.integers(0, 40), max_size=6),
)
def test_grouping_changes_nothing(start, walk, cuts):
    seqs, times_s, rates_hz = [start], [100.0], [48000.0]
    for step, pause_s, _ in walk:
        seqs.append((seqs[-1] + step) % SEQ_MODULUS)
        times_s.append(times_s[-1] + pause_s)
        rates_hz.append(96000.0 if step == 500 else 48000.0)
    one_by_one = track(seqs, times_s, rates_hz, cuts=range(1, len(seqs)))
    grouped = track(seqs, times_s, rates_hz, cuts=[cut for cut in cuts if cut < len(seqs)])
    assert asdict(grouped[0]) == asdict(one_by_one[0])
    assert grouped[1:] == one_by_one[1:]
