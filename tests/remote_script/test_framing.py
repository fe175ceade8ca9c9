"""Frames: cut anywhere, too long, not JSON, HTTP."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote_script.MoveJudge.failure import Failure
from remote_script.MoveJudge.framing import FrameReader, Garbage, decode, dumps, encode

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=40)
@given(st.lists(st.dictionaries(st.text(), JSON, max_size=3), min_size=1, max_size=5), st.data())
def test_messages_survive_any_cut(messages: list, data: st.DataObject) -> None:
    stream = b"".join(encode(message) for message in messages)
    reader = FrameReader(1 << 20)
    found = []
    at = 0
    while at < len(stream):
        step = data.draw(st.integers(1, max(1, len(stream) - at)))
        reader.feed(stream[at : at + step])
        at += step
        found.extend(decode(body) for body in iter(reader.take, None))
    assert found == messages


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[1]",
        b"nonsense",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": "\xff"}',
        b'{"a":' + b"[" * 100_000,
    ],
)
def test_what_is_no_message_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(Failure) as caught:
        decode(body)
    assert caught.value.code == "bad_request"


@pytest.mark.parametrize(
    "start", [b"POST / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\n", b"OPTIONS * HTTP"]
)
def test_http_is_named(start: bytes) -> None:
    reader = FrameReader()
    reader.feed(start)
    with pytest.raises(Garbage, match="HTTP"):
        reader.take()


def test_lengths_have_limits() -> None:
    for length in (0, 4097, 2**32 - 1):
        reader = FrameReader(4096)
        reader.feed(struct.pack(">I", length))
        with pytest.raises(Garbage):
            reader.take()


def test_nothing_non_finite_is_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dumps({"a": float("nan")})
    assert json.loads(dumps({"name": "\ud800"})) == {"name": "\ud800"}
