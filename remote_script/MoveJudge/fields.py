"""Reading members one by one, so that one that raises never spoils the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def reason_of(error: Exception) -> str:
    """Failure code for what a member raised."""
    if isinstance(error, AttributeError):
        return "unsupported"
    if isinstance(error, TypeError):
        # Boost's ArgumentError: the object behind the wrapper is gone.
        return "stale_object"
    return "unavailable"


def read_field(thing: Any, name: str) -> Any:
    """Value of a member, or ``{"unavailable": code}``."""
    try:
        return plain(getattr(thing, name))
    except Exception as error:
        return {"unavailable": reason_of(error)}


def read_fields(thing: Any, names: Iterable[str]) -> dict[str, Any]:
    """Values of several members."""
    return {name: read_field(thing, name) for name in names}


def read_or(thing: Any, name: str, default: Any) -> Any:
    """Value of a member, or ``default`` where it cannot be read."""
    try:
        return getattr(thing, name)
    except Exception:
        return default


def plain(value: Any) -> Any:
    """JSON-ready form: Boost enums become integers, a non-finite number becomes None."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    return str(value)
