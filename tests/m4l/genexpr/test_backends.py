"""Both back ends against each other, against numpy, and under both readings of History."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from m4l.genexpr.c_backend import c_machine
from m4l.genexpr.lint import lint
from m4l.genexpr.machine import HistoryReading, Machine
from m4l.genexpr.numba_backend import numba_machine
from m4l.genexpr.parser import parse
from pybackend.errors import InputError, TargetMissing

READINGS: tuple[HistoryReading, ...] = ("immediate", "deferred")

SPECIAL = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 1e-9, 1e300, -1e300, 5e-324, -1e-310),
    *(2.0**-1021, 2.0**-1022, 2.0**1023, np.inf, -np.inf, np.nan, 4294967296.5, -4294967296.5),
]


def pairs() -> np.ndarray:
    rng = np.random.default_rng(7)
    grid = np.array([(a, b) for a in SPECIAL for b in SPECIAL])
    noise = rng.standard_normal((500, 2)) * 10.0 ** rng.integers(-3, 4, (500, 1))
    return np.concatenate([grid, noise])


def is_number(x: np.ndarray) -> np.ndarray:
    return np.abs(x) < 2.0**1023


def modulo(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(np.abs(y) > 2.0**-52, np.fmod(x, np.abs(y)), 0.0)


EXACT: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "in1 + in2": lambda a, b: a + b,
    "in1 - in2": lambda a, b: a - b,
    "in1 * in2": lambda a, b: a * b,
    "in1 / in2": lambda a, b: np.where(b == 0, 0.0, a / b),
    "-in1": lambda a, b: -a,
    "!in1": lambda a, b: a == 0,
    "not(in1)": lambda a, b: a == 0,
    "bool(in1)": lambda a, b: a != 0,
    "in1 < in2": lambda a, b: a < b,
    "in1 <= in2": lambda a, b: a <= b,
    "in1 > in2": lambda a, b: a > b,
    "in1 >= in2": lambda a, b: a >= b,
    "in1 == in2": lambda a, b: a == b,
    "in1 != in2": lambda a, b: a != b,
    "in1 && in2": lambda a, b: (a != 0) & (b != 0),
    "in1 || in2": lambda a, b: (a != 0) | (b != 0),
    "in1 > in2 ? in1 : in2": lambda a, b: np.where(a > b, a, b),
    "in1 ? 2 : 3": lambda a, b: np.where(a != 0, 2.0, 3.0),
    "abs(in1)": lambda a, b: np.abs(a),
    "sign(in1)": lambda a, b: np.where(a > 0, 1.0, np.where(a < 0, -1.0, 0.0)),
    "min(in1, in2)": lambda a, b: np.where(b < a, b, a),
    "max(in1, in2)": lambda a, b: np.where(a < b, b, a),
    "clamp(in1, -1, 2)": lambda a, b: np.where(a < -1, -1.0, np.where(a > 2, 2.0, a)),
    "floor(in1)": lambda a, b: np.floor(a),
    "ceil(in1)": lambda a, b: np.ceil(a),
    "trunc(in1)": lambda a, b: np.trunc(a),
    "int(in1)": lambda a, b: np.trunc(a),
    "fract(in1)": lambda a, b: a - np.trunc(a),
    "isnan(in1)": lambda a, b: ~is_number(a),
    "fixnan(in1)": lambda a, b: np.where(is_number(a), a, 0.0),
    "fixdenorm(in1)": lambda a, b: np.where(np.abs(a) < 2.0**-1021, 0.0, a),
    "sqrt(in1)": lambda a, b: np.sqrt(a),
    "mstosamps(in1)": lambda a, b: 48000.0 * a * 0.001,
    "sampstoms(in1)": lambda a, b: 1000.0 * a / 48000.0,
    "samplerate": lambda a, b: np.full_like(a, 48000.0),
}

CLOSE: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "in1 % in2": modulo,
    "pow(in1, in2)": lambda a, b: np.where(is_number(a**b), a**b, 0.0),
    "exp(in1)": lambda a, b: np.exp(a),
    "log(in1)": lambda a, b: np.log(a),
    "ln(in1)": lambda a, b: np.log(a),
    "log2(in1)": lambda a, b: np.log2(a),
    "log10(in1)": lambda a, b: np.log10(a),
    "sin(in1)": lambda a, b: np.sin(a),
    "cos(in1)": lambda a, b: np.cos(a),
    "tan(in1)": lambda a, b: np.tan(a),
    "wrap(in1, -1, 2)": lambda a, b: (a + 1) % 3 - 1,
}

ALL_OPERATORS = "".join(
    f"out{number} = {text};\n" for number, text in enumerate([*EXACT, *CLOSE], 1)
)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Machine]:
    program = parse(ALL_OPERATORS)
    return {"c": c_machine(program, 48000.0), "numba": numba_machine(program, 48000.0)}


@pytest.mark.parametrize("backend", ["c", "numba"])
@np.errstate(all="ignore")
def test_every_operator_against_numpy(kernels: dict[str, Machine], backend: str) -> None:
    inputs = pairs()
    outputs = kernels[backend].run(inputs)
    a, b = inputs.T
    for column, (text, reference) in enumerate([*EXACT.items(), *CLOSE.items()]):
        expected = reference(a, b).astype(float)
        got = outputs[:, column]
        if text in EXACT:
            np.testing.assert_array_equal(got, expected, err_msg=text)
            continue
        plain = (np.abs(a) < 1e6) & (np.abs(b) < 1e6)
        if "%" in text:  # quotients that differ in the last bit wrap around
            plain &= np.abs(np.abs(got) - np.abs(expected)) < 0.5 * np.abs(b)
        np.testing.assert_allclose(
            got[plain], expected[plain], rtol=1e-9, atol=1e-7, equal_nan=True, err_msg=text
        )


def test_both_back_ends_agree_to_the_bit_where_no_library_rounds(
    kernels: dict[str, Machine],
) -> None:
    ours, others = (kernels[name].run(pairs()) for name in ("c", "numba"))
    exact = len(EXACT) + 1  # and the remainder
    np.testing.assert_array_equal(ours[:, :exact], others[:, :exact])
    np.testing.assert_allclose(ours, others, rtol=1e-13, atol=0, equal_nan=True)


def test_remainder_and_wrap_do_as_gen_does() -> None:
    machine = c_machine(parse("out1 = in1 % in2;\nout2 = wrap(in1, in2, 10);"), 48000.0)
    cases = [(10, 3), (-7, 4), (7, -4), (64, 64), (3.5, 0), (25, 0), (-1, 0), (10, 0), (5, 10)]
    got = machine.run(np.array(cases, dtype=float))
    assert got[0, 0] == 1.0000000000000004  # (10 / 3 - 3) * 3, not 1
    assert got[1:5, 0].tolist() == [-3.0, 3.0, 0.0, 0.0]
    assert got[5:, 1].tolist() == [5.0, 9.0, 0.0, 10.0]


MACHINES = [c_machine, numba_machine]


@pytest.mark.parametrize("make", MACHINES)
def test_readings_of_history_and_data(make: Callable[..., Machine]) -> None:
    """R4 and R6 broken on purpose: here the readings have to differ, and as described."""
    program = parse("""
        History h(5);
        Data d(4);
        poke(d, in1, 1);
        poke(d, in1 + 1, 1);
        out2 = peek(d, 1);
        h = h + in1;
        out1 = h;
        h = h + 10;
    """)
    inputs = np.array([[1.0], [2.0], [3.0]])
    immediate = make(program, 48000.0, "immediate").run(inputs)
    deferred = make(program, 48000.0, "deferred").run(inputs)
    assert immediate.tolist() == [[6.0, 2.0], [18.0, 3.0], [31.0, 4.0]]
    assert deferred.tolist() == [[5.0, 0.0], [15.0, 2.0], [25.0, 3.0]]


@pytest.mark.parametrize("make", MACHINES)
def test_data_outside_its_range(make: Callable[..., Machine]) -> None:
    program = parse("""
        Data other(4);
        Data d(3, 2);
        poke(d, 100 + in1, in1, in2);
        out1 = peek(d, in1, in2);
        out2 = peek(other, 0) + peek(other, 3);
    """)
    machine = make(program, 48000.0)
    places = [(0, 0), (2.9, 1.5), (3, 0), (-0.1, 0), (0, 2), (np.nan, 1), (np.inf, 0), (1e300, 0)]
    got = machine.run(np.array(places))
    # an index that is not a number counts as 0, as fixnan makes it; the rest reads 0
    np.testing.assert_array_equal(
        got[:, 0], [100, 102.9, 0, 0, 0, np.nan, np.inf, 0], err_msg=str(got)
    )
    assert not got[:, 1].any()
    assert machine.data("d").shape == (3, 2)
    assert machine.data("d")[2, 1] == 102.9


@pytest.mark.parametrize("make", MACHINES)
def test_state_params_and_reset(make: Callable[..., Machine]) -> None:
    program = parse("""
        History sum(1);
        History rate_seen(0);
        Param amount(2);
        Data d(2);
        poke(d, in1, 0);
        sum = sum + in1 * amount;
        rate_seen = samplerate;
        out1 = sum;
        out2 = rate_seen;
    """)
    machine = make(program, 44100.0)
    ones = np.ones((3, 1))
    assert machine.run(ones)[:, 0].tolist() == [3.0, 5.0, 7.0]
    machine.set_param("amount", 10.0)
    assert machine.run(ones[:1])[0].tolist() == [17.0, 44100.0]
    assert machine.history("sum") == 17.0
    assert machine.data("d")[0, 0] == 1.0
    machine.reset(48000.0)
    assert machine.history("sum") == 1.0
    assert not machine.data("d").any()
    assert machine.run(ones[:1])[0].tolist() == [11.0, 48000.0]
    assert machine.run(np.zeros((0, 1))).shape == (0, 2)
    with pytest.raises(InputError, match="give \\(n, 1\\)"):
        machine.run(np.zeros((4, 2)))
    with pytest.raises(InputError, match="sample rate"):
        machine.reset(0.0)


# ---- random programs


class _Random:
    """Writes programs that keep R4, R6, R7 and R11 and use the whole subset."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._histories = [f"h{i}" for i in range(12)]
        self._unwritten = list(self._histories)
        self._locals: list[str] = []

    def value(self, depth: int = 3) -> str:
        pick = self._random.random()
        if depth == 0 or pick < 0.25:
            reads = ["in1", "in2", "p", "1", "0.7", "-3", "pi", *self._locals, *self._unwritten]
            return self._random.choice(reads)
        inner = [self.value(depth - 1) for _ in range(3)]
        forms = [
            "({0} + {1})",
            "({0} - {1})",
            "({0} * {1})",
            "({0} / {1})",
            "({0} / 7)",
            "({0} % {1})",
            "({0} < {1} && {2} != 0)",
            "({0} >= {1} || !{2})",
            "({0} > {1} ? {1} : {2})",
            "clamp({0}, {1}, {2})",
            "wrap({0}, -2, 3)",
            "max({0}, min({1}, {2}))",
            "fixnan(floor({0}) - fract({1}))",
            "f({0}, {1})",
            "abs(-{0})",
        ]
        return self._random.choice(forms).format(*inner)

    def source(self, statements: int) -> str:
        lines = ["f(a, b) {", "  if (a > b) {", "    a = a - b;", "  }"]
        lines += ["  return a * 0.25 + b * 0.5;", "}"]
        lines += ["g(a) {", "  t = clamp(fixnan(a), -8, 8);", "  return t, t * t;", "}"]
        lines += [f"History {name}({i - 3});" for i, name in enumerate(self._histories)]
        lines += ["Data d(6, 2);", "Param p(0.3);"]
        for number in range(statements):
            lines += self._statement(number)
        while self._unwritten:
            lines.append(f"{self._unwritten.pop()} = clamp(fixnan({self.value()}), -9, 9);")
        lines += [f"out{i} = {name};" for i, name in enumerate(self._histories, 1)]
        return "\n".join(lines) + "\n"

    def _statement(self, number: int) -> list[str]:
        kind = number % 4
        if kind == 0:
            lines = [f"v{number} = {self.value()};"]
            self._locals.append(f"v{number}")
        elif kind == 1:
            lines = [f"v{number}, w{number} = g({self.value()});"]
            self._locals += [f"v{number}", f"w{number}"]
        elif kind == 2:
            target = self._random.choice(self._locals)
            lines = [f"if ({self.value()} > 0) {{", f"  {target} = {self.value(2)};", "} else {"]
            lines += [f"  {target} += {self.value(2)};", "}"]
        else:
            lines = [f"s{number} = 0.0;", f"if ({self.value()} > 0) {{"]
            lines += [f"  for (k = 0; k < {self._random.randint(1, 7)}; k += 1) {{"]
            lines += [f"    s{number} = s{number} + peek(d, k, {self._random.randint(0, 2)}) + k;"]
            lines += ["  }", "}"]
            self._locals.append(f"s{number}")
        return lines


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_agree_in_all_four_ways(seed: int) -> None:
    source = _Random(seed).source(24)
    source = source.replace("h11 = ", "poke(d, clamp(fixnan(in1), -3, 3), in2 * 4, 1);\nh11 = ", 1)
    assert not {f.rule for f in lint(source)} - {"R8"}
    program = parse(source)
    rng = np.random.default_rng(seed)
    inputs = rng.standard_normal((3000, 2)) * 2.0
    inputs[::97] = rng.choice(SPECIAL, (len(inputs[::97]), 2))
    outputs = [
        make(program, 48000.0, reading).run(inputs) for make in MACHINES for reading in READINGS
    ]
    c_immediate, c_deferred, numba_immediate, numba_deferred = outputs
    np.testing.assert_array_equal(c_immediate, numba_immediate)
    np.testing.assert_array_equal(c_deferred, numba_deferred)
    np.testing.assert_array_equal(c_immediate[:-1], c_deferred[1:])
    assert np.count_nonzero(np.ptp(c_immediate, axis=0)) >= 8


# ---- the stand-in of the device


@pytest.fixture(scope="module")
def cache_folder(request: pytest.FixtureRequest) -> Path:
    cache = request.config.cache
    assert cache is not None
    return cache.mkdir("genexpr")


def test_stand_in_in_all_four_ways(stand_in: str, cache_folder: Path) -> None:
    program = parse(stand_in)
    inputs = np.random.default_rng(3).standard_normal((9600, 2)) * 0.2
    inputs[4000] = (np.nan, np.inf)
    c = {reading: c_machine(program, 48000.0, reading).run(inputs) for reading in READINGS}
    for reading in READINGS:
        kernel = numba_machine(program, 48000.0, reading, cache_folder)
        np.testing.assert_allclose(kernel.run(inputs), c[reading], rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(c["immediate"][:-1], c["deferred"][1:])
    assert np.isfinite(c["immediate"]).all()


def test_stand_in_measures_what_it_should(stand_in: str) -> None:
    machine = c_machine(parse(stand_in), 48000.0)
    time_s = np.arange(48000) / 48000.0
    amplitude = 10.0 ** (-23.0 / 20.0)
    tone = amplitude * np.sin(2 * np.pi * 1000.0 * time_s)
    last = machine.run(np.column_stack([tone, tone]))[-1]
    assert last[24] == pytest.approx(-23.0, abs=0.02)
    assert last[0:9].sum() == pytest.approx(480 * amplitude**2, rel=1e-3)
    machine.reset(48000.0)
    quarter = np.sin(2 * np.pi * 12000.0 * time_s + np.pi / 4)  # samples reach 0.707
    last = machine.run(np.column_stack([quarter, quarter]))[-1]
    assert last[22] == pytest.approx(1.0, abs=0.02)


def test_blocks_of_any_size_give_the_same(stand_in: str) -> None:
    machine = c_machine(parse(stand_in), 48000.0)
    inputs = np.random.default_rng(5).standard_normal((1500, 2))
    whole = machine.run(inputs)
    machine.reset(48000.0)
    parts = [machine.run(inputs[a:b]) for a, b in ((0, 1), (1, 65), (65, 64 * 17), (64 * 17, 1500))]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


# ---- compiling


def test_a_cached_kernel_is_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", "")
    program = parse("out1 = in1 * 3;")
    first = numba_machine(program, 48000.0, cache_folder=tmp_path)
    files = sorted(path.name for path in tmp_path.rglob("*.nbc"))
    second = numba_machine(program, 48000.0, cache_folder=tmp_path)
    assert files
    assert sorted(path.name for path in tmp_path.rglob("*.nbc")) == files
    assert first.run(np.ones((1, 1))) == second.run(np.ones((1, 1))) == 3.0


def test_without_a_cache_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    numba_machine(parse("out1 = in1;"), 48000.0)
    c_machine(parse("out1 = in1;"), 48000.0)
    assert list(tmp_path.iterdir()) == []


def test_no_compiler_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TargetMissing, match="no C compiler"):
        c_machine(parse("out1 = in1;"), 48000.0)
