"""A vector of eight float64 for numba kernels: one value per lane, one instruction for all.

LLVM finds no parallelism by itself in recursive filters: time is a chain, and loops over a short
array of lanes stay scalar, because it cannot prove that states and signals do not overlap. With a
vector type the lanes are explicit. LLVM maps it to whatever the processor has (one AVX-512
register, two of AVX2, four of NEON or SSE2), so the same source runs everywhere.
"""

# ruff: noqa: ARG001 - numba passes arguments of typing and code generation by position
from __future__ import annotations

import functools
import operator
from typing import Any, Final

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils as numba_cgutils
from numba.core import types as numba_types
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models, overload, register_model

LANES: Final = 8

# numba marks itself as typed, but these parts are not.
types: Any = numba_types
cgutils: Any = numba_cgutils


def intrinsic(function: Any) -> Any:
    """`numba.extending.intrinsic`, for type checkers: callers do not pass the typing context."""
    return numba_intrinsic(function)


class VectorType(numba_types.Type):
    """Numba's type of the vector."""

    def __init__(self) -> None:
        super().__init__(name=f"Vector{LANES}")


VECTOR: Final[Any] = VectorType()
_LLVM_VECTOR: Final = ir.VectorType(ir.DoubleType(), LANES)


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _LLVM_VECTOR)  # type: ignore[no-untyped-call]


def _element(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array_type, array, index = signature.args[0], args[0], args[1]
    data = context.make_array(array_type)(context, builder, array).data
    offset = builder.mul(index, index.type(LANES))
    return builder.bitcast(builder.gep(data, [offset]), _LLVM_VECTOR.as_pointer())


def _float64_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) and kind.dtype == types.float64 and kind.layout == "C"


@intrinsic
def load(typingctx: Any, array: Any, index: Any) -> Any:
    """Vector number ``index`` of a C-contiguous float64 array, whatever its shape."""
    if not _float64_array(array):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_element(context, builder, signature, args), align=8)

    return VECTOR(array, types.intp), generate


@intrinsic
def store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Write a vector as number ``index`` of a C-contiguous float64 array."""
    if not _float64_array(array):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _element(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, VECTOR), generate


@intrinsic
def gather(typingctx: Any, array: Any, indices: Any, shift: Any) -> Any:
    """Elements of a C-contiguous array of floats at flat indices ``indices[lane] + shift``.

    The indices are not checked.
    """
    if not (isinstance(array, types.Array) and array.layout == "C"):
        return None
    if array.dtype not in (types.float32, types.float64):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        kind = ir.VectorType(context.get_data_type(signature.args[0].dtype), LANES)
        vector = ir.Constant(kind, ir.Undefined)
        for lane in range(LANES):
            index = builder.add(builder.extract_value(args[1], lane), args[2])
            element = builder.load(builder.gep(data, [index]))
            vector = builder.insert_element(vector, element, ir.IntType(32)(lane))
        return vector if kind == _LLVM_VECTOR else builder.fpext(vector, _LLVM_VECTOR)

    return VECTOR(array, types.UniTuple(types.intp, LANES), types.intp), generate


@intrinsic
def splat(typingctx: Any, value: Any) -> Any:
    """Vector with the same number in every lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = builder.insert_element(
            ir.Constant(_LLVM_VECTOR, ir.Undefined), args[0], ir.IntType(32)(0)
        )
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(first, ir.Constant(_LLVM_VECTOR, ir.Undefined), mask)

    return VECTOR(types.float64), generate


def _call(name: str, arity: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_LLVM_VECTOR, [_LLVM_VECTOR] * arity)
        function = cgutils.get_or_insert_function(builder.module, kind, f"{name}.v{LANES}f64")
        return builder.call(function, args)

    return generate


@intrinsic
def multiply_add(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c``, with one rounding where the processor can."""
    return VECTOR(VECTOR, VECTOR, VECTOR), _call("llvm.fmuladd", 3)


@intrinsic
def magnitude(typingctx: Any, a: Any) -> Any:
    """Absolute value per lane."""
    return VECTOR(VECTOR), _call("llvm.fabs", 1)


@intrinsic
def larger(typingctx: Any, a: Any, b: Any) -> Any:
    """Larger value per lane, of values that are never NaN."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[0], args[1])

    return VECTOR(VECTOR, VECTOR), generate


def _beyond(builder: Any, args: Any) -> Any:
    size = builder.call(
        cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(_LLVM_VECTOR, [_LLVM_VECTOR]),
            f"llvm.fabs.v{LANES}f64",
        ),
        [args[0]],
    )
    return builder.fcmp_unordered(">", size, args[1])


@intrinsic
def unless_beyond(typingctx: Any, a: Any, limit: Any) -> Any:
    """``a`` per lane where its magnitude is at most ``limit``; 0 where it is larger or NaN."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(_LLVM_VECTOR, [0.0] * LANES)
        return builder.select(_beyond(builder, args), zero, args[0])

    return VECTOR(VECTOR, VECTOR), generate


@intrinsic
def is_beyond(typingctx: Any, a: Any, limit: Any) -> Any:
    """1 per lane where the magnitude of ``a`` is larger than ``limit`` or NaN, else 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(_LLVM_VECTOR, [0.0] * LANES)
        one = ir.Constant(_LLVM_VECTOR, [1.0] * LANES)
        return builder.select(_beyond(builder, args), one, zero)

    return VECTOR(VECTOR, VECTOR), generate


@intrinsic
def total(typingctx: Any, a: Any) -> Any:
    """Sum over the lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = [builder.extract_element(args[0], ir.IntType(32)(i)) for i in range(LANES)]
        return functools.reduce(builder.fadd, lanes)

    return types.float64(VECTOR), generate


def _operator(python_operator: Any, instruction: str) -> None:
    @intrinsic
    def operate(typingctx: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args)

        return VECTOR(VECTOR, VECTOR), generate

    @overload(python_operator)
    def overloaded(a: Any, b: Any) -> Any:
        if not (isinstance(a, VectorType) and isinstance(b, VectorType)):
            return None

        def implementation(a: Any, b: Any) -> Any:
            return operate(a, b)

        return implementation


_operator(operator.add, "fadd")
_operator(operator.sub, "fsub")
_operator(operator.mul, "fmul")
