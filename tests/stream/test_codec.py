from __future__ import annotations

import math
import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pythonosc.osc_message import OscMessage
from pythonosc.osc_message_builder import OscMessageBuilder

from pybackend.metering.design import available_bands
from pybackend.stream.codec import (
    ARGUMENTS_AT,
    FRAME_BYTES,
    MAX_DATAGRAM_BYTES,
    Hello,
    Reject,
    decode,
    encode_frame,
    encode_hello,
    frame_instance,
    limits,
)
from pybackend.stream.protocol import (
    FRAME_COLUMNS,
    FRAME_FIELDS,
    FRAME_PREFIX,
    FRAME_WIDTH,
    HELLO_FIELDS,
    HELLO_PREFIX,
    column,
    type_tags,
)

LIMITS = limits(FRAME_FIELDS)
TAGS = type_tags(FRAME_FIELDS)
FLOAT_COLUMNS = [i for i, tag in enumerate(TAGS) if tag == "f"]
COUNTERS = (column("seq"), column("seq_check"))
HELLO = Hello(4242, (0, 1, 2), 44100.0, 5, 1, 3)


def put(datagram: bytes, i: int, value: float) -> bytes:
    """The datagram with argument ``i`` replaced."""
    at = ARGUMENTS_AT + 4 * i
    return datagram[:at] + struct.pack(">" + TAGS[i], value) + datagram[at + 4 :]


@st.composite
def plausible_rows(draw):
    row = []
    for (low, high), tag in zip(LIMITS, TAGS, strict=True):
        if tag == "i":
            row.append(float(draw(st.integers(int(low), int(high)))))
        else:
            row.append(draw(st.floats(low, high, width=32)))
    seq = float(draw(st.integers(0, 2**20 - 1)))
    row[COUNTERS[0]] = row[COUNTERS[1]] = seq
    return row


@settings(deadline=None)
@given(plausible_rows())
def test_a_plausible_frame_comes_back_as_float32(same_numbers, row):
    decoded = decode(encode_frame(row))
    expected = np.array(row, dtype=np.float32).astype(float)
    bands = available_bands(row[column("sample_rate")])
    for name in ("band_power", "band_lr"):
        expected[FRAME_COLUMNS[name]][bands:] = math.nan
    assert isinstance(decoded, tuple)
    assert same_numbers(decoded, expected)


def test_python_osc_reads_the_same_frame(make_row):
    row = make_row(seq=99, instance=2**24 - 1)
    message = OscMessage(encode_frame(row))
    assert message.address == "/mj/frame"
    assert message.params == list(decode(encode_frame(row)))


def test_a_frame_built_by_python_osc_is_read(make_row):
    builder = OscMessageBuilder("/mj/frame")
    for value, tag in zip(make_row(), TAGS, strict=True):
        builder.add_arg(int(value) if tag == "i" else value, tag)
    assert decode(builder.build().dgram) == decode(encode_frame(make_row()))


@pytest.mark.parametrize("rate_hz", [8000.0, 11025.0, 22050.0, 40000.0, 44100.0, 192000.0])
def test_bands_above_nyquist_are_unavailable(rate_hz, make_row, make_frame):
    values = decode(make_frame(sample_rate=rate_hz))
    bands = available_bands(rate_hz)
    for name in ("band_power", "band_lr"):
        read, sent = np.array(values)[FRAME_COLUMNS[name]], make_row(seq=0)[FRAME_COLUMNS[name]]
        assert np.isnan(read[bands:]).all()
        assert read[:bands] == pytest.approx(sent[:bands], rel=1e-6)


def test_nan_bands_are_sent_as_zero(make_row):
    row = make_row(sample_rate=16000.0)
    row[FRAME_COLUMNS["band_power"].stop - 1] = math.nan
    sent = struct.unpack_from(">" + TAGS, encode_frame(row), ARGUMENTS_AT)
    assert sent[FRAME_COLUMNS["band_power"]][-1] == 0.0


@pytest.mark.parametrize("i", range(FRAME_WIDTH))
def test_every_number_is_held_to_its_range(i, make_frame):
    low, high = LIMITS[i]
    frame = make_frame()
    if TAGS[i] == "i":
        below, above = int(low) - 1, int(high) + 1
    else:
        below = float(np.nextafter(np.float32(low), np.float32(-np.inf)))
        above = float(np.nextafter(np.float32(high), np.float32(np.inf)))
    wrong = Reject.WRONG_PROTOCOL if i == 0 else Reject.OUT_OF_RANGE
    assert decode(put(frame, i, below)) is wrong
    assert decode(put(frame, i, above)) is wrong
    for bound in (low, high):
        edge = put(frame, i, int(bound) if TAGS[i] == "i" else bound)
        if i in COUNTERS:
            edge = put(put(edge, COUNTERS[0], bound), COUNTERS[1], bound)
        assert decode(edge)[i] == bound


@pytest.mark.parametrize("i", FLOAT_COLUMNS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_every_number_has_to_be_finite(i, value, make_frame):
    assert decode(put(make_frame(), i, value)) is Reject.NON_FINITE


def test_a_counter_has_to_be_whole_and_stand_twice(make_frame):
    frame = make_frame(seq=5)
    assert decode(put(frame, COUNTERS[1], 6.0)) is Reject.TORN
    assert decode(put(frame, COUNTERS[0], 5.5)) is Reject.OUT_OF_RANGE
    assert decode(put(put(frame, COUNTERS[0], 5.5), COUNTERS[1], 5.5)) is Reject.OUT_OF_RANGE


def test_minus_zero_is_zero(make_frame):
    i = FRAME_COLUMNS["band_power"].start
    assert decode(put(make_frame(), i, -0.0))[i] == 0.0


def test_silence_and_positive_loudness_and_a_count_in_are_plausible(make_frame):
    frame = make_frame(lufs_m=-120.0, lufs_m_max=3.0, song_beats=-4.0, bar=-1.0, flux_full=400.0)
    assert isinstance(decode(frame), tuple)


def _message(address: str, tags: str, *arguments: bytes) -> bytes:
    def padded(text: str) -> bytes:
        raw = text.encode()
        return raw + b"\0" * (4 - len(raw) % 4)

    return padded(address) + padded(tags) + b"".join(arguments)


def test_every_fault_has_its_reason(make_frame):
    frame, one = make_frame(), struct.pack(">i", 1)
    bundle = b"#bundle\0" + bytes(7) + b"\1" + struct.pack(">i", len(frame)) + frame
    found = {
        Reject.NOT_OSC: (
            b"",
            b"\0",
            b"hello",
            b"mj/frame\0\0\0\0,\0\0\0",
            b"/mj/fr\xffme\0\0,\0\0\0",
        ),
        Reject.OVERSIZE: (b"/" * (MAX_DATAGRAM_BYTES + 1), frame * 7),
        Reject.BUNDLE: (bundle, b"#bundle\0"),
        Reject.UNKNOWN_ADDRESS: (_message("/mj/frames", ",i", one), _message("/*", ",i", one)),
        Reject.LEGACY: (_message("/spectrum", ",f", one), _message("/loudness", ",ff", one, one)),
        Reject.WRONG_PROTOCOL: (
            put(frame, 0, 2),
            _message("/mj/frame", ",ii", struct.pack(">ii", 2, 9)),
            _message("/mj/hello", ",i", bytes(4)),
        ),
        Reject.TYPE_TAGS: (
            b"/mj/frame\0\0\0",
            _message("/mj/frame", ""),
            _message("/mj/frame", ",i", one),
            _message("/mj/hello", "," + "f" * 9, one * 9),
            frame.replace(b"iiif", b"iiid"),
        ),
        Reject.LENGTH: (
            frame[:-1],
            frame[:-4],
            frame + bytes(4),
            FRAME_PREFIX,
            HELLO_PREFIX + one,
            encode_hello(HELLO) + b"\0",
        ),
    }
    for reason, datagrams in found.items():
        assert [decode(datagram) for datagram in datagrams] == [reason] * len(datagrams)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
def test_noise_is_rejected(datagram):
    assert isinstance(decode(datagram), Reject)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=4 * FRAME_WIDTH + 8), st.sampled_from([FRAME_PREFIX, HELLO_PREFIX]))
def test_noise_behind_our_prefix_gives_plausible_numbers_or_a_reason(noise, prefix):
    _assert_sound(decode(prefix + noise))


@settings(max_examples=500, deadline=None)
@given(
    st.integers(0, FRAME_BYTES - 1),
    st.binary(min_size=1, max_size=12),
    st.integers(0, FRAME_BYTES + 3),
)
def test_a_mutated_frame_never_gives_an_implausible_number(make_frame, at, patch, length):
    frame = make_frame(seq=3)
    _assert_sound(decode((frame[:at] + patch + frame[at + len(patch) :])[:FRAME_BYTES]))
    _assert_sound(decode(frame[:length]))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, FRAME_WIDTH - 1), st.integers(0, 2**32 - 1))
def test_any_bits_in_any_number_give_a_plausible_number_or_a_reason(make_frame, i, bits):
    at = ARGUMENTS_AT + 4 * i
    frame = make_frame()
    _assert_sound(decode(frame[:at] + struct.pack(">I", bits) + frame[at + 4 :]))


def _assert_sound(decoded) -> None:
    if isinstance(decoded, tuple):
        assert len(decoded) == FRAME_WIDTH
        missing = available_bands(decoded[column("sample_rate")]) < 9
        for value, (low, high) in zip(decoded, LIMITS, strict=True):
            assert low <= value <= high or (missing and math.isnan(value))
        assert decoded[COUNTERS[0]] == decoded[COUNTERS[1]] == int(decoded[COUNTERS[0]])
    else:
        assert isinstance(decoded, Reject | Hello)


def test_a_hello_comes_back():
    assert decode(encode_hello(HELLO)) == HELLO


@pytest.mark.parametrize("i", range(1, 9))
def test_a_hello_is_held_to_its_ranges(i):
    low, high = limits(HELLO_FIELDS)[i]
    at = len(HELLO_PREFIX) + 4 * i
    sent = encode_hello(HELLO)
    for value in (low - 1, high + 1):
        tag = type_tags(HELLO_FIELDS)[i]
        wrong = struct.pack(">" + tag, int(value) if tag == "i" else value)
        assert decode(sent[:at] + wrong + sent[at + 4 :]) is Reject.OUT_OF_RANGE


def test_a_hello_with_nan_is_rejected():
    hello = Hello(1, (0, 1, 0), math.nan, 1, 0, -1)
    assert decode(encode_hello(hello)) is Reject.NON_FINITE


def test_what_cannot_be_encoded_is_refused(make_row):
    with pytest.raises(ValueError, match="46 values"):
        encode_frame(make_row()[:-1])
    for i, value in ((1, math.nan), (1, math.inf), (1, 2**40), (9, 1e300)):
        row = make_row()
        row[i] = value
        with pytest.raises(ValueError, match=r"does not fit|NaN"):
            encode_frame(row)
    with pytest.raises(ValueError, match="does not fit"):
        encode_hello(Hello(2**40, (0, 1, 0), 48000.0, 1, 0, -1))


def test_a_torn_frame_still_tells_its_instance(make_frame):
    assert frame_instance(make_frame(instance=123456)) == 123456


def test_importing_the_codec_loads_neither_numpy_nor_numba():
    code = (
        "import sys, pybackend.stream.codec as _;"
        "print([name for name in ('numpy', 'numba') if name in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout.strip() == "[]"
