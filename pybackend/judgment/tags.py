"""Verdict tags: one word for what became of a move, for learning.

A total function without hole or overlap over technical score, artistic score, novelty, protects and
whether the user kept it. Scores are 0..1 and None where nothing was shown; a score of 0.5 is none
the better and none the worse.
"""

from __future__ import annotations

import math
from typing import Final, Literal, get_args

from pybackend.errors import InputError

Tag = Literal[
    "safe_win",
    "bold_win",
    "interesting_failure",
    "identity_break",
    "generic_fallback",
    "neutral",
    "mixed",
    "inconclusive",
]
TAGS: Final[tuple[Tag, ...]] = get_args(Tag)
Protects = Literal["safe", "violated", "unproven"]

SAFE_TECHNICAL: Final = 0.60
TECHNICAL: Final = 0.55
"""Technical score from which a move worked."""
SAFE_ARTISTIC: Final = 0.55
BOLD_ARTISTIC: Final = 0.65
INTERESTING_ARTISTIC: Final = 0.60
BROKEN: Final = 0.45
"""Score below which a family got worse or is missed."""
DEFAULT_NOVELTY_BUDGET: Final = 0.5

PROMOTION: Final[dict[Tag, str]] = {
    "safe_win": "candidate: promote once it is kept for two more turns",
    "bold_win": "promote now, with the concept packet and the novelty budget",
    "interesting_failure": "never promote; keep as a curiosity",
    "identity_break": "never promote; record an anti-preference for the violated quality",
    "generic_fallback": "never promote; record an anti-preference for family and target",
    "neutral": "nothing to learn",
    "mixed": "never promote; the families or the user disagree",
    "inconclusive": "never promote; nothing was shown",
}
"""What memory may do with a move."""


def verdict_tag(
    technical: float | None,
    artistic: float | None,
    novelty: float | None,
    protects: Protects,
    user_kept: bool | None,
    *,
    novelty_budget: float = DEFAULT_NOVELTY_BUDGET,
) -> Tag:
    """Tag of a move; the first line that fits.

    ==================  ============================================================
    identity_break      a protect is violated, and nobody kept it all the same
    mixed               a protect is violated, and the user kept it all the same
    inconclusive        a protect is unproven, a score is missing, or nobody has said
                        whether it stays
    bold_win            kept, technical >= 0.55, artistic >= 0.65, novelty >= budget
    safe_win            kept, technical >= 0.60, artistic >= 0.55
    interesting_failure kept, technical < 0.55, artistic >= 0.60
    identity_break      not kept, technical >= 0.55, artistic < 0.45
    neutral             both scores in 0.45 .. 0.55
    generic_fallback    not kept, technical < 0.55, artistic < 0.55
    mixed               everything else
    ==================  ============================================================

    Novelty that is unknown is never bold: such a move is a safe win if it is one.

    Parameters
    ----------
    technical, artistic : float or None
        Scores of the two families, 0..1; None where the outcome was not shown.
    novelty : float or None
        Distinctiveness of the result, 0..1.
    protects : {"safe", "violated", "unproven"}
        The worst of all protects; "safe" if there are none.
    user_kept : bool or None
        Whether the change stays; None if nobody has said.
    novelty_budget : float
        Novelty from which a move is bold.

    Returns
    -------
    str
        One of `TAGS`.

    Raises
    ------
    InputError
        If a score does not lie in 0..1.
    """
    scores = {"technical": technical, "artistic": artistic, "novelty": novelty}
    for name, score in (*scores.items(), ("novelty_budget", novelty_budget)):
        if score is not None and not (math.isfinite(score) and 0.0 <= score <= 1.0):
            raise InputError(f"the {name} score must lie in 0..1, got {score}")
    if protects == "violated":
        return "mixed" if user_kept else "identity_break"
    if protects == "unproven" or technical is None or artistic is None or user_kept is None:
        return "inconclusive"
    bold = novelty is not None and novelty >= novelty_budget
    return _shown(technical, artistic, bold=bold, kept=user_kept)


def _shown(technical: float, artistic: float, *, bold: bool, kept: bool) -> Tag:
    """Tag of a move about which everything is known and no protect is violated."""
    won = _kept(technical, artistic, bold=bold) if kept else _undone(technical, artistic)
    if won is not None:
        return won
    if BROKEN <= technical < TECHNICAL and BROKEN <= artistic < SAFE_ARTISTIC:
        return "neutral"
    if not kept and technical < TECHNICAL and artistic < SAFE_ARTISTIC:
        return "generic_fallback"
    return "mixed"


def _kept(technical: float, artistic: float, *, bold: bool) -> Tag | None:
    if bold and technical >= TECHNICAL and artistic >= BOLD_ARTISTIC:
        return "bold_win"
    if technical >= SAFE_TECHNICAL and artistic >= SAFE_ARTISTIC:
        return "safe_win"
    if technical < TECHNICAL and artistic >= INTERESTING_ARTISTIC:
        return "interesting_failure"
    return None


def _undone(technical: float, artistic: float) -> Tag | None:
    return "identity_break" if technical >= TECHNICAL and artistic < BROKEN else None
