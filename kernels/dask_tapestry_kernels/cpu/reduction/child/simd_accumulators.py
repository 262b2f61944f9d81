"""Accumulators as numba values: LLVM vectors, one for each field of a fold.

numba vectorizes a loop where it sees that it may; the order of a fold is fixed by its lanes, so
they are vectors from the start. `SimdLanes` is the type, `LaneOps` the operations of one
`LeafPass`.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.extending import register_model

from dask_tapestry_kernels.cpu.reduction.child import vector_ir as v
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import LeafPass
from dask_tapestry_kernels.cpu.reduction.child.vector_ir import DType, Value, Vectors
from dask_tapestry_kernels.elementary.compiled_functions import I64, named, reserve
from dask_tapestry_kernels.elementary.number_intrinsics import Lowered, intrinsic

LANES: Final = 32


class SimdLanes(types.Type):
    """`width` lanes of fields of the given LLVM types."""

    def __init__(self, fields: tuple[Value, ...], width: int) -> None:
        self.fields, self.width = fields, width
        super().__init__(f"lanes({', '.join(map(str, fields))}; {width})")


@register_model(SimdLanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: SimdLanes) -> None:
        vectors = [ir.VectorType(field, kind.width) for field in kind.fields]
        super().__init__(manager, kind, ir.LiteralStructType(vectors))  # type: ignore[no-untyped-call]


def _pack(b: Value, vectors: Vectors) -> Value:
    kind = ir.LiteralStructType([x.type for x in vectors])
    packed = ir.Constant(kind, ir.Undefined)
    for place, x in enumerate(vectors):
        packed = b.insert_value(packed, x, place)
    return packed


def _fields(b: Value, packed: Value) -> Vectors:
    return [b.extract_value(packed, i) for i in range(len(packed.type.elements))]


def _at(b: Value, address: Value, kind: Value) -> Value:
    return b.inttoptr(address, kind.as_pointer())


def bytes_of(element: Value) -> int:
    """Size of an LLVM number in memory."""
    return element.width // 8 if isinstance(element, ir.IntType) else {
        v.DOUBLE: 8, v.FLOAT: 4, v.HALF: 2}[element]  # fmt: skip


def _offset(b: Value, address: Value, index: Value, size: int) -> Value:
    return b.add(address, b.mul(index, ir.Constant(v.INT64, size)))


def _load_cells(b: Value, pointer: Value, dtype: DType, width: int) -> Vectors:
    """Cells that lie side by side; complex ones taken apart."""
    count, element = v.parts(dtype), v.stored(dtype)
    kind = ir.VectorType(element, width * count)
    whole = b.load(b.bitcast(pointer, kind.as_pointer()), align=bytes_of(element), typ=kind)
    if count == 1:
        return [whole]
    return [v.lanes(b, whole, range(part, 2 * width, 2)) for part in (0, 1)]


def _store_cells(b: Value, pointer: Value, dtype: DType, cells: Vectors) -> None:
    element = v.stored(dtype)
    x, width = cells[0], cells[0].type.count
    if len(cells) == 2:
        mixed = [ir.Constant(v.INT32, i // 2 + width * (i % 2)) for i in range(2 * width)]
        x = b.shuffle_vector(*cells, ir.Constant(ir.VectorType(v.INT32, 2 * width), mixed))
    elif element != x.type.element:
        x = b.fptrunc(x, ir.VectorType(element, width))
    b.store(x, b.bitcast(pointer, x.type.as_pointer()), align=bytes_of(element))


class LaneOps:
    """The operations of one pass, `width` cells at a time, as numba intrinsics."""

    def __init__(self, folded: LeafPass, width: int) -> None:
        self.folded, self.width = folded, width
        self.near, self.far = SimdLanes(folded.near, width), SimdLanes(folded.ended, width)
        told = () if folded.context is None else v.parts(folded.context) * (
            v.held(v.real(folded.context)),)  # fmt: skip
        self.told = SimdLanes(told, width)

    def _context(self, b: Value, packed: Value) -> Vectors:
        return _fields(b, packed) if self.told.fields else []

    def read(self) -> Any:
        """(address, context, number) -> near fields of the cells there."""
        folded, width = self.folded, self.width

        def read(context: Any, address: Any, told: Any, number: Any) -> Lowered:  # noqa: ARG001
            def lower(_c: Any, b: Value, _s: Any, args: Any) -> Value:
                cells = _load_cells(b, _at(b, args[0], v.BYTE), folded.cell, width)
                return _pack(b, folded.read(b, cells, self._context(b, args[1]), args[2]))

            return self.near(I64, self.told, I64), lower

        return named("read", read)

    def read_some(self) -> Any:
        """Like `read`, for `count` cells, fewer than the lanes; the other lanes are undefined."""
        folded, width = self.folded, self.width

        def read_some(context: Any, address: Any, count: Any, told: Any, number: Any) -> Lowered:  # noqa: ARG001
            def lower(_c: Any, b: Value, _s: Any, args: Any) -> Value:
                copy = reserve(b, width * folded.cell.itemsize)
                empty = ir.VectorType(v.BYTE, width * folded.cell.itemsize)
                b.store(ir.Constant(empty, None), b.bitcast(copy, empty.as_pointer()), align=1)
                length = b.mul(args[1], ir.Constant(v.INT64, folded.cell.itemsize))
                cgutils.raw_memcpy(b, copy, _at(b, args[0], v.BYTE), length, 1)
                cells = _load_cells(b, copy, folded.cell, width)
                return _pack(b, folded.read(b, cells, self._context(b, args[2]), args[3]))

            return self.near(I64, I64, self.told, I64), lower

        return named("read_some", read_some)

    def step(self) -> Any:
        """(accumulator, later cells) -> accumulator."""
        combine = self.folded.step or self.folded.combine

        def step(context: Any, x: Any, y: Any) -> Lowered:  # noqa: ARG001
            return self.near(self.near, self.near), lambda _c, b, _s, args: _pack(
                b, combine(b, _fields(b, args[0]), _fields(b, args[1]))
            )

        return named("step", step)

    def step_some(self) -> Any:
        """As `step` in the first `count` lanes."""
        combine, width = self.folded.step or self.folded.combine, self.width

        def step_some(context: Any, x: Any, y: Any, count: Any) -> Lowered:  # noqa: ARG001
            def lower(_c: Any, b: Value, _s: Any, args: Any) -> Value:
                x, y = _fields(b, args[0]), _fields(b, args[1])
                return _pack(b, v.choose(b, _below(b, args[2], width, 0), combine(b, x, y), x))

            return self.near(self.near, self.near, I64), lower

        return named("step_some", step_some)

    def combine(self) -> Any:
        """Combine two accumulators in the form that is folded by halves."""
        combine = self.folded.combine

        def join(context: Any, x: Any, y: Any) -> Lowered:  # noqa: ARG001
            return self.far(self.far, self.far), lambda _c, b, _s, args: _pack(
                b, combine(b, _fields(b, args[0]), _fields(b, args[1]))
            )

        return named("join", join)

    def settle(self) -> Any:
        """Convert an accumulator from the form of the loop to the form that is folded by halves."""
        settle = self.folded.settle

        def settled(context: Any, x: Any) -> Lowered:  # noqa: ARG001
            return self.far(self.near), lambda _c, b, _s, args: _pack(
                b, settle(b, _fields(b, args[0]))
            )

        return named("settled", settled)

    def halve(self) -> Any:
        """(far fields, lanes that hold something) -> one lane, folded by halves."""
        combine, width = self.folded.combine, self.width
        one = SimdLanes(self.folded.ended, 1)

        def halve(context: Any, x: Any, count: Any) -> Lowered:  # noqa: ARG001
            def lower(_c: Any, b: Value, _s: Any, args: Any) -> Value:
                x, half = _fields(b, args[0]), width
                while half > 1:
                    half //= 2
                    low = [v.lanes(b, p, range(half)) for p in x]
                    high = [v.lanes(b, p, range(half, 2 * half)) for p in x]
                    x = v.choose(b, _below(b, args[1], half, half), combine(b, low, high), low)
                return _pack(b, x)

            return one(self.far, I64), lower

        return named("halve", halve)

    def store(self, far: bool) -> Any:
        """(fields, address, bytes from field to field, index)."""
        kind = self.far if far else self.near

        def store(context: Any, x: Any, address: Any, plane: Any, index: Any) -> Lowered:  # noqa: ARG001
            def lower(_c: Any, b: Value, _s: Any, args: Any) -> Value:
                place = args[1]
                for x in _fields(b, args[0]):
                    size = bytes_of(x.type.element)
                    b.store(x, _at(b, _offset(b, place, args[3], size), x.type), align=size)
                    place = b.add(place, args[2])
                return _c.get_dummy_value()

            return types.void(kind, I64, I64, I64), lower

        return named("store", store)

    def load(self, far: bool) -> Any:
        """(address, bytes from field to field, index) -> fields."""
        kind = self.far if far else self.near

        def load(context: Any, address: Any, plane: Any, index: Any) -> Lowered:  # noqa: ARG001
            def lower(_c: Any, b: Value, _s: Any, args: Any) -> Value:
                place, found = args[0], []
                for element in kind.fields:
                    vector, size = ir.VectorType(element, kind.width), bytes_of(element)
                    pointer = _at(b, _offset(b, place, args[2], size), vector)
                    found.append(b.load(pointer, align=size, typ=vector))
                    place = b.add(place, args[1])
                return _pack(b, found)

            return kind(I64, I64, I64), lower

        return named("load", load)

    def write(self) -> Any:
        """(far fields, cells of a leaf, table of parts, index, count): finish, write `count`."""
        folded, width = self.folded, self.width

        def write(context: Any, x: Any, n: Any, parts: Any, index: Any, count: Any) -> Lowered:  # noqa: ARG001
            def lower(_c: Any, b: Value, _s: Any, args: Any) -> Value:
                values = folded.finish(b, _fields(b, args[0]), args[1])
                table = _at(b, args[2], v.INT64)
                for place, dtype in zip(folded.places, folded.written, strict=True):
                    item = dtype.itemsize
                    entry = b.gep(table, [ir.Constant(v.INT64, place)], source_etype=v.INT64)
                    start = b.load(entry, align=8, typ=v.INT64)
                    pointer = _at(b, _offset(b, start, args[3], item), v.BYTE)
                    held = pointer if width == 1 else reserve(b, item * width)
                    taken = v.parts(dtype)
                    _store_cells(b, held, dtype, values[:taken])
                    if width > 1:
                        length = b.mul(args[4], ir.Constant(v.INT64, item))
                        cgutils.raw_memcpy(b, pointer, held, length, 1)
                    values = values[taken:]
                return _c.get_dummy_value()

            return types.void(self.far, I64, I64, I64, I64), lower

        return named("write", write)

    def match(self) -> Any:
        """(near fields, one lane of them) -> bits of the lanes whose first number is that one's.

        A NaN matches in any case, as where there is one, it is what was looked for.
        """
        width, k = self.width, v.parts(self.folded.cell)
        one = SimdLanes(self.folded.near, 1)

        def match(context: Any, x: Any, y: Any) -> Lowered:  # noqa: ARG001
            def lower(_c: Any, b: Value, _s: Any, args: Any) -> Value:
                zero = ir.Constant(v.INT32, 0)
                x = _fields(b, args[0])[:k]
                wanted = [b.extract_element(p, zero) for p in _fields(b, args[1])[:k]]
                found = v.equal(b, x, [v.splat(b, p, width) for p in wanted])
                if v.is_float(x[0]):
                    found = b.or_(found, v.is_nan(b, x))
                return b.zext(b.bitcast(found, ir.IntType(width)), v.INT64)

            return I64(self.near, one), lower

        return named("match", match)

    def context(self, alone: bool) -> Any:
        """(address, index) -> the context of the columns there; of one for all lanes if `alone`."""
        dtype, width = self.folded.context, self.width

        def tell(context: Any, address: Any, index: Any) -> Lowered:  # noqa: ARG001
            def lower(_c: Any, b: Value, _s: Any, args: Any) -> Value:
                if dtype is None:
                    return ir.Constant(ir.LiteralStructType([]), None)
                pointer = _at(b, _offset(b, args[0], args[1], dtype.itemsize), v.BYTE)
                found = _load_cells(b, pointer, dtype, 1 if alone else width)
                if alone:
                    zero = ir.Constant(v.INT32, 0)
                    found = [v.splat(b, b.extract_element(x, zero), width) for x in found]
                return _pack(b, found)

            return self.told(I64, I64), lower

        return named("tell", tell)


def _below(b: Value, count: Value, width: int, first: int) -> Value:
    """Which of `width` lanes, counted from `first`, are below `count`."""
    limit = v.splat(b, b.trunc(count, v.INT32), width)
    return b.icmp_signed("<", v.iota(width, first), limit)


@intrinsic
def first_lane(context: Any, bits: Any) -> Lowered:  # noqa: ARG001
    """Number of the lowest bit that is set, of some."""
    return I64(I64), lambda _c, b, _s, args: b.cttz(args[0], ir.Constant(v.BIT, 1))
