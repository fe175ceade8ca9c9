"""One track as it was captured: frames from before its fader, and what the mixer does behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pybackend.errors import InputError

if TYPE_CHECKING:
    from pybackend.capture.snapshot import Snapshot
    from pybackend.stream.frames import Frames

Array = npt.NDArray[np.float64]

MAX_GAIN_DB: Final = 24.0
LOWEST_GAIN_DB: Final = -120.0


@dataclass(frozen=True, slots=True)
class Strip:
    """What the mixer does behind the analyzer, as the session reads it.

    Parameters
    ----------
    gain_db : float
        The fader; -inf is all the way down. Of a bounced stem: 0.
    pan : float
        -1 left to 1 right, as a balance of constant power: 0 dB in the middle, +3 dB at the ends.
    muted : bool
        Whether nothing comes through, because of a mute or of another track's solo.

    Raises
    ------
    InputError
        If the gain or the pan is none.
    """

    gain_db: float = 0.0
    pan: float = 0.0
    muted: bool = False

    def __post_init__(self) -> None:
        if math.isnan(self.gain_db) or self.gain_db > MAX_GAIN_DB:
            raise InputError(f"a fader at {self.gain_db} dB; read it again, at most {MAX_GAIN_DB}")
        if not -1.0 <= self.pan <= 1.0:
            raise InputError(f"a pan of {self.pan}; read it again, from -1 to 1")

    @property
    def powers(self) -> tuple[float, float]:
        """Gain of the left and right power."""
        if self.muted or self.gain_db < LOWEST_GAIN_DB:
            return 0.0, 0.0
        gain = 10.0 ** (self.gain_db / 10.0)
        angle = (self.pan + 1.0) * math.pi / 4.0
        return 2.0 * gain * math.cos(angle) ** 2, 2.0 * gain * math.sin(angle) ** 2

    def through(self, band_power: Array, left: Array, right: Array) -> Array:
        """Band powers behind fader, pan and mute.

        Parameters
        ----------
        band_power : ndarray of float64, shape (..., 9)
            L^2 + R^2 per band, before the fader.
        left, right : ndarray of float64, shape (...)
            Mean squares of the channels: how the bands divide is taken from the whole.

        Returns
        -------
        ndarray of float64, shape (..., 9)
            L^2 + R^2 per band.
        """
        to_left, to_right = self.powers
        total = left + right
        share = np.divide(left, total, out=np.full_like(total, 0.5), where=total > 0.0)
        gain = to_left * share + to_right * (1.0 - share)
        return np.asarray(band_power * gain[..., None])


@dataclass(frozen=True, slots=True, eq=False)
class TrackCapture:
    """Frames of one track, one window for each capture of the master.

    Parameters
    ----------
    frames : tuple of Snapshot or Frames
        Of the track's own analyzer, in the order of the master's captures.
    strip : Strip
        Fader, pan and mute while they were captured.
    """

    frames: tuple[Snapshot | Frames, ...]
    strip: Strip = Strip()
