"""Prints a program as one numba kernel, and compiles it.

The kernel is a Python module on disk that numba compiles when it is imported. With a folder to
cache in, a program that was compiled before loads in a fraction of a second.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from m4l.genexpr import ir, printer
from m4l.genexpr.lower import lower
from m4l.genexpr.machine import HistoryReading, Machine, Step
from pybackend.errors import MoveJudgeError

if TYPE_CHECKING:
    from m4l.genexpr.ast import Program

_HEAD: Final = """\
import numpy as np
from numba import njit
from m4l.genexpr.numba_operators import *

@njit(
    "void(float64[:,::1], float64[:,::1], float64[::1], float64[::1], float64[::1], float64)",
    cache={cache}, nogil=True, error_model="numpy",
)
def step(inputs, outputs, h, params, data, rate):
"""

_DEFERRED: Final = """\
 old = h.copy()
 pending = np.empty(data.size)
 marked = np.zeros(data.size, np.bool_)
 dirty = np.zeros(data.size + 1, np.int64)
"""


class _Python:
    """The words of Python, as numba takes them."""

    def __init__(self, *, deferred: bool) -> None:
        self._deferred = deferred

    def number(self, value: float) -> str:
        return repr(value) if value >= 0 else f"({value!r})"

    def history(self, index: int) -> str:
        return f"h[{index}]" if not self._deferred else f"old[{index}]"

    def condition(self, left: str, sign: str, right: str) -> str:
        return f"({left} {'and' if sign == '&&' else 'or'} {right})"

    def truth(self, condition: str) -> str:
        return f"g_truth{condition}"

    def choice(self, condition: str, yes: str, no: str) -> str:
        return f"g_choose({condition}, {yes}, {no})"


def numba_source(
    code: ir.Code, reading: HistoryReading = "immediate", *, cache: bool = False
) -> str:
    """Print a program as a Python module with the function ``step``."""
    deferred = reading == "deferred"
    lines = [_HEAD.format(cache=cache)]
    if deferred:
        lines.append(_DEFERRED)
    lines.append(" for k in range(inputs.shape[0]):")
    lines += [f"  in{i} = inputs[k, {i}]" for i in range(code.inputs)]
    lines += _actions(code.body, _Python(deferred=deferred), code, "  ", deferred=deferred)
    if deferred:
        lines.append("  for i in range(h.size):\n   old[i] = h[i]")
        lines.append("  g_settle(data, pending, marked, dirty)")
    lines.append("  pass")
    return "\n".join([*lines, ""])


def _actions(
    body: tuple[ir.Action, ...], words: _Python, code: ir.Code, pad: str, *, deferred: bool
) -> list[str]:
    def show(node: ir.Value) -> str:
        return printer.value(node, words, code.data)

    def inner(actions: tuple[ir.Action, ...]) -> list[str]:
        return [*_actions(actions, words, code, pad + " ", deferred=deferred), f"{pad} pass"]

    lines: list[str] = []
    for action in body:
        match action:
            case ir.SetLocal():
                lines.append(f"{pad}v_{action.name} = {show(action.value)}")
            case ir.SetHistory():
                lines.append(f"{pad}h[{action.index}] = {show(action.value)}")
            case ir.SetOutput():
                lines.append(f"{pad}outputs[k, {action.index}] = {show(action.value)}")
            case ir.Poke():
                slot = code.data[action.data]
                sizes = f"{slot.offset}, {slot.length}, {slot.channels}"
                place = f"g_place({sizes}, {show(action.index)}, {show(action.channel)})"
                call = "g_poke_later(pending, marked, dirty" if deferred else "g_poke(data"
                lines.append(f"{pad}{call}, {place}, {show(action.value)})")
            case ir.Branch():
                lines.append(f"{pad}if {printer.condition(action.test, words, code.data)}:")
                lines += inner(action.then)
                if action.otherwise:
                    lines += [f"{pad}else:", *inner(action.otherwise)]
            case ir.Loop():
                name = f"v_{action.variable}"
                lines.append(f"{pad}{name} = {words.number(action.start)}")
                lines.append(f"{pad}for _ in range({action.turns}):")
                lines += [*inner(action.body), f"{pad} {name} += {words.number(action.step)}"]
    return lines


def compile_numba(
    code: ir.Code, reading: HistoryReading = "immediate", cache_folder: Path | None = None
) -> Step:
    """Compile a program with numba.

    Parameters
    ----------
    code : Code
        From ``lower``.
    reading : str
        ``"immediate"`` or ``"deferred"``.
    cache_folder : Path or None
        Where compiled kernels are kept between runs; it must be the user's own, because Python
        code is loaded from it. None compiles anew and keeps nothing.

    Returns
    -------
    callable
        Kernel for ``Machine``.
    """
    source = numba_source(code, reading, cache=cache_folder is not None)
    operators = Path(__file__).with_name("numba_operators.py").read_bytes()
    # numba does not notice that an imported function changed, so the name has to
    digest = hashlib.sha256(operators + source.encode()).hexdigest()[:24]
    if cache_folder is not None:
        cache_folder.mkdir(parents=True, exist_ok=True)
        return _load(cache_folder / f"genexpr_{digest}.py", source)
    folder = Path(tempfile.mkdtemp(prefix="genexpr-"))
    try:
        return _load(folder / f"genexpr_{digest}.py", source)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _load(path: Path, source: str) -> Step:
    if not path.exists():  # an unchanged file keeps numba's cache, which looks at its time
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(source, encoding="ascii")
        unfinished.replace(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise MoveJudgeError(f"the kernel {path} cannot be loaded: remove it and try again")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return cast(Step, module.step)


def numba_machine(
    program: Program,
    sample_rate_hz: float,
    reading: HistoryReading = "immediate",
    cache_folder: Path | None = None,
) -> Machine:
    """Compile a program with numba and start it."""
    code = lower(program)
    return Machine(code, compile_numba(code, reading, cache_folder), sample_rate_hz)
