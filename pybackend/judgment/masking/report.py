"""The masking report: what each part loses, to which other part, in which bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from pybackend.judgment.masking.model import RESOLUTION, excitation, kept, loudness
from pybackend.metering.design import BAND_NAMES

if TYPE_CHECKING:
    from pybackend.judgment.masking.laying import Laid

Array = npt.NDArray[np.float64]

LOSS_WORTH_NAMING: Final = 0.5
"""What a masker takes that is as spread as the maskee and 12 dB below it."""
BAND_WORTH_NAMING: Final = 0.2
LIMITS: Final = (
    "energy that overlaps within nine bands, not a judgement: it is what a part adds to the "
    "loudness of the others, which is less than a listener who follows it hears; sparse tones that "
    "interleave inside a band are reported as masked, and panning apart is not seen"
)


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PartMasking(_Record):
    """One part: its share of all parts' loudness, and how much of it the others cover, 0..1."""

    name: str
    loudness_share: float
    loss: float
    reason: str | None = None


class MaskingPair(_Record):
    """What one part alone takes from another, 0..1, and where: bands with their share of it."""

    masker: str
    maskee: str
    loss: float
    bands: dict[str, float]


class MaskingReport(_Record):
    """Masking between the parts of one state.

    ``clarity`` is 1 less the losses, each part weighted by its loudness alone; None where nothing
    could be measured, with the reason.
    """

    clarity: float | None
    parts: tuple[PartMasking, ...] = ()
    pairs: tuple[MaskingPair, ...] = ()
    resolution: str = RESOLUTION
    limits: str = LIMITS
    reason: str | None = None
    master_bands: dict[str, float] = {}


def clarity_rows(laid: Laid, numbers: npt.NDArray[np.int64]) -> Array:
    """Clarity per capture and bar.

    Parameters
    ----------
    laid : Laid
        The tracks, over these bars.
    numbers : ndarray of int64, shape (bars,)
        Bars in the order of the result.

    Returns
    -------
    ndarray of float64, shape (captures, bars)
        1 where nothing sounds.
    """
    excited = excitation(laid.power)
    alone = loudness(excited).sum(axis=(1, 3))
    everything = excited.sum(axis=1, keepdims=True)
    left = kept(excited, np.maximum(everything - excited, 0.0)).sum(axis=(1, 3))
    sums = [
        np.stack([each[:, laid.bar == number].sum(axis=1) for number in numbers], axis=1)
        for each in (left, alone)
    ]
    result: Array = np.divide(sums[0], sums[1], out=np.ones_like(sums[0]), where=sums[1] > 0.0)
    return result


def report(laid: Laid, captures: Sequence[int]) -> MaskingReport:
    """Masking between the parts, over some of the captures.

    Parameters
    ----------
    laid : Laid
        The tracks.
    captures : sequence of int
        Which captures: those of one state.
    """
    power = np.concatenate(list(laid.power[list(captures)]), axis=1)
    excited = excitation(power)
    alone = loudness(excited).sum(axis=(1, 2))
    if not alone.any():
        return MaskingReport(clarity=None, reason="no track sounds behind its fader")
    everything = excited.sum(axis=0)
    left = kept(excited, np.maximum(everything - excited, 0.0)).sum(axis=(1, 2))
    parts = tuple(
        PartMasking(
            name=name,
            loudness_share=float(alone[k] / alone.sum()),
            loss=float(1.0 - left[k] / alone[k]) if alone[k] > 0.0 else 0.0,
            reason=None if alone[k] > 0.0 else "silent behind its fader",
        )
        for k, name in enumerate(laid.names)
    )
    pairs = [
        _pair(laid.names, excited, (int(masker), int(maskee)))
        for maskee in np.flatnonzero(alone > 0.0)
        for masker in np.flatnonzero(alone > 0.0)
        if masker != maskee
    ]
    pairs = sorted((each for each in pairs if each.loss >= LOSS_WORTH_NAMING), key=_by_loss)
    return MaskingReport(clarity=float(left.sum() / alone.sum()), parts=parts, pairs=tuple(pairs))


def _by_loss(pair: MaskingPair) -> float:
    return -pair.loss


def _pair(names: Sequence[str], excited: Array, pair: tuple[int, int]) -> MaskingPair:
    masker, maskee = pair
    alone = loudness(excited[maskee]).sum(axis=0)
    lost = alone - kept(excited[maskee], excited[masker]).sum(axis=0)
    total = float(lost.sum())
    where = {
        name: float(part / total)
        for name, part in zip(BAND_NAMES, lost, strict=True)
        if total > 0.0 and part >= BAND_WORTH_NAMING * total
    }
    return MaskingPair(
        masker=names[masker],
        maskee=names[maskee],
        loss=total / float(alone.sum()),
        bands=where,
    )


def master_report(band_power: Array, reason: str) -> MaskingReport:
    """What the master alone can say: how much of each band lies under the spread of the others.

    Parameters
    ----------
    band_power : ndarray of float64, shape (rows, 9)
        Band powers of the master; NaN counts as nothing.
    reason : str
        Why the parts were not measured.

    Returns
    -------
    MaskingReport
        ``clarity`` is None: which parts share a band cannot be seen in their sum.
    """
    power = np.nan_to_num(band_power)
    own = np.eye(len(BAND_NAMES))[:, None, :] * power[None]
    excited = excitation(own)
    alone = loudness(excited).sum(axis=(1, 2))
    beside = np.maximum(excited.sum(axis=0)[None] - excited, 0.0)
    left = kept(excited, beside).sum(axis=(1, 2))
    return MaskingReport(
        clarity=None,
        reason=reason,
        master_bands={
            name: float(1.0 - left[k] / alone[k])
            for k, name in enumerate(BAND_NAMES)
            if alone[k] > 0.0
        },
    )
