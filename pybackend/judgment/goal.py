"""What a move is for: signed targets, protects, mode and aggression, checked and normalised."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from pybackend.errors import GoalError
from pybackend.judgment.dimensions import DIMENSIONS, dimension, nearest
from pybackend.judgment.modes import MODE_RULES, margin_factor

Mode = Literal["observe", "improve", "explore", "finish", "diagnose"]
MODES: Final = get_args(Mode)
READ_ONLY_MODES: Final = tuple(name for name, rule in MODE_RULES.items() if not rule.acts)

MAX_TEXT: Final = 4000
MAX_JSON: Final = 100_000
DEFAULT_AMOUNT_EFFECTS: Final = 2.0
"""How far a target should move unless the goal says so, in smallest effects."""

DIRECTOR: Final = "livepilot-creative-director"
"""Who may not ask for technical dimensions alone."""

TARGET_KEYS: Final = ("weight", "optional", "amount")
PROTECT_KEYS: Final = ("floor", "margin")


class GoalVector(BaseModel):
    """A checked goal.

    Parameters
    ----------
    request_text : str
        The request in plain words; kept for the record, never interpreted.
    targets : dict of str to float
        Signed weight per dimension; the absolute weights sum to 1. A negative weight asks for less.
    optional : tuple of str
        Targets that may be unavailable without forbidding a keep.
    amounts : dict of str to float
        How far a target should move in all, in its native unit, for ``goal_progress``.
    protect : dict of str to float or None
        Dimensions that must not get worse, with the lowest display level 0..1 allowed, if any.
    margins : dict of str to float
        How much a protected dimension may lose, in its native unit, where the goal says so.
    mode : {"observe", "improve", "explore", "finish", "diagnose"}
        What the verdict may lead to.
    aggression : float
        Tolerance of protects that state no margin, 0..1.
    invoked_by : str or None
        Who asked; the creative director's goals hold a target of the artistic family.
    measurable_dimensions, unmeasurable_dimensions
        The named dimensions that a master's frames can show, and the others with the reason.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    request_text: str
    targets: dict[str, float]
    optional: tuple[str, ...] = ()
    amounts: dict[str, float] = {}
    protect: dict[str, float | None] = {}
    margins: dict[str, float] = {}
    mode: Mode = "improve"
    aggression: float = 0.5
    invoked_by: str | None = None
    measurable_dimensions: tuple[str, ...] = ()
    unmeasurable_dimensions: dict[str, str] = {}

    def amount(self, name: str) -> float:
        """How far a target should move, in smallest effects of its dimension."""
        if name in self.amounts:
            return self.amounts[name] / (DIMENSIONS[name].smallest_effect or 1.0)
        return DEFAULT_AMOUNT_EFFECTS

    def margin(self, name: str) -> float:
        """How much a protected dimension may lose, in its native unit.

        The default is two smallest effects. ``aggression`` stretches it from one (0) to three (1),
        explore widens and finish halves it: see `modes`.
        """
        if name in self.margins:
            return self.margins[name]
        return DIMENSIONS[name].protect_margin * margin_factor(self.mode, self.aggression)


def compile_goal_vector(
    request_text: str,
    targets: Mapping[str, Any] | str,
    protect: Mapping[str, Any] | list[str] | tuple[str, ...] | str | None = None,
    mode: str = "improve",
    aggression: float = 0.5,
    *,
    invoked_by: str | None = None,
) -> dict[str, Any]:
    """Check a goal and bring it into the form that every evaluator accepts.

    Parameters
    ----------
    request_text : str
        The request in plain words.
    targets : mapping or JSON text
        Dimension to weight, or to ``{"weight": w, "optional": bool, "amount": native units}``.
        Weights are signed and are scaled so that their absolute values sum to 1.
    protect : mapping, list of names or JSON text, optional
        Dimension to the lowest display level allowed (0..1), to None for no floor, or to
        ``{"floor": level, "margin": native units}``.
    mode : str
        observe, improve, explore, finish or diagnose.
    aggression : float
        0..1; widens the default margin of protects.
    invoked_by : str, optional
        Who asks. ``livepilot-creative-director`` has to target an artistic dimension.

    Returns
    -------
    dict
        JSON-able fields of a `GoalVector`.

    Raises
    ------
    GoalError
        For an unknown dimension or mode (with the nearest known), weights that are missing, all
        zero or not finite, floors, margins, amounts or aggression out of range, and a creative
        director's goal without an artistic target.
    """
    if not isinstance(request_text, str) or len(request_text) > MAX_TEXT:
        raise GoalError(f"request_text must be text of at most {MAX_TEXT} characters")
    weights, optional, amounts = _targets(_mapping(targets, "targets"))
    floors, margins = _protects(_protect_mapping(protect))
    named = tuple(dict.fromkeys((*weights, *floors)))
    goal = GoalVector(
        request_text=request_text,
        targets=weights,
        optional=optional,
        amounts=amounts,
        protect=floors,
        margins=margins,
        mode=_mode(mode),
        aggression=_number(aggression, "aggression", 0.0, 1.0),
        invoked_by=_invoked_by(invoked_by, weights),
        measurable_dimensions=tuple(name for name in named if DIMENSIONS[name].from_frames),
        unmeasurable_dimensions={
            name: DIMENSIONS[name].unavailable for name in named if not DIMENSIONS[name].from_frames
        },
    )
    return goal.model_dump(mode="json")


def goal_from(value: Mapping[str, Any] | GoalVector | str) -> GoalVector:
    """Read a goal from what `compile_goal_vector` returned, or from a hand-written mapping.

    Raises
    ------
    GoalError
        As in `compile_goal_vector`, and for unknown fields.
    """
    if isinstance(value, GoalVector):
        return value
    fields = _mapping(value, "goal_vector")
    unknown = sorted(set(fields) - set(GoalVector.model_fields))
    if unknown:
        hint = nearest(unknown[0], tuple(GoalVector.model_fields))
        raise GoalError(f"goal_vector has an unknown field {unknown[0][:60]!r}; {hint}")
    if "targets" not in fields:
        raise GoalError("goal_vector has no targets; make one with compile_goal_vector")
    targets = dict(_mapping(fields["targets"], "targets"))
    for name in _names(fields.get("optional", ()), "optional"):
        targets[name] = {**_entry(targets.get(name), "weight"), "optional": True}
    for name, amount in _mapping(fields.get("amounts", {}), "amounts").items():
        targets[name] = {**_entry(targets.get(name), "weight"), "amount": amount}
    protect = dict(_protect_mapping(fields.get("protect")))
    for name, margin in _mapping(fields.get("margins", {}), "margins").items():
        protect[name] = {**_entry(protect.get(name), "floor"), "margin": margin}
    compiled = compile_goal_vector(
        fields.get("request_text", ""),
        targets,
        protect,
        fields.get("mode", "improve"),
        fields.get("aggression", 0.5),
        invoked_by=fields.get("invoked_by"),
    )
    return GoalVector(**compiled)


def _entry(value: Any, key: str) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {key: value}


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if isinstance(value, str):
        value = _json(value, what)
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise GoalError(f"{what} must be a mapping, for example {{'brightness': 1}}")
    return value


def _json(text: str, what: str) -> Any:
    if len(text) > MAX_JSON:
        raise GoalError(f"{what} is longer than {MAX_JSON} characters")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GoalError(f"{what} is no JSON: {str(error)[:80]}") from error


def _protect_mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        value = _json(value, "protect")
    if value is None:
        return {}
    if isinstance(value, list | tuple):
        return dict.fromkeys(_names(value, "protect"))
    return _mapping(value, "protect")


def _names(value: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise GoalError(f"{what} must be a list of dimension names")
    return tuple(value)


def _number(value: Any, what: str, low: float = -math.inf, high: float = math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise GoalError(f"{what} must be a number, got {str(value)[:40]!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise GoalError(f"{what} must be a finite number")
    if not low <= number <= high:
        between = f"{low:g} to {high:g}" if math.isfinite(high) else f"at least {low:g}"
        raise GoalError(f"{what} must be {between}, got {number:g}")
    return number


def _positive(value: Any, what: str) -> float:
    number = _number(value, what)
    if number <= 0.0:
        raise GoalError(f"{what} must be above 0, got {number:g}")
    return number


def _checked(entry: Mapping[str, Any], known: tuple[str, ...], what: str) -> Mapping[str, Any]:
    for key in entry:
        if key not in known:
            raise GoalError(f"{what} has an unknown key {str(key)[:60]!r}; known: {known}")
    return entry


def _targets(
    given: Mapping[str, Any],
) -> tuple[dict[str, float], tuple[str, ...], dict[str, float]]:
    weights: dict[str, float] = {}
    optional: list[str] = []
    amounts: dict[str, float] = {}
    for name, value in given.items():
        what = f"target {dimension(name).name}"
        entry = _checked(_entry(value, "weight"), TARGET_KEYS, what)
        weight = _number(entry.get("weight"), f"weight of {what}")
        if weight == 0.0:
            continue
        weights[name] = weight
        if not isinstance(entry.get("optional", False), bool):
            raise GoalError(f"optional of {what} must be true or false")
        if entry.get("optional", False):
            optional.append(name)
        if entry.get("amount") is not None:
            amounts[name] = _positive(entry["amount"], f"amount of {what}")
    largest = max((abs(weight) for weight in weights.values()), default=0.0)
    if largest == 0.0:
        raise GoalError("targets need at least one weight other than 0, for example brightness=1")
    scaled = {name: weight / largest for name, weight in weights.items()}
    total = math.fsum(abs(weight) for weight in scaled.values())
    shares = {name: weight / total for name, weight in scaled.items()}
    if 0.0 in shares.values():
        raise GoalError("targets differ too much in weight; leave the smallest out")
    # A goal that was normalised before stays as it is, bit for bit.
    unchanged = abs(math.fsum(abs(weight) for weight in weights.values()) - 1.0) < 1e-12
    return (weights if unchanged else shares), tuple(optional), amounts


def _protects(given: Mapping[str, Any]) -> tuple[dict[str, float | None], dict[str, float]]:
    floors: dict[str, float | None] = {}
    margins: dict[str, float] = {}
    for name, value in given.items():
        what = f"protect {dimension(name).name}"
        entry = _checked(_entry(value, "floor"), PROTECT_KEYS, what)
        floor = entry.get("floor")
        floors[name] = None if floor is None else _number(floor, f"floor of {what}", 0.0, 1.0)
        if entry.get("margin") is not None:
            margins[name] = _positive(entry["margin"], f"margin of {what}")
    return floors, margins


def _invoked_by(value: Any, targets: Mapping[str, float]) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise GoalError(f"invoked_by must be text of at most {MAX_TEXT} characters")
    artistic = tuple(name for name, entry in DIMENSIONS.items() if entry.family == "artistic")
    if value == DIRECTOR and not set(artistic) & set(targets):
        raise GoalError(
            f"a goal invoked by {DIRECTOR} needs an artistic target; add one of "
            f"{', '.join(artistic)}"
        )
    return value


def _mode(value: Any) -> Mode:
    for mode in MODES:
        if value == mode:
            return mode  # type: ignore[no-any-return]
    raise GoalError(f"unknown mode {str(value)[:60]!r}; {nearest(str(value), MODES)}")
