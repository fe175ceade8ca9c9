"""Judge many edits of many pieces and hold every verdict against what the edit really did.

    python tests/recordings/fetch_material.py
    python tests/recordings/judge_material.py                 # all pieces, about 15 minutes
    python tests/recordings/judge_material.py Nebula mika     # some, as a table
    python tests/recordings/judge_material.py --write docs/real-music.md

The document's figures are replaced, its hand-written parts stay. The exit code is 1 if a verdict
disagrees with what was done to the sound and no human word explains it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Final, NamedTuple

import edits
import numpy as np
import numpy.typing as npt
import truth
from pieces import (
    BEATS_PER_BAR,
    BY_NAME,
    PIECES,
    PRE_ROLL_S,
    Passage,
    Piece,
    passage,
    tempo_drift_ms,
)
from trials import Trial, trials

from pybackend.capture.align import align
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.evaluate import judge
from pybackend.judgment.goal import compile_goal_vector
from pybackend.judgment.verdict import Verdict
from pybackend.metering.design import FRAME_S
from pybackend.metering.meter import Meter
from pybackend.stream.frames import Frames, stamp_transport

Sound = npt.NDArray[np.float64]

PHASES_S: Final = (0.0, 0.023, 0.037)
"""Where frames of the two captures before, and of the one after, begin against the song."""
CLEAR: Final = 1.2
SMALL: Final = 0.8
"""True effects above the one and below the other, in smallest effects, leave no choice."""
LOST: Final = 2.4
SPARED: Final = 1.6
"""The same for losses of a protect, whose margin is two smallest effects."""

REPEATS: Final = {
    8: {
        "Escape from chaosland": (16, 72, 80),
        "Metal madness": (28, 76),
        "War of freedom": (32, 40),
        "armygeddon": (16, 24, 60, 68),
        "chaos god": (36, 104),
        "internal degeneration": (18, 26, 123, 131),
        "mutilated mime": (11, 115),
        "By-Product": (96, 104),
        "Coherence": (40, 72),
        "Media Threat": (47, 63),
        "Nebula": (35, 75),
        "Orbital Elevator": (55, 119),
    },
    4: {
        "Escape from chaosland": (16, 20, 72, 80),
        "Metal madness": (12, 16, 60),
        "War of freedom": (32, 36, 40, 44),
        "armygeddon": (16, 20, 24, 28, 64),
        "chaos god": (41, 45, 109, 113),
        "internal degeneration": (18, 22, 26, 30, 123),
        "mutilated mime": (47, 55, 83),
        "By-Product": (16, 20, 24, 28),
        "Coherence": (33, 41, 65, 73),
    },
}
"""First bars of passages that a piece repeats: their eighths differ by 1.2 dB per band on average
or less."""


class Row(NamedTuple):
    """One judged edit.

    Parameters
    ----------
    piece : str
        Piece and first bar.
    trial : Trial
        What was done, and for what.
    sharp, meter : float
        True effect with bands cut at their edges, and as the meter cuts them.
    verdict : Verdict
        What was said.
    agrees : str
        Whether a producer would agree: yes, no with the reason, or open.
    """

    piece: str
    trial: Trial
    sharp: float
    meter: float
    verdict: Verdict
    agrees: str

    @property
    def measured(self) -> tuple[float, float, float] | None:
        """Change and its interval, if it was measured."""
        shown = self.verdict.dimensions[self.trial.dimension]
        if shown.delta is None or shown.ci_low is None or shown.ci_high is None:
            return None
        return shown.delta, shown.ci_low, shown.ci_high

    @property
    def bounded(self) -> bool:
        """Whether the change is only known to be at least so much."""
        return "at least" in (self.verdict.dimensions[self.trial.dimension].reason or "")


def heard(source: Passage, sound: Sound, phase_s: float, start_beats: float) -> Frames:
    """Frames of a passage played from a song position, as they come over the wire."""
    skipped = round(phase_s * source.rate_hz)
    tempo_bpm = source.piece.tempo_bpm
    into_s = skipped / source.rate_hz - PRE_ROLL_S
    frames = stamp_transport(
        Meter(source.rate_hz).process(sound[skipped:]),
        tempo_bpm=tempo_bpm,
        start_beats=start_beats + into_s * tempo_bpm / 60.0,
    )
    beats, frame_beats = frames.column("song_beats"), FRAME_S * tempo_bpm / 60.0
    end_beats = start_beats + source.bars * BEATS_PER_BAR
    inside = (beats > start_beats - 2.0 * frame_beats) & (beats < end_beats + 1.001 * frame_beats)
    values = frames.values[inside].astype(np.float32).astype(np.float64)
    return Frames(values, frames.received_s[inside])


def judge_passage(piece: Piece, start_bar: int) -> Iterator[Row]:
    """Judge every trial of a passage."""
    source = passage(piece, start_bar)
    start_beats = float(start_bar * BEATS_PER_BAR)
    before = [heard(source, source.mix, phase_s, start_beats) for phase_s in PHASES_S[:2]]
    was = truth.levels(source.mix, source.rate_hz, source.edges)
    for trial in trials(piece):
        sound = trial.edit(source.stems, source.rate_hz)
        after = heard(source, sound, PHASES_S[2], start_beats)
        late = round(trial.late_s * source.rate_hz)
        now = truth.levels(sound, source.rate_hz, source.edges + late)
        sharp, meter = (truth.effects(was, now, sharp=which) for which in (True, False))
        whole = truth.effects(truth.whole(was), truth.whole(now), sharp=True)
        goal = compile_goal_vector(
            trial.name, {trial.dimension: trial.sign}, dict.fromkeys(trial.protect)
        )
        verdict = judge(goal, align(before, [after]))
        yield Row(
            f"{piece.name} {start_bar}",
            trial,
            sharp[trial.dimension],
            meter[trial.dimension],
            verdict,
            opinion(trial, sharp, whole, verdict),
        )


def opinion(
    trial: Trial, effects: dict[str, float], whole: dict[str, float], verdict: Verdict
) -> str:
    """Whether a producer who hears the true effects would agree with a verdict.

    What is protected counts as lost if the mean of the bars lost it, or the passage as a ``whole``.
    """
    if verdict.score is None:
        return "not judged"
    gained = trial.sign * effects[trial.dimension] / DIMENSIONS[trial.dimension].smallest_effect
    losses = [
        -lost[name] / DIMENSIONS[name].smallest_effect
        for name in trial.protect
        for lost in (effects, whole)
    ]
    lost = max(losses, default=0.0)
    if verdict.decision == "keep":
        against = trial.but or ("what is protected was lost" if lost > LOST else "")
        return f"no: {against}" if against else _yes(gained >= SMALL, "kept")
    if verdict.decision == "undo":
        return _yes(gained <= CLEAR or lost >= SPARED, "undone")
    if any(reason.code == "true_peak" for reason in verdict.reasons):
        return "yes"
    return "open" if SMALL <= abs(gained) <= CLEAR else "open, could be surer"


def _yes(fits: bool, what: str) -> str:
    return "yes" if fits else f"no: {what}"


def judge_repeats(bars: int) -> dict[tuple[int, int], Counter[str]]:
    """Judge passages that a piece repeats as if nothing but a move lay between them.

    Every passage is stamped with the same song position, as in a loop. Nothing was done to them, so
    a keep is a keep of whatever the takes differ by.

    Returns
    -------
    dict of (int, int) to Counter
        Decisions by count of captures before and after; "found" counts a kept 3 dB shelf.
    """
    shelf = edits.high_shelf(3000, 3)
    goals = [
        compile_goal_vector("", {name: 1.0}) for name in ("brightness", "weight", "width", "energy")
    ]
    found: dict[tuple[int, int], Counter[str]] = {}
    for name, starts in REPEATS[bars].items():
        plain, shelved = [], []
        for number, start_bar in enumerate(starts):
            source = passage(BY_NAME[name], start_bar, bars)
            phase_s = PHASES_S[number % 3]
            plain.append(heard(source, source.mix, phase_s, 0.0))
            shelved.append(heard(source, shelf(source.stems, source.rate_hz), phase_s, 0.0))
        for layout in ((1, 1), (2, 1), (2, 2)):
            counts = found.setdefault(layout, Counter())
            for order in _orders(len(starts), *layout):
                before = [plain[i] for i in order[: layout[0]]]
                aligned = align(before, [plain[i] for i in order[layout[0] :]])
                counts.update(judge(goal, aligned).decision for goal in goals)
                edited = align(before, [shelved[i] for i in order[layout[0] :]])
                counts["shelves"] += 1
                counts["found"] += judge(goals[0], edited).decision == "keep"
    return found


def phases_table() -> str:
    """The same sound with another frame phase: what every dimension makes of it.

    Captures of one playing share their phase, the one after a stop has another: the worst case for
    anything that is taken from single frames.
    """
    seen: dict[str, list[tuple[float, str, str]]] = {}
    goal = compile_goal_vector("", {"brightness": 1.0})
    for piece in PIECES:
        source = passage(piece, piece.starts[-1])
        before = [heard(source, source.mix, 0.0, 0.0)] * 2
        for phase_s in (0.012, 0.025, 0.038):
            verdict = judge(goal, align(before, [heard(source, source.mix, phase_s, 0.0)]))
            for name, shown in verdict.dimensions.items():
                if shown.delta is not None and shown.smallest_effect and shown.verdict:
                    size = abs(shown.delta) / shown.smallest_effect
                    seen.setdefault(name, []).append((size, shown.verdict, piece.name))
    lines = [
        "| dimension | n | same | open | said to have moved | largest, in smallest effects | in |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, found in sorted(seen.items(), key=lambda item: -max(item[1])[0]):
        said = Counter(answer for _, answer, _ in found)
        moved = len(found) - said["same"] - said["inconclusive"]
        size, _, where = max(found)
        lines.append(
            f"| {name} | {len(found)} | {said['same']} | {said['inconclusive']} | {moved} "
            f"| {size:.2f} | {where} |"
        )
    return "\n".join(lines)


def strangers_table() -> str:
    """Two passages of a piece, compared from their starts as files without song positions are."""
    lines = [
        "| piece | bars | true change of brightness | measured | decision |",
        "|---|---|---|---|---|",
    ]
    goal = compile_goal_vector("", {"brightness": 1.0})
    for piece in PIECES:
        if len(piece.starts) < 2:
            continue
        one, other = (passage(piece, start_bar) for start_bar in piece.starts[:2])
        before = [heard(one, one.mix, phase_s, 0.0) for phase_s in PHASES_S[:2]]
        after = [heard(other, other.mix, PHASES_S[2], 0.0)]
        verdict = judge(goal, align(before, after, positions="start"))
        was, now = (truth.levels(each.mix, each.rate_hz, each.edges) for each in (one, other))
        true_db = truth.effects(was, now, sharp=True)["brightness"]
        shown = verdict.dimensions["brightness"]
        measured = "-" if shown.delta is None else f"{shown.delta:.2f}"
        codes = ", ".join(reason.code for reason in verdict.reasons)
        lines.append(
            f"| {piece.name} | {piece.starts[0]}, {piece.starts[1]} | {true_db:.2f} | {measured} "
            f"| {verdict.decision} ({codes}) |"
        )
    return "\n".join(lines)


def _orders(count: int, before: int, after: int) -> list[tuple[int, ...]]:
    """Ways to choose captures, the order on a side aside."""
    return [
        order
        for order in permutations(range(count), before + after)
        if list(order[:before]) == sorted(order[:before])
        and list(order[before:]) == sorted(order[before:])
    ]


def tempo_table() -> str:
    """How steady each piece's tempo is."""
    lines = ["| piece | author | licence | BPM | beat wanders, ms |", "|---|---|---|---|---|"]
    for piece in PIECES:
        if piece.loop_beats:
            wanders = f"loop of {piece.loop_beats} beats"
        elif piece.steady:
            drift = np.array(tempo_drift_ms(piece))
            wanders = f"{np.quantile(drift, 0.1):+.0f} to {np.quantile(drift, 0.9):+.0f}"
        else:
            wanders = "no tempo known, bars of 2 s"
        tempo = f"{piece.tempo_bpm:.3f}".rstrip("0").rstrip(".")
        lines.append(f"| {piece.name} | {piece.author} | {piece.licence} | {tempo} | {wanders} |")
    return "\n".join(lines)


def summary_table(rows: Sequence[Row]) -> str:
    """One line per edit and goal, over all passages."""
    lines = [
        "| edit | goal | protect | n | true effect, least / median / most | largest error "
        "| interval holds it | keep / undo / open | agrees |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    keys = dict.fromkeys((row.trial.name, row.trial.target, row.trial.protect) for row in rows)
    for name, target, protect in keys:
        mine = [r for r in rows if (r.trial.name, r.trial.target) == (name, target)]
        lines.append(_summary_line(name, target, protect, mine))
    return "\n".join(lines)


def _summary_line(name: str, target: str, protect: Sequence[str], rows: Sequence[Row]) -> str:
    sharp = np.array([row.sharp for row in rows])
    exact = [(row, row.measured) for row in rows if row.measured and not row.bounded]
    errors = [abs(shown[0] - row.meter) for row, shown in exact if shown]
    holds = [shown[1] <= row.meter <= shown[2] for row, shown in exact if shown]
    made = Counter(row.verdict.decision for row in rows)
    agreed = Counter(row.agrees.split(":")[0] for row in rows)
    least, median, most = np.quantile(sharp, (0.0, 0.5, 1.0))
    error = f"{max(errors):.2f}" if errors else "-"
    held = f"{np.mean(holds):.0%}" if holds else "-"
    said = ", ".join(f"{count} {word}" for word, count in agreed.most_common())
    return (
        f"| {name} | {target} | {', '.join(protect)} | {len(rows)} "
        f"| {least:.2f} / {median:.2f} / {most:.2f} | {error} | {held} "
        f"| {made['keep']} / {made['undo']} / {made['inconclusive']} | {said} |"
    )


def row_table(rows: Sequence[Row]) -> str:
    """One line per judged edit."""
    lines = [
        "| piece, bar | edit | goal | true | measured | decision | producer agrees |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        shown = row.measured
        measured = f"{shown[0]:.2f} ({shown[1]:.2f} to {shown[2]:.2f})" if shown else "-"
        decision: str = row.verdict.decision
        codes = [reason.code for reason in row.verdict.reasons]
        if decision == "inconclusive" or "protect_violated" in codes:
            decision += f" ({', '.join(codes)})"
        lines.append(
            f"| {row.piece} | {row.trial.name} | {row.trial.target} | {row.sharp:.2f} "
            f"| {measured} | {decision} | {row.agrees} |"
        )
    return "\n".join(lines)


def repeats_table() -> str:
    """Nothing done, but another take of the same bars."""
    lines = [
        "| bars | captures | verdicts | kept of nothing % | undone % | open % | shelf found % |",
        "|---|---|---|---|---|---|---|",
    ]
    for bars in REPEATS:
        for (before, after), counts in judge_repeats(bars).items():
            n = sum(counts[each] for each in ("keep", "undo", "inconclusive"))
            shares = [100.0 * counts[each] / n for each in ("keep", "undo", "inconclusive")]
            found = 100.0 * counts["found"] / counts["shelves"]
            lines.append(
                f"| {bars} | {before}, {after} | {n} | {shares[0]:.1f} | {shares[1]:.0f} "
                f"| {shares[2]:.0f} | {found:.0f} |"
            )
    return "\n".join(lines)


def replace_tables(document: Path, tables: dict[str, str]) -> None:
    """Put tables between their marks in a document."""
    text = document.read_text(encoding="utf-8")
    for name, table in tables.items():
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not mark.search(text):
            raise SystemExit(f"{document}: has no place marked <!-- {name} -->")
        text = mark.sub(lambda found, table=table: f"{found[1]}{table}\n{found[2]}", text)
    document.write_text(text, encoding="utf-8")


SHOWN: Final = ("Metal madness 24", "Feelings 56", "chaos god 24", "Nebula 16", "Coherence 48")
"""Passages that the document shows row by row."""


def main() -> int:
    """Judge, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="parts of pieces' names")
    parser.add_argument("--write", type=Path, metavar="FILE", help="replace the document's figures")
    args = parser.parse_args()
    chosen = [p for p in PIECES if not args.names or any(name in p.name for name in args.names)]
    rows: list[Row] = []
    for piece in chosen:
        for start_bar in piece.starts:
            rows += judge_passage(piece, start_bar)
            print(f"{piece.name} {start_bar}", file=sys.stderr, flush=True)
    wrong = [row for row in rows if row.agrees.startswith("no:")]
    if args.write:
        tables = {
            "tempo": tempo_table(),
            "summary": summary_table(rows),
            "rows": row_table([row for row in rows if row.piece in SHOWN]),
            "wrong": row_table(wrong),
            "phases": phases_table(),
            "repeats": repeats_table(),
            "strangers": strangers_table(),
        }
        replace_tables(args.write, tables)
    else:
        print(row_table(rows))
        print(summary_table(rows))
    unexplained = [row for row in wrong if not row.trial.but]
    print(
        f"{len(rows)} verdicts, {len(wrong)} wrong, {len(unexplained)} unexplained", file=sys.stderr
    )
    return 1 if unexplained else 0


if __name__ == "__main__":
    raise SystemExit(main())
