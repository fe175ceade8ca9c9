"""Prints a program as C, compiles it with the system's C compiler and runs it through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from m4l.genexpr import ir, printer
from m4l.genexpr.lower import lower
from m4l.genexpr.machine import HistoryReading, Machine, Step
from pybackend.errors import MoveJudgeError, TargetMissing

if TYPE_CHECKING:
    from m4l.genexpr.ast import Program

_COMPILERS: Final = ("gcc", "cc", "clang")
FLAGS: Final = ("-O2", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC")
"""``-ffp-contract=off``: no fused multiply-add, so that both back ends round alike."""

_HELPERS: Final = """\
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define G static inline double
G g_abs(double x) { return fabs(x); }
G g_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }
G g_bool(double x) { return x != 0.0; }
G g_negation(double x) { return x == 0.0; }
G g_min(double x, double y) { return y < x ? y : x; }
G g_max(double x, double y) { return x < y ? y : x; }
G g_clamp(double x, double lo, double hi) { return g_min(g_max(x, lo), hi); }
G g_floor(double x) { return floor(x); }
G g_ceil(double x) { return ceil(x); }
G g_trunc(double x) { return trunc(x); }
G g_fract(double x) { return x - trunc(x); }
G g_isnan(double x) { return !(fabs(x) < 0x1p1023); }
G g_fixnan(double x) { return fabs(x) < 0x1p1023 ? x : 0.0; }
G g_fixdenorm(double x) { return fabs(x) < 0x1p-1021 ? 0.0 : x; }
G g_divide(double x, double y) { return y == 0.0 ? 0.0 : x / y; }
G g_pow(double x, double y) { return g_fixnan(pow(x, y)); }
G g_sqrt(double x) { return sqrt(x); }
G g_exp(double x) { return exp(x); }
G g_log(double x) { return log(x); }
G g_log2(double x) { return log2(x); }
G g_log10(double x) { return log10(x); }
G g_sin(double x) { return sin(x); }
G g_cos(double x) { return cos(x); }
G g_tan(double x) { return tan(x); }
G g_mstosamps(double x, double rate) { return rate * x * 0.001; }
G g_sampstoms(double x, double rate) { return 1000.0 * x / rate; }
G g_modulo(double x, double y) {
  double m = fabs(y), q;
  if (!(m > 0x1p-52)) return 0.0;
  if (fabs(x) < m || x != x) return x;
  q = x / m;
  return fabs(x) < m * 2.0 ? (x < 0.0 ? x + m : x - m) : (q - trunc(q)) * m;
}
G g_wrap(double x, double a, double b) {
  double lo = g_min(a, b), hi = g_max(a, b), range = hi - lo, y;
  if (x >= lo && x < hi) return x;
  if (range <= 1e-9) return lo;
  y = x - range * (trunc((x - lo) / range) - (x < lo));
  return y >= hi ? y - range : y;
}
static inline long g_place(long offset, long length, long channels, double index, double channel) {
  double i = g_fixnan(floor(index)), c = g_fixnan(floor(channel));
  if (!(i >= 0.0 && i < length && c >= 0.0 && c < channels)) return -1;
  return offset + (long)c * length + (long)i;
}
G g_peek(const double *d, long o, long n, long channels, double index, double channel) {
  long at = g_place(o, n, channels, index, channel);
  return at < 0 ? 0.0 : d[at];
}
"""

_IMMEDIATE_POKE: Final = """\
#define POKE(o, n, channels, value, index, channel) do { \\
  long at = g_place(o, n, channels, index, channel); \\
  if (at >= 0) data[at] = (value); } while (0)
"""

_DEFERRED_POKE: Final = """\
#define POKE(o, n, channels, value, index, channel) do { \\
  long at = g_place(o, n, channels, index, channel); \\
  if (at >= 0) { if (!marked[at]) { marked[at] = 1; dirty[dirt++] = at; } \\
    pending[at] = (value); } } while (0)
"""


class _C:
    """The words of C."""

    def __init__(self, *, deferred: bool) -> None:
        self._deferred = deferred

    def number(self, value: float) -> str:
        return value.hex() if value >= 0 else f"({value.hex()})"

    def history(self, index: int) -> str:
        return f"h[{index}]" if not self._deferred else f"old[{index}]"

    def condition(self, left: str, sign: str, right: str) -> str:
        return f"({left} {sign} {right})"

    def truth(self, condition: str) -> str:
        return f"(double){condition}"

    def choice(self, condition: str, yes: str, no: str) -> str:
        return f"({condition} ? {yes} : {no})"


def c_source(code: ir.Code, reading: HistoryReading = "immediate") -> str:
    """Print a program as one C file with the function ``step``."""
    deferred = reading == "deferred"
    words = _C(deferred=deferred)
    lines = [_HELPERS, _DEFERRED_POKE if deferred else _IMMEDIATE_POKE]
    lines.append(
        "void step(int64_t n, const double *restrict inputs, double *restrict outputs,"
        " double *restrict h, const double *restrict params, double *restrict data, double rate) {"
    )
    sizes = (len(code.histories), code.data_size)
    if deferred:
        lines.append(_deferred_start(*sizes))
    names = sorted(_locals(code.body))
    lines.append("for (int64_t k = 0; k < n; k++) {")
    lines += [f"const double in{i} = inputs[k * {code.inputs} + {i}];" for i in range(code.inputs)]
    lines += [f"double v_{name};" for name in names]
    lines += _actions(code.body, words, code)
    if deferred:
        lines.append(_DEFERRED_END.format(histories=sizes[0]))
    lines.append("}")
    if deferred:
        lines.append("free(old); free(pending); free(marked); free(dirty);")
    return "\n".join([*lines, "}", ""])


def _deferred_start(histories: int, data: int) -> str:
    return f"""\
double *old = malloc(sizeof(double) * {histories + 1});
double *pending = malloc(sizeof(double) * {data + 1});
char *marked = calloc({data + 1}, 1);
long *dirty = malloc(sizeof(long) * {data + 1});
long dirt = 0;
if (!old || !pending || !marked || !dirty) abort();
memcpy(old, h, sizeof(double) * {histories});"""


_DEFERRED_END: Final = """\
memcpy(old, h, sizeof(double) * {histories});
while (dirt) {{ long at = dirty[--dirt]; data[at] = pending[at]; marked[at] = 0; }}"""


def _actions(body: tuple[ir.Action, ...], words: _C, code: ir.Code) -> list[str]:
    def show(node: ir.Value) -> str:
        return printer.value(node, words, code.data)

    lines: list[str] = []
    for action in body:
        match action:
            case ir.SetLocal():
                lines.append(f"v_{action.name} = {show(action.value)};")
            case ir.SetHistory():
                lines.append(f"h[{action.index}] = {show(action.value)};")
            case ir.SetOutput():
                lines.append(
                    f"outputs[k * {code.outputs} + {action.index}] = {show(action.value)};"
                )
            case ir.Poke():
                slot = code.data[action.data]
                place = f"{slot.offset}, {slot.length}, {slot.channels}"
                parts = [show(p) for p in (action.value, action.index, action.channel)]
                lines.append(f"POKE({place}, {', '.join(parts)});")
            case ir.Branch():
                lines.append(f"if {printer.condition(action.test, words, code.data)} {{")
                lines += _actions(action.then, words, code)
                if action.otherwise:
                    lines += ["} else {", *_actions(action.otherwise, words, code)]
                lines.append("}")
            case ir.Loop():
                name = f"v_{action.variable}"
                lines.append(
                    f"{name} = {words.number(action.start)};"
                    f" for (long t = 0; t < {action.turns}; t++) {{"
                )
                lines += _actions(action.body, words, code)
                lines.append(f"{name} += {words.number(action.step)}; }}")
    return lines


def _locals(body: tuple[ir.Action, ...]) -> set[str]:
    names: set[str] = set()
    for action in body:
        match action:
            case ir.SetLocal():
                names.add(action.name)
            case ir.Branch():
                names |= _locals(action.then) | _locals(action.otherwise)
            case ir.Loop():
                names |= {action.variable} | _locals(action.body)
            case _:
                pass
    return names


def compile_c(code: ir.Code, reading: HistoryReading = "immediate") -> Step:
    """Compile a program with gcc, cc or clang at -O2.

    Returns
    -------
    callable
        Kernel for ``Machine``.

    Raises
    ------
    TargetMissing
        No C compiler on PATH.
    MoveJudgeError
        The compiler refused its input.
    """
    compiler = next((found for name in _COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        raise TargetMissing(f"no C compiler ({', '.join(_COMPILERS)}) on PATH: install one")
    folder = Path(tempfile.mkdtemp(prefix="genexpr-"))
    try:
        source = folder / "kernel.c"
        library = folder / ("kernel.dll" if sys.platform == "win32" else "kernel.so")
        source.write_text(c_source(code, reading), encoding="ascii")
        command = [compiler, *FLAGS, "-o", str(library), str(source), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no message"])[0]
            raise MoveJudgeError(f"the C back end's code does not compile: {reason}")
        return _bind(ctypes.CDLL(str(library)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # Windows keeps a loaded library's file


def _bind(library: ctypes.CDLL) -> Step:
    function = library.step
    pointer = ctypes.c_void_p
    function.argtypes = [ctypes.c_int64, *[pointer] * 5, ctypes.c_double]
    function.restype = None

    def step(inputs: Any, *others: Any) -> None:
        *arrays, rate = others
        function(len(inputs), *(array.ctypes.data for array in (inputs, *arrays)), rate)

    return step


def c_machine(
    program: Program, sample_rate_hz: float, reading: HistoryReading = "immediate"
) -> Machine:
    """Compile a program to C and start it."""
    code = lower(program)
    return Machine(code, compile_c(code, reading), sample_rate_hz)
