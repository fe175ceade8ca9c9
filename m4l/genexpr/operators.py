"""The closed table of gen~ operators, constants and names.

Meaning of each operator: the public Gen reference of Cycling '74 and the C++ that gen~ exports (see
``lower`` for the arithmetic). What is not in ``OPERATORS`` is an error, even when Max knows it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

CostKind = Literal[
    "add", "multiply", "divide", "compare", "select", "round", "function", "peek", "poke"
]


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator in function form: how many arguments it takes, and what it costs."""

    least: int
    most: int
    cost: CostKind
    is_int: bool = False


def _exactly(count: int, cost: CostKind, *, is_int: bool = False) -> Operator:
    return Operator(count, count, cost, is_int)


OPERATORS: Final[dict[str, Operator]] = {
    "abs": _exactly(1, "select"),
    "sign": _exactly(1, "select", is_int=True),
    "bool": _exactly(1, "compare", is_int=True),
    "not": _exactly(1, "compare", is_int=True),
    "min": _exactly(2, "select"),
    "max": _exactly(2, "select"),
    "clamp": _exactly(3, "select"),
    "floor": _exactly(1, "round"),
    "ceil": _exactly(1, "round"),
    "trunc": _exactly(1, "round"),
    "fract": _exactly(1, "round"),
    "int": _exactly(1, "round", is_int=True),
    "wrap": _exactly(3, "round"),
    "fixnan": _exactly(1, "select"),
    "fixdenorm": _exactly(1, "select"),
    "isnan": _exactly(1, "compare", is_int=True),
    "mstosamps": _exactly(1, "multiply"),
    "sampstoms": _exactly(1, "divide"),
    "sqrt": _exactly(1, "function"),
    "pow": _exactly(2, "function"),
    "exp": _exactly(1, "function"),
    "log": _exactly(1, "function"),
    "ln": _exactly(1, "function"),
    "log2": _exactly(1, "function"),
    "log10": _exactly(1, "function"),
    "sin": _exactly(1, "function"),
    "cos": _exactly(1, "function"),
    "tan": _exactly(1, "function"),
    "peek": Operator(2, 3, "peek"),
    "poke": Operator(3, 4, "poke"),
}

SIGN_COSTS: Final[dict[str, CostKind]] = {
    "+": "add",
    "-": "add",
    "*": "multiply",
    "/": "divide",
    "%": "round",
    "<": "compare",
    "<=": "compare",
    ">": "compare",
    ">=": "compare",
    "==": "compare",
    "!=": "compare",
    "&&": "compare",
    "||": "compare",
}

PRECEDENCE: Final[dict[str, int]] = {
    "||": 1,
    "&&": 2,
    "==": 3,
    "!=": 3,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "%": 6,
}
"""How tightly a sign binds; equal ones group from the left."""

COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
LOGIC: Final = ("&&", "||")

CONSTANTS: Final[dict[str, float]] = {
    "pi": math.pi,
    "twopi": 2.0 * math.pi,
    "halfpi": 0.5 * math.pi,
    "e": math.e,
    "ln2": math.log(2.0),
    "ln10": math.log(10.0),
    "sqrt2": math.sqrt(2.0),
}
SAMPLE_RATE: Final = "samplerate"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STATEFUL: Final = _words("""
    accum average change counter cycle dcblock delay delta elapsed history interp latch lookup
    minusequals mulequals noise onepole phasor plusequals rate sah slide train triangle
""")
"""Operators that keep state at their place in the code (rule R5)."""

KEYWORDS: Final = _words("""
    if else for while do break continue return require true false null
    History Data Param Buffer Delay in out
""")

_OTHER_NAMES: Final = _words("""
    absdiff acos acosh add and asin asinh atan atan2 atanh atodb buffer cartopol channels clip
    constant cosh data dbtoa degrees degtorad dim div eq eqp exp2 expr fastcos fastexp fastpow
    fastsin fasttan float fold ftom gate gen gt gte gtep gtp hypot invpi isdenorm log10e log2e
    lt lte ltep ltp maximum minimum mix mod mtof mul nearest neg neq neqp or param pass phasewrap
    phi poltocar radians radtodeg rdiv receive rmod round rsub sample scale selector send
    setparam sinh smoothstep splat sqrt1_2 step sub switch t60 t60time tanh vectorsize voice
    wave xor mc_channel mc_channelcount
""")

RESERVED: Final = (
    frozenset(OPERATORS)
    | frozenset(CONSTANTS)
    | frozenset(name.upper() for name in CONSTANTS)
    | frozenset(name.upper() for name in ("degtorad", "invpi", "phi", "radtodeg", "sqrt1_2"))
    | STATEFUL
    | KEYWORDS
    | _OTHER_NAMES
    | {SAMPLE_RATE}
)
"""Names that a program may not take (rule R2), whether or not the subset knows what they do."""
