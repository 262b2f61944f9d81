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
def peek(context: Any, address: Any, kind: Any) -> Lowered:  # noqa: ARG001
    """The cell at `address`, of the type of `kind`."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], args[1].type.as_pointer()))

    return kind(types.int64, kind), lower


@intrinsic
def poke(context: Any, address: Any, cell: Any) -> Lowered:  # noqa: ARG001
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
    return _store_entry(ir.IntType(64))


@intrinsic
def set_int32(context: Any, address: Any, index: Any, value: Any) -> Lowered:  # noqa: ARG001
    """Write entry `index` of the int32 numbers at `address`."""
    return _store_entry(ir.IntType(32))


def _store_entry(word: ir.Type) -> Lowered:
    def lower(context: Any, builder: Any, _s: Any, args: Any) -> Any:
        table = builder.inttoptr(args[0], word.as_pointer())
        value = args[2] if word.width == 64 else builder.trunc(args[2], word)
        builder.store(value, builder.gep(table, [args[1]], source_etype=word))
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


def _move_of(size: int) -> Any:
    """An intrinsic (target, source): copy one cell of `size` bytes."""

    def move(context: Any, target: Any, source: Any) -> Lowered:  # noqa: ARG001
        word = ir.IntType(8 * size)

        def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
            to, at = (builder.inttoptr(address, word.as_pointer()) for address in args)
            builder.store(builder.load(at, align=1, typ=word), to, align=1)
            return _c.get_dummy_value()

        return types.void(types.int64, types.int64), lower

    return intrinsic(move)


move_1, move_2, move_4, move_8 = (_move_of(size) for size in (1, 2, 4, 8))


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
call_fold = _call_of(9)  # as `fold_texts.fold_source` says
