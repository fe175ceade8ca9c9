"""The built device; and a stand-in for its code: the same filters and sizes, generated here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pybackend.metering.design import (
    BAND_EDGES_HZ,
    BAND_NAMES,
    BRANCH_Q,
    HIGH_PASS_HZ,
    HIGH_PASS_Q,
    SHELF_GAIN_DB,
    SHELF_HZ,
    SHELF_Q,
    SHELF_VB_EXPONENT,
    true_peak_bank,
)

CHANNELS = ("l", "r")


class _Code:
    """Collects declarations and statements, and keeps the order that Max wants."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.data: list[str] = []
        self.reads: list[str] = []
        self.setup: list[str] = []
        self.body: list[str] = []

    def history(self, *names: str) -> None:
        self.names += names

    def coefficient(self, name: str, value: str) -> None:
        """A coefficient ``name`` that changes with the rate, kept in the History ``kept_name``."""
        self.history(f"kept_{name}")
        self.reads.append(f"{name} = kept_{name};")
        self.setup += [f"{name} = {value};", f"kept_{name} = {name};"]

    def text(self, outputs: list[str]) -> str:
        lines = [f"History {name}(0);" for name in self.names] + self.data + self.reads
        lines += ["if (samplerate != known_rate) {", *(f"  {line}" for line in self.setup), "}"]
        lines += self.body
        lines += [f"out{i} = {name};" for i, name in enumerate(outputs, 1)]
        return "\n".join(lines) + "\n"


def _first(code: _Code, tag: str, coefficient: str, x: str, y: str) -> None:
    code.history(f"s{tag}")
    code.body += [f"{y} = {coefficient} * {x} + s{tag};", f"s{tag} = {x} - {coefficient} * {y};"]


def _second(code: _Code, tag: str, section: str, x: str, y: str) -> None:
    a1, a2 = f"{section}a", f"{section}b"
    code.history(f"s{tag}", f"t{tag}")
    code.body += [
        f"{y} = {a2} * {x} + s{tag};",
        f"s{tag} = {a1} * ({x} - {y}) + t{tag};",
        f"t{tag} = {x} - {a2} * {y};",
    ]


def _split(code: _Code, k: int, channel: str, x: str) -> None:
    tag = f"{k}{channel}"
    _first(code, f"{tag}w", f"c{k}", x, f"w{tag}")
    _second(code, f"{tag}x", f"c{k}x", f"w{tag}", f"p{tag}")
    _second(code, f"{tag}y", f"c{k}y", x, f"y{tag}")
    _second(code, f"{tag}z", f"c{k}z", f"y{tag}", f"q{tag}")
    code.body += [
        f"band{tag} = 0.5 * (p{tag} + q{tag});",
        f"rest{tag} = 0.5 * (q{tag} - p{tag});",
    ]


def _tree(code: _Code, channel: str, x: str) -> None:
    for k in range(len(BAND_EDGES_HZ)):
        _split(code, k, channel, x)
        x = f"rest{k}{channel}"


def _tree_setup(code: _Code) -> None:
    for k, edge in enumerate(BAND_EDGES_HZ):
        code.setup.append(f"k{k} = tan(pi * {edge!r} / samplerate);")
        code.coefficient(f"c{k}", f"(k{k} - 1.0) / (k{k} + 1.0)")
        for letter, q in zip("xyz", BRANCH_Q, strict=True):
            norm = f"n{k}{letter}"
            code.setup.append(f"{norm} = 1.0 + k{k} * {1 / q!r} + k{k} * k{k};")
            code.coefficient(f"c{k}{letter}a", f"2.0 * (k{k} * k{k} - 1.0) / {norm}")
            code.coefficient(f"c{k}{letter}b", f"(1.0 - k{k} * {1 / q!r} + k{k} * k{k}) / {norm}")


def _weighting_setup(code: _Code) -> None:
    vh = 10 ** (SHELF_GAIN_DB / 20)
    vb = vh**SHELF_VB_EXPONENT
    code.history("known_rate")
    code.setup += [
        f"ks = tan(pi * {SHELF_HZ!r} / samplerate);",
        f"ns = 1.0 + ks * {1 / SHELF_Q!r} + ks * ks;",
        f"kh = tan(pi * {HIGH_PASS_HZ!r} / samplerate);",
        f"nh = 1.0 + kh * {1 / HIGH_PASS_Q!r} + kh * kh;",
    ]
    code.coefficient("fb0", f"({vh!r} + {vb / SHELF_Q!r} * ks + ks * ks) / ns")
    code.coefficient("fb1", f"2.0 * (ks * ks - {vh!r}) / ns")
    code.coefficient("fb2", f"({vh!r} - {vb / SHELF_Q!r} * ks + ks * ks) / ns")
    code.coefficient("fa1", "2.0 * (ks * ks - 1.0) / ns")
    code.coefficient("fa2", f"(1.0 - ks * {1 / SHELF_Q!r} + ks * ks) / ns")
    code.coefficient("ga1", "2.0 * (kh * kh - 1.0) / nh")
    code.coefficient("ga2", f"(1.0 - kh * {1 / HIGH_PASS_Q!r} + kh * kh) / nh")
    code.setup.append("known_rate = samplerate;")


def _weighting(code: _Code, c: str, x: str) -> None:
    code.history(f"u1{c}", f"u2{c}", f"v1{c}", f"v2{c}")
    code.body += [
        f"f{c} = fb0 * {x} + u1{c};",
        f"u1{c} = fb1 * {x} - fa1 * f{c} + u2{c};",
        f"u2{c} = fb2 * {x} - fa2 * f{c};",
        f"g{c} = f{c} + v1{c};",
        f"v1{c} = v2{c} - 2.0 * f{c} - ga1 * g{c};",
        f"v2{c} = f{c} - ga2 * g{c};",
    ]


def _true_peak(code: _Code, c: str, x: str) -> None:
    taps = [f"d{i}{c}" for i in range(1, 12)]
    code.history(*taps)
    old = [x, *(f"o{i}{c}" for i in range(1, 12))]
    code.body += [f"o{i}{c} = d{i}{c};" for i in range(1, 12)]
    peaks = [f"abs({old[6]})"]
    for phase, row in enumerate(true_peak_bank()[1:], 1):
        terms = [f"{weight!r} * {name}" for weight, name in zip(row, old, strict=True)]
        code.body.append(f"i{phase}{c} = {' + '.join(terms)};")
        peaks.append(f"abs(i{phase}{c})")
    code.body.append(f"tp{c} = max(max({peaks[0]}, {peaks[1]}), max({peaks[2]}, {peaks[3]}));")
    code.body += [f"d{i}{c} = {old[i - 1]};" for i in range(1, 12)]


def _sums(code: _Code) -> list[str]:
    """Sums over 10 ms, held until the next end of a sub-block."""
    sums = {f"b{k}": f"band{k}l * band{k}l + band{k}r * band{k}r" for k in range(1, 10)}
    sums |= {f"m{k}": f"band{k}l * band{k}r" for k in range(1, 10)}
    sums |= {"k": "gl * gl + gr * gr", "ml": "xl * xl", "mr": "xr * xr", "mx": "xl * xr"}
    code.history("count", *(f"sum_{s}" for s in sums), *(f"held_{s}" for s in sums))
    code.history("peak_l", "peak_r", "held_tl", "held_tr", "momentary", "place")
    code.data.append("Data ring(40);")
    code.body += ["n = count + 1;", "ends = n >= 480;"]
    for name, term in sums.items():
        code.body.append(f"a_{name} = sum_{name} + {term};")
    for c in CHANNELS:
        code.body.append(f"a_peak{c} = max(peak_{c}, tp{c});")
        code.body.append(f"peak_{c} = ends ? 0.0 : a_peak{c};")
    code.body += [f"sum_{name} = ends ? 0.0 : a_{name};" for name in sums]
    code.body += ["count = ends ? 0 : n;", "if (ends) {"]
    code.body += [f"  held_{name} = a_{name};" for name in sums]
    code.body += [f"  held_t{c} = a_peak{c};" for c in CHANNELS]
    code.body += [
        "  total = a_k;",
        "  for (j = 1; j < 40; j += 1) {",
        "    total = total + peek(ring, wrap(place + j, 0, 40));",
        "  }",
        "  poke(ring, a_k, place);",
        "  momentary = -0.691 + 10.0 * log10(max(total / 19200.0, 1e-12));",
        "  place = wrap(place + 1, 0, 40);",
        "}",
    ]
    held = [f"held_b{k}" for k in range(1, 10)] + [f"held_m{k}" for k in range(1, 10)]
    return [*held, "held_k", "held_ml", "held_mr", "held_mx", "held_tl", "held_tr", "momentary"]


def stand_in_source() -> str:
    """GenExpr of about the size and cost of the device, for 48 kHz."""
    assert len(BAND_NAMES) == 9
    code = _Code()
    _tree_setup(code)
    _weighting_setup(code)
    code.body += [
        "xl = clamp(fixnan(in1), -8.0, 8.0);",
        "xr = clamp(fixnan(in2), -8.0, 8.0);",
    ]
    for channel in CHANNELS:
        _tree(code, channel, f"x{channel}")
        _weighting(code, channel, f"x{channel}")
        _true_peak(code, channel, f"x{channel}")
    return code.text(_sums(code))


@pytest.fixture(scope="session")
def stand_in() -> str:
    """Source of the stand-in."""
    return stand_in_source()


@pytest.fixture(scope="session")
def make_device() -> ModuleType:
    """The command that builds the device; ``build/`` is a folder of commands, not a package."""
    path = Path(__file__).parents[2] / "build" / "make_device.py"
    spec = importlib.util.spec_from_file_location("make_device", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_device"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def built(make_device: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The device, built once for all tests: ``release``, ``dev`` and ``launcher`` are its files."""
    return make_device.build(tmp_path_factory.mktemp("device"))
