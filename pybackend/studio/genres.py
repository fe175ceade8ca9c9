"""Pieces in several genres, synthesised and humanised, as stems: material with no licence.

A piece is what is written: the same seed is the same piece. A performance is how it is played:
timing and velocity of every note differ from performance to performance, the instruments do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from pybackend.studio import shots
from pybackend.studio.shots import Array

BEATS_PER_BAR: Final = 4
FILL_EVERY_BARS: Final = 4
PEAK: Final = 0.5
"""Highest sample of a piece's first performance: 6 dB below full scale leaves room for moves."""

Beats = tuple[float, ...]


def _steps(text: str) -> Beats:
    """Beats of the sixteenths marked ``x`` in a bar, such as ``x...x...x...x...``."""
    return tuple(step / 4 for step, mark in enumerate(text) if mark == "x")


@dataclass(frozen=True, slots=True)
class Genre:
    """What is written, and how loosely it is played.

    Parameters
    ----------
    name : str
        Genre.
    tempo_bpm, swing : float
        Tempo, and how late the second and fourth sixteenth come, in sixteenths.
    timing_s, velocity_db : float
        Standard deviations of the player's timing and velocity.
    kick, snare, hat : tuple of float
        Beats of a bar.
    bass : tuple of (beat, interval in semitones, beats)
        One bar of bass, on the root of the chord.
    chord : tuple of int
        Semitones above the root.
    strums : tuple of float
        Beats at which the chord is struck; it sounds until the next one.
    roots : tuple of int
        MIDI root per bar.
    melody : tuple of (beat, interval in semitones, beats)
        One bar of melody, two octaves above the root.
    kick_hz, kick_decay_s, hat_decay_s : float
        Drums.
    bass_tone, chord_tone : tuple of (partials, tilt)
        Timbre.
    drive : float
        Distortion of the chords; 0 for none.
    chord_attack_s : float
        How slowly chords come in.
    levels_db : tuple of float
        Drums, bass, chords, melody.
    """

    name: str
    tempo_bpm: float
    kick: Beats
    snare: Beats
    hat: Beats
    bass: tuple[tuple[float, int, float], ...]
    chord: tuple[int, ...]
    strums: Beats
    roots: tuple[int, ...]
    melody: tuple[tuple[float, int, float], ...]
    swing: float = 0.0
    timing_s: float = 0.003
    velocity_db: float = 0.5
    kick_hz: float = 48.0
    kick_decay_s: float = 0.11
    hat_decay_s: float = 0.02
    bass_tone: tuple[int, float] = (4, 1.5)
    chord_tone: tuple[int, float] = (10, 1.0)
    drive: float = 0.0
    chord_attack_s: float = 0.005
    levels_db: tuple[float, float, float, float] = (0.0, -10.0, -20.0, -22.0)


GENRES: Final = (
    Genre(
        name="house",
        tempo_bpm=124.0,
        kick=_steps("x...x...x...x..."),
        snare=_steps("....x.......x..."),
        hat=_steps("..x...x...x...xx"),
        bass=((0.5, 0, 0.4), (1.5, 0, 0.4), (2.25, 7, 0.3), (2.75, 0, 0.2), (3.5, -2, 0.4)),
        chord=(0, 3, 7, 10),
        strums=_steps("x..x..x...x....."),
        roots=(45, 45, 41, 43),
        melody=((0.0, 7, 0.5), (1.75, 3, 0.5), (3.0, 10, 0.75)),
        timing_s=0.002,
    ),
    Genre(
        name="ballad",
        tempo_bpm=72.0,
        kick=_steps("x.........x....."),
        snare=_steps("........x......."),
        hat=_steps("x...x...x...x..."),
        bass=((0.0, 0, 1.9), (2.0, 7, 0.9), (3.0, 0, 0.9)),
        chord=(0, 4, 7, 14),
        strums=_steps("x...x...x...x..."),
        roots=(48, 45, 41, 43),
        melody=((0.5, 12, 1.4), (2.0, 11, 0.5), (2.5, 7, 1.4)),
        timing_s=0.008,
        velocity_db=1.0,
        hat_decay_s=0.04,
        chord_tone=(7, 1.6),
        bass_tone=(3, 1.8),
        levels_db=(-5.0, -10.0, -15.0, -16.0),
    ),
    Genre(
        name="rock",
        tempo_bpm=138.0,
        kick=_steps("x.....x.x......."),
        snare=_steps("....x.......x..."),
        hat=_steps("x.x.x.x.x.x.x.x."),
        bass=tuple((step / 2, 0, 0.45) for step in range(8)),
        chord=(0, 7, 12),
        strums=_steps("x..x..x.x..x..x."),
        roots=(40, 43, 45, 38),
        melody=((0.0, 12, 1.0), (1.0, 10, 1.0), (2.0, 7, 2.0)),
        timing_s=0.005,
        velocity_db=0.8,
        kick_hz=60.0,
        kick_decay_s=0.08,
        hat_decay_s=0.05,
        bass_tone=(8, 1.1),
        chord_tone=(12, 0.8),
        drive=3.0,
        levels_db=(0.0, -11.0, -19.0, -22.0),
    ),
    Genre(
        name="hip hop",
        tempo_bpm=88.0,
        kick=_steps("x......x..x....."),
        snare=_steps("....x.......x..."),
        hat=_steps("x.x.x.xxx.x.x.x."),
        bass=((0.0, 0, 0.7), (1.75, 0, 0.5), (2.5, 3, 0.8), (3.5, -2, 0.4)),
        chord=(0, 3, 7, 14),
        strums=_steps("x.....x.....x..."),
        roots=(38, 38, 34, 36),
        melody=((0.75, 15, 0.4), (1.25, 14, 0.4), (2.75, 10, 0.7)),
        swing=0.3,
        timing_s=0.006,
        velocity_db=0.8,
        kick_hz=44.0,
        kick_decay_s=0.14,
        chord_tone=(6, 1.2),
        levels_db=(0.0, -8.0, -18.0, -23.0),
    ),
    Genre(
        name="drum and bass",
        tempo_bpm=174.0,
        kick=_steps("x.........x....."),
        snare=_steps("....x..x.x..x..."),
        hat=_steps("x.x.x.x.x.x.x.xx"),
        bass=((0.0, 0, 1.4), (1.5, 0, 0.9), (2.5, 5, 1.4)),
        chord=(0, 7, 10),
        strums=(0.0,),
        roots=(41, 41, 44, 39),
        melody=((0.0, 7, 0.25), (0.75, 10, 0.25), (1.5, 12, 0.25), (3.25, 7, 0.5)),
        timing_s=0.002,
        kick_hz=55.0,
        kick_decay_s=0.06,
        hat_decay_s=0.015,
        bass_tone=(9, 0.9),
        levels_db=(0.0, -9.0, -22.0, -24.0),
    ),
    Genre(
        name="ambient",
        tempo_bpm=84.0,
        kick=_steps("x..............."),
        snare=(),
        hat=_steps("....x.......x.x."),
        bass=((0.0, 0, 3.9),),
        chord=(0, 7, 14, 16),
        strums=(0.0,),
        roots=(45, 40, 41, 48),
        melody=((1.0, 12, 2.5), (2.5, 19, 1.4)),
        timing_s=0.01,
        velocity_db=1.0,
        hat_decay_s=0.09,
        chord_tone=(9, 1.2),
        chord_attack_s=0.4,
        levels_db=(-9.0, -10.0, -14.0, -16.0),
    ),
    Genre(
        name="funk",
        tempo_bpm=108.0,
        kick=_steps("x.....x...x..x.."),
        snare=_steps("....x..x....x..."),
        hat=_steps("xxx.xxx.xxx.xxxx"),
        bass=((0.0, 0, 0.4), (0.75, 0, 0.2), (1.5, 10, 0.3), (2.25, 7, 0.2), (3.0, 0, 0.6)),
        chord=(0, 4, 10, 14),
        strums=_steps("..x..x....x..x.."),
        roots=(40, 40, 45, 40),
        melody=((1.0, 7, 0.3), (1.5, 10, 0.3), (2.5, 12, 1.0)),
        swing=0.15,
        timing_s=0.004,
        velocity_db=0.9,
        kick_hz=58.0,
        kick_decay_s=0.07,
        hat_decay_s=0.012,
        bass_tone=(7, 1.2),
        chord_tone=(12, 0.9),
        levels_db=(0.0, -8.0, -21.0, -20.0),
    ),
    Genre(
        name="trap",
        tempo_bpm=140.0,
        kick=_steps("x.....x........."),
        snare=_steps("........x......."),
        hat=_steps("x.x.x.xxx.x.xxxx"),
        bass=((0.0, 0, 1.4), (1.5, 0, 2.4)),
        chord=(0, 3, 7),
        strums=_steps("x.......x......."),
        roots=(41, 41, 37, 39),
        melody=((0.0, 12, 0.5), (0.75, 15, 0.5), (2.0, 14, 0.5), (2.75, 10, 1.0)),
        timing_s=0.002,
        kick_hz=46.0,
        kick_decay_s=0.16,
        hat_decay_s=0.01,
        bass_tone=(2, 2.0),
        chord_tone=(8, 1.3),
        levels_db=(0.0, -5.0, -20.0, -19.0),
    ),
)

STEMS: Final = ("drums", "bass", "chords", "melody")


@dataclass(frozen=True)
class Piece:
    """One piece of a genre.

    Parameters
    ----------
    genre : Genre
        What is written.
    seed : int
        Which piece of it: key, levels of the stems, fills and ghost notes.
    bars, sample_rate_hz : int
        Length and sample rate.
    """

    genre: Genre
    seed: int
    bars: int = 16
    sample_rate_hz: int = 48000

    @property
    def name(self) -> str:
        """Genre and number."""
        return f"{self.genre.name} {self.seed + 1}"

    @property
    def bar_s(self) -> float:
        """Length of a bar in seconds."""
        return BEATS_PER_BAR * 60.0 / self.genre.tempo_bpm

    def perform(self, seed: int) -> list[Array]:
        """Play it once.

        Parameters
        ----------
        seed : int
            Which performance.

        Returns
        -------
        list of ndarray of float64, shape (samples, 2)
            The stems; their sum is the mix. Notes that end after the last bar are cut.
        """
        rng = np.random.default_rng([self.seed, seed])
        length = round(self.bars * self.bar_s * self.sample_rate_hz)
        stems = [np.zeros((length, 2)) for _ in STEMS]
        for stem, beat, shot, gain_db in self._score:
            late_s = rng.normal(0.0, self.genre.timing_s)
            velocity_db = rng.normal(0.0, self.genre.velocity_db)
            start_s = beat * 60.0 / self.genre.tempo_bpm + late_s
            at = max(0, round(start_s * self.sample_rate_hz))
            size = min(len(shot), length - at)
            if size > 0:
                gain = self._scale * 10.0 ** ((gain_db + velocity_db) / 20.0)
                stems[stem][at : at + size] += gain * shot[:size]
        return stems

    @cached_property
    def _scale(self) -> float:
        self.__dict__["_scale"] = 1.0
        loudest = float(np.abs(np.sum(self.perform(0), axis=0)).max())
        del self.__dict__["_scale"]
        return PEAK / loudest

    @cached_property
    def _score(self) -> list[tuple[int, float, Array, float]]:
        """Stem, beat, sound and level of every note."""
        return list(_Writer(self.genre, self.seed, self.bars, self.sample_rate_hz).notes())


class _Writer:
    """Writes a piece: chooses key, levels and fills, and makes every sound once."""

    def __init__(self, genre: Genre, seed: int, bars: int, rate_hz: int) -> None:
        self._genre = genre
        self._bars = bars
        self._rate = rate_hz
        self._rng = np.random.default_rng([seed, 11])
        self._key = int(self._rng.integers(-4, 4))
        self._levels = np.array(genre.levels_db) + self._rng.normal(0.0, 1.5, len(STEMS))
        self._tones: dict[tuple[object, ...], Array] = {}
        noise = np.random.default_rng(7).standard_normal((rate_hz, 2))
        self._kick = shots.kick(rate_hz, hz=genre.kick_hz, decay_s=genre.kick_decay_s)
        self._snare = shots.snare(rate_hz, noise)
        self._hat = shots.hat(rate_hz, noise, decay_s=genre.hat_decay_s)

    def notes(self) -> list[tuple[int, float, Array, float]]:
        found = []
        for bar in range(self._bars):
            for stem, part in enumerate((self._drums, self._bass, self._chords, self._melody)):
                level = float(self._levels[stem])
                for beat, shot, gain_db in part(bar):
                    place = bar * BEATS_PER_BAR + beat + self._swing(beat)
                    found.append((stem, place, shot, level + gain_db))
        return found

    def _swing(self, beat: float) -> float:
        return 0.25 * self._genre.swing if (beat * 4) % 2 == 1 else 0.0

    def _drums(self, bar: int) -> list[tuple[float, Array, float]]:
        genre = self._genre
        hits = [(beat, self._kick, 0.0) for beat in genre.kick]
        hits += [(beat, self._snare, -5.0) for beat in genre.snare]
        hits += [(beat, self._hat, -14.0 if beat % 0.5 else -11.0) for beat in genre.hat]
        if bar % FILL_EVERY_BARS == FILL_EVERY_BARS - 1:
            ghosts = self._rng.choice(np.arange(8, 16) / 4, 3, replace=False)
            hits += [(float(beat), self._snare, -10.0) for beat in ghosts]
        return hits

    def _bass(self, bar: int) -> list[tuple[float, Array, float]]:
        root = self._root(bar) - 12
        return [
            (beat, self._tone(root + step, beats, self._genre.bass_tone, 0.005), 0.0)
            for beat, step, beats in self._genre.bass
        ]

    def _chords(self, bar: int) -> list[tuple[float, Array, float]]:
        genre = self._genre
        ends = (*genre.strums[1:], float(BEATS_PER_BAR))
        return [
            (beat, self._chord(self._root(bar) + 12, end - beat), 0.0)
            for beat, end in zip(genre.strums, ends, strict=True)
        ]

    def _melody(self, bar: int) -> list[tuple[float, Array, float]]:
        root = self._root(bar) + 24
        return [
            (beat, self._tone(root + step, beats, (6, 1.3), 0.01), 0.0)
            for beat, step, beats in self._genre.melody
            if self._rng.random() < 0.85
        ]

    def _root(self, bar: int) -> int:
        return self._genre.roots[bar % len(self._genre.roots)] + self._key

    def _tone(self, note: int, beats: float, timbre: tuple[int, float], attack_s: float) -> Array:
        key = (note, beats, timbre, attack_s)
        if key not in self._tones:
            seconds = beats * 60.0 / self._genre.tempo_bpm
            partials, tilt = timbre
            self._tones[key] = shots.tone(
                note, seconds, self._rate, partials=partials, tilt=tilt, attack_s=attack_s
            )
        return self._tones[key]

    def _chord(self, root: int, beats: float) -> Array:
        key = ("chord", root, beats)
        if key not in self._tones:
            genre = self._genre
            voices = [
                shots.panned(
                    self._tone(root + step, beats, genre.chord_tone, genre.chord_attack_s),
                    0.7 if voice % 2 == 0 else -0.7,
                )
                for voice, step in enumerate(genre.chord)
            ]
            struck = np.sum(voices, axis=0)
            self._tones[key] = np.tanh(genre.drive * struck) if genre.drive else struck
        return self._tones[key]
