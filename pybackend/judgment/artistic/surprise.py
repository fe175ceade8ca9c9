"""surprise_without_breakage: new about as much as wanted, and nothing broken for it."""

from __future__ import annotations

import math
from typing import Final

from pybackend.judgment.artistic.result import ArtisticResult, unavailable
from pybackend.judgment.dimensions import DIMENSIONS

NAME: Final = "surprise_without_breakage"
NOVELTY_SPREAD: Final = 0.15


def surprise(
    distinctiveness: ArtisticResult,
    style_fit: ArtisticResult,
    motif_coherence: ArtisticResult,
    restraint: ArtisticResult,
    novelty_budget: float,
) -> ArtisticResult:
    """Surprise without breakage.

    ``exp(-(distinctiveness - budget)^2 / (2 * 0.15^2))`` times one less the worst breakage.
    Breakage is what style_fit lost, what motifs lost (motif_coherence's value is their survival),
    or a violated protect: 0 within the margin of the dimension, 1 from twice the margin.

    Parameters
    ----------
    distinctiveness, style_fit, motif_coherence, restraint : ArtisticResult
        What it is made of.
    novelty_budget : float
        Distinctiveness that is wanted, 0..1.

    Returns
    -------
    ArtisticResult
        Both factors are reported. Unavailable if any of its four parts is.
    """
    parts = (distinctiveness, style_fit, motif_coherence, restraint)
    missing = [part.name for part in parts if part.state == "unavailable"]
    if missing:
        reason = f"it needs {', '.join(missing)}, which {_are(missing)} unavailable"
        return unavailable(NAME, reason, 1.0 - len(missing) / len(parts))
    novelty = _novelty(distinctiveness, novelty_budget)
    broken = {
        "style_fit": _lost("style_fit", style_fit),
        "motifs": _lost("motif_survival", motif_coherence),
        "protects": _protects(restraint),
    }
    worst = max(broken, key=lambda name: broken[name][0])
    breakage = tuple(max(each[k] for each in broken.values()) for k in range(3))
    values = (
        novelty[0] * (1.0 - breakage[0]),
        novelty[1] * (1.0 - breakage[2]),
        novelty[2] * (1.0 - breakage[1]),
    )
    unclear = [part.name for part in parts if part.state == "inconclusive"]
    return ArtisticResult(
        name=NAME,
        state="inconclusive" if unclear else "measured",
        value=values[0],
        value_low=values[1],
        value_high=values[2],
        coverage=min(part.coverage for part in parts),
        factors={"novelty": novelty[0], "unbroken": 1.0 - breakage[0]},
        evidence=(
            f"distinctiveness {distinctiveness.value:.2f}, wanted {novelty_budget:.2f}",
            f"worst breakage: {worst} {breakage[0]:.2f}",
        ),
        reason=f"inconclusive: {', '.join(unclear)}" if unclear else None,
    )


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _novelty(part: ArtisticResult, wanted: float) -> tuple[float, float, float]:
    """Factor, and its smallest and largest over the interval of the distinctiveness."""

    def factor(value: float) -> float:
        return math.exp(-((value - wanted) ** 2) / (2.0 * NOVELTY_SPREAD**2))

    value, low, high = _range(part)
    peak = min(max(wanted, low), high)
    return factor(value), min(factor(low), factor(high)), factor(peak)


def _range(part: ArtisticResult) -> tuple[float, float, float]:
    value = 0.0 if part.value is None else part.value
    low = value if part.value_low is None else part.value_low
    high = value if part.value_high is None else part.value_high
    return value, low, high


def _lost(name: str, part: ArtisticResult) -> tuple[float, float, float]:
    """Breakage, and its smallest and largest."""
    if name == "motif_survival":
        value, low, high = _range(part)
        losses = (1.0 - value, 1.0 - high, 1.0 - low)
    else:
        losses = (-(part.delta or 0.0), -(part.ci_high or 0.0), -(part.ci_low or 0.0))
    margin = DIMENSIONS[name].protect_margin
    broken = [min(1.0, max(0.0, loss - margin) / margin) for loss in losses]
    return broken[0], broken[1], broken[2]


def _protects(part: ArtisticResult) -> tuple[float, float, float]:
    broken = 1.0 - part.factors.get("protects", 1.0)
    return broken, broken, 1.0 if part.state == "inconclusive" else broken
