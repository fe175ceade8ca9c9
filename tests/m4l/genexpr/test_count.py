"""Counts against counting by hand."""

from __future__ import annotations

from collections import Counter

from m4l.genexpr.count import count
from m4l.genexpr.parser import parse

SOURCE = """
half(x) { return x / 2; }
History h;
Data d(4);
a = half(in1) + half(in2) - h;
if (a > 0 && in1 != 0) {
    for (k = 0; k < 3; k += 1) {
        poke(d, peek(d, k) * 2.0, k);
    }
} else {
    a = tan(-a) / in1;
}
h = max(a, 0) ? a : floor(a);
out1 = h;
"""


def test_counts_by_kind() -> None:
    operations = count(parse(SOURCE))
    outside = Counter(
        multiply=2, add=2, history_read=2, compare=3, select=2, round=1, history_write=1
    )
    loop = Counter(add=3, compare=3, peek=3, multiply=3, poke=3)
    assert operations.always == outside
    assert operations.worst == outside + loop
    assert [(b.line, b.counts) for b in operations.branches] == [(6, loop)]


def test_the_stand_in_costs_what_its_filters_cost(stand_in: str) -> None:
    operations = count(parse(stand_in))
    # 20 splits: 2 + 3 * 4 adds and 2 + 3 * 3 multiplies in the sections, 2 and 2 for band and rest
    assert operations.always["add"] > 20 * 16
    assert operations.always["multiply"] > 20 * 13 + 2 * 36
    assert operations.always["function"] == 0
    assert operations.worst["function"] == 13  # 10 tan of the tree, 2 of K-weighting, log10
    assert operations.worst["peek"] == 39
