"""``movejudge compare``: judge one move from files of before and after."""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pybackend.capture.material import Material
    from pybackend.capture.point import PointSnapshot
    from pybackend.judgment.reference import ReferenceComparison
    from pybackend.judgment.verdict import Verdict

MAX_BAR: Final = 999_999


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "compare",
        help="judge one move from audio files or recordings of before and after",
        description=(
            "Judge one move. Give one file before and one after, or several before and, behind "
            "--after, several after: repeats of the same passage teach how much it varies."
        ),
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="audio, pcap or pcapng")
    parser.add_argument("--after", nargs="+", type=Path, default=[], metavar="FILE")
    add_goal_arguments(parser)
    add_material_arguments(parser)
    parser.add_argument(
        "--engine",
        default="sonic",
        metavar="NAME",
        help="sonic (default), mix, transition or translation",
    )
    parser.add_argument(
        "--boundary",
        action="append",
        default=[],
        type=int,
        metavar="BAR",
        help="bar, from 0, at which a section starts; the transition engine needs one",
    )
    parser.add_argument(
        "--reference",
        type=Path,
        metavar="FILE",
        help="also lay both sides beside another piece of music, at matched loudness",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(run=run)


def add_goal_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what says the goal."""
    goal = parser.add_argument_group("goal")
    goal.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="DIM=WEIGHT",
        help="what should rise, or fall with a negative weight, for example brightness=1",
    )
    goal.add_argument(
        "--protect",
        action="append",
        default=[],
        metavar="DIM[=FLOOR]",
        help="what must not get worse, with the lowest level allowed on the scale 0..1",
    )
    goal.add_argument(
        "--mode", default="improve", help="observe, improve, explore, finish, diagnose"
    )
    goal.add_argument("--aggression", type=float, default=0.5, help="0..1 (default 0.5)")
    goal.add_argument("--request", default="", metavar="TEXT", help="the wish in plain words")
    goal.add_argument("--tries", type=int, default=1, help="moves tried for this goal so far")


def add_material_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what says how files become bars."""
    bars = parser.add_argument_group("bars")
    bars.add_argument("--tempo", type=float, metavar="BPM", help="of audio files (else 2 s blocks)")
    bars.add_argument("--beats-per-bar", type=float, default=4.0, metavar="N", help="default 4")
    bars.add_argument("--loop-bars", type=float, metavar="N", help="Session View: the loop's bars")
    bars.add_argument("--min-bars", type=int, default=4, metavar="N", help="default 4")
    bars.add_argument("--instance", type=int, metavar="N", help="which analyzer of a recording")


def assignments(texts: list[str], option: str) -> dict[str, float | None]:
    """Parse ``NAME=NUMBER`` texts; a bare name has no number.

    Raises
    ------
    GoalError
        If a number is none, or a name is given twice.
    """
    from pybackend.errors import GoalError  # noqa: PLC0415

    parsed: dict[str, float | None] = {}
    for text in texts:
        name, equals, number = text.partition("=")
        name = name.strip()
        if name in parsed:
            raise GoalError(f"{option} {name}: given twice; give it once")
        try:
            parsed[name] = float(number) if equals else None
        except ValueError:
            raise GoalError(f"{option} {text}: {number!r} is no number; try {name}=1") from None
    return parsed


def goal_vector(args: argparse.Namespace) -> dict[str, Any]:
    """Goal from the command line.

    Raises
    ------
    GoalError
        If it is none.
    """
    from pybackend.errors import GoalError  # noqa: PLC0415
    from pybackend.judgment.goal import compile_goal_vector  # noqa: PLC0415

    if not args.target:
        raise GoalError("no goal; say what the move is for, for example --target brightness=1")
    targets = {
        name: 1.0 if weight is None else weight
        for name, weight in assignments(args.target, "--target").items()
    }
    protect = assignments(args.protect, "--protect")
    return compile_goal_vector(args.request, targets, protect, args.mode, args.aggression)


def _sides(args: argparse.Namespace) -> tuple[list[Path], list[Path]]:
    from pybackend.errors import InputError  # noqa: PLC0415

    if args.after:
        return args.files, args.after
    if len(args.files) == 2:
        return args.files[:1], args.files[1:]
    raise InputError(
        f"{len(args.files)} files and no --after; write: compare BEFORE AFTER, "
        "or compare BEFORE... --after AFTER..."
    )


def _check_bars(args: argparse.Namespace) -> None:
    from pybackend.errors import InputError  # noqa: PLC0415

    if args.tempo is not None and not 20.0 <= args.tempo <= 999.0:
        raise InputError(f"--tempo {args.tempo:g}: use 20 to 999 BPM")
    if not 0.5 <= args.beats_per_bar <= 64.0:
        raise InputError(f"--beats-per-bar {args.beats_per_bar:g}: use 0.5 to 64 quarter notes")
    if args.loop_bars is not None and not 0.25 <= args.loop_bars <= 4096.0:
        raise InputError(f"--loop-bars {args.loop_bars:g}: use 0.25 to 4096")
    if not 4 <= args.min_bars <= 4096:
        raise InputError(f"--min-bars {args.min_bars}: a verdict needs 4 bars or more")


def load_files(args: argparse.Namespace, paths: list[Path]) -> list[Material]:
    """Read recordings and meter audio files."""
    from pybackend.capture.material import Meter, load  # noqa: PLC0415
    from pybackend.reporting.terminal import progress  # noqa: PLC0415

    _check_bars(args)
    meter = Meter(args.tempo, args.beats_per_bar)
    material: list[Material] = []
    with progress("Measuring", len(paths)) as advance:
        for path in paths:
            material.append(load(path, meter, args.instance))
            advance(1)
    return material


def judge_files(args: argparse.Namespace, material: list[Material], n_before: int) -> Verdict:
    """Align and judge."""
    from pybackend.capture.align import align  # noqa: PLC0415
    from pybackend.errors import InputError  # noqa: PLC0415
    from pybackend.judgment.evaluate import judge  # noqa: PLC0415

    goal = goal_vector(args)
    positions = {item.positions for item in material}
    if len(positions) > 1:
        raise InputError("audio files and recordings cannot be paired; compare like with like")
    points = [item.point for item in material if item.point is not None]
    if points:
        return _judge_points(goal, points, n_before, len(material), args.tries)
    loop_beats = None if args.loop_bars is None else args.loop_bars * args.beats_per_bar
    if args.engine != "sonic" or args.boundary:
        return _judge_with_engine(args, material, n_before, loop_beats)
    sides = [item.frames for item in material]
    aligned = align(
        sides[:n_before],
        sides[n_before:],
        min_bars=args.min_bars,
        loop_beats=loop_beats,
        positions=positions.pop(),
    )
    return judge(goal, aligned, tries=args.tries)


def _judge_with_engine(
    args: argparse.Namespace, material: list[Material], n_before: int, loop_beats: float | None
) -> Verdict:
    from pybackend.capture.snapshot import take  # noqa: PLC0415
    from pybackend.errors import InputError  # noqa: PLC0415
    from pybackend.judgment.composition.notes import Section  # noqa: PLC0415
    from pybackend.judgment.fabric.bundle import SessionSnapshot  # noqa: PLC0415
    from pybackend.judgment.fabric.evaluate import evaluate_with_fabric  # noqa: PLC0415

    starts = sorted({0, *args.boundary})
    if starts[0] < 0 or starts[-1] > MAX_BAR:
        raise InputError(f"--boundary: bars go from 0 to {MAX_BAR}")
    sections = tuple(
        Section(start_bar=start, end_bar=end) for start, end in pairwise([*starts, MAX_BAR + 1])
    )
    windows = [take(item.frames, positions=item.positions) for item in material]
    before, after = (
        SessionSnapshot(master=tuple(side), sections=sections if args.boundary else ())
        for side in (windows[:n_before], windows[n_before:])
    )
    return evaluate_with_fabric(
        args.engine, before, after, goal_vector(args), loop_beats=loop_beats, tries=args.tries
    )


def _judge_points(
    goal: dict[str, Any], points: list[PointSnapshot], n_before: int, n_files: int, tries: int
) -> Verdict:
    """Judge readings of an older analyzer, which carry no spread."""
    from pybackend.capture.point import PointSnapshot  # noqa: PLC0415
    from pybackend.errors import InputError  # noqa: PLC0415
    from pybackend.judgment.evaluate import evaluate_move  # noqa: PLC0415

    if len(points) < n_files:
        raise InputError("an older analyzer's readings cannot be paired with frames of this one")
    before, after = PointSnapshot.mean(points[:n_before]), PointSnapshot.mean(points[n_before:])
    return evaluate_move(goal, before, after, tries=tries)


def run(args: argparse.Namespace) -> int:
    """Judge, print, and say by the exit code what was decided."""
    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.reporting.reference import print_reference  # noqa: PLC0415
    from pybackend.reporting.verdicts import exit_code, print_verdict  # noqa: PLC0415

    before, after = _sides(args)
    goal_vector(args)  # a goal that is none is said before anything is measured
    material = load_files(args, [*before, *after])
    verdict = judge_files(args, material, len(before))
    beside = None
    if args.reference is not None:
        beside = _beside(args, material, len(before))
    if args.json:
        document = verdict.model_dump(mode="json")
        if beside is not None:
            document["reference"] = beside.model_dump(mode="json")
        terminal.print_json(document)
    else:
        console = terminal.console()
        print_verdict(console, verdict)
        if beside is not None:
            print_reference(console, beside, args.reference.name)
    return exit_code([verdict])


def _beside(
    args: argparse.Namespace, material: list[Material], n_before: int
) -> ReferenceComparison:
    from pybackend.errors import InputError  # noqa: PLC0415
    from pybackend.judgment.reference import compare_with_reference, profile  # noqa: PLC0415

    reference = load_files(args, [args.reference])[0]
    if any(item.point is not None for item in (*material, reference)):
        raise InputError("--reference: readings of an older analyzer cannot be laid beside a track")
    positions = material[0].positions
    sides = [
        profile([item.frames for item in side], positions, label)
        for side, label in (
            (material[:n_before], "before"),
            (material[n_before:], "after"),
        )
    ]
    wanted = profile([reference.frames], reference.positions, str(args.reference))
    return compare_with_reference(sides[1], wanted, sides[0])
