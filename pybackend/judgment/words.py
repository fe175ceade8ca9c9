"""A verdict in a producer's words."""

from __future__ import annotations

from collections.abc import Sequence

from pybackend.judgment.decide import Case, Decision
from pybackend.judgment.dimension import Dimension
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.protect import Protected
from pybackend.judgment.statistics import MAX_BARS, Change
from pybackend.judgment.verdict import chance_of_false_keep


def number(value: float, like: float | None = None) -> str:
    """Number with one decimal, or two where it (or ``like``) is below 1; never minus zero."""
    decimals = 1 if abs(value if like is None else like) >= 1.0 else 2
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def change_unit(entry: Dimension) -> str:
    """Unit of a change: differences of LUFS are LU."""
    return "LU" if entry.unit == "LUFS" else entry.unit


def moved(entry: Dimension, delta: float, half_width: float | None = None) -> str:
    """Phrase such as ``brighter by 1.8 dB (1.5 to 2.1)``."""
    if round(delta, 2) == 0.0:
        return f"{entry.subject} unchanged"
    word, size = (entry.more, delta) if delta >= 0.0 else (entry.less, -delta)
    phrase = f"{word} by {number(size)} {change_unit(entry)}".rstrip()
    if not half_width:
        return phrase
    low, high = number(size - half_width, size), number(size + half_width, size)
    return f"{phrase} ({low} to {high})"


def _interval(entry: Dimension, change: Change) -> str:
    size, half = change.change, change.half_width
    amount = f"{number(size)} {change_unit(entry)}".rstrip()
    if not half:
        return amount
    return f"{amount} ({number(size - half, size)} to {number(size + half, size)})"


def sentence(text: str) -> str:
    """Text with a capital letter in front and one full stop."""
    text = text.strip().rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def explain(case: Case, decision: Decision, tries: int = 1, notes: Sequence[str] = ()) -> str:
    """Explain a decision: targets, protects, side effects, what follows and why.

    Parameters
    ----------
    case : Case
        What was known.
    decision : Decision
        What was decided.
    tries : int
        Moves tried in this session for the same goal, this one included.
    notes : sequence of str
        Sentences that the reader should know.

    Returns
    -------
    str
        A few sentences.
    """
    parts = [
        *_target_sentences(case, decision),
        *_protect_sentences(case, decision.protects),
        _collateral_sentence(case, decision),
        _level_sentence(case),
        _call_sentence(case, decision),
    ]
    if "no_repeat" in decision.tags:
        parts.append("nothing was captured twice, so slow modulation would pass for an effect")
    if "drift" in decision.tags:
        parts.append(
            "captures of the same state differ by more than their bars explain (something drifts); "
            "capture each side once more"
        )
    if tries > 1 and (case.composite is None or not case.composite.is_exact):
        chance = chance_of_false_keep(tries, case.keep_alpha)
        parts.append(f"after {tries} tries the chance of a false keep among them is {chance:.0%}")
    return " ".join(sentence(part) for part in (*parts, *notes) if part)


def _target_sentences(case: Case, decision: Decision) -> list[str]:
    phrases = []
    matched = " at matched loudness"
    for name in case.goal.targets:
        entry = DIMENSIONS[name]
        if name not in case.changes:
            phrases.append(f"{name} not measured ({case.missing[name]})")
            continue
        change, answer = case.changes[name], decision.answers[name]
        if answer in ("same", "inconclusive"):
            word = "unchanged" if answer == "same" else "unclear"
            phrase = f"{entry.subject} {word}, {_interval(entry, change)}"
        else:
            phrase = moved(entry, change.change, change.half_width)
        if name == "energy":
            phrase += ", level only"
        elif not change.is_exact:
            phrase, matched = phrase + matched, ""
        phrases.append(f"{phrase}, against the goal" if answer == "worse" else phrase)
    return ["; ".join(phrases)]


def _protect_sentences(case: Case, protects: Sequence[Protected]) -> list[str]:
    phrases = []
    for item in protects:
        entry = DIMENSIONS[item.name]
        if item.loss is None:
            phrases.append(f"{item.name} not measured ({case.missing[item.name]})")
            continue
        unit, change = change_unit(entry), case.changes[item.name]
        if item.status == "safe":
            small = abs(change.change) < entry.smallest_effect
            phrase = f"{entry.subject} unchanged" if small else moved(entry, change.change)
        elif item.status == "violated":
            allowed = " ".join(filter(None, (number(item.margin), unit, "allowed")))
            phrase = f"{moved(entry, change.change, change.half_width)}, {allowed}, {item.reason}"
        else:
            phrase = f"{entry.subject} unproven, {_interval(entry, change)}, {item.reason}"
        if item.already_below:
            phrase += ", below its floor already before the move"
        phrases.append(phrase)
    return [f"protected: {'; '.join(phrases)}"] if phrases else []


def _collateral_sentence(case: Case, decision: Decision) -> str:
    if not decision.collateral:
        return ""
    # A band inside a word that is named anyway would say the same thing twice.
    told = {
        band
        for name in decision.collateral
        for band in DIMENSIONS[name].bands
        if len(DIMENSIONS[name].bands) > 1
    }
    names = [name for name in decision.collateral if name not in case.goal.protect]
    phrases = [
        collateral_text(name, case.changes[name])
        for name in names
        if len(DIMENSIONS[name].bands) != 1 or not told & set(DIMENSIONS[name].bands)
    ]
    return f"side effects: {'; '.join(phrases)}" if phrases else ""


def _level_sentence(case: Case) -> str:
    """What loudness did, where the goal does not ask for it."""
    parts = []
    level, bass = case.changes.get("energy"), case.changes.get("weight")
    if level is not None and "energy" not in case.goal.targets:
        if level.change >= DIMENSIONS["energy"].smallest_effect:
            parts.append(f"louder by {number(level.change)} LU, which counts for nothing here")
        if bass is not None and abs(bass.change) >= DIMENSIONS["weight"].smallest_effect:
            parts.append("loudness was matched by K-weighting, which hardly counts bass")
    if not case.peak.safe:
        parts.append(f"true peak rose to {case.peak.after_dbtp:.1f} dBTP")
    return "; ".join(parts)


def collateral_text(name: str, change: Change) -> str:
    """Phrase for a side effect."""
    return moved(DIMENSIONS[name], change.change, change.half_width)


def _call_sentence(case: Case, decision: Decision) -> str:
    why = "; ".join(text for code, text in decision.reasons if code != "read_only")
    if "read_only" in decision.tags:
        verb = {"keep": "keep it", "undo": "undo it", "inconclusive": "be inconclusive"}
        act = verb[decision.would_be]
        return f"{case.goal.mode} mode is read-only; improve mode would {act}: {why}"
    if decision.call == "keep":
        return "keep"
    if decision.call == "undo":
        return f"undo: {why}"
    text = f"inconclusive: {why}{_bars_phrase(decision)}"
    return f"{text}. Kept, as explore mode allows" if decision.keep_change else text


def _bars_phrase(decision: Decision) -> str:
    codes = {code for code, _ in decision.reasons}
    if not codes & {"goal_unclear", "protect_unproven"}:
        return ""
    if decision.bars_needed is not None:
        return f"; about {decision.bars_needed} bars would decide it"
    if "drift" in decision.tags:
        return ""
    return f"; at this size and noise not even {MAX_BARS} bars would decide it"
