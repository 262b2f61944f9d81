"""Memory by address: cells and tables read and written, bytes copied, functions called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils

from dask_tapestry_kernels.elementary.compiled_functions import inlined
from dask_tapestry_kernels.elementary.number_intrinsics import Lowered, intrinsic

LINE: Final = 64  # bytes of memory that come together
SHORT_VECTORS: Final = '"prefer-vector-width"="256"'  # attributes of LLVM's functions
LONG_VECTORS: Final = '"prefer-vector-width"="512"'


@intrinsic
def pointer(context: Any, address: Any) -> Lowered:  # noqa: ARG001
    """``void *`` to an address, for `numba.carray`."""
    return types.voidptr(types.intp), lambda _c, builder, _s, args: builder.inttoptr(
        args[0], ir.IntType(8).as_pointer()
    )


def _entry(builder: Any, address: Any, index: Any, kind: Any) -> Any:
    """Pointer to number `index` of the cells of an LLVM type that lie at an address."""
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index], source_etype=kind)


@intrinsic
def read_cell(context: Any, address: Any, index: Any, kind: Any) -> Lowered:  # noqa: ARG001
    """Cell `index` of those of the type of `kind` that lie side by side at an address."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        word = args[2].type
        return builder.load(_entry(builder, args[0], args[1], word), typ=word)

    return kind(types.int64, types.int64, kind), lower


@intrinsic
def write_cell(context: Any, address: Any, index: Any, cell: Any) -> Lowered:  # noqa: ARG001
    """Write cell `index` of those of the type of `cell` that lie side by side at an address."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        builder.store(args[2], _entry(builder, args[0], args[1], args[2].type))
        return _c.get_dummy_value()

    return types.void(types.int64, types.int64, cell), lower


@intrinsic
def fetch_line(context: Any, address: Any) -> Lowered:  # noqa: ARG001
    """Ask for a line of memory that is read soon; no address is wrong."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        options = [ir.Constant(word, option) for option in (0, 3, 1)]  # reads, near, of data
        builder.call(function, [builder.inttoptr(args[0], byte), *options])
        return _c.get_dummy_value()

    return types.void(types.int64), lower


@inlined
def fetch_lines(address: int, length: int) -> None:
    """Ask for a line of memory in every `LINE` bytes of so many."""
    for byte in range(0, length, LINE):
        fetch_line(address + byte)


@intrinsic
def keep(context: Any, value: Any) -> Lowered:  # noqa: ARG001
    """Have a value computed that nothing reads: an instruction that is none takes it."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [args[0].type])
        builder.asm(kind, "", "r", args, side_effect=True)
        return _c.get_dummy_value()

    return types.void(value), lower


def _vectors(attribute: str) -> Callable[..., Any]:
    def declare(context: Any) -> Lowered:  # noqa: ARG001
        def lower(_c: Any, builder: Any, _s: Any, _args: Any) -> Any:
            set.add(builder.function.attributes, attribute)  # llvmlite's own has no such names
            return _c.get_dummy_value()

        return types.void(), lower

    return declare


#: Have the loops of the function that calls this read 32 bytes at a time at most: vectors of 64
#: cross a line of memory wherever they do not begin at one.
short_vectors = intrinsic(_vectors(SHORT_VECTORS))
#: Have them read 64 bytes at a time where the processor can: for some, LLVM's own choice is 32.
long_vectors = intrinsic(_vectors(LONG_VECTORS))


@intrinsic
def get_int64(context: Any, address: Any, index: Any) -> Lowered:  # noqa: ARG001
    """`read_cell` of an int64."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        word = ir.IntType(64)
        return builder.load(_entry(builder, args[0], args[1], word), typ=word)

    return types.int64(types.int64, types.int64), lower


@intrinsic
def set_int64(context: Any, address: Any, index: Any, value: Any) -> Lowered:  # noqa: ARG001
    """`write_cell` of an int64."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        builder.store(args[2], _entry(builder, args[0], args[1], ir.IntType(64)))
        return _c.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), lower


@intrinsic
def size_of(context: Any, cell: Any) -> Lowered:  # noqa: ARG001
    """Bytes of a number."""

    def lower(_c: Any, _b: Any, _s: Any, _args: Any) -> Any:
        return ir.Constant(ir.IntType(64), cell.bitwidth // 8)

    return types.int64(cell), lower


@intrinsic
def copy_bytes(context: Any, target: Any, source: Any, length: Any) -> Lowered:  # noqa: ARG001
    """Copy `length` bytes from one address to another."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        target, source = (builder.inttoptr(address, byte) for address in args[:2])
        cgutils.raw_memcpy(builder, target, source, args[2], 1)
        return _c.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), lower


def _mark(builder: Any, instruction: Any, scope: str, others: Sequence[str]) -> Any:
    """Tell LLVM in which scope an instruction reads or writes, and which others that is not."""
    module = builder.module

    def scopes(names: Sequence[str]) -> Any:
        domain = module.add_metadata(["memory of a kernel"])
        return module.add_metadata([module.add_metadata([name, domain]) for name in names])

    instruction.set_metadata("alias.scope", scopes([scope]))
    instruction.set_metadata("noalias", scopes(others))
    return instruction


OPERANDS: Final = "operands"


def apart(number: int, count: int) -> tuple[Any, Any]:
    """`read_cell` and `write_cell` of accumulators that are `number` of `count`.

    They share no memory with one another nor with what `read_operand` reads, so that a loop over
    their cells is vectorised: LLVM compares a few addresses alone.
    """
    own, *others = [f"accumulators {i}" for i in (number, *(set(range(count)) - {number}))]
    return _scoped(own, (OPERANDS, *others))


def operands_apart(count: int) -> Any:
    """`read_cell` of memory that is none of `count` accumulators."""
    return _scoped(OPERANDS, [f"accumulators {i}" for i in range(count)])[0]


def _scoped(scope: str, others: Sequence[str]) -> tuple[Any, Any]:
    def read(context: Any, address: Any, index: Any, kind: Any) -> Lowered:  # noqa: ARG001
        def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
            word = args[2].type
            found = builder.load(_entry(builder, args[0], args[1], word), typ=word)
            return _mark(builder, found, scope, others)

        return kind(types.int64, types.int64, kind), lower

    def write(context: Any, address: Any, index: Any, cell: Any) -> Lowered:  # noqa: ARG001
        def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
            entry = _entry(builder, args[0], args[1], args[2].type)
            _mark(builder, builder.store(args[2], entry), scope, others)
            return _c.get_dummy_value()

        return types.void(types.int64, types.int64, cell), lower

    return intrinsic(read), intrinsic(write)


VECTOR: Final = 32  # bytes that `copy_vector` copies


@intrinsic
def copy_vector(context: Any, target: Any, source: Any) -> Lowered:  # noqa: ARG001
    """Copy 32 bytes from one address to another, by one load and one store where it can."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        kind = ir.VectorType(ir.IntType(8), VECTOR)
        to, at = (builder.inttoptr(address, kind.as_pointer()) for address in args)
        builder.store(builder.load(at, align=1, typ=kind), to, align=1)
        return _c.get_dummy_value()

    return types.void(types.int64, types.int64), lower


def record_at(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """The type of records of `dtype`, and an intrinsic: the record at an address."""
    kind = from_dtype(dtype)

    def at(context: Any, address: Any) -> Lowered:  # noqa: ARG001
        def lower(context: Any, builder: Any, _s: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(kind))

        return kind(types.int64), lower

    return kind, intrinsic(at)


@intrinsic
def copy_record(context: Any, target: Any, source: Any) -> Lowered:  # noqa: ARG001
    """Copy a record of one type to another."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        length = ir.Constant(ir.IntType(64), source.size)
        cgutils.raw_memcpy(builder, args[0], args[1], length, 1)
        return _c.get_dummy_value()

    return types.void(target, source), lower


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
call_fold = _call_of(1)  # (address of a record `leaf_tables.CALL`)
