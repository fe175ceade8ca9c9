"""Arguments are checked strictly, with the path of what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote_script.MoveJudge.failure import Failure
from remote_script.MoveJudge.operations import ARGUMENTS
from remote_script.MoveJudge.schema import Flag, Integer, Number, Record, Text

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["writes", "track", "clip", "write", "id", "x"]), inner)
    ),
    max_leaves=8,
)


@given(st.sampled_from(sorted(ARGUMENTS)), JUNK)
def test_junk_is_refused_or_accepted_never_an_error(name: str, junk: Any) -> None:
    refused = ""
    try:
        ARGUMENTS[name][0].check(junk, "")
    except Failure as failure:
        refused = failure.code
    assert refused in ("", "bad_request")


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (Number(), True),
        (Number(), float("nan")),
        (Number(0, 1), 1.5),
        (Number(), 10**400),
        (Integer(0, 3), 1.0),
        (Integer(0, 3), True),
        (Flag(), 1),
        (Text(3), "long"),
        (Text(), "line\nbreak"),
        (Text(), "\ud800"),
        (Record({"a": Flag()}), {}),
        (Record(optional={"a": Flag()}), {"b": True}),
        (Record(optional={"a": Flag(), "b": Flag()}, one_of=("a", "b")), {}),
    ],
)
def test_wrong_values(rule: Any, value: Any) -> None:
    with pytest.raises(Failure):
        rule.check(value, "x")


def test_the_path_is_named() -> None:
    write = {"write": "song", "property": "tempo", "value": 100, "speed": 1}
    with pytest.raises(Failure, match="speed") as caught:
        ARGUMENTS["move.apply"][0].check({"writes": [write]}, "")
    assert caught.value.where == "writes[0].speed"
