"""How a signal is spread over the kernel's lanes.

Segments begin at whole seconds of the stream, where the rhythm of rounded sub-blocks repeats at
every sample rate, and each lane runs up to its segment from rest over the second before it. By then
a filter of the tree has forgotten its past to below 1e-12: the slowest pole, of the split at 20 Hz,
decays by 28 nepers per second.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pybackend.metering.design import SUB_BLOCKS_PER_S
from pybackend.metering.kernel import Run
from pybackend.metering.simd import LANES

RUN_UP_S: Final = 1


def spread(first: int, span: int, sample_rate_hz: int) -> tuple[Run, int]:
    """Segments of whole seconds, one per lane, that cover at least ``span`` samples.

    Parameters
    ----------
    first : int
        Index in the signal's array of a sample at a whole second of the stream.
    span, sample_rate_hz : int
        Samples to cover, and sample rate in Hz.

    Returns
    -------
    (Run, int)
        The run, which skips the rows of the run-up; and the rows of a segment.
    """
    length_s = max(1, -(-span // (LANES * sample_rate_hz)))
    starts = first + (np.arange(LANES, dtype=np.int64) * length_s - RUN_UP_S) * sample_rate_hz
    samples = (RUN_UP_S + length_s) * sample_rate_hz
    return Run(starts, samples, RUN_UP_S * SUB_BLOCKS_PER_S), length_s * SUB_BLOCKS_PER_S
