"""The streaming meter: PCM in chunks of any length in, the protocol's frames out."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.errors import InputError
from pybackend.metering.assemble import Assembler
from pybackend.metering.columns import BAD
from pybackend.metering.kernel import Run
from pybackend.metering.lanes import Lanes, as_pcm, check_channels, check_rate
from pybackend.metering.simd import LANES
from pybackend.stream.frames import Frames

BLOCK_S: Final = 1
"""Longest stretch handed to the kernel at once: bounds the rows in memory."""
_SAME: Final = np.zeros(LANES, np.int64)
"""Every lane reads the same samples: that is faster than to keep seven of them silent."""


class Meter:
    """Measures a stream as the analyzer device does, and makes the same frames, in float64.

    Every frame is 50 ms (five sub-blocks that end at `design.sub_block_end`) and depends only on
    the samples up to its end: the lengths of the chunks never change a bit of it.

    A sample that is NaN, infinite or beyond float32's range counts as 0 for the filters, so that it
    poisons nothing that follows, and every measured field of the frame that holds it is NaN, so
    that codec and capture refuse that frame. The next frame is whole again; its ``k_power_prev``
    and the loudness windows that reach back know the sample as 0.

    Fields that the protocol leaves open: ``true_peak`` is the larger of the frame's sample peak and
    the peak of the interpolated stream, which comes 6 samples late: what lies between the last 6
    samples of a frame shows in the next. A mono stream is left alone; right is silent. With bands
    missing above Nyquist, flux is the mean over those that are there and ``peak10_high`` their sum
    (0 when there is none). Song position, bar and tempo are 0, see `frames.stamp_transport`.

    Parameters
    ----------
    sample_rate_hz : int
        From `design.MIN_RATE_HZ` to `design.MAX_RATE_HZ`. A new rate needs a new meter.
    channels : int
        1 or 2.
    instance : int
        Number of the (virtual) device that the frames carry.

    Attributes
    ----------
    nonfinite_samples : int
        Count of samples so far that were not finite, in completed sub-blocks of 10 ms.

    Raises
    ------
    InputError
        When the sample rate or the channel count cannot be metered.
    """

    def __init__(self, sample_rate_hz: int, channels: int = 2, *, instance: int = 1) -> None:
        self.sample_rate_hz = check_rate(sample_rate_hz)
        self.channels = check_channels(channels)
        self.instance = instance
        self.reset()

    def reset(self) -> None:
        """Forget everything heard; the next sample is the first of a new stream."""
        self.nonfinite_samples = 0
        self._lanes = Lanes(self.sample_rate_hz)
        self._assembler = Assembler(self.sample_rate_hz, self.instance)

    def process(self, pcm: npt.ArrayLike) -> Frames:
        """Take the next samples.

        Parameters
        ----------
        pcm : array_like of float32 or float64, shape (n,) or (n, channels)
            Samples, full scale 1; n may be 0. One dimension is one channel.

        Returns
        -------
        Frames
            Those that the samples complete, in order; often none. ``received_s`` is the frame's end
            in seconds of the stream.

        Raises
        ------
        InputError
            When the array is not floating point or does not have the meter's channels.
        """
        samples = as_pcm(pcm)
        if samples.shape[1] != self.channels:
            raise InputError(
                f"PCM of {samples.shape[1]} channels does not fit a meter of {self.channels}: "
                "make a meter for the stream's channels"
            )
        parts = []
        step = BLOCK_S * self.sample_rate_hz
        for start in range(0, len(samples), step):
            block = samples[start : start + step]
            rows = self._lanes.advance(block, Run(_SAME, len(block), 0))[0]
            self.nonfinite_samples += int(rows[:, BAD : BAD + 2].sum())
            parts.append(self._assembler.add(rows))
        return Frames.concatenate(parts)
