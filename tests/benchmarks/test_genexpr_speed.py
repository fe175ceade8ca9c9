"""Compile times and speed of both GenExpr back ends, for code of the device's size and cost."""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pytest

from m4l.genexpr.c_backend import compile_c
from m4l.genexpr.lower import lower
from m4l.genexpr.machine import Machine
from m4l.genexpr.numba_backend import compile_numba
from m4l.genexpr.operators import RESERVED
from m4l.genexpr.parser import parse
from tests.m4l.conftest import stand_in_source

RATE_HZ = 48000.0


def doubled(source: str) -> str:
    """The same work twice, on names of its own: about as large as a codebox may get."""

    def renamed(match: re.Match[str]) -> str:
        name = match.group()
        if name in RESERVED or re.fullmatch(r"in\d+", name):
            return name
        number = re.fullmatch(r"out(\d+)", name)
        return f"out{int(number.group(1)) + 25}" if number else f"{name}_b"

    again = re.sub(r"[A-Za-z_]\w*", renamed, source)
    lines = source.splitlines() + again.splitlines()
    declared = [line for line in lines if re.match(r"History|Data", line)]
    outputs = [line for line in lines if line.startswith("out")]
    body = [line for line in lines if line not in {*declared, *outputs}]
    return "\n".join([*declared, *body, *outputs]) + "\n"


@pytest.mark.benchmark
@pytest.mark.parametrize("name", ["stand-in", "doubled"])
def test_compile_time_and_speed(name: str, tmp_path: Path) -> None:
    source = stand_in_source() if name == "stand-in" else doubled(stand_in_source())
    code = lower(parse(source))
    compile_numba(lower(parse("out1 = in1;")))  # leave numba's own start out of the figures
    noise = np.random.default_rng(1).standard_normal((96000, 2)) * 0.1
    print(f"\n{name}: {len(source)} bytes, {len(code.histories)} histories")
    seconds = {}
    for label, make in (
        ("gcc -O2", lambda: compile_c(code)),
        ("numba", lambda: compile_numba(code, cache_folder=tmp_path)),
        ("numba, cached", lambda: compile_numba(code, cache_folder=tmp_path)),
    ):
        start = time.perf_counter()
        step = make()
        seconds[label] = time.perf_counter() - start
        machine = Machine(code, step, RATE_HZ)
        rates = []
        for _ in range(3):
            start = time.perf_counter()
            machine.run(noise)
            rates.append(len(noise) / (time.perf_counter() - start))
        speed = f"{max(rates) / 1e6:.2f} M samples/s, {max(rates) / RATE_HZ:.0f} x real time"
        print(f"  {label:14} compiled in {seconds[label]:.2f} s, {speed}")
    assert seconds["gcc -O2"] < 2.0
    assert seconds["numba, cached"] < 1.0
