"""The demo: a groove through the meter and real UDP, three moves, three verdicts, a run folder.

Everything but the music is the real thing: frames are encoded, sent to a loopback socket, received,
recorded, aligned and judged as they would be from Live.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pybackend.capture.align import align
from pybackend.capture.snapshot import take
from pybackend.config import app_version
from pybackend.errors import MoveJudgeError
from pybackend.judgment.evaluate import judge
from pybackend.judgment.goal import compile_goal_vector
from pybackend.loop.ledger import Applied, Closed, Judged, Move, Opened, Outcome, ParameterChange
from pybackend.loop.plan import PLAN_NAME
from pybackend.loop.runfolder import RunFolder
from pybackend.stream.recording import Recorder
from pybackend.studio.analyzer import StandInAnalyzer
from pybackend.studio.groove import Array, Groove, high_shelf

if TYPE_CHECKING:
    from pybackend.judgment.verdict import Verdict
    from pybackend.stream.frames import Frames
    from pybackend.stream.receiver import Receiver

SCHEMA_VERSION: Final = 1
REPORT_NAME: Final = "report.json"
REPEATS_BEFORE: Final = 2
ARRIVAL_TIMEOUT_S: Final = 5.0
SHELF_CORNER_HZ: Final = 3000.0
REQUEST: Final = "make the loop brighter without losing its weight"


@dataclass(frozen=True, slots=True)
class Controls:
    """What the demo's mixer can change."""

    gain_db: float = 0.0
    shelf_db: float = 0.0
    bypassed_send_db: float = -20.0

    def apply(self, sound: Array, sample_rate_hz: int) -> Array:
        """Play a performance through the mixer; the send leads nowhere."""
        shelved = high_shelf(
            sound, sample_rate_hz, corner_hz=SHELF_CORNER_HZ, gain_db=self.shelf_db
        )
        mixed: Array = shelved * 10.0 ** (self.gain_db / 20.0)
        return mixed


@dataclass(frozen=True, slots=True)
class DemoMove:
    """One control set to one value, in dB."""

    id: str
    description: str
    control: str
    value_db: float


MOVES: Final = (
    DemoMove("0001-louder", "Master fader +3 dB", "gain_db", 3.0),
    DemoMove("0002-nothing", "Send to a bypassed reverb +14 dB", "bypassed_send_db", -6.0),
    DemoMove("0003-shelf", "High shelf +3 dB above 3 kHz", "shelf_db", 3.0),
)
CAPTURES: Final = len(MOVES) * (REPEATS_BEFORE + 1)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A move of the demo and what came of it."""

    move: DemoMove
    verdict: Verdict
    outcome: Outcome


class Demo:
    """One run of the demo.

    Parameters
    ----------
    run : RunFolder
        Where everything is left.
    receiver : Receiver
        What hears the frames.
    groove : Groove
        What is played.
    seed : int
        First performance; every capture is another one.
    advance : callable
        Told after every capture.
    """

    def __init__(
        self,
        run: RunFolder,
        receiver: Receiver,
        groove: Groove,
        *,
        seed: int = 1,
        advance: Callable[[], None] = lambda: None,
    ) -> None:
        self._run = run
        self._receiver = receiver
        self._groove = groove
        self._seed = seed
        self._advance = advance
        self._controls = Controls()
        self._kept_composite = 0.0
        self._planned: list[dict[str, Any]] = []
        self._goal = compile_goal_vector(REQUEST, {"brightness": 1.0}, {"weight": None})

    def perform(self) -> list[Judgement]:
        """Make every move, judge it, and write plan and report."""
        with StandInAnalyzer(self._receiver.port, self._groove.sample_rate_hz) as analyzer:
            judged = [self._try(analyzer, move, tries) for tries, move in enumerate(MOVES, start=1)]
        plan = {"schema_version": SCHEMA_VERSION, "moves": self._planned}
        self._run.write_json(PLAN_NAME, plan)
        self._run.write_json(REPORT_NAME, self._report(judged))
        return judged

    def _try(self, analyzer: StandInAnalyzer, move: DemoMove, tries: int) -> Judgement:
        before_value = asdict(self._controls)[move.control]
        befores = [f"before-{number}" for number in range(1, REPEATS_BEFORE + 1)]
        before = [self._capture(analyzer, move, name) for name in befores]
        self._run.ledger.append(
            Opened(
                move_id=move.id,
                intent=REQUEST,
                move=Move(
                    kind="mixer",
                    description=move.description,
                    changes=(
                        ParameterChange(
                            target=move.control, before=before_value, after=move.value_db, unit="dB"
                        ),
                    ),
                ),
                goal_vector=self._goal,
                before=tuple(_snapshot_name(move, name) for name in befores),
            )
        )
        untouched, self._controls = (
            self._controls,
            replace(self._controls, **{move.control: move.value_db}),
        )
        self._run.ledger.append(Applied(move_id=move.id))
        after = [self._capture(analyzer, move, "after-1")]
        verdict = judge(
            self._goal, align(before, after), tries=tries, kept_composite=self._kept_composite
        )
        self._planned.append(self._plan_of(move, befores, tries))
        self._write_verdict(move, verdict)
        outcome = self._settle(move, verdict, untouched)
        return Judgement(move, verdict, outcome)

    def _settle(self, move: DemoMove, verdict: Verdict, untouched: Controls) -> Outcome:
        if verdict.keep_change:
            self._kept_composite += verdict.goal.estimate if verdict.goal else 0.0
            self._run.ledger.append(Closed(move_id=move.id, outcome="kept"))
            return "kept"
        self._controls = untouched
        proof = {"controls": asdict(self._controls)}
        self._run.ledger.append(
            Closed(
                move_id=move.id,
                outcome="undone",
                undo_method="demo_mixer_restore",
                undo_proof=proof,
                reason=verdict.explanation,
            )
        )
        return "undone"

    def _capture(self, analyzer: StandInAnalyzer, move: DemoMove, name: str) -> Frames:
        """Play the loop once and take what the receiver heard of it."""
        rate_hz = self._groove.sample_rate_hz
        sound = self._controls.apply(self._groove.perform(self._seed), rate_hz)
        self._seed += 1
        recording = self._run.execution / _recording_name(move, name)
        recording.parent.mkdir(parents=True, exist_ok=True)
        with Recorder(recording) as recorder, self._receiver.tap(recorder.write):
            analyzer.hello()
            mark = self._written(analyzer.instance)
            sent = analyzer.play(sound, tempo_bpm=self._groove.tempo_bpm)
            self._await(analyzer.instance, mark + sent)
        frames, _ = self._receiver.intake.store(analyzer.instance).since(mark)
        snapshot = {"recording": _recording_name(move, name)} | take(frames).summary()
        self._run.write_json(_snapshot_name(move, name), snapshot)
        self._run.log("captured", move=move.id, capture=name, frames=len(frames), sent=sent)
        self._advance()
        return frames

    def _written(self, instance: int) -> int:
        known = instance in self._receiver.intake.instances
        return self._receiver.intake.store(instance).written if known else 0

    def _await(self, instance: int, wanted: int) -> None:
        """Wait for the last frame; one that was lost shows as loss, none at all is an error."""
        give_up_s = time.monotonic() + ARRIVAL_TIMEOUT_S
        while self._written(instance) < wanted and time.monotonic() < give_up_s:
            time.sleep(0.002)
        if self._written(instance) == 0:
            raise MoveJudgeError(
                "the demo's frames did not arrive over loopback UDP; check a firewall for 127.0.0.1"
            )

    def _plan_of(self, move: DemoMove, befores: list[str], tries: int) -> dict[str, Any]:
        return {
            "id": move.id,
            "description": move.description,
            "goal_vector": self._goal,
            "tries": tries,
            "kept_composite": self._kept_composite,
            "before": [{"recording": _recording_name(move, name)} for name in befores],
            "after": [{"recording": _recording_name(move, "after-1")}],
        }

    def _write_verdict(self, move: DemoMove, verdict: Verdict) -> None:
        name = f"moves/{move.id}/verdict.json"
        self._run.write_json(name, verdict.model_dump(mode="json"))
        self._run.ledger.append(
            Judged(
                move_id=move.id,
                after=(_snapshot_name(move, "after-1"),),
                verdict=name,
                decision=verdict.decision,
                keep_change=verdict.keep_change,
                score=verdict.score,
                goal_progress=verdict.goal_progress,
            )
        )

    def _report(self, judged: list[Judgement]) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "demo",
            "movejudge_version": app_version(),
            "request": REQUEST,
            "goal_vector": self._goal,
            "moves": [
                {
                    "id": item.move.id,
                    "description": item.move.description,
                    "decision": item.verdict.decision,
                    "keep_change": item.verdict.keep_change,
                    "score": item.verdict.score,
                    "goal_progress": item.verdict.goal_progress,
                    "level_match_lu": item.verdict.level_match_lu,
                    "explanation": item.verdict.explanation,
                    "outcome": item.outcome,
                    "verdict": f"moves/{item.move.id}/verdict.json",
                }
                for item in judged
            ],
        }


def _recording_name(move: DemoMove, name: str) -> str:
    return f"recordings/{move.id}-{name}.pcap"


def _snapshot_name(move: DemoMove, name: str) -> str:
    return f"moves/{move.id}/{name}.json"
