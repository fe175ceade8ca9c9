"""Every case of Tech 3341 and 3342 that is a file, as ``movejudge analyze`` measures files."""

from __future__ import annotations

import math

from pybackend.metering.loudness import integrated_lufs, loudness_range_lu
from pybackend.metering.tally import Tally


def reading(tally: Tally, quantity: str) -> float | None:
    match quantity:
        case "integrated":
            return integrated_lufs(tally.k_power)
        case "range":
            return loudness_range_lu(tally.lufs_s)
        case "short_term_max":
            return tally.short_term_max
        case "momentary_max":
            return tally.momentary_max
    return 20.0 * math.log10(tally.true_peak)


def test_case_in_a_file(any_file_case, rate_hz):
    value = reading(Tally([any_file_case.make(rate_hz)], rate_hz), any_file_case.quantity)
    assert any_file_case.accepts(value), value
