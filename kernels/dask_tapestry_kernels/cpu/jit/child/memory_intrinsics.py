"""Memory by address: cells and tables read and written, bytes copied, functions called.

Importing this module imports numba.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from dask_tapestry_kernels.elementary.number_intrinsics import Lowered, intrinsic


@intrinsic
def pointer(context: Any, address: Any) -> Lowered:  # noqa: ARG001
    """``void *`` to an address, for `numba.carray`."""
    return types.voidptr(types.intp), lambda _c, builder, _s, args: builder.inttoptr(
        args[0], ir.IntType(8).as_pointer()
    )


@intrinsic
def read_cell(context: Any, address: Any, kind: Any) -> Lowered:  # noqa: ARG001
    """The cell at `address`, of the type of `kind`."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], args[1].type.as_pointer()))

    return kind(types.int64, kind), lower


@intrinsic
def write_cell(context: Any, address: Any, cell: Any) -> Lowered:  # noqa: ARG001
    """Write `cell` to `address`."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        builder.store(args[1], builder.inttoptr(args[0], args[1].type.as_pointer()))
        return _c.get_dummy_value()

    return types.void(types.int64, cell), lower


@intrinsic
def get_int64(context: Any, address: Any, index: Any) -> Lowered:  # noqa: ARG001
    """Entry `index` of the int64 numbers at `address`."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        word = ir.IntType(64)
        table = builder.inttoptr(args[0], word.as_pointer())
        return builder.load(builder.gep(table, [args[1]], source_etype=word), typ=word)

    return types.int64(types.int64, types.int64), lower


@intrinsic
def set_int64(context: Any, address: Any, index: Any, value: Any) -> Lowered:  # noqa: ARG001
    """Write entry `index` of the int64 numbers at `address`."""

    def lower(context: Any, builder: Any, _s: Any, args: Any) -> Any:
        word = ir.IntType(64)
        table = builder.inttoptr(args[0], word.as_pointer())
        builder.store(args[2], builder.gep(table, [args[1]], source_etype=word))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), lower


@intrinsic
def copy_bytes(context: Any, target: Any, source: Any, length: Any) -> Lowered:  # noqa: ARG001
    """Copy `length` bytes from one address to another."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        target, source = (builder.inttoptr(address, byte) for address in args[:2])
        cgutils.raw_memcpy(builder, target, source, args[2], 1)
        return _c.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), lower


def _call_of(count: int) -> Any:
    """An intrinsic (address, `count` int64 arguments): call the function that lies there."""

    def call(context: Any, address: Any, arguments: Any) -> Lowered:  # noqa: ARG001
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [word] * count)

        def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
            function = builder.inttoptr(args[0], kind.as_pointer())
            given = [builder.extract_value(args[1], i) for i in range(count)]
            builder.call(function, given)
            return _c.get_dummy_value()

        return types.void(types.int64, types.UniTuple(types.int64, count)), lower

    return intrinsic(call)


call_row = _call_of(3)  # (n, table of addresses of operands, address of the result)
call_fold = _call_of(1)  # (address of a table of `FoldWord`)
