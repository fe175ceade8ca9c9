"""Flat code: what ``lower`` makes of a program and what the back ends print.

No names are left but those of locals; Histories, Params and Data are places in arrays.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Const:
    """A literal."""

    value: float


@dataclass(frozen=True, slots=True)
class Local:
    """A local variable, unique over the whole program."""

    name: str


@dataclass(frozen=True, slots=True)
class Input:
    """Sample of a signal inlet, counted from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class HistoryRead:
    """Value of a History, by its place in ``Code.histories``."""

    index: int


@dataclass(frozen=True, slots=True)
class ParamRead:
    """Value of a Param, by its place in ``Code.params``."""

    index: int


@dataclass(frozen=True, slots=True)
class Rate:
    """The sample rate in Hz."""


@dataclass(frozen=True, slots=True)
class Op:
    """A sign or an operator with its operands."""

    name: str
    operands: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Peek:
    """Value of a Data; 0 outside its range."""

    data: int
    index: Value
    channel: Value


Value = Const | Local | Input | HistoryRead | ParamRead | Rate | Op | Peek


@dataclass(frozen=True, slots=True)
class SetLocal:
    """Assign a local variable."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class SetHistory:
    """Write a History."""

    index: int
    value: Value


@dataclass(frozen=True, slots=True)
class SetOutput:
    """Write the sample of a signal outlet, counted from 0."""

    index: int
    value: Value


@dataclass(frozen=True, slots=True)
class Poke:
    """Write a Data; nothing happens outside its range."""

    data: int
    value: Value
    index: Value
    channel: Value


@dataclass(frozen=True, slots=True)
class Branch:
    """Run ``then`` where the test is not 0, else ``otherwise``; ``line`` in the source."""

    test: Value
    then: tuple[Action, ...]
    otherwise: tuple[Action, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Loop:
    """Run the body ``turns`` times."""

    variable: str
    start: float
    step: float
    turns: int
    body: tuple[Action, ...]


Action = SetLocal | SetHistory | SetOutput | Poke | Branch | Loop


@dataclass(frozen=True, slots=True)
class DataSlot:
    """A Data inside the one array that holds them all."""

    name: str
    offset: int
    length: int
    channels: int

    @property
    def size(self) -> int:
        """Count of values."""
        return self.length * self.channels


@dataclass(frozen=True, slots=True)
class Code:
    """A program without names: what a kernel is printed from."""

    inputs: int
    outputs: int
    histories: tuple[tuple[str, float], ...]
    params: tuple[tuple[str, float], ...]
    data: tuple[DataSlot, ...]
    body: tuple[Action, ...]

    @property
    def data_size(self) -> int:
        """Count of values in all Data."""
        return sum(slot.size for slot in self.data)
