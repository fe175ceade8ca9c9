"""Notes as rows, and the smallest edit that turns one list of them into another. Pure.

A row is ``[id, pitch, start, duration, velocity, mute, probability, velocity_deviation,
release_velocity]``; times are beats of the clip, the id is 0 for a note that does not exist yet.
"""

from __future__ import annotations

from bisect import bisect_left
from hashlib import sha256
from operator import itemgetter
from typing import TYPE_CHECKING

from .failure import Failure
from .schema import Flag, Integer, Items, Number, Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .job import Steps

    Row = list[Any]

FIELDS = (
    "pitch",
    "start_time",
    "duration",
    "velocity",
    "mute",
    "probability",
    "velocity_deviation",
    "release_velocity",
)
MAX_NOTES = 2000
ROWS_PER_SLICE = 128
MAX_BEATS = 1576800.0
NOTE_ID = Integer(0, 2**53)
RULES: dict[str, Any] = {
    "pitch": Integer(0, 127),
    "start_time": Number(-MAX_BEATS, MAX_BEATS),
    "duration": Number(1e-6, MAX_BEATS),
    "velocity": Number(1e-6, 127),
    "mute": Flag(),
    "probability": Number(0, 1),
    "velocity_deviation": Number(-127, 127),
    "release_velocity": Number(0, 127),
}
DEFAULTS = (100.0, False, 1.0, 0.0, 64.0)
NEAR_BEATS = 0.25
TOLERANCE = (0, 1e-6, 1e-6, 1e-3, 0, 1e-4, 1e-3, 1e-3)


class NoteRow:
    """Validator of one row: an array, the tail of which may be left out."""

    def check(self, value: Any, where: str) -> Row:
        """Give the full row of nine."""
        if not isinstance(value, list) or not 4 <= len(value) <= 9:
            raise Failure("bad_request", f"{where} has to be an array of 4 to 9", where)
        row = [NOTE_ID.check(value[0] or 0, where + "[0]")]
        given = list(value[1:]) + list(DEFAULTS[len(value) - 4 :])
        for i, (name, member) in enumerate(zip(FIELDS, given)):
            row.append(RULES[name].check(member, f"{where}[{i + 1}] ({name})"))
        return row

    def __str__(self) -> str:
        return (
            "[id or 0, pitch, start, duration, velocity=100, mute=false, probability=1, "
            "velocity_deviation=0, release_velocity=64]"
        )


ROWS = Items(NoteRow(), MAX_NOTES)
PATCH = Record(
    optional={
        "remove": Items(NOTE_ID, MAX_NOTES),
        "modify": Items(Record({"id": NOTE_ID}, RULES), MAX_NOTES),
        "add": ROWS,
    }
)


def digest_in_slices(rows: Sequence[Row]) -> Steps:
    """Fingerprint of the notes alone, 16 hex digits; ids and order do not count.

    A generator, because a large clip takes long; its value is the fingerprint.
    """
    total = sha256()
    for count, row in enumerate(sorted(rows, key=_order)):
        total.update(repr([_rounded(value) for value in row[1:]]).encode("ascii"))
        if count % ROWS_PER_SLICE == ROWS_PER_SLICE - 1:
            yield None
    return total.hexdigest()[:16]


def digest(rows: Sequence[Row]) -> str:
    """Fingerprint of the notes alone, at once."""
    steps = digest_in_slices(rows)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return str(stop.value)


def revision(notes: str, frame: Sequence[Any]) -> str:
    """Fingerprint of a clip's notes, given theirs, and of its loop and markers."""
    text = notes + repr([_rounded(value) for value in frame])
    return sha256(text.encode("ascii", "replace")).hexdigest()[:16]


def _rounded(value: Any) -> Any:
    # -0.0 and 0.0 are one value, and so are a bool and itself.
    return round(value, 6) + 0.0 if isinstance(value, float) else value


# The order of a read, so that sorting it again is quick.
_order = itemgetter(2, 1)


def alike(one: Row, other: Row) -> bool:
    """Whether two rows say the same, within what Live rounds."""
    return one[1:] == other[1:] or all(
        abs(a - b) <= t for a, b, t in zip(one[1:], other[1:], TOLERANCE)
    )


def same_notes(one: Sequence[Row], other: Sequence[Row]) -> bool:
    """Whether two lists hold the same notes, ids and order aside."""
    if len(one) != len(other):
        return False
    return all(alike(a, b) for a, b in zip(sorted(one, key=_order), sorted(other, key=_order)))


def _place(row: Row) -> tuple[int, float]:
    return row[1], round(row[2], 6)


def refuse_doubles(rows: Sequence[Row], where: str) -> None:
    """Refuse two notes at one pitch and start: Live would keep the later one only.

    Raises
    ------
    Failure
        ``bad_request``.
    """
    seen: set[tuple[int, float]] = set()
    for row in rows:
        if _place(row) in seen:
            raise Failure("bad_request", f"two notes at pitch {row[1]}, beat {row[2]:g}", where)
        seen.add(_place(row))


class Plan:
    """What has to be done to a clip's notes.

    Attributes
    ----------
    remove : list of int
        Ids.
    modify : dict of int to row
        Id of a note that stays -> what it becomes.
    add : list of row
    """

    def __init__(self) -> None:
        self.remove: list[int] = []
        self.modify: dict[int, Row] = {}
        self.add: list[Row] = []

    def __bool__(self) -> bool:
        return bool(self.remove or self.modify or self.add)


def plan_patch(current: Sequence[Row], patch: dict[str, Any], where: str) -> tuple[Plan, list[Row]]:
    """Plan of a patch, and the rows that should come out.

    Raises
    ------
    Failure
        ``unknown_object`` for an id that is not in the clip, ``bad_request`` for a contradiction.
    """
    plan = Plan()
    by_id = {row[0]: list(row) for row in current}
    for name, ids in (
        ("remove", patch.get("remove", [])),
        ("modify", [entry["id"] for entry in patch.get("modify", [])]),
    ):
        for i, number in enumerate(ids):
            if number not in by_id:
                raise Failure("unknown_object", f"no note {number}", f"{where}.{name}[{i}]")
        if len(set(ids)) != len(ids):
            raise Failure("bad_request", "a note is named twice", f"{where}.{name}")
    for number in patch.get("remove", []):
        plan.remove.append(number)
        del by_id[number]
    for entry in patch.get("modify", []):
        if entry["id"] not in by_id:
            raise Failure("bad_request", "note {} is removed as well".format(entry["id"]), where)
        row = by_id[entry["id"]]
        for i, name in enumerate(FIELDS):
            if name in entry:
                row[i + 1] = entry[name]
        plan.modify[entry["id"]] = row
    plan.add = [[0, *row[1:]] for row in patch.get("add", [])]
    wanted = list(by_id.values()) + plan.add
    refuse_doubles(wanted, where)
    return plan, wanted


def plan_replace(current: Sequence[Row], wanted: Sequence[Row]) -> Plan:
    """Smallest plan: a note that can be kept keeps its id, and with it its per-note expression.

    Notes are matched by id, then by pitch and start, then by pitch and nearest start.
    """
    left = {row[0]: row for row in current}
    pairs: list[tuple[Row, Row]] = []
    open_rows = _match(wanted, pairs, left, lambda row: row[0] if row[0] in left else None)
    by_place = {_place(row): row[0] for row in left.values()}
    open_rows = _match(open_rows, pairs, left, lambda row: by_place.get(_place(row)))
    starts: dict[int, list[tuple[float, int]]] = {}
    for row in left.values():
        starts.setdefault(row[1], []).append((row[2], row[0]))
    for entries in starts.values():
        entries.sort()
    open_rows = _match(open_rows, pairs, left, lambda row: _nearest(starts.get(row[1], []), row[2]))
    plan = Plan()
    plan.remove = list(left)
    plan.modify = {old[0]: [old[0], *new[1:]] for old, new in pairs if not alike(old, new)}
    plan.add = [[0, *row[1:]] for row in open_rows]
    return plan


def _match(rows: Any, pairs: list[tuple[Row, Row]], left: dict[int, Row], find: Any) -> list[Row]:
    # Moves what ``find`` names from ``left`` to ``pairs``; gives the rows without a partner.
    unmatched = []
    for row in rows:
        number = find(row)
        if number is not None and number in left:
            pairs.append((left.pop(number), row))
        else:
            unmatched.append(row)
    return unmatched


def _nearest(starts: list[tuple[float, int]], start: float) -> int | None:
    # Takes the entry out, so that no note is given away twice.
    at = bisect_left(starts, (start, -1))
    near = [i for i in (at - 1, at) if 0 <= i < len(starts)]
    near = [i for i in near if abs(starts[i][0] - start) <= NEAR_BEATS]
    if not near:
        return None
    return starts.pop(min(near, key=lambda i: abs(starts[i][0] - start)))[1]
