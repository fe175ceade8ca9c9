"""The device's arithmetic: GenExpr for the one codebox, generated from the backend's description.

``analyzer.genexpr`` holds what is written once; here stands what repeats, and what follows from
`pybackend.metering.design`. The code measures what `pybackend.metering.meter` measures, frame by
frame, except that it shows a sample that is NaN or infinite as a peak that no receiver accepts.

All of the code runs for every sample in one order: read every History, compute, write every
History once. So it gives the same frames whether gen~ updates a History at once or at the end of
the sample. Filter states below `TINY_STATE` become 0 at the end of each sub-block, as in the
backend: gen~ does not protect assignments in a codebox from denormal numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template
from typing import Final

from m4l import ring
from m4l.coefficients import coefficients, number, tangents
from pybackend.errors import MoveJudgeError
from pybackend.metering import design
from pybackend.stream import protocol

TEMPLATE: Final = Path(__file__).with_name("analyzer.genexpr")

TINY_STATE: Final = 1e-30
TINY_INPUT: Final = 1e-15
"""Samples below this (-300 dBFS) count as 0."""
BAD_PEAK: Final = 1e9
"""Sample peak of a frame with a sample that is no number: far outside of the protocol's range."""
NEAR_S: Final = 0.1
"""A song position that differs less from the one carried on was only polled early or late."""
POLL_SHARE: Final = 0.125
"""Share of such a difference that is taken over."""

CHANNELS: Final = ("l", "r")
BANDS: Final = range(len(design.BAND_NAMES))
SPLITS: Final = range(len(design.BAND_EDGES_HZ))
TAPS: Final = range(1, design.TRUE_PEAK_TAPS)


class DspError(MoveJudgeError):
    """The code and the protocol's table do not fit together."""


def _per_channel(*names: str) -> list[str]:
    return [f"{name}_{channel}" for channel in CHANNELS for name in names]


# ---- states

FILTERS: Final = [
    *_per_channel(*(f"s{split}{part}" for split in SPLITS for part in "abcdefg")),
    *_per_channel("shelf_a", "shelf_b", "pass_a", "pass_b"),
    *_per_channel(*(f"x{tap}" for tap in TAPS)),
]
SUB_BLOCK_SUMS: Final = [*(f"p{band}" for band in BANDS), "sum_l", "sum_r", "sum_k"]
FRAME_SUMS: Final = [*(f"m{band}" for band in BANDS), "sum_lr", *_per_channel("peak", "true")]
CLOCK: Final = {
    **dict.fromkeys(("lag", "count", "turn", "since", "ran", "done"), 0.0),
    "written": ring.VALUES + 1.0,
}
"""States that a restart sets back."""
EVERY_SAMPLE: Final = [*FILTERS, *SUB_BLOCK_SUMS, *FRAME_SUMS, *CLOCK, "next", "polled"]
TOTALS: Final = {
    **dict.fromkeys((f"total{band}" for band in BANDS), 0.0),
    **dict.fromkeys(("total_l", "total_r", "total_k", "total_count"), 0.0),
    **dict.fromkeys(("peak10_full", "peak10_low", "peak10_high", "flux_full", "flux_low"), 0.0),
    **dict.fromkeys(("lufs_m_max", "lufs_s_max"), design.LOUDNESS_FLOOR_LUFS),
}
"""States of sub-blocks, with the values that each frame starts from."""
KEPT: Final = {
    **dict.fromkeys((f"level{band}" for band in BANDS), 10.0 * math.log10(design.FLUX_FLOOR_POWER)),
    **dict.fromkeys(("slot", "seq", "k_power_prev"), 0.0),
}
"""States of sub-blocks, with the values that they have after a restart."""


def _declarations() -> list[str]:
    states = [*EVERY_SAMPLE, *TOTALS, *KEPT, "value", "base", *coefficients(), "rate"]
    return [*(f"History {state}_z(0.0);" for state in states), "History place_z(-1.0);"]


# ---- what runs for every sample


def _tree() -> Iterable[str]:
    for channel, source in zip(CHANNELS, ("left", "right"), strict=True):
        signal = source
        for split in SPLITS:
            yield from _split(split, channel, signal)
            signal = f"rest{split}_{channel}"


def _split(split: int, channel: str, x: str) -> Iterable[str]:
    """One split of the tree; its outputs are twice as large as those of `design.Split`."""
    end = f"{split}_{channel}"
    state = {part: f"s{split}{part}_{channel}" for part in "abcdefg"}
    c = f"c{split}"
    yield f"u{end} = {c} * {x} + {state['a']}_o;"
    yield f"{state['a']} = {x} - {c} * u{end};"
    for section, source, y, parts in (
        ("p", f"u{end}", f"v{end}", "bc"),
        ("q", x, f"w{end}", "de"),
        ("r", f"w{end}", f"y{end}", "fg"),
    ):
        a1, a2 = f"{section}{split}a", f"{section}{split}b"
        first, second = (state[part] for part in parts)
        yield f"{y} = {a2} * {source} + {first}_o;"
        yield f"{first} = {a1} * ({source} - {y}) + {second}_o;"
        yield f"{second} = {source} - {a2} * {y};"
    if split > 0:
        yield f"band{end} = v{end} + y{end};"
    if split + 1 < len(SPLITS):
        yield f"rest{end} = y{end} - v{end};"


def _weighting() -> Iterable[str]:
    for channel, x in zip(CHANNELS, ("left", "right"), strict=True):
        shelf, k = f"shelf_{channel}", f"k_{channel}"
        yield f"{shelf} = g0 * {x} + shelf_a_{channel}_o;"
        yield f"shelf_a_{channel} = g1 * {x} - ga * {shelf} + shelf_b_{channel}_o;"
        yield f"shelf_b_{channel} = g2 * {x} - gb * {shelf};"
        yield f"{k} = {shelf} + pass_a_{channel}_o;"
        yield f"pass_a_{channel} = pass_b_{channel}_o - 2.0 * {shelf} - ha * {k};"
        yield f"pass_b_{channel} = {shelf} - hb * {k};"


def _true_peak() -> Iterable[str]:
    """Magnitude of the interpolated stream; its first phase is the signal six samples ago."""
    between = design.true_peak_bank()[1:]
    for channel, x in zip(CHANNELS, ("left", "right"), strict=True):
        taps = [x, *(f"x{tap}_{channel}_o" for tap in TAPS)]
        at_sample = taps[len(taps) // 2]
        yield f"dense_{channel} = abs({at_sample});"
        for row in between:
            yield f"dense_{channel} = max(dense_{channel}, abs({_weighted(row, taps)}));"
        yield from (f"x{i}_{channel} = {tap};" for i, tap in enumerate(taps[:-1], 1))


def _weighted(row: Iterable[float], taps: Iterable[str]) -> str:
    return " + ".join(f"{number(w)} * {tap}" for w, tap in zip(row, taps, strict=True))


def _sums() -> Iterable[str]:
    for band in BANDS:
        left, right = (f"band{band + 1}_{channel}" for channel in CHANNELS)
        yield f"p{band} = p{band}_o + {left} * {left} + {right} * {right};"
        yield f"m{band} = m{band}_o + {left} * {right};"
    yield "sum_l = sum_l_o + left * left;"
    yield "sum_r = sum_r_o + right * right;"
    yield "sum_lr = sum_lr_o + left * right;"
    yield "sum_k = sum_k_o + k_l * k_l + k_r * k_r;"
    for channel, port in zip(CHANNELS, ("in1", "in2"), strict=True):
        peak = f"isnan({port}) ? {number(BAD_PEAK)} : abs({port})"
        yield f"peak_{channel} = max(peak_{channel}_o, {peak});"
        yield f"true_{channel} = max(true_{channel}_o, dense_{channel});"


# ---- what runs at the ends of sub-blocks and frames


def _carried(band: int, value: str) -> str:
    """A value of a band, or 0 where the sample rate does not carry the band."""
    least_hz = 2.0 * design.BAND_EDGES_HZ[band + 1]
    if least_hz < design.MIN_RATE_HZ:
        return value
    return f"hz > {number(least_hz)} ? {value} : 0.0"


def _scale(band: int) -> str:
    """Every split doubles amplitudes, see `_split`."""
    return number(0.25 ** (band + 2))


def _levels() -> Iterable[str]:
    sometimes = [
        f"(hz > {number(2.0 * edge)})"
        for edge in design.BAND_EDGES_HZ[1:]
        if 2.0 * edge >= design.MIN_RATE_HZ
    ]
    yield f"bands = {len(BANDS) - len(sometimes)}.0 + {' + '.join(sometimes)};"
    for band in BANDS:
        yield f"energy{band} = {_carried(band, f'p{band} * {_scale(band)}')};"
        power = f"energy{band} / count"
        yield f"level{band} = 10.0 * log10(max({power}, {design.FLUX_FLOOR_POWER}));"
        yield f"rise{band} = max(level{band} - level{band}_o, 0.0);"


def _totals() -> Iterable[str]:
    for band in BANDS:
        yield f"total{band} = total{band}_o + energy{band};"
    for name in ("l", "r", "k"):
        yield f"total_{name} = total_{name}_o + sum_{name};"
    yield "total_count = total_count_o + count;"


def _frame() -> Iterable[str]:
    values = {name: [name] for name in (*TOTALS, "lufs_m", "lufs_s", "k_power")}
    values |= {
        "flags": ["in7"],
        "sample_rate": ["hz"],
        "seq": ["seq_o"],
        "song_beats": ["next"],
        "bar": ["in4"],
        "beats_per_bar": ["in5"],
        "tempo": ["in6"],
        "band_power": [f"total{band} / total_count" for band in BANDS],
        "band_lr": [_carried(b, f"m{b} * {_scale(b)} / total_count") for b in BANDS],
        "mean_square": ["total_l / total_count", "total_r / total_count"],
        "lr_product": ["sum_lr / total_count"],
        "sample_peak": ["peak_l", "peak_r"],
        "true_peak": ["max(peak_l, true_l)", "max(peak_r, true_r)"],
        "k_power_prev": ["k_power_prev_o"],
        "seq_check": ["seq_o"],
    }
    for name, where in ring.FIELDS.items():
        fields = values.get(name, ())
        if len(fields) != where.stop - where.start:
            raise DspError(
                f"the protocol's field '{name}' has {len(fields)} values in the device's code,"
                f" not {where.stop - where.start}: add it to m4l/dsp.py"
            )
        for place, value in enumerate(fields, where.start):
            yield f"poke(frame, {value}, {place});"


# ---- the whole


def _keep(names: Iterable[str]) -> list[str]:
    return [f"{name}_z = {name};" for name in names]


def _zeros(names: Iterable[str]) -> list[str]:
    return [f"{name}_o = 0.0;" for name in names]


def _from(condition: str, states: Mapping[str, float]) -> list[str]:
    """Read states, or their first values where ``condition`` does not hold."""
    return [f"{s}_o = {condition} ? {s}_z : {number(first)};" for s, first in states.items()]


def _blocks() -> dict[str, Iterable[str]]:
    kept = coefficients()
    computed = [f"{name} = {value};" for name, value in (tangents() | kept).items()]
    return {
        "declarations": _declarations(),
        "reads": [*(f"{c} = {c}_z;" for c in kept), *(f"{s}_o = {s}_z;" for s in EVERY_SAMPLE)],
        "coefficients": [*computed, *_keep(kept)],
        "restart": [f"{name}_o = {number(first)};" for name, first in CLOCK.items()],
        "flush": [f"{name}_o = abs({name}_o) > tiny ? {name}_o : 0.0;" for name in FILTERS],
        "new_sub_block": _zeros(SUB_BLOCK_SUMS),
        "new_frame": _zeros(FRAME_SUMS),
        "tree": _tree(),
        "weighting": _weighting(),
        "true_peak": _true_peak(),
        "sums": _sums(),
        "reads_of_sub_block": [*_from("turn_o > 0.0", TOTALS), *_from("since_o > 0.0", KEPT)],
        "levels": _levels(),
        "totals": _totals(),
        "frame": _frame(),
        "keep_sub_block": _keep([*TOTALS, *KEPT]),
        "keep": _keep([*FILTERS, *SUB_BLOCK_SUMS, *FRAME_SUMS, "done", "next", "value", "place"]),
    }


def _constants() -> dict[str, object]:
    def added(name: str, bands: Iterable[int]) -> str:
        return " + ".join(f"{name}{band}" for band in bands)

    momentary, short_term = design.MOMENTARY_SUB_BLOCKS, design.SHORT_TERM_SUB_BLOCKS
    return {
        "MOMENTARY": momentary,
        "SHORT_TERM": short_term,
        "LAST_SLOT": short_term - 1,
        "MOMENTARY_S": momentary / design.SUB_BLOCKS_PER_S,
        "SHORT_TERM_S": short_term / design.SUB_BLOCKS_PER_S,
        "SUB_BLOCKS_PER_S": design.SUB_BLOCKS_PER_S,
        "LAST_TURN": design.SUB_BLOCKS_PER_FRAME - 1,
        "OFFSET_LU": design.LOUDNESS_OFFSET_LU,
        "FLOOR_LUFS": design.LOUDNESS_FLOOR_LUFS,
        "PEAK10_LOW": added("energy", design.PEAK10_LOW_BANDS),
        "PEAK10_HIGH": added("energy", design.PEAK10_HIGH_BANDS),
        "RISE_FULL": added("rise", BANDS),
        "RISE_LOW": added("rise", design.FLUX_LOW_BANDS),
        "FLUX_LOW_COUNT": len(design.FLUX_LOW_BANDS),
        "FLAG_RUNNING": protocol.FLAG_RUNNING,
        "NEAR_MINUTES": number(NEAR_S / 60.0),
        "POLL_SHARE": POLL_SHARE,
        "LAST_SEQ": protocol.SEQ_MODULUS - 1,
        "MAX_AMPLITUDE": protocol.MAX_AMPLITUDE,
        "TINY_INPUT": TINY_INPUT,
        "VALUES": ring.VALUES,
        "HALF_SAMPLE": design.SUB_BLOCKS_PER_S // 2,
        "TINY_STATE": TINY_STATE,
        "IDLE": ring.VALUES + 1,
        "STRIDE": ring.STRIDE,
        "RING_FRAMES": ring.RING_FRAMES,
        "RING_SAMPLES": ring.RING_SAMPLES,
    }


def codebox() -> str:
    """GenExpr of the device, for any sample rate.

    Inlets and outlets are those of `ring.INLETS` and `ring.OUTLETS`.

    Raises
    ------
    DspError
        A field of the protocol's table has no value in the code, or not as many as it needs.
    """
    blocks = _blocks()
    lines: list[str] = []
    for line in TEMPLATE.read_text(encoding="ascii").splitlines():
        name = line.strip().removeprefix("@")
        if name == line.strip():
            lines.append(Template(line).substitute(_constants()))
        else:
            pad = line[: line.index("@")]
            lines += [pad + generated for generated in blocks[name]]
    return "\n".join([*lines, ""])
