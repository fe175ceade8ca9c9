"""Types of arguments as Boost checks them, only stricter: no conversions but int to float."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pybackend.studio.live.runtime import Runtime


class Argument:
    """One type: its C++ name, its test, and what a kind Live would do to a wrong value."""

    __slots__ = ("accepts", "coerce", "name")

    def __init__(
        self,
        name: str,
        accepts: Callable[[Any, Runtime], bool],
        coerce: Callable[[Any], Any] | None = None,
    ) -> None:
        self.name = name
        self.accepts = accepts
        self.coerce = coerce


def _is_int(value: Any, _: Runtime) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_float(value: Any, runtime: Runtime) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    if not math.isfinite(value):
        runtime.violation(f"a number that is not finite was passed ({value})")
        return False
    return True


def _is_bool(value: Any, _: Runtime) -> bool:
    return isinstance(value, bool) or (isinstance(value, int) and value in (0, 1))


def _is_text(value: Any, _: Runtime) -> bool:
    return isinstance(value, str)


def _is_ids(value: Any, runtime: Runtime) -> bool:
    try:
        return all(_is_int(one, runtime) for one in value) and not isinstance(value, (str, bytes))
    except TypeError:
        return False


INT = Argument("int", _is_int, int)
FLOAT = Argument("double", _is_float, float)
BOOL = Argument("bool", _is_bool, bool)
TEXT = Argument("TString", _is_text, str)
IDS = Argument("std::vector<unsigned long>", _is_ids, list)
CALLBACK = Argument("boost::python::api::object", lambda value, _: callable(value))
ANY = Argument("boost::python::api::object", lambda _, __: True)


def an(*kinds: str) -> Argument:
    """Make the type of a LOM object of one of these classes."""

    def accepts(value: Any, runtime: Runtime) -> bool:
        classes = tuple(runtime.classes[kind] for kind in kinds if kind in runtime.classes)
        return isinstance(value, classes)

    return Argument(f"TPyHandle<A{kinds[0]}>", accepts)


def optional(argument: Argument) -> Argument:
    """Make the same type, or None."""
    return Argument(
        f"boost::optional<{argument.name}>",
        lambda value, runtime: value is None or argument.accepts(value, runtime),
        argument.coerce,
    )
