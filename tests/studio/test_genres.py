from __future__ import annotations

import numpy as np
import pytest

from pybackend.studio.genres import GENRES, PEAK, STEMS, Piece


@pytest.mark.parametrize("genre", GENRES, ids=lambda genre: genre.name)
def test_a_piece_has_sounding_stems_and_headroom(genre: object) -> None:
    piece = Piece(genre, 0, bars=4)
    stems = piece.perform(0)
    assert len(stems) == len(STEMS)
    assert all(stem.shape == (round(4 * piece.bar_s * 48000), 2) for stem in stems)
    assert all(np.abs(stem).max() > 1e-3 for stem in stems)
    assert np.abs(np.sum(stems, axis=0)).max() == pytest.approx(PEAK, rel=1e-9)


def test_performances_differ_in_timing_and_velocity_only() -> None:
    piece = Piece(GENRES[0], 0, bars=4)
    one, again, other = (np.sum(piece.perform(number), axis=0) for number in (0, 0, 1))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    level = [10 * np.log10(np.square(sound).mean()) for sound in (one, other)]
    assert abs(level[0] - level[1]) < 0.5


def test_seeds_are_pieces() -> None:
    one, other = (np.sum(Piece(GENRES[1], seed, bars=2).perform(0), axis=0) for seed in (0, 1))
    assert one.shape == other.shape
    assert np.corrcoef(one[:, 0], other[:, 0])[0, 1] < 0.9
    assert Piece(GENRES[1], 1).name == "ballad 2"
