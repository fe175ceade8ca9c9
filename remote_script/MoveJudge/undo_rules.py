"""What undo and redo do next, decided from what is known. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NamedTuple

    class Facts(NamedTuple):
        """What is known before an undo (or, with both sides swapped, a redo).

        Attributes
        ----------
        on_top : bool
            Nothing of ours lies above the move in Live's history.
        foreign : bool
            Something else has changed since the move.
        can_undo : bool
            Live has something to undo.
        all_tracked : bool
            Live's history covers every change of the move.
        splits : bool
            Live was seen to put moves like this one into several steps.
        structural : bool
            The move created or deleted something.
        creates : bool
            It created it, and that thing is as it was made.
        images_kept : bool
            The values to go back to are still held.
        revert : bool
            The caller asked for an older move to be taken back.
        """

        on_top: bool
        foreign: bool
        can_undo: bool
        all_tracked: bool
        splits: bool
        structural: bool
        creates: bool
        images_kept: bool
        revert: bool

else:
    from collections import namedtuple

    Facts = namedtuple(
        "Facts",
        "on_top foreign can_undo all_tracked splits structural creates images_kept revert",
    )

NATIVE = "native"
COMPENSATING = "compensating"


def invertible(facts: Facts) -> bool:
    """Whether the move can be taken back by writing, without Live's undo."""
    if facts.structural:
        return facts.creates
    return facts.images_kept


def choose(facts: Facts) -> str:
    """Choose a way.

    Returns
    -------
    str
        ``native``, ``compensating``, or the failure code of a refusal.
    """
    natively = (
        facts.on_top
        and not facts.foreign
        and facts.can_undo
        and facts.all_tracked
        and not facts.splits
        and not facts.revert
    )
    if natively:
        return NATIVE
    if invertible(facts):
        return COMPENSATING
    if facts.foreign or not facts.on_top or facts.revert:
        return "undo_foreign"
    return "undo_nothing" if not facts.can_undo else "undo_unverified"


def compare(at_before: Sequence[bool], at_after: Sequence[bool]) -> str:
    """Where the touched values stand.

    Returns
    -------
    str
        ``after`` (as the move left them), ``before`` (as they were), ``partly`` (each is one of
        both), ``elsewhere`` (somebody set at least one to something else).
    """
    if all(at_after):
        return "after"
    if all(at_before):
        return "before"
    if all(one or other for one, other in zip(at_before, at_after)):
        return "partly"
    return "elsewhere"
