"""Snapshots in any of their forms, brought to what can be judged, or to why it cannot be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pybackend.capture.aligned import AlignedCaptures, Incomparable, Reason
from pybackend.capture.point import PointSnapshot
from pybackend.errors import InputError

if TYPE_CHECKING:
    from pybackend.capture.snapshot import Snapshot
    from pybackend.stream.frames import Frames


@dataclass(frozen=True, slots=True)
class PointPair:
    """One point snapshot on each side."""

    before: PointSnapshot
    after: PointSnapshot


def take_in(
    before: Any, after: Any, loop_beats: float | None = None
) -> AlignedCaptures | PointPair | Incomparable:
    """Bring the two sides of a move to what can be judged.

    Parameters
    ----------
    before, after
        As in `evaluate.evaluate_move`.
    loop_beats : float, optional
        As in `align`.

    Returns
    -------
    AlignedCaptures, PointPair or Incomparable
        Frames laid over one another, two single readings, or why the sides cannot be compared.

    Raises
    ------
    InputError
        If a side is none of the forms, or a point snapshot lacks bands or holds negative numbers.
    """
    single = [isinstance(side, Mapping | PointSnapshot) for side in (before, after)]
    if all(single):
        return _point_pair(before, after)
    windows = [
        [] if alone else _windows(side, label)
        for alone, side, label in zip(single, (before, after), ("before", "after"), strict=True)
    ]
    if any(single):
        text = "One side is a single reading and the other frames; capture both the same way."
        return Incomparable((Reason("point_snapshot", text),))
    return _align(windows[0], windows[1], loop_beats)


def _point_pair(before: Any, after: Any) -> PointPair | Incomparable:
    for side, label in ((before, "before"), (after, "after")):
        if _holds_non_finite(side):
            text = f"The reading {label} the move holds a number that is not finite."
            return Incomparable((Reason("non_finite", text),))
    pair = PointPair(_parse(before), _parse(after))
    for point, label in ((pair.before, "before"), (pair.after, "after")):
        if point.silent:
            return Incomparable((Reason("silence", f"The reading {label} the move is silent."),))
    return pair


def _parse(side: Any) -> PointSnapshot:
    return side if isinstance(side, PointSnapshot) else PointSnapshot.parse(side)


def _holds_non_finite(side: Any) -> bool:
    if not isinstance(side, Mapping):
        return False
    spectrum = side.get("spectrum")
    numbers = [side.get("rms"), side.get("peak")]
    numbers += spectrum.values() if isinstance(spectrum, Mapping) else []
    return any(isinstance(each, float) and not math.isfinite(each) for each in numbers)


def _windows(side: Any, label: str) -> list[Snapshot | Frames]:
    from pybackend.capture.snapshot import Snapshot  # noqa: PLC0415 - slow to import
    from pybackend.stream.frames import Frames  # noqa: PLC0415

    windows = list(side) if isinstance(side, list | tuple) else [side]
    if not windows or not all(isinstance(each, Snapshot | Frames) for each in windows):
        raise InputError(
            f"the snapshot {label} the move must be a Snapshot, Frames, a list of them, or a point "
            f"snapshot, got {type(windows[0] if windows else side).__name__}"
        )
    return windows


def _align(
    before: list[Snapshot | Frames], after: list[Snapshot | Frames], loop_beats: float | None
) -> AlignedCaptures | Incomparable:
    from pybackend.capture.align import align  # noqa: PLC0415 - compiles kernels
    from pybackend.capture.snapshot import Snapshot  # noqa: PLC0415

    taken = [each for each in (*before, *after) if isinstance(each, Snapshot)]
    known = [reason for each in taken for reason in each.problems() if reason.code == "stale"]
    if taken:
        known += taken[0].device_problems(taken[-1])
    ways = {each.positions for each in taken}
    if len(ways) > 1:
        text = "One capture has song positions and another has not; capture both the same way."
        known.append(Reason("no_overlap", text))
    if known:
        return Incomparable(tuple(known))
    frames = [
        [each.frames if isinstance(each, Snapshot) else each for each in side]
        for side in (before, after)
    ]
    positions = taken[0].positions if taken else "song"
    return align(frames[0], frames[1], loop_beats=loop_beats, positions=positions)
