"""Judge the moves of a plan from recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pybackend.capture.align import align
from pybackend.capture.material import master_frames
from pybackend.errors import PlanError
from pybackend.judgment.evaluate import judge
from pybackend.judgment.goal import compile_goal_vector
from pybackend.loop.plan import CaptureRef, Plan, PlannedMove
from pybackend.stream.frames import Frames
from pybackend.stream.replay import load_recording

if TYPE_CHECKING:
    from pybackend.judgment.verdict import Verdict
    from pybackend.stream.replay import Recording

Loader = Callable[[Path], "Recording"]


@dataclass
class Recordings:
    """The recordings that a plan may name, each read once.

    Parameters
    ----------
    folder : Path
        What the plan's paths are relative to.
    given : tuple of Path
        Recordings named beside the plan; where a capture names none, there has to be one.
    load : callable
        Reads a recording.
    """

    folder: Path
    given: tuple[Path, ...] = ()
    load: Loader = load_recording
    _read: dict[Path, Recording] = field(default_factory=dict)

    def frames(self, capture: CaptureRef) -> Frames:
        """Frames of one capture.

        Raises
        ------
        PlanError
            If it is not clear which recording is meant.
        MoveJudgeError
            If the recording cannot be read or does not hold the window.
        """
        path = self._path(capture)
        if path not in self._read:
            self._read[path] = self.load(path)
        frames = master_frames(self._read[path], path, capture.instance)
        return frames if capture.window is None else capture.window.cut(frames)

    def _path(self, capture: CaptureRef) -> Path:
        if capture.recording is not None:
            named = [path for path in self.given if path.name == Path(capture.recording).name]
            return named[0] if len(named) == 1 else self.folder / capture.recording
        if len(self.given) == 1:
            return self.given[0]
        raise PlanError(
            f"a capture names no recording and {len(self.given)} are given; "
            "name one in the plan or give one"
        )


def judge_move(plan: Plan, move: PlannedMove, recordings: Recordings) -> Verdict:
    """Judge one move of a plan."""
    goal = move.goal_vector or compile_goal_vector(
        move.request, move.targets or {}, move.protect, move.mode, move.aggression
    )
    aligned = align(
        [recordings.frames(capture) for capture in move.before],
        [recordings.frames(capture) for capture in move.after],
        min_bars=plan.min_bars,
        loop_beats=plan.loop_beats,
    )
    return judge(goal, aligned, tries=move.tries, kept_composite=move.kept_composite)


def judge_plan(plan: Plan, recordings: Recordings) -> Iterator[tuple[PlannedMove, Verdict]]:
    """Judge every move of a plan, in order."""
    for move in plan.moves:
        yield move, judge_move(plan, move, recordings)
