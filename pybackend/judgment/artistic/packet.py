"""Concept packets: what a result is meant to sound like, in prose and in numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pybackend.errors import InputError
from pybackend.judgment.dimensions import DIMENSIONS, nearest

SCHEMA_VERSION: Final = 1
TEMPO: Final = "tempo_bpm"
FROM_FRAMES: Final = (
    "brightness",
    "weight",
    "width",
    "dynamics",
    "psr",
    "balance",
    *(name for name in DIMENSIONS if name.startswith("band_")),
)
"""Targets that sound shows: ratios and spreads that no gain moves, and peaks against loudness."""
FROM_NOTES: Final = ("density", "groove", "tension", "swing", "looseness")
"""Targets that notes show."""
TARGETS: Final = (*FROM_FRAMES, *FROM_NOTES, TEMPO)
ALSO_CALLED: Final = {"low_end": "weight"}
"""Names that packets use for a dimension."""

Texts = tuple[str, ...]
Kind = Literal["artist", "genre", "hybrid"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class NumericTarget(_Model):
    """Where one measurement should lie.

    Parameters
    ----------
    mu : float
        Middle of the range, in the unit of the dimension (`tempo_bpm`: BPM).
    tol : float
        Half width of the range in which it fits wholly.
    falloff : float
        Distance beyond the range at which it does not fit at all.
    weight : float
        Importance.
    source : str
        Where the number comes from.
    """

    mu: float
    tol: float = Field(ge=0.0)
    falloff: float = Field(gt=0.0)
    weight: float = Field(default=1.0, gt=0.0, le=1000.0)
    source: str = Field(min_length=1, max_length=400)


class TempoHint(_Model):
    """Range of tempi, and signature, in words or numbers."""

    min: float = Field(ge=20.0, le=999.0)
    max: float = Field(ge=20.0, le=999.0)
    signature: str = Field(default="", max_length=20)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.max < self.min:
            raise ValueError("max must not be below min")
        return self


class Bias(_Model):
    """What the packet would have a goal aim at and protect."""

    target_dimensions: dict[str, float] = {}
    protect: dict[str, float] = {}


class MoveFamilyBias(_Model):
    """Families of moves that the packet likes and does not."""

    favor: Texts = ()
    deprioritize: Texts = ()


class ReachFor(_Model):
    """What to reach for."""

    instruments: Texts = ()
    effects: Texts = ()
    packs: Texts = ()
    utilities: Texts = ()


class MeasuredFile(_Model):
    """A reference that targets were measured from; levels are for the record and no targets."""

    name: str
    sha256: str
    duration_s: float
    bars: int
    integrated_lufs: float | None = None
    plr_lu: float | None = None
    loudness_range_lu: float | None = None
    correlation: float | None = None


class ConceptPacket(_Model):
    """A concept.

    Prose is kept for people and never interpreted; ``targets`` is what style_fit is measured with.
    ``novelty_budget`` says how unlike earlier results a result may be, 0..1.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    id: str = Field(min_length=1, max_length=100)
    name: str = Field(default="", max_length=200)
    type: Kind = "genre"
    aliases: Texts = ()
    sonic_identity: Texts = ()
    reach_for: ReachFor = ReachFor()
    avoid: Texts = ()
    rhythm_idioms: Texts = ()
    harmony_idioms: Texts = ()
    arrangement_idioms: Texts = ()
    texture_idioms: Texts = ()
    sample_roles: Texts = ()
    key_techniques: Texts = ()
    evaluation_bias: Bias = Bias()
    move_family_bias: MoveFamilyBias = MoveFamilyBias()
    dimensions_in_scope: Texts = ()
    dimensions_deprioritized: Texts = ()
    novelty_budget: float = Field(default=0.5, ge=0.0, le=1.0)
    tempo_hint: TempoHint | None = None
    targets: dict[str, NumericTarget] = {}
    measured_from: tuple[MeasuredFile, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name in self.targets:
            if name not in TARGETS:
                raise ValueError(
                    f"no measurement is called {name[:60]!r}; {nearest(name, TARGETS)}"
                )
        return self

    @property
    def prose_only(self) -> bool:
        """Whether it holds no numbers but perhaps a tempo."""
        return not set(self.targets) - {TEMPO}

    def goal_parts(self) -> tuple[dict[str, float], dict[str, float], tuple[str, ...]]:
        """Targets and protects for `compile_goal_vector`, and the names that no dimension has."""
        parts: list[dict[str, float]] = []
        unknown: list[str] = []
        for wish in (self.evaluation_bias.target_dimensions, self.evaluation_bias.protect):
            named = {ALSO_CALLED.get(name, name): number for name, number in wish.items()}
            unknown += [name for name in named if name not in DIMENSIONS]
            parts.append({name: number for name, number in named.items() if name in DIMENSIONS})
        return parts[0], parts[1], tuple(dict.fromkeys(unknown))

    def numeric_targets(self) -> dict[str, NumericTarget]:
        """Targets, with the hint of a tempo as one of them."""
        if self.tempo_hint is None or TEMPO in self.targets:
            return dict(self.targets)
        low, high = self.tempo_hint.min, self.tempo_hint.max
        tempo = NumericTarget(
            mu=(low + high) / 2.0,
            tol=(high - low) / 2.0,
            falloff=max(4.0, 0.05 * (low + high)),
            source="tempo_hint",
        )
        return {**self.targets, TEMPO: tempo}


def packet_from(value: Any) -> ConceptPacket:
    """Read a packet from a mapping.

    Raises
    ------
    InputError
        If it is none, with the first thing that is wrong.
    """
    if isinstance(value, ConceptPacket):
        return value
    try:
        return ConceptPacket.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "packet"
        raise InputError(
            f"concept packet: {where}: {first['msg']}; correct it and try again"
        ) from None


def load_packet(path: Path) -> ConceptPacket:
    """Read a packet from a JSON file.

    Raises
    ------
    TargetMissing, InputError
        If there is no such file, or it is no packet.
    """
    from pybackend.files import read_json  # noqa: PLC0415 - keeps the models light

    try:
        return packet_from(read_json(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
