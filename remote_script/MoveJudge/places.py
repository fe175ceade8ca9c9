"""Places: single values of the set that can be read, written, compared and put back.

Every kind has the same members, see ``Place``. A move is a list of places with wanted values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .display import text_of
from .failure import Failure
from .fields import plain
from .identity import alive
from .noteclip import FRAME

if TYPE_CHECKING:
    from typing import Any, Protocol

    from .job import Steps
    from .live_types import Clip, Parameter

    class Place(Protocol):
        """One settable value.

        Attributes
        ----------
        label : dict
            Who it is, for replies.
        pointer : int
            Live's pointer of the object that holds it.
        fields : tuple of str
            Names of the members it covers, as the world scan calls them.
        tracked : bool
            Whether Live's undo history covers it.
        deferred : bool
            Whether Live may commit a write only at its next tick.
        """

        label: dict[str, Any]
        pointer: int
        fields: tuple[str, ...]
        tracked: bool
        deferred: bool

        def alive(self) -> bool: ...
        def read(self) -> Any: ...
        def read_in_slices(self) -> Steps: ...
        def unchanged(self, value: Any) -> bool: ...
        def write(self, value: Any) -> None: ...
        def same(self, one: Any, other: Any) -> bool: ...
        def show(self, value: Any) -> dict[str, Any]: ...


RELATIVE = 1e-6
LETTERED = re.compile(r"^[A-Z]-")


def close(one: float, other: float, span: float) -> bool:
    """Whether two stored numbers are the same, given that Live keeps 32-bit floats."""
    return abs(one - other) <= RELATIVE * max(abs(span), abs(one), abs(other), 1e-9)


class ParameterPlace:
    """Value of a device parameter, mixer controls included."""

    fields: tuple[str, ...] = ("value",)
    tracked = True
    deferred = False

    def __init__(self, parameter: Parameter, label: dict[str, Any]) -> None:
        self.parameter = parameter
        self.label = label
        self.pointer = parameter._live_ptr
        self.name = parameter.name
        self.span = parameter.max - parameter.min
        self.automated = parameter.automation_state == 1

    def alive(self) -> bool:
        # A preset swap keeps the parameter objects and changes what they stand for.
        return alive(self.parameter) and self.parameter.name == self.name

    def read(self) -> float:
        return float(self.parameter.value)

    def read_in_slices(self) -> Steps:
        return self.read()
        yield None

    def unchanged(self, value: Any) -> bool:
        return self.same(self.read(), value)

    def write(self, value: float) -> None:
        self.parameter.value = value

    def same(self, one: float, other: float) -> bool:
        return close(one, other, self.span)

    def show(self, value: float) -> dict[str, Any]:
        return {"value": plain(value), "text": text_of(self.parameter, value)}

    def check(self, value: float, where: str, override: bool) -> float:
        """Check a raw value; a quantised one is rounded to its step.

        Raises
        ------
        Failure
            ``disabled``, ``automated`` or ``out_of_range``.
        """
        parameter = self.parameter
        if not parameter.is_enabled:
            raise Failure(
                "disabled", f"{self.name} is controlled by something else (macro, LFO)", where
            )
        if self.automated and not override:
            raise Failure(
                "automated",
                f"{self.name} is automated; to override that, say override_automation",
                where,
            )
        low, high = parameter.min, parameter.max
        if not low <= value <= high:
            raise Failure("out_of_range", f"{value:g} is outside {low:g} to {high:g}", where)
        if parameter.is_quantized:
            if abs(value - round(value)) > 1e-6:
                raise Failure("out_of_range", f"{self.name} takes whole steps only", where)
            return float(round(value))
        return value

    def resume_automation(self) -> None:
        """Let the automation that our write overrode play again."""
        if self.automated and self.parameter.automation_state == 2:
            self.parameter.re_enable_automation()


class PropertyPlace:
    """A settable property of the song, a track, a clip, a scene or a device."""

    def __init__(
        self,
        thing: Any,
        name: str,
        label: dict[str, Any],
        tracked: bool = True,
        deferred: bool = False,
    ) -> None:
        self.thing = thing
        self.name = name
        self.label = label
        self.pointer = thing._live_ptr
        self.fields: tuple[str, ...] = (name,)
        self.tracked = tracked
        self.deferred = deferred
        self.lettered = False

    def alive(self) -> bool:
        return alive(self.thing)

    def read(self) -> Any:
        return plain(getattr(self.thing, self.name))

    def read_in_slices(self) -> Steps:
        return self.read()
        yield None

    def unchanged(self, value: Any) -> bool:
        return self.same(self.read(), value)

    def write(self, value: Any) -> None:
        if self.lettered and LETTERED.match(value) and value[:2] == self.read()[:2]:
            # A return is shown as "A-Reverb"; the letter is Live's and not part of the name.
            value = value[2:]
        setattr(self.thing, self.name, value)

    def same(self, one: Any, other: Any) -> bool:
        if isinstance(one, float) and isinstance(other, float):
            return close(one, other, 0.0)
        return bool(one == other)

    def show(self, value: Any) -> dict[str, Any]:
        return {"value": value}


class FramePlace:
    """Loop and markers of a clip, which depend on each other."""

    fields: tuple[str, ...] = (*FRAME, "length")
    tracked = True
    deferred = True

    def __init__(self, clip: Clip, label: dict[str, Any]) -> None:
        self.clip = clip
        self.label = label
        self.pointer = clip._live_ptr

    def alive(self) -> bool:
        return alive(self.clip)

    def read(self) -> list[Any]:
        return [plain(getattr(self.clip, name)) for name in FRAME]

    def read_in_slices(self) -> Steps:
        return self.read()
        yield None

    def unchanged(self, value: Any) -> bool:
        return self.same(self.read(), value)

    def write(self, value: list[Any]) -> None:
        looping, loop_start, loop_end, start_marker, end_marker = value
        clip = self.clip
        # Unlooped, the loop's setters move the markers and the start marker's does nothing: so
        # markers and loop are set while it loops, and the switch last.
        if not clip.looping:
            clip.looping = True
        self._stretch("loop_start", "loop_end", loop_start, loop_end)
        self._stretch("start_marker", "end_marker", start_marker, end_marker)
        if not looping:
            clip.looping = False
            self._stretch("loop_start", "loop_end", loop_start, loop_end)

    def _stretch(self, start_name: str, end_name: str, start: float, end: float) -> None:
        # The start may never pass the end on the way.
        clip = self.clip
        if start >= getattr(clip, end_name):
            order = ((end_name, end), (start_name, start))
        else:
            order = ((start_name, start), (end_name, end))
        for name, value in order:
            if getattr(clip, name) != value:
                setattr(clip, name, value)

    def same(self, one: list[Any], other: list[Any]) -> bool:
        return one[0] == other[0] and all(close(a, b, 1.0) for a, b in zip(one[1:], other[1:]))

    def show(self, value: list[Any]) -> dict[str, Any]:
        return {"value": dict(zip(FRAME, value))}
