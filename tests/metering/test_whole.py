from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.errors import InputError
from pybackend.metering import whole
from pybackend.metering.meter import Meter
from pybackend.metering.whole import frames_by_slab, measure
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FRAME_FIELDS


def assert_agree(got: Frames, want: Frames) -> None:
    """Powers within 1e-9, or where there is next to nothing within 1e-13 of the loudest."""
    assert len(got) == len(want)
    assert np.array_equal(got.received_s, want.received_s)
    for field in FRAME_FIELDS:
        a, b = got.column(field.name), want.column(field.name)
        scale = np.nanmax(np.abs(b), initial=0.0) if field.unit.startswith("FS") else 1.0
        atol = 1e-13 * scale if field.unit.startswith("FS") else 1e-8
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=atol, err_msg=field.name)


@pytest.mark.parametrize("rate_hz", [8000, 11025, 44100, 192000])
@pytest.mark.parametrize("channels", [1, 2])
def test_whole_agrees_with_streaming(rate_hz, channels, music):
    pcm = music(17.013 if rate_hz < 100000 else 9.5, rate_hz)[:, :channels]
    assert_agree(measure(pcm, rate_hz), Meter(rate_hz, channels).process(pcm))


@given(seconds=st.floats(0.0, 3.0), single=st.booleans())
@settings(max_examples=20, deadline=None)
def test_any_length(seconds, single):
    rng = np.random.default_rng(round(1000 * seconds))
    pcm = rng.standard_normal((round(seconds * 11025), 2)).astype("f4" if single else "f8")
    assert_agree(measure(pcm, 11025), Meter(11025).process(pcm))


@given(cuts=st.lists(st.floats(0.0, 1.0), max_size=5))
@settings(max_examples=15, deadline=None)
def test_chunks_are_the_array(cuts):
    rng = np.random.default_rng(len(cuts))
    pcm = rng.standard_normal((200_000, 2)).astype(np.float32)
    edges = sorted({0, *(int(cut * len(pcm)) for cut in cuts), len(pcm)})
    chunks = (pcm[a:b] for a, b in itertools.pairwise(edges))
    assert_agree(measure(chunks, 8000), Meter(8000).process(pcm))


def test_slabs_join_without_a_seam(music, monkeypatch):
    monkeypatch.setattr(whole, "ARRAY_SLAB_S", 8)
    monkeypatch.setattr(whole, "CHUNK_SLAB_S", 8)
    pcm = music(27.3, 11025)
    want = Meter(11025).process(pcm)
    assert len(list(frames_by_slab(pcm, 11025))) == 4
    assert_agree(measure(pcm, 11025), want)
    assert_agree(measure((pcm[i : i + 50_000] for i in range(0, len(pcm), 50_000)), 11025), want)


def test_a_signal_that_ends_with_a_slab_is_complete(music, monkeypatch):
    monkeypatch.setattr(whole, "CHUNK_SLAB_S", 8)
    pcm = music(16.0, 8000)
    assert len(measure(iter([pcm]), 8000)) == 320


def test_samples_that_are_not_finite_cost_their_frames_wherever_they_are(music):
    pcm = music(20.0, 8000)
    pcm[[0, 399, 400, 79_999, 80_000, 159_999]] = np.nan
    assert_agree(measure(pcm, 8000), Meter(8000).process(pcm))
    bad = np.isnan(measure(pcm, 8000).column("k_power"))
    assert np.flatnonzero(bad).tolist() == [0, 1, 199, 200, 399]


def test_strided_and_half_precision_arrays_are_read_right(music):
    pcm = music(2.0, 8000)
    assert_agree(measure(np.asfortranarray(pcm), 8000), Meter(8000).process(pcm))
    half = pcm.astype(np.float16)
    assert_agree(measure(half, 8000), Meter(8000).process(half.astype(np.float64)))


def test_nothing_gives_no_frames():
    assert len(measure(np.empty((0, 2)), 48000)) == 0
    assert len(measure(iter([]), 48000)) == 0
    assert len(measure(np.zeros((2399, 2)), 48000)) == 0
    assert len(measure(np.zeros((2400, 2)), 48000)) == 1


def test_changing_chunks_are_refused():
    chunks = [np.zeros((10, 2)), np.zeros((10, 2), np.float32)]
    with pytest.raises(InputError, match="give every chunk in one form"):
        measure(iter(chunks), 48000)
    with pytest.raises(InputError, match="give every chunk in one form"):
        measure(iter([np.zeros((10, 2)), np.zeros((10, 1))]), 48000)
    with pytest.raises(InputError, match="3 channels cannot be metered"):
        measure(np.zeros((10, 3)), 48000)
