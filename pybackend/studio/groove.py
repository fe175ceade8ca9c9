"""A synthesised, humanised loop: drums, bass and chords with the small differences of a player.

Two performances of the same bars differ in timing and velocity, as a record of people playing
would; the same seed is the same performance to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.studio import shots

Array = npt.NDArray[np.float64]

BEATS_PER_BAR: Final = 4
KICK_BEATS: Final = (0.0, 1.0, 2.0, 2.75, 3.0)
SNARE_BEATS: Final = (1.0, 3.0)
HAT_BEATS: Final = tuple(step / 4 for step in range(16))
BASS_NOTES: Final = (
    (0.0, 33, 0.7),
    (0.75, 33, 0.4),
    (1.5, 36, 0.7),
    (2.5, 31, 0.6),
    (3.25, 38, 0.5),
)
CHORDS: Final = ((57, 60, 64, 67), (53, 57, 60, 64), (48, 52, 55, 59), (55, 59, 62, 66))


@dataclass(frozen=True, slots=True)
class Groove:
    """What is played: length, tempo, and how loosely.

    Parameters
    ----------
    bars : int
        Bars of four quarter notes.
    tempo_bpm : float
        Tempo.
    sample_rate_hz : int
        Sample rate of the rendered sound.
    timing_s, velocity_db : float
        Standard deviations of the player's timing and velocity.
    """

    bars: int = 8
    tempo_bpm: float = 120.0
    sample_rate_hz: int = 48000
    timing_s: float = 0.003
    velocity_db: float = 0.5

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.bars * BEATS_PER_BAR * 60.0 / self.tempo_bpm

    def perform(self, seed: int) -> Array:
        """Render one performance.

        Parameters
        ----------
        seed : int
            Which performance.

        Returns
        -------
        ndarray of float64, shape (samples, 2)
            Left and right, full scale 1.
        """
        player = _Player(self, np.random.default_rng(seed))
        for bar in range(self.bars):
            player.play_bar(bar)
        return 0.2 * player.sound


class _Player:
    """Places one-shots on the time line, each a little early or late, louder or softer."""

    def __init__(self, groove: Groove, rng: np.random.Generator) -> None:
        self._groove = groove
        self._rng = rng
        self._rate = groove.sample_rate_hz
        self.sound = np.zeros((round(groove.duration_s * self._rate), 2))
        # The instruments are the same in every performance; only the playing differs.
        self._noise = np.random.default_rng(7).standard_normal((self._rate, 2))
        self._kick = shots.kick(self._rate)
        self._snare = shots.snare(self._rate, self._noise)
        self._hat = shots.hat(self._rate, self._noise)

    def play_bar(self, bar: int) -> None:
        start = float(bar * BEATS_PER_BAR)
        for beat in KICK_BEATS:
            self._hit(start + beat, self._kick, 0.9)
        for beat in SNARE_BEATS:
            self._hit(start + beat, self._snare, 0.45)
        for beat in HAT_BEATS:
            self._hit(start + beat, self._hat, 0.2 if beat % 0.5 else 0.3)
        for beat, note, beats in BASS_NOTES:
            self._hit(start + beat, self._tone(note, beats, 4, 1.5), 0.28)
        for voice, note in enumerate(CHORDS[bar % len(CHORDS)]):
            self._hit(start, self._pad(note, voice), 0.075)

    def _hit(self, beat: float, shot: Array, gain: float) -> None:
        late_s = self._rng.normal(0.0, self._groove.timing_s)
        velocity_db = self._rng.normal(0.0, self._groove.velocity_db)
        at = max(0, round((beat * 60.0 / self._groove.tempo_bpm + late_s) * self._rate))
        length = min(len(shot), len(self.sound) - at)
        if length > 0:
            self.sound[at : at + length] += gain * 10.0 ** (velocity_db / 20.0) * shot[:length]

    def _tone(self, note: int, beats: float, partials: int, tilt: float) -> Array:
        seconds = beats * 60.0 / self._groove.tempo_bpm
        return shots.tone(note, seconds, self._rate, partials=partials, tilt=tilt)

    def _pad(self, note: int, voice: int) -> Array:
        place = 0.7 if voice % 2 == 0 else -0.7
        return shots.panned(self._tone(note, BEATS_PER_BAR, 10, 1.0), place)


def high_shelf(pcm: Array, sample_rate_hz: int, *, corner_hz: float, gain_db: float) -> Array:
    """Raise or lower everything above a corner, with the gentle slope of a tone control.

    Parameters
    ----------
    pcm : ndarray of float64, shape (samples, channels)
        Sound.
    sample_rate_hz : int
        Its sample rate.
    corner_hz, gain_db : float
        Where half of the gain is reached, and the gain far above it.

    Returns
    -------
    ndarray of float64, shape (samples, channels)
        Filtered with linear phase, so that nothing moves in time.
    """
    spectrum = np.fft.rfft(pcm, axis=0)
    hz = np.fft.rfftfreq(len(pcm), 1.0 / sample_rate_hz)
    with np.errstate(divide="ignore"):
        share = 1.0 / (1.0 + (corner_hz / hz) ** 4)
    filtered = spectrum * (10.0 ** (gain_db * share / 20.0))[:, None]
    shelved: Array = np.fft.irfft(filtered, n=len(pcm), axis=0)
    return shelved
