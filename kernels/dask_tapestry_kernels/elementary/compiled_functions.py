"""Functions that compiled kernels are made of, called or inlined, and memory on their stack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import njit, types

from dask_tapestry_kernels.elementary.number_intrinsics import Lowered, intrinsic

I64: Final = types.int64
BYTE, INT64 = ir.IntType(8), ir.IntType(64)
jit: Any = njit  # whose declared arguments are not all of them
inlined: Final = jit(
    nogil=True,
    error_model="numpy",
    forceinline=True,
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)


def called(*arguments: Any, result: Any = types.void) -> Any:
    """As a decorator: compile a function of arguments of these types, once, when one calls it.

    A number stands for so many int64. Without a signature a function would be compiled for each
    literal and bool that it is called with; with numba's own, when its module is imported.
    """
    kinds = [kind for one in arguments for kind in ([I64] * one if isinstance(one, int) else [one])]
    signature = result(*kinds)

    def late(function: Callable[..., Any]) -> Any:
        made = jit(
            nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True,
            forceinline=False, fastmath=False,  # which are the caller's where nothing is said
        )(function)  # fmt: skip
        if made is function:  # as numba is told not to compile
            return function
        resolve = made.get_call_template

        def get_call_template(args: Any, kws: Any) -> Any:
            if not made.overloads:
                made.compile(signature)
                made.disable_compile()
            return resolve(args, kws)

        made.get_call_template = get_call_template
        return made

    return late


def named(name: str, function: Callable[..., Any]) -> Any:
    """An intrinsic of its own name, which numba tells apart from others by."""
    function.__name__ = function.__qualname__ = name
    return intrinsic(function)


@intrinsic
def keep_apart(context: Any) -> Lowered:  # noqa: ARG001
    """Have LLVM not inline the function that calls this: leaves compile in a fourth of the time."""

    def lower(_c: Any, b: Any, _s: Any, args: Any) -> Any:  # noqa: ARG001
        b.function.attributes.add("noinline")
        return _c.get_dummy_value()

    return types.void(), lower


def words(count: int) -> Any:
    """() -> pointer to `count` int64 on the stack."""

    def place(context: Any) -> Lowered:  # noqa: ARG001
        def lower(_c: Any, b: Any, _s: Any, args: Any) -> Any:  # noqa: ARG001
            return b.bitcast(reserve(b, INT64.width // 8 * count), INT64.as_pointer())

        return types.CPointer(I64)(), lower

    return named("place", place)


def reserve(b: Any, length: int) -> Any:
    """Bytes on the stack, as they are: `cgutils.alloca_once` would clear them one by one."""
    with b.goto_entry_block():
        found = b.alloca(ir.ArrayType(BYTE, length))
    found.align = 64
    return found


def room(length: int) -> Any:
    """() -> address of `length` bytes on the stack."""

    def place(context: Any) -> Lowered:  # noqa: ARG001
        def lower(_c: Any, b: Any, _s: Any, args: Any) -> Any:  # noqa: ARG001
            return b.ptrtoint(reserve(b, length), INT64)

        return I64(), lower

    return named("place", place)
