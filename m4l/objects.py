"""The Max objects that the device is built from: ports, types, and the keys that Max saves.

The table is closed: an object that is not in it is an error. Its facts were read from public
devices and patches that Max saved (Max 8.0 to 9.1) and from Cycling '74's reference pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from pybackend.errors import InputError

BANG: Final = "bang"
INT: Final = "int"
FLOAT: Final = "float"
SIGNAL: Final = "signal"
LIST: Final = "list"
ANY: Final = ""
"""Outlet type of whatever message comes."""


class ObjectError(InputError):
    """A box that Max would not make as it is written, or that this device may not use."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Inlets and outlets of a box.

    Attributes
    ----------
    inlets : int
        Count of inlets.
    outlets : tuple of str
        Types, as ``outlettype`` saves them.
    signal_inlets : frozenset of int
        Inlets that take a signal; they may take messages too.
    cold_inlets : frozenset of int
        Inlets that only store what comes in. A message at any other inlet has effect at once.
    """

    inlets: int
    outlets: tuple[str, ...]
    signal_inlets: frozenset[int] = frozenset()
    cold_inlets: frozenset[int] = frozenset()


def _ports(
    inlets: int, *outlets: str, signals: tuple[int, ...] = (), cold: tuple[int, ...] | None = None
) -> Ports:
    stored = tuple(range(1, inlets)) if cold is None else cold
    return Ports(inlets, outlets, frozenset(signals), frozenset(stored))


Arguments = tuple[str, ...]
PortRule = Callable[[Arguments], Ports]


def _fixed(ports: Ports) -> PortRule:
    return lambda _: ports


# ---- ports that depend on arguments

_INT: Final = re.compile(r"-?\d+")
_FLOAT: Final = re.compile(r"-?(\d+\.\d*|\.\d+)(e-?\d+)?")


def _literal_type(argument: str) -> str | None:
    if _INT.fullmatch(argument):
        return INT
    return FLOAT if _FLOAT.fullmatch(argument) else None


_TRIGGER_TYPES: Final = {
    "b": BANG,
    "bang": BANG,
    "i": INT,
    "int": INT,
    "f": FLOAT,
    "float": FLOAT,
    "l": ANY,
    "list": ANY,
    "s": ANY,
    "symbol": ANY,
}


def _trigger(arguments: Arguments) -> Ports:
    if not arguments:
        raise ObjectError("trigger without arguments: name the type of each outlet")
    types = [_TRIGGER_TYPES.get(a, _literal_type(a) or a) for a in arguments]
    return _ports(1, *types)


def _unpack(arguments: Arguments) -> Ports:
    types = {"i": INT, "f": FLOAT}
    found = [types.get(a, _literal_type(a) or ANY) for a in arguments]
    return _ports(1, *(found or (INT, INT)))


def _pack(arguments: Arguments) -> Ports:
    return _ports(len(arguments) or 2, ANY)


def _select(arguments: Arguments) -> Ports:
    count = len(arguments) or 1
    return _ports(count + 1, *[BANG] * count, ANY)


def _route(arguments: Arguments) -> Ports:
    count = len(arguments) or 1
    return _ports(count + 1, *[ANY] * (count + 1))


def _count(arguments: Arguments, default: int) -> int:
    if not arguments:
        return default
    if not _INT.fullmatch(arguments[0]) or not 1 <= int(arguments[0]) <= 100:
        raise ObjectError(f"the first argument '{arguments[0]}' is no count of ports")
    return int(arguments[0])


def _gate(arguments: Arguments) -> Ports:
    return _ports(2, *[ANY] * _count(arguments, 1), cold=(0,))


def _switch(arguments: Arguments) -> Ports:
    return _ports(_count(arguments, 2) + 1, ANY, cold=(0,))


def _arithmetic(arguments: Arguments) -> Ports:
    is_float = bool(arguments) and _literal_type(arguments[0]) == FLOAT
    return _ports(2, FLOAT if is_float else INT)


def _expr(arguments: Arguments) -> Ports:
    numbers = [int(n) for n in re.findall(r"\$[ifs](\d+)", " ".join(arguments))]
    return _ports(max(numbers, default=1), ANY)


def _sprintf(arguments: Arguments) -> Ports:
    formats = re.findall(r"%[-+ 0#]*\d*(?:\.\d+)?l?[a-zA-Z]", " ".join(arguments))
    return _ports(max(len(formats), 1), ANY)


def _plugin(arguments: Arguments) -> Ports:
    channels = len(arguments) or 2
    return _ports(channels, *[SIGNAL] * channels, signals=tuple(range(channels)), cold=())


def _plugsync(_: Arguments) -> Ports:
    return _ports(1, INT, INT, INT, FLOAT, LIST, FLOAT, FLOAT, INT, INT)


_SIGNAL_PAIR: Final = _fixed(_ports(2, SIGNAL, signals=(0, 1), cold=(1,)))
_COMPARE: Final = _fixed(_ports(2, INT))
_ZL: Final = _fixed(_ports(2, ANY, ANY))
_PASS: Final = _fixed(_ports(1, ANY))
_INT_BOX: Final = _fixed(_ports(2, INT))
_FLOAT_BOX: Final = _fixed(_ports(2, FLOAT))
_TIMER: Final = _fixed(_ports(2, BANG))
_SEND: Final = _fixed(_ports(1))
_RECEIVE: Final = _fixed(_ports(0, ANY))

NEWOBJ: Final[dict[str, PortRule]] = {
    "*~": _SIGNAL_PAIR,
    "+~": _SIGNAL_PAIR,
    "buffer~": _fixed(_ports(1, FLOAT, BANG)),
    "dspstate~": _fixed(_ports(1, INT, FLOAT, INT, INT)),
    "peek~": _fixed(_ports(3, FLOAT)),
    "plugin~": _plugin,
    "plugout~": _plugin,
    "plugsync~": _plugsync,
    # newer files than Max 9.0 save one signal outlet more, which nothing needs
    "poke~": _fixed(_ports(3, signals=(0, 1))),
    "sig~": _fixed(_ports(1, SIGNAL)),
    "snapshot~": _fixed(_ports(2, FLOAT, signals=(0,))),
    **dict.fromkeys(("+", "-", "*", "/", "%", "!-", "!/"), _arithmetic),
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), _COMPARE),
    "append": _PASS,
    "change": _fixed(_ports(1, ANY, INT, INT)),
    "counter": _fixed(_ports(5, INT, ANY, ANY, INT, cold=(1, 2, 4))),
    "defer": _PASS,
    "deferlow": _PASS,
    "delay": _TIMER,
    "expr": _expr,
    "float": _FLOAT_BOX,
    "f": _FLOAT_BOX,
    "gate": _gate,
    "int": _INT_BOX,
    "i": _INT_BOX,
    "iter": _PASS,
    "live.object": _fixed(_ports(2, ANY)),
    "live.observer": _fixed(_ports(2, ANY, ANY, cold=())),
    "live.path": _fixed(_ports(1, ANY, ANY, ANY)),
    "live.thisdevice": _fixed(_ports(1, BANG, INT, INT)),
    "loadbang": _fixed(_ports(1, BANG)),
    "loadmess": _PASS,
    "metro": _TIMER,
    "node.script": _fixed(_ports(1, ANY, ANY)),
    "onebang": _fixed(_ports(2, BANG, BANG)),
    "pack": _pack,
    "prepend": _PASS,
    "qmetro": _TIMER,
    "random": _INT_BOX,
    "receive": _RECEIVE,
    "r": _RECEIVE,
    "route": _route,
    "select": _select,
    "sel": _select,
    "send": _SEND,
    "s": _SEND,
    "speedlim": _fixed(_ports(2, ANY)),
    "sprintf": _sprintf,
    "switch": _switch,
    "trigger": _trigger,
    "t": _trigger,
    "udpsend": _SEND,
    "unpack": _unpack,
    "uzi": _fixed(_ports(2, BANG, BANG, INT)),
    **dict.fromkeys(("zl", "zl.group", "zl.nth", "zl.reg", "zl.slice"), _ZL),
}
"""Objects that are typed into a box (``maxclass`` newobj), by name."""


@dataclass(frozen=True, slots=True)
class Widget:
    """A box with a class of its own.

    Attributes
    ----------
    ports : Ports
        Inlets and outlets.
    required : tuple of str
        Keys that every saved box of the class has, besides ``BOX_KEYS``.
    """

    ports: Ports
    required: tuple[str, ...] = ()


_PARAMETER: Final = ("parameter_enable", "saved_attribute_attributes", "varname")

WIDGETS: Final[dict[str, Widget]] = {
    "button": Widget(_ports(1, BANG), ("parameter_enable",)),
    "comment": Widget(_ports(1), ("text",)),
    "flonum": Widget(_ports(1, ANY, BANG), ("format", "parameter_enable")),
    "live.button": Widget(_ports(1, ANY), _PARAMETER),
    "live.comment": Widget(_ports(1), ("text", "textjustification")),
    "live.dial": Widget(_ports(1, ANY, FLOAT), _PARAMETER),
    "live.line": Widget(_ports(1)),
    "live.menu": Widget(_ports(1, ANY, ANY, FLOAT), _PARAMETER),
    "live.meter~": Widget(
        _ports(1, FLOAT, INT, signals=(0,)), ("presentation", "presentation_rect")
    ),
    "live.numbox": Widget(_ports(1, ANY, FLOAT), _PARAMETER),
    "live.tab": Widget(
        _ports(1, ANY, ANY, FLOAT),
        (*_PARAMETER, "num_lines_patching", "num_lines_presentation"),
    ),
    "live.text": Widget(_ports(1, ANY, ANY), _PARAMETER),
    "live.toggle": Widget(_ports(1, ANY), _PARAMETER),
    "message": Widget(_ports(2, ANY), ("text",)),
    "multislider": Widget(_ports(1, ANY, ANY), ("parameter_enable", "setminmax", "slidercolor")),
    "number": Widget(_ports(1, ANY, BANG), ("parameter_enable",)),
    "panel": Widget(_ports(1)),
    "textbutton": Widget(_ports(1, ANY, ANY, INT), ("parameter_enable",)),
    "toggle": Widget(_ports(1, INT), ("parameter_enable",)),
}
"""User interface objects, by ``maxclass``."""

FORBIDDEN: Final[dict[str, str]] = {
    "js": "runs in the low-priority thread and its source is not embedded",
    "jsui": "runs in the low-priority thread and its source is not embedded",
    "live.gain~": "is a parameter that changes the sound",
    "loudness~": "exists from Max 9 only",
    "mc.gen~": "occurs in no public device",
    "mc.snapshot~": "occurs in no public device",
    "peakamp~": "has a window of its own; gen~ holds the peak of the frame",
    "print": "fills the user's Max console",
    "udpreceive": "takes a port for itself, so that a second device gets none",
    "v8": "exists from Max 9 only",
    "v8ui": "exists from Max 9 only",
}
"""Objects that the device may not use, and why."""

# ---- ports of saved boxes

Box = Mapping[str, Any]


def split_text(text: str) -> tuple[str, Arguments, dict[str, Arguments]]:
    """Name, typed arguments and ``@attributes`` of an object box's text."""
    words = text.split()
    if not words:
        raise ObjectError("an object box without text")
    starts = [i for i, word in enumerate(words) if word.startswith("@")]
    end = starts[0] if starts else len(words)
    attributes = {words[a]: tuple(words[a + 1 : b]) for a, b in pairwise([*starts, len(words)])}
    return words[0], tuple(words[1:end]), attributes


def ports_of(box: Box) -> Ports:
    """Ports that Max gives a box, from its class, text and embedded patcher.

    Parameters
    ----------
    box : mapping
        The inner object of a saved box.

    Raises
    ------
    ObjectError
        The object is forbidden or not in the table, or its arguments make no sense.
    """
    maxclass = str(box.get("maxclass", ""))
    if maxclass != "newobj":
        _refuse(maxclass)
        if maxclass not in WIDGETS:
            raise ObjectError(f"the box class '{maxclass}' is not in the table of objects")
        return WIDGETS[maxclass].ports
    name, arguments, _ = split_text(str(box.get("text", "")))
    _refuse(name)
    if name == "gen~":
        return gen_ports(box)
    if name not in NEWOBJ:
        raise ObjectError(f"the object '{name}' is not in the table of objects")
    return NEWOBJ[name](arguments)


def _refuse(name: str) -> None:
    if name in FORBIDDEN:
        raise ObjectError(f"the object '{name}' may not be used: it {FORBIDDEN[name]}")


def gen_ports(box: Box) -> Ports:
    """Ports of a ``gen~`` box: as many as its embedded patcher has ``in`` and ``out``."""
    patcher = box.get("patcher")
    if not isinstance(patcher, Mapping):
        raise ObjectError("gen~ without an embedded patcher")
    inner = [entry["box"] for entry in patcher.get("boxes", ())]
    texts = [split_text(str(b.get("text", ""))) for b in inner if b.get("maxclass") == "newobj"]
    inlets, outlets = (_highest(texts, word) for word in ("in", "out"))
    signals = tuple(range(inlets))
    return _ports(max(inlets, 1), *[SIGNAL] * outlets, signals=signals, cold=())


def _highest(texts: list[tuple[str, Arguments, dict[str, Arguments]]], word: str) -> int:
    return max((_count(args, 1) for name, args, _ in texts if name == word), default=0)


def gen_inner_ports(box: Box) -> Ports:
    """Ports of a box inside a gen patcher: ``in k``, ``out k`` or a codebox.

    A codebox's ports come from its code; here they are taken as saved.
    """
    if box.get("maxclass") == "codebox":
        return _ports(int(box["numinlets"]), *[ANY] * int(box["numoutlets"]), cold=())
    name, arguments, _ = split_text(str(box.get("text", "")))
    _count(arguments, 1)
    if name == "in":
        return _ports(0, ANY)
    if name == "out":
        return _ports(1)
    raise ObjectError(f"the object '{name}' may not be used inside gen~: put it into the codebox")


def fits(outlet_type: str, inlet: int, target: Ports) -> bool:
    """Whether a cord from an outlet of this type into this inlet carries anything."""
    if not 0 <= inlet < target.inlets:
        return False
    return outlet_type != SIGNAL or inlet in target.signal_inlets
