"""Measure real music, with real edits, into the recordings and plans of this folder.

    python tests/recordings/fetch_material.py sectoid muldjord singularity sonic-pi
    python tests/recordings/make_recordings.py

Every session below is a tape: passes of one passage with the transport stopped in between, through
one meter that runs on. What is written are the meter's frames, that is figures; no sound. The same
material gives the same files. README.md in this folder says what was done in words.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import edits
import numpy as np
import numpy.typing as npt
from edits import Edit
from pieces import BEATS_PER_BAR, BY_NAME, POST_ROLL_S, PRE_ROLL_S, Passage, passage
from spoil import spoil
from tape import EPOCH_S, Tape, datagrams, record

from pybackend.files import write_json
from pybackend.stream.frames import Frames

Sound = npt.NDArray[np.float64]
Stems = tuple[Sound, ...]

HERE: Final = Path(__file__).parent
LEAD_S: Final = 0.5
TAIL_S: Final = 0.1
STOP_S: Final = 0.4
PHASE_S: Final = 0.0137
"""Each stop is this much longer than the one before, so that every pass has another frame phase."""


@dataclass(frozen=True)
class Take:
    """One pass of a session.

    Parameters
    ----------
    name : str
        How moves call it.
    edit : Edit
        What is done to the mix.
    start_bar : int, optional
        Other bars of the piece than the session's.
    heard_as_bar : int, optional
        Song position of its first bar; by default where it truly is.
    bars : int, optional
        Fewer bars than the session's.
    running : bool
        Whether the transport runs.
    perform : callable, optional
        Makes another performance of the stems before they are edited.
    """

    name: str
    edit: Edit
    start_bar: int | None = None
    heard_as_bar: int | None = None
    bars: int | None = None
    running: bool = True
    perform: Callable[[Passage], Stems] | None = None


@dataclass(frozen=True)
class Session:
    """A recording, and the moves that its plan judges.

    Parameters
    ----------
    name : str
        Of the files.
    piece : str
        Name of the piece.
    start_bar, bars : int
        The passage.
    instance : int
        Number of the analyzer.
    takes : tuple of Take
        In the order played.
    moves : tuple of dict
        As in a plan, with names of takes for captures.
    loop_beats : float, optional
        As in a plan: song time runs on through all passes.
    damaged : bool
        Whether everything goes wrong that can (see spoil.py).
    """

    name: str
    piece: str
    start_bar: int
    bars: int
    instance: int
    takes: tuple[Take, ...]
    moves: tuple[dict[str, Any], ...]
    loop_beats: float | None = None
    damaged: bool = False

    @property
    def file(self) -> str:
        """Name of the recording."""
        return f"{self.name}.{'pcapng' if self.damaged else 'pcap'}"

    def tape(self, only_stem: int | None = None) -> Tape:
        """Play all takes: the master, or one stem as its own track plays it."""
        piece = BY_NAME[self.piece]
        first = self._passage(self.takes[0])
        tape = Tape(first.rate_hz, piece.tempo_bpm, BEATS_PER_BAR)
        tape.stop(STOP_S)
        for number, take in enumerate(self.takes):
            source = self._passage(take)
            stems = take.perform(source) if take.perform else source.stems
            edited = only_stem is None
            sound = take.edit(stems, source.rate_hz) if edited else stems[only_stem or 0]
            lead_s, tail_s = (0.0, 0.0) if self.loop_beats else (LEAD_S, TAIL_S)
            start = round((PRE_ROLL_S - lead_s) * source.rate_hz)
            end = len(sound) - round((POST_ROLL_S - tail_s) * source.rate_hz)
            position = self._position(number) * BEATS_PER_BAR - tape.beats(lead_s)
            tape.play(sound[start:end], position, running=take.running)
            if not self.loop_beats:
                tape.stop(STOP_S + number * PHASE_S)
        return tape

    def _passage(self, take: Take) -> Passage:
        start_bar = self.start_bar if take.start_bar is None else take.start_bar
        return passage(BY_NAME[self.piece], start_bar, take.bars or self.bars)

    def _position(self, number: int) -> int:
        """Bar of the song at which a take is heard; in Session View song time runs on."""
        take = self.takes[number]
        if take.heard_as_bar is not None:
            return take.heard_as_bar
        if self.loop_beats:
            return self.start_bar + number * self.bars
        return self.start_bar if take.start_bar is None else take.start_bar

    def plan(self, tape: Tape) -> dict[str, Any]:
        """The moves, with windows for the names of takes."""
        names = [take.name for take in self.takes]
        windows = {name: self._window(number, tape) for number, name in enumerate(names)}
        captures = {
            name: {"recording": self.file, "window": window} for name, window in windows.items()
        }
        moves = [
            move | {side: [captures[name] for name in move[side]] for side in ("before", "after")}
            for move in self.moves
        ]
        plan: dict[str, Any] = {"schema_version": 1, "moves": moves}
        return plan | {"loop_beats": self.loop_beats} if self.loop_beats else plan

    def _window(self, number: int, tape: Tape) -> dict[str, float]:
        take, start = self.takes[number], self._position(number)
        if not take.running:
            return dict(zip(("start_s", "end_s"), tape.span_s(number), strict=True))
        earlier = sum(
            other.running and self._position(i) == start and (other.bars or self.bars) == self.bars
            for i, other in enumerate(self.takes[:number])
        )
        window = {
            "start_beats": start * BEATS_PER_BAR,
            "end_beats": (start + (take.bars or self.bars)) * BEATS_PER_BAR,
        }
        return window if self.loop_beats else window | {"pass": earlier + 1}


def humanised(seed: int, spread_db: float) -> Callable[[Passage], Stems]:
    """Another performance: every stem's level wanders from bar to bar, normally distributed.

    Levels are set at the middles of bars and joined by straight lines in dB.
    """

    def perform(source: Passage) -> Stems:
        rng = np.random.default_rng(seed)
        at = np.arange(len(source.stems[0]))
        middles = source.edges[:-1] + np.diff(source.edges) // 2
        stems = []
        for stem in source.stems:
            level_db = np.interp(at, middles, rng.normal(0.0, spread_db, len(middles)))
            stems.append(stem * 10.0 ** (level_db / 20.0)[:, None])
        return tuple(stems)

    return perform


def _move(
    name: str, text: str, targets: dict[str, float], after: str, **more: Any
) -> dict[str, Any]:
    move = {"id": name, "description": text, "targets": targets, "before": ["before", "again"]}
    return move | {"after": [after]} | more


BRIGHTER: Final = {"brightness": 1.0}
KEEP_WEIGHT: Final = {"weight": None}

SESSIONS: Final = (
    Session(
        "metal-madness",
        "Metal madness",
        24,
        8,
        1_204_817,
        (
            Take("before", edits.nothing()),
            Take("again", edits.nothing()),
            Take("shelf", edits.high_shelf(3000, 3)),
            Take("fader", edits.gain(3)),
            Take("tilt", edits.chain(edits.high_shelf(3000, 3), edits.low_shelf(120, -4))),
            Take("bypassed", edits.nothing()),
        ),
        (
            _move("shelf", "High shelf +3 dB at 3 kHz", BRIGHTER, "shelf", protect=KEEP_WEIGHT),
            _move("fader", "Master fader +3 dB", BRIGHTER, "fader", protect=KEEP_WEIGHT),
            _move(
                "tilt",
                "High shelf +3 dB at 3 kHz, low shelf -4 dB at 120 Hz",
                BRIGHTER,
                "tilt",
                protect=KEEP_WEIGHT,
            ),
            _move("bypassed", "An effect that is bypassed", BRIGHTER, "bypassed"),
            _move("darker", "The shelf again, for a darker mix", {"brightness": -1.0}, "shelf"),
            _move(
                "louder",
                "The fader again, for more level, without room for it",
                {"energy": 1.0},
                "fader",
            ),
        ),
    ),
    Session(
        "escape",
        "Escape from chaosland",
        24,
        8,
        9_881_204,
        (
            Take("before", edits.nothing()),
            Take("again", edits.nothing()),
            Take(
                "late shelf",
                edits.chain(
                    edits.high_shelf(4000, 3), edits.on_mix(edits.delayed, time_s=4096 / 44100)
                ),
            ),
            Take("guitar", edits.stem(1, 3)),
        ),
        (
            _move(
                "late-shelf",
                "High shelf +3 dB at 4 kHz, by an equaliser that is 93 ms late",
                BRIGHTER,
                "late shelf",
            ),
            _move("guitar", "Guitars +3 dB, for a heavier low end", {"weight": 1.0}, "guitar"),
        ),
    ),
    Session(
        "coherence",
        "Coherence",
        48,
        8,
        77_120,
        (
            Take("before", edits.nothing()),
            Take("again", edits.nothing()),
            Take("wider", edits.side(3)),
            Take("hardly", edits.high_shelf(3000, 0.3)),
            Take("cut", edits.bell(350, -3)),
        ),
        (
            _move("wider", "Side +3 dB", {"width": 1.0}, "wider", protect=KEEP_WEIGHT),
            _move("hardly", "High shelf +0.3 dB at 3 kHz", BRIGHTER, "hardly"),
            _move(
                "cut", "Bell -3 dB at 350 Hz", {"band_low_mid": -1.0}, "cut", protect=KEEP_WEIGHT
            ),
        ),
    ),
    Session(
        "chaos-god",
        "chaos god",
        36,
        8,
        3_310_009,
        (
            Take("before", edits.nothing()),
            Take("again", edits.nothing(), start_bar=104, heard_as_bar=36),
            Take("shelf", edits.high_shelf(3000, 2)),
            Take("limiter", edits.on_mix(edits.limited, push_db=6.0, ceiling_db=-3.0)),
            Take("elsewhere", edits.high_shelf(3000, 2), start_bar=104),
        ),
        (
            _move("shelf", "High shelf +2 dB at 3 kHz", BRIGHTER, "shelf"),
            _move("limiter", "6 dB into a limiter", {"energy": 1.0}, "limiter"),
            _move(
                "flatter",
                "The limiter again, for less dynamics",
                {"dynamics": -1.0},
                "limiter",
            ),
            _move(
                "elsewhere",
                "The shelf, heard 68 bars later in the song",
                BRIGHTER,
                "elsewhere",
            ),
        ),
    ),
    Session(
        "war-of-freedom",
        "War of freedom",
        32,
        4,
        640_331,
        (
            Take("before", edits.nothing()),
            Take("again", edits.nothing(), start_bar=36, heard_as_bar=32),
            Take("third", edits.nothing(), start_bar=40, heard_as_bar=32),
            Take("fourth", edits.nothing(), start_bar=44, heard_as_bar=32),
            Take("third shelf", edits.high_shelf(3000, 4), start_bar=40, heard_as_bar=32),
            Take("fourth shelf", edits.high_shelf(3000, 4), start_bar=44, heard_as_bar=32),
        ),
        (
            _move("takes", "Nothing: four takes of one riff", BRIGHTER, "third")
            | {"after": ["third", "fourth"]},
            _move(
                "shelf", "High shelf +4 dB at 3 kHz on two of four takes", BRIGHTER, "third shelf"
            )
            | {"after": ["third shelf", "fourth shelf"]},
        ),
    ),
    Session(
        "loops",
        "loop_mika + loop_garzul + loop_safari",
        0,
        8,
        15_003_312,
        (
            Take("before", edits.nothing(), perform=humanised(1, 0.5)),
            Take("again", edits.nothing(), perform=humanised(2, 0.5)),
            Take("nothing", edits.nothing(), perform=humanised(3, 0.5)),
            Take("shelf", edits.high_shelf(3000, 3), perform=humanised(4, 0.5)),
            Take("bass", edits.low_shelf(100, 3), perform=humanised(5, 0.5)),
        ),
        (
            _move("nothing", "Nothing: another performance", BRIGHTER, "nothing"),
            _move("shelf", "High shelf +3 dB at 3 kHz", BRIGHTER, "shelf", protect=KEEP_WEIGHT),
            _move("bass", "Low shelf +3 dB at 100 Hz", {"weight": 1.0}, "bass"),
            _move(
                "all",
                "The high shelf, for brighter, wider and heavier",
                {"brightness": 0.5, "width": 0.3, "weight": 0.2},
                "shelf",
            ),
        ),
        loop_beats=16.0,
    ),
    Session(
        "refusals",
        "loop_breakbeat",
        0,
        4,
        424_242,
        (
            Take("before", edits.nothing()),
            Take("muted", edits.gain(-200)),
            Take("stopped", edits.high_shelf(3000, 3), running=False),
            Take("short", edits.high_shelf(3000, 3), bars=3),
        ),
        (
            _move("muted", "Master muted", BRIGHTER, "muted", before=["before"]),
            _move(
                "stopped",
                "High shelf, heard with the transport stopped",
                BRIGHTER,
                "stopped",
                before=["before"],
            ),
            _move("short", "High shelf, three bars", BRIGHTER, "short", before=["before"]),
        ),
    ),
    Session(
        "damaged",
        "War of freedom",
        32,
        4,
        640_332,
        (
            Take("before", edits.nothing()),
            Take("again", edits.nothing(), start_bar=36, heard_as_bar=32),
            Take("shelf", edits.high_shelf(3000, 4), start_bar=40, heard_as_bar=32),
            Take("lossy", edits.high_shelf(3000, 4), start_bar=44, heard_as_bar=32),
        ),
        (
            _move("shelf", "High shelf +4 dB at 3 kHz", BRIGHTER, "shelf"),
            _move("lossy", "The same, with 8 % of the frames lost", BRIGHTER, "lossy"),
        ),
        damaged=True,
    ),
)


def write_damaged(session: Session, tape: Tape, frames: Frames, path: Path) -> dict[str, int]:
    """Write a session with everything wrong, and a second device on the guitars' track."""
    master = list(datagrams(frames))
    last_s = EPOCH_S + tape.span_s(len(session.takes) - 1)[0]
    stretches = [
        [item for item in master if item[0] < last_s],
        [item for item in master if item[0] >= last_s],
    ]
    guitars = session.tape(only_stem=1).frames(session.instance + 1)
    half_s = EPOCH_S + tape.span_s(1)[1]
    other = [item for item in datagrams(guitars, "track", 2) if item[0] < half_s]
    return spoil(path, stretches, other, [float(value) for value in frames.values[100]])


def main() -> None:
    """Write every recording and plan."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--into", type=Path, default=HERE, metavar="FOLDER", help="default: here")
    into = parser.parse_args().into
    for session in SESSIONS:
        tape = session.tape()
        frames = tape.frames(session.instance)
        path = into / session.file
        if session.damaged:
            print(write_damaged(session, tape, frames, path))
        else:
            record(path, frames)
        write_json(path.with_suffix(".json"), session.plan(tape))
        print(f"{path.name}: {len(frames)} frames, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
