"""Validators for arguments, and their description for the documentation.

A validator takes a value and its path and returns the value, cleaned; it raises ``Failure`` with
``bad_request``. Unknown members are refused, so that a misspelt option cannot be ignored.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .failure import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def refuse(where: str, message: str) -> Failure:
    """Make the failure of a value that has the wrong shape."""
    return Failure("bad_request", "{} {}".format(where or "the arguments", message), where)


class Number:
    """A finite number; booleans are not numbers."""

    def __init__(self, low: float = -1e12, high: float = 1e12) -> None:
        self.low = low
        self.high = high

    def check(self, value: Any, where: str) -> float:
        """Give the number as a float."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise refuse(where, "has to be a number")
        # Neither NaN nor an infinity lies between.
        if not self.low <= value <= self.high:
            raise refuse(where, f"has to lie in {self.low:g} to {self.high:g}")
        return float(value)

    def __str__(self) -> str:
        if self.low == -1e12 and self.high == 1e12:
            return "number"
        return f"number {self.low:g}..{self.high:g}"


class Integer:
    """A whole number."""

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    def check(self, value: Any, where: str) -> int:
        """Give the integer."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise refuse(where, "has to be an integer")
        if not self.low <= value <= self.high:
            raise refuse(where, f"has to lie in {self.low} to {self.high}")
        return value

    def __str__(self) -> str:
        return f"integer {self.low}..{self.high}"


class Flag:
    """True or false."""

    def check(self, value: Any, where: str) -> bool:
        """Give the boolean."""
        if not isinstance(value, bool):
            raise refuse(where, "has to be true or false")
        return value

    def __str__(self) -> str:
        return "true or false"


class Text:
    """A string without control characters."""

    def __init__(self, longest: int = 255, shortest: int = 0) -> None:
        self.longest = longest
        self.shortest = shortest

    def check(self, value: Any, where: str) -> str:
        """Give the string."""
        if not isinstance(value, str):
            raise refuse(where, "has to be text")
        if not self.shortest <= len(value) <= self.longest:
            raise refuse(where, f"has to be {self.shortest} to {self.longest} characters")
        if CONTROL.search(value):
            raise refuse(where, "holds a control character")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise refuse(where, "holds half a surrogate pair") from None
        return value

    def __str__(self) -> str:
        return f"text up to {self.longest}"


class Choice:
    """One of a few values."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def check(self, value: Any, where: str) -> Any:
        """Give the value."""
        for known in self.values:
            if type(known) is type(value) and known == value:
                return known
        raise refuse(where, "has to be one of {}".format(", ".join(repr(v) for v in self.values)))

    def __str__(self) -> str:
        return " or ".join(f'"{v}"' if isinstance(v, str) else repr(v) for v in self.values)


class Items:
    """A list whose items share one validator."""

    def __init__(self, item: Any, most: int, fewest: int = 0) -> None:
        self.item = item
        self.most = most
        self.fewest = fewest

    def check(self, value: Any, where: str) -> list[Any]:
        """Give the list of checked items."""
        if not isinstance(value, list):
            raise refuse(where, "has to be a list")
        if not self.fewest <= len(value) <= self.most:
            raise refuse(where, f"has to hold {self.fewest} to {self.most} items")
        return [self.item.check(entry, f"{where}[{i}]") for i, entry in enumerate(value)]

    def __str__(self) -> str:
        return f"list of up to {self.most}: {self.item}"


class Record:
    """An object with known members; those of ``optional`` may be missing."""

    def __init__(
        self,
        required: Mapping[str, Any] | None = None,
        optional: Mapping[str, Any] | None = None,
        one_of: Sequence[str] = (),
    ) -> None:
        self.required = dict(required or {})
        self.optional = dict(optional or {})
        self.one_of = tuple(one_of)

    def check(self, value: Any, where: str) -> dict[str, Any]:
        """Give the object with checked members."""
        if not isinstance(value, dict):
            raise refuse(where, "has to be an object")
        at = where + "." if where else ""
        found = {}
        for name, member in value.items():
            rule = self.required.get(name) or self.optional.get(name)
            if rule is None:
                raise refuse(at + name[:64], "is not known")
            found[name] = rule.check(member, at + name)
        for name in self.required:
            if name not in found:
                raise refuse(at + name, "is missing")
        if self.one_of and sum(name in found for name in self.one_of) != 1:
            raise refuse(where, "needs exactly one of {}".format(", ".join(self.one_of)))
        return found

    def __str__(self) -> str:
        parts = ["{}: {}".format(*pair) for pair in self.required.items()]
        parts += ["{}?: {}".format(*pair) for pair in self.optional.items()]
        return "{{{}}}".format(", ".join(parts))


class Either:
    """The first validator that accepts by type: text, then number, then object."""

    def __init__(self, **kinds: Any) -> None:
        self.kinds = kinds

    def check(self, value: Any, where: str) -> Any:
        """Give the checked value."""
        kind = (
            "flag"
            if isinstance(value, bool)
            else {str: "text", int: "number", float: "number", dict: "record", list: "items"}.get(
                type(value), ""
            )
        )
        if kind not in self.kinds:
            raise refuse(where, f"has to be {self}")
        return self.kinds[kind].check(value, where)

    def __str__(self) -> str:
        return " or ".join(str(rule) for rule in self.kinds.values())


class Tagged:
    """An object whose member ``tag`` names the record that the rest has to fit."""

    def __init__(self, tag: str, records: Mapping[str, Record]) -> None:
        self.tag = tag
        self.records = dict(records)

    def check(self, value: Any, where: str) -> dict[str, Any]:
        """Give the checked object, the tag included."""
        if not isinstance(value, dict):
            raise refuse(where, "has to be an object")
        name = value.get(self.tag)
        if not isinstance(name, str) or name not in self.records:
            known = ", ".join(sorted(self.records))
            raise refuse(f"{where}.{self.tag}", f"has to be one of {known}")
        rest = {key: member for key, member in value.items() if key != self.tag}
        found = self.records[name].check(rest, where)
        found[self.tag] = name
        return found

    def __str__(self) -> str:
        return f'object by "{self.tag}"'
