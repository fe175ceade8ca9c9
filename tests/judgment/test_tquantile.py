"""Quantiles and tails against values of mpmath 1.4.1 at 40 digits (betainc, erfinv, findroot)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.judgment.tquantile import (
    f_quantile,
    f_upper_tail,
    incomplete_beta,
    t_quantile,
    t_upper_tail,
)

PROBABILITIES = (0.9, 0.95, 0.99, 0.995, 0.9995)
QUANTILES = {
    1: (3.0776835371752534, 6.3137515146750431, 31.820515953773958, 63.656741162871581, 636.619249),
    2: (1.8856180831641267, 2.9199855803537257, 6.9645567342832742, 9.9248432009182931, 31.5990546),
    3: (1.6377443536962101, 2.3533634348018239, 4.5407028585681336, 5.8409093097333573, 12.9239786),
    4: (1.5332062740589439, 2.1318467863266503, 3.7469473879791968, 4.6040948713499932, 8.61030158),
    7: (1.4149239276505085, 1.8945786050900074, 2.9979515668685284, 3.4994832973504939, 5.40788252),
    14: (
        1.3450303744546506,
        1.7613101357748921,
        2.6244940675900519,
        2.9768427343708347,
        4.14045411,
    ),
    63: (
        1.2951342937828883,
        1.6694022217068132,
        2.3870078634697971,
        2.6561450250998617,
        3.45176894,
    ),
    189: (
        1.2860468702942982,
        1.6529558017258458,
        2.3462395479614777,
        2.6020919180466276,
        3.3427463,
    ),
}
TAILS = (
    (0.5, 1, 0.35241638234956673),
    (1.25, 3, 0.14996473397543131),
    (2.624494067560231, 14, 0.010000000000581327),
    (4.0, 7, 0.0025949566746484058),
    (10.0, 14, 4.6706971129027249e-8),
    (0.001, 126, 0.49960184854558393),
    (30.0, 63, 2.5629558865288064e-39),
)
BETAS = (
    (0.5, 0.5, 0.3, 0.36901011956554538),
    (2.5, 3.5, 0.25, 0.20928433186343012),
    (7.0, 0.5, 0.9, 0.23277883249845514),
    (63.0, 0.5, 0.99, 0.26139923115727473),
    (1.0, 4.0, 0.2, 0.5904),
    (11.0, 1990.0, 0.0047, 0.34218207241784722),
    (30.0, 70.0, 0.5, 0.99997696878517813),
)


@pytest.mark.parametrize("df", QUANTILES)
def test_quantiles_agree_with_mpmath(df: int) -> None:
    for probability, expected in zip(PROBABILITIES, QUANTILES[df], strict=True):
        tolerance = 1e-11 if probability < 0.999 else 1e-8
        assert t_quantile(probability, df) == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize(("t", "df", "expected"), TAILS)
def test_tails_agree_with_mpmath(t: float, df: int, expected: float) -> None:
    assert t_upper_tail(t, df) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(("a", "b", "x", "expected"), BETAS)
def test_incomplete_beta_agrees_with_mpmath(a: float, b: float, x: float, expected: float) -> None:
    assert incomplete_beta(a, b, x) == pytest.approx(expected, rel=1e-11)


@given(st.floats(0.001, 0.999), st.floats(1.0, 500.0))
def test_quantile_inverts_the_tail_and_is_odd(probability: float, df: float) -> None:
    t = t_quantile(probability, df)
    assert t_upper_tail(t, df) == pytest.approx(1.0 - probability, rel=1e-9, abs=1e-12)
    assert t_quantile(1.0 - probability, df) == pytest.approx(-t, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("df", [1, 4, 14, 63])
def test_f_with_one_degree_is_t_squared(df: int) -> None:
    assert f_quantile(0.99, 1, df) == pytest.approx(t_quantile(0.995, df) ** 2, rel=1e-8)


def test_f_tail_of_equal_degrees_is_a_half_at_one() -> None:
    assert f_upper_tail(1.0, 6, 6) == pytest.approx(0.5, rel=1e-12)
    assert f_upper_tail(0.0, 2, 14) == 1.0


def test_cauchy_has_a_closed_form() -> None:
    assert t_quantile(0.99, 1) == pytest.approx(math.tan(math.pi * 0.49), rel=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda: t_quantile(1.0, 5),
        lambda: t_quantile(math.nan, 5),
        lambda: t_upper_tail(1.0, 0),
        lambda: incomplete_beta(0.0, 1.0, 0.5),
        lambda: f_upper_tail(-1.0, 1, 1),
        lambda: f_quantile(0.0, 1, 1),
    ],
)
def test_nonsense_is_refused(call: object) -> None:
    with pytest.raises(ValueError, match=r"needs|must"):
        call()  # type: ignore[operator]
