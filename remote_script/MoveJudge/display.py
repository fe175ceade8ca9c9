"""Values as Live prints them ("-6.0 dB", "1.20 kHz", "25L"), and back to raw values.

``str_for_value`` exists in every version; ``display_value`` only since 12.2, and its setter clamps
without a word. So a display value is found by bisection, before anything is written.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from .failure import Failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from .live_types import Parameter

STEPS = 48
PAN = re.compile(r"^(\d+(?:\.\d+)?)?\s*([LRC])$")
PLAIN = re.compile(r"^([-+]?(?:\d+(?:\.\d*)?|\.\d+|inf))\s*(.*)$", re.IGNORECASE)
# Unit as printed -> (base unit, factor).
UNITS = {
    "khz": ("hz", 1000.0),
    "hz": ("hz", 1.0),
    "ms": ("s", 0.001),
    "s": ("s", 1.0),
    "us": ("s", 1e-6),
    "µs": ("s", 1e-6),
}


def parse(text: str) -> tuple[float, str]:
    """Give the number in a printed value, and its base unit in lower case.

    Panning is negative to the left, 0 in the centre. ``-inf dB`` is minus infinity.

    Raises
    ------
    Failure
        ``unavailable`` if the text begins with no number.
    """
    stripped = text.strip().replace("−", "-")
    pan = PAN.match(stripped)
    if pan:
        amount = float(pan.group(1) or 0.0)
        return {"L": -amount, "R": amount, "C": 0.0}[pan.group(2)], "pan"
    found = PLAIN.match(stripped)
    if not found:
        raise Failure("unavailable", f"the display {text[:40]!r} begins with no number")
    unit = found.group(2).strip().lower()
    base, factor = UNITS.get(unit, (unit, 1.0))
    return float(found.group(1)) * factor, base


def _shown(parameter: Parameter, raw: float) -> float:
    try:
        text = parameter.str_for_value(raw)
    except Exception as error:
        raise Failure("unavailable", f"Live does not print {raw:g}: {error}") from None
    return parse(text)[0]


def text_of(parameter: Parameter, raw: float) -> str | None:
    """How Live prints a raw value, or None where it cannot."""
    try:
        return str(parameter.str_for_value(raw))
    except Exception:
        return None


def raw_for(parameter: Parameter, wanted: float | str, where: str) -> float:
    """Raw value whose display is nearest to ``wanted``.

    Parameters
    ----------
    parameter : Parameter
        Its ``min``, ``max``, ``value_items`` and ``str_for_value`` are read; nothing is written.
    wanted : float or str
        A number in the unit that Live prints (Hz and seconds where it prints kHz or ms), a text
        such as ``-6 dB``, or the name of a value item.
    where : str
        For the failure.

    Returns
    -------
    float
        Middle of the stretch that prints as ``wanted``.

    Raises
    ------
    Failure
        ``out_of_range`` if ``wanted`` lies beyond both ends, ``unavailable`` if the display has no
        numbers, is not monotone, or its unit is another one.
    """
    if parameter.is_quantized:
        return _item(parameter, wanted, where)
    target, unit = parse(wanted) if isinstance(wanted, str) else (float(wanted), "")
    low, high = parameter.min, parameter.max
    first, last = _shown(parameter, low), _shown(parameter, high)
    middle_unit = parse(parameter.str_for_value(low + (high - low) * 0.75))[1]
    if unit and unit != middle_unit:
        raise Failure(
            "unavailable", "Live prints this parameter in %s" % (middle_unit or "no unit"), where
        )
    rising = first <= last
    if not min(first, last) <= target <= max(first, last):
        raise Failure("out_of_range", f"{target:g} is outside {first:g} to {last:g}", where)
    if target == first:
        return low
    if target == last:
        return high
    sign = 1.0 if rising else -1.0
    reached = _edge(parameter, lambda shown: sign * shown >= sign * target)
    passed = _edge(parameter, lambda shown: sign * shown > sign * target)
    return (reached + passed) / 2.0


def _edge(parameter: Parameter, holds: Callable[[float], bool]) -> float:
    # Raw value from which on ``holds`` is true of what is shown.
    low, high = parameter.min, parameter.max
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        if holds(_shown(parameter, middle)):
            high = middle
        else:
            low = middle
    return high


def _item(parameter: Parameter, wanted: float | str, where: str) -> float:
    items = [str(item) for item in parameter.value_items]
    if isinstance(wanted, str):
        if wanted not in items:
            known = ", ".join(items[:12])
            raise Failure("out_of_range", f"{wanted!r} is none of {known}", where)
        return parameter.min + items.index(wanted)
    if not math.isclose(wanted, round(wanted)) or not parameter.min <= wanted <= parameter.max:
        raise Failure("out_of_range", f"{wanted:g} is no step of this parameter", where)
    return float(round(wanted))
