"""The pieces of real music that recordings and the study are measured from, and how to read them.

Tempos are not guessed: Frets on Fire songs carry a tempo map (`notes.mid`, one tempo per song), the
others were found by folding onsets at a tempo over the whole piece. `tempo_drift_ms` folds them
again and says how far the beat wanders; docs/real-music.md has the figures. `first_beat_s` is where
beat 0 lies in the file (encoders and count-ins put it a little after the start). Loops are cut to
whole beats, so their tempo is their length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import soundfile

from pybackend.metering.design import FRAME_S

Sound = npt.NDArray[np.float64]

MATERIAL: Final = Path(__file__).parent / ".material"
SONGS: Final = "usr/share/games/fretsonfire/data/songs"
GAME: Final = "singularity/usr/share/games/singularity/music"
WARZONE: Final = "warzone/usr/share/games/warzone2100/music/albums"
SAMPLES: Final = "sonic-pi/usr/share/sonic-pi/samples"
BEATS_PER_BAR: Final = 4
PRE_ROLL_S: Final = 3.0
STEM_GAIN: Final = 0.5
"""Songs that come as stems are mixed 6 dB down: each stem alone nearly reaches full scale."""
POST_ROLL_S: Final = 1.0

BY_SA: Final = "CC-BY-SA-3.0"
CC0: Final = "CC0"
SECTOID: Final = ("Carlos Viola Iborra (Sectoid)", "Expat")
MULDJORD: Final = ("El Senator (Muldjord)", BY_SA)
MCCRACKEN: Final = ("Max McCracken", BY_SA)


@dataclass(frozen=True)
class Piece:
    """One piece.

    Parameters
    ----------
    name, author, licence : str
        What to credit.
    stems : tuple of str
        Files below `.material` that sound together; the mix is their sum.
    tempo_bpm : float
        Quarter notes per minute; 120 without a tempo, which makes "bars" of 2 s.
    first_beat_s : float
        Where beat 0 lies in the file.
    starts : tuple of int
        Bars at which passages for the study start.
    loop_beats : int
        Length of a loop, in quarter notes; 0 for a piece that is no loop.
    steady : bool
        Whether the tempo is known.
    """

    name: str
    author: str
    licence: str
    stems: tuple[str, ...]
    tempo_bpm: float
    first_beat_s: float = 0.0
    starts: tuple[int, ...] = (8, 40)
    loop_beats: int = 0
    steady: bool = True

    @property
    def bar_s(self) -> float:
        """Length of a bar in seconds."""
        return BEATS_PER_BAR * 60.0 / self.tempo_bpm

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files of the stems."""
        return tuple(MATERIAL / stem for stem in self.stems)


def _song(
    package: str, title: str, tempo: float, first_beat_s: float, credit: tuple[str, str]
) -> Piece:
    folder = f"{package}/{SONGS}/{package}/{title}"
    return Piece(
        title.replace("_", " "),
        *credit,
        (f"{folder}/song.ogg", f"{folder}/guitar.ogg"),
        tempo,
        first_beat_s,
        (24, 56),
    )


def _game(title: str, tempo: float, starts: tuple[int, ...] = (16, 48)) -> Piece:
    return Piece(title, *MCCRACKEN, (f"{GAME}/{title}.ogg",), tempo, 0.0, starts)


def _loop(name: str, author: str, beats: int, length_s: float) -> Piece:
    tempo = 60.0 * beats / length_s
    stems = tuple(f"{SAMPLES}/{each}.flac" for each in name.split(" + "))
    return Piece(name, author, CC0, stems, tempo, 0.0, (0,), beats)


def _tempoless(name: str, album: str, starts: tuple[int, ...]) -> Piece:
    path = f"{WARZONE}/{album}/{name}.opus"
    return Piece(
        f"{album}/{name}",
        "Warzone 2100 music",
        "see package",
        (path,),
        120.0,
        0.0,
        starts,
        0,
        False,
    )


PIECES: Final = (
    _song("sectoid", "Escape from chaosland", 135.0, 0.022, SECTOID),
    _song("sectoid", "Feelings", 95.0, 0.026, SECTOID),
    _song("sectoid", "Metal madness", 150.0, 0.038, SECTOID),
    _song("sectoid", "War of freedom", 140.0, 0.038, SECTOID),
    _song("muldjord", "armygeddon", 170.0, 0.0, MULDJORD),
    _song("muldjord", "chaos_god", 170.0, 0.0, MULDJORD),
    _song("muldjord", "internal_degeneration", 190.0, 0.0, MULDJORD),
    _song("muldjord", "mutilated_mime", 180.0, 0.0, MULDJORD),
    _game("Advanced Simulacra", 100.0),
    _game("Awakening", 120.0),
    _game("By-Product", 100.014),
    _game("Coherence", 140.024),
    _game("Deprecation", 130.01),
    _game("Inevitable", 140.024),
    _game("Media Threat", 100.0),
    _game("Nebula", 100.0),
    _game("Orbital Elevator", 166.667),
    _loop("loop_breakbeat", "Snapper4298", 4, 1.905),
    _loop("loop_compus", "godspine", 16, 6.486),
    _loop("loop_garzul", "Garzul", 16, 8.0),
    _loop("loop_mika", "mika55", 16, 8.0),
    _loop("loop_safari", "nemaavla", 16, 8.005),
    _loop("loop_mika + loop_garzul + loop_safari", "mika55, Garzul and nemaavla", 16, 8.0),
    _tempoless("track1", "original_soundtrack", (20, 80)),
    _tempoless("track3", "original_soundtrack", (20, 80)),
    _tempoless("track20", "aftermath_soundtrack", (20, 80)),
)
BY_NAME: Final = {piece.name: piece for piece in PIECES}


@dataclass(frozen=True)
class Passage:
    """A passage of a piece with what sounds before and after it.

    Parameters
    ----------
    piece : Piece
        Where it is from.
    start_bar, bars : int
        First bar, and how many.
    stems : tuple of ndarray of float64, shape (samples, 2)
        From `PRE_ROLL_S` before the first bar to `POST_ROLL_S` after the last.
    rate_hz : int
        Sample rate.
    """

    piece: Piece
    start_bar: int
    bars: int
    stems: tuple[Sound, ...]
    rate_hz: int

    @property
    def mix(self) -> Sound:
        """Sum of the stems."""
        return np.sum(self.stems, axis=0)

    @property
    def edges(self) -> npt.NDArray[np.int64]:
        """Samples at which bars begin, the last one's end included: shape (bars + 1,).

        Bars are compared from one row (about 50 ms) before their barline on, see
        docs/decisions/0001-overlap-pairing.md.
        """
        row_s = self.piece.bar_s / round(self.piece.bar_s / FRAME_S)
        at_s = PRE_ROLL_S - row_s + self.piece.bar_s * np.arange(self.bars + 1)
        return np.round(at_s * self.rate_hz).astype(np.int64)


@lru_cache(maxsize=4)
def _whole(path: Path) -> tuple[npt.NDArray[np.float32], int]:
    sound, rate_hz = soundfile.read(path, dtype="float32", always_2d=True)
    return np.repeat(sound, 2, axis=1) if sound.shape[1] == 1 else sound, int(rate_hz)


def passage(piece: Piece, start_bar: int, bars: int = 8) -> Passage:
    """Read a passage; loops are laid end to end, beats before a file's start are silent."""
    stems = []
    rate_hz = 0
    for path in piece.paths:
        sound, rate_hz = _whole(path)
        start_s = piece.first_beat_s + start_bar * piece.bar_s - PRE_ROLL_S
        length_s = bars * piece.bar_s + PRE_ROLL_S + POST_ROLL_S
        where = np.arange(round(length_s * rate_hz)) + round(start_s * rate_hz)
        if piece.loop_beats:
            loop = round(piece.loop_beats * 60.0 / piece.tempo_bpm * rate_hz)
            sound = np.pad(sound, ((0, max(0, loop - len(sound))), (0, 0)))[:loop]
            stem = sound[where % loop]
        else:
            inside = (where >= 0) & (where < len(sound))
            stem = np.zeros((len(where), 2))
            stem[inside] = sound[where[inside]]
        stems.append(stem.astype(np.float64) * (STEM_GAIN if len(piece.stems) > 1 else 1.0))
    return Passage(piece, start_bar, bars, tuple(stems), rate_hz)


def tempo_drift_ms(piece: Piece, window_s: float = 20.0) -> list[float]:
    """Where onsets lie against eighth notes of the piece's tempo, in every stretch of it.

    Returns
    -------
    list of float
        Mean time of the onsets after the eighth note in ms, per stretch of ``window_s``.
    """
    sound, rate_hz = _whole(piece.paths[0])
    hop = rate_hz // 100
    count = len(sound) // hop
    edge = np.diff(sound.mean(axis=1), prepend=0.0)[: count * hop].reshape(count, hop)
    rise = np.maximum(0.0, np.diff(np.log(1e-8 + np.square(edge).mean(axis=1)), prepend=0.0))
    time_s = (np.arange(count) + 0.5) * hop / rate_hz - piece.first_beat_s
    eighths_hz = piece.tempo_bpm / 30.0
    turning = rise * np.exp(2j * np.pi * eighths_hz * time_s)
    step = round(window_s * 100)
    turns = [np.angle(turning[i : i + step].sum()) for i in range(0, count - step, step)]
    return [1e3 * turn / (2.0 * np.pi * eighths_hz) for turn in turns]
