"""The point form of a snapshot: one reading of bands, RMS and peak, with no spread.

It comes from analyzers that send one reading at a time, and it can never be more than low evidence.
Older builds send eight bands under the names of the nine-band layout without ``sub_low``, but the
names mean other bands there ("sub" is 20-60 Hz), so a layout is part of every reading and readings
of two layouts are not compared by name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pybackend.errors import InputError
from pybackend.metering.design import BAND_EDGES_HZ, BAND_NAMES
from pybackend.stream.legacy import EIGHT_BAND_EDGES_HZ, EIGHT_BAND_NAMES, Layout
from pybackend.stream.protocol import MAX_AMPLITUDE, MAX_LUFS

_NAMES: Final[dict[Layout, tuple[str, ...]]] = {"nine": BAND_NAMES, "eight": EIGHT_BAND_NAMES}
_EDGES_HZ: Final[dict[Layout, tuple[float, ...]]] = {
    "nine": BAND_EDGES_HZ,
    "eight": EIGHT_BAND_EDGES_HZ,
}

Amplitude = Annotated[float, Field(ge=0.0, le=MAX_AMPLITUDE, allow_inf_nan=False)]


class PointSnapshot(BaseModel):
    """One reading: linear amplitudes per band, and RMS and peak where they were sent.

    Parameters
    ----------
    spectrum : dict of str to float
        Linear amplitude per band, 0 to `protocol.MAX_AMPLITUDE`; all bands of one layout.
    rms, peak : float, optional
        Linear amplitudes.
    momentary_lufs, true_peak_dbtp : float, optional
        As the analyzer said; shown, not judged.
    layout : {"nine", "eight"}, optional
        Told from the band names if it is not given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    spectrum: dict[str, Amplitude]
    rms: Amplitude | None = None
    peak: Amplitude | None = None
    momentary_lufs: Annotated[float, Field(le=MAX_LUFS, allow_inf_nan=False)] | None = None
    true_peak_dbtp: Annotated[float, Field(le=MAX_LUFS, allow_inf_nan=False)] | None = None
    layout: Layout = "nine"

    @model_validator(mode="before")
    @classmethod
    def _tell_layout(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or "layout" in data:
            return data
        spectrum = data.get("spectrum")
        nine = not isinstance(spectrum, Mapping) or "sub_low" in spectrum
        return {**data, "layout": "nine" if nine else "eight"}

    @model_validator(mode="after")
    def _whole_layout(self) -> Self:
        names = _NAMES[self.layout]
        unknown = sorted(set(self.spectrum) - set(names))
        if unknown:
            raise ValueError(
                f"spectrum has no band {', '.join(unknown)} in the {self.layout}-band layout; "
                f"its bands are {', '.join(names)}"
            )
        missing = [name for name in names if name not in self.spectrum]
        if missing:
            raise ValueError(f"spectrum lacks {', '.join(missing)}; send all {len(names)} bands")
        return self

    @classmethod
    def parse(cls, data: Any) -> PointSnapshot:
        """Validate a dict.

        Raises
        ------
        InputError
            If it is no reading: wrong or missing bands, negative or non-finite numbers.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "snapshot"
            what = first["msg"].removeprefix("Value error, ")
            raise InputError(
                f"{where}: {what}; a point snapshot is "
                '{"spectrum": {band: amplitude, ...}, "rms": x, "peak": y}'
            ) from None

    @property
    def powers(self) -> dict[str, float]:
        """Square of the amplitude per band, in the order of the layout."""
        return {name: self.spectrum[name] ** 2 for name in _NAMES[self.layout]}

    @property
    def edges_hz(self) -> dict[str, tuple[float, float]]:
        """Lower and upper edge of each band."""
        return dict(zip(_NAMES[self.layout], pairwise(_EDGES_HZ[self.layout]), strict=True))

    @property
    def silent(self) -> bool:
        """Whether every band reads zero."""
        return math.isclose(sum(self.spectrum.values()), 0.0, abs_tol=1e-9)

    @classmethod
    def mean(cls, readings: Sequence[PointSnapshot]) -> PointSnapshot:
        """Mean power of several readings of one analyzer: steadier than one, and still no spread.

        Raises
        ------
        InputError
            If there is none, or they are of two layouts.
        """
        layouts = {reading.layout for reading in readings}
        if len(layouts) != 1:
            raise InputError("readings of one layout are needed; record one analyzer at a time")

        def level(values: Iterable[float | None]) -> float | None:
            known = [value for value in values if value is not None]
            if not known:
                return None
            return math.sqrt(sum(value * value for value in known) / len(known))

        names = _NAMES[readings[0].layout]
        return cls(
            spectrum={
                name: level(reading.spectrum[name] for reading in readings) or 0.0 for name in names
            },
            rms=level(reading.rms for reading in readings),
            peak=max(
                (reading.peak for reading in readings if reading.peak is not None), default=None
            ),
            layout=readings[0].layout,
        )

    def summary(self) -> dict[str, Any]:
        """The reading, ready for JSON."""
        return {"form": "point", **self.model_dump()}
