"""Interleaved cells of a few rows, as colours of pixels, taken apart and put together as vectors.

Cell by cell each one is a load and a store, and memory is gone through once for each row. Here a
vector of each row is made of, or becomes, as many vectors of memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils

from dask_tapestry_kernels.elementary.compiled_functions import called, keep_apart
from dask_tapestry_kernels.elementary.number_intrinsics import Lowered, intrinsic

LEAST_ROWS: Final = 2
MOST_ROWS: Final = 4
SIZES: Final = (1, 2, 4, 8)
BYTES: Final = 32  # of a vector
LANE: Final = ir.IntType(32)
I64: Final = ir.IntType(64)


def _picked(builder: Any, vectors: Sequence[Any], lanes: Sequence[int]) -> Any:
    """A vector of these lanes of several vectors, counted through all of them."""
    width = vectors[0].type.count
    found = None
    for number, vector in enumerate(vectors):
        kind = ir.VectorType(LANE, width)
        own = [lane - number * width if lane // width == number else None for lane in lanes]
        if found is None:
            mask = [0 if lane is None else lane for lane in own]
            found = builder.shuffle_vector(vector, vector, ir.Constant(kind, mask))
        else:
            moved = builder.shuffle_vector(
                vector, vector, ir.Constant(kind, [lane or 0 for lane in own])
            )
            mask = [i if lane is None else width + i for i, lane in enumerate(own)]
            found = builder.shuffle_vector(found, moved, ir.Constant(kind, mask))
    return found


def _lanes(rows: int, width: int, joins: bool) -> Iterator[list[int]]:
    """For each vector that is written the lanes it is made of, through all that are read."""
    for number in range(rows):
        if joins:
            places = range(number * width, (number + 1) * width)
            yield [place % rows * width + place // rows for place in places]
        else:
            yield [number + rows * i for i in range(width)]


def _move_vectors(b: Any, places: Sequence[Any], at: Any, size: int, joins: bool) -> None:
    """Move one vector of each row: the rows are at `places`, and interleaved `at` an address."""
    kind = ir.VectorType(ir.IntType(8 * size), BYTES // size)
    steps = [ir.Constant(I64, number * BYTES) for number in range(len(places))]
    together = [b.add(at, step) for step in steps]
    sources, targets = (places, together) if joins else (together, places)
    pointers = [b.inttoptr(source, kind.as_pointer()) for source in sources]
    found = [b.load(pointer, align=size, typ=kind) for pointer in pointers]
    for to, lanes in zip(targets, _lanes(len(places), kind.count, joins), strict=True):
        vector = _picked(b, found, lanes)
        b.store(vector, b.inttoptr(to, kind.as_pointer()), align=size)


def _mover(joins: bool) -> Any:
    """An intrinsic: a loop for each number of rows and size of cells, of which one is run."""

    def move(
        context: Any,  # noqa: ARG001
        places: Any,
        address: Any,
        rows: Any,
        vectors: Any,
        size: Any,
    ) -> Lowered:
        def lower(_c: Any, b: Any, _s: Any, args: Any) -> Any:
            for count, cell in product(range(LEAST_ROWS, MOST_ROWS + 1), SIZES):
                is_count = b.icmp_signed("==", args[2], ir.Constant(I64, count))
                is_size = b.icmp_signed("==", args[4], ir.Constant(I64, cell))
                with (
                    b.if_then(b.and_(is_count, is_size)),
                    cgutils.for_range(b, args[3], intp=I64) as loop,
                ):
                    done = b.mul(loop.index, ir.Constant(I64, BYTES))
                    apart = [b.add(b.extract_value(args[0], i), done) for i in range(count)]
                    at = b.add(args[1], b.mul(done, ir.Constant(I64, count)))
                    _move_vectors(b, apart, at, cell, joins)
            return _c.get_dummy_value()

        return types.void(places, address, rows, vectors, size), lower

    return intrinsic(move)


_split, _join = _mover(joins=False), _mover(joins=True)
Places = tuple[int, int, int, int]  # addresses of rows; those after the last are not read
PLACES: Final = types.UniTuple(types.int64, MOST_ROWS)


@called(1, PLACES, 3)
def split_cells(source: int, targets: Places, rows: int, vectors: int, size: int) -> None:
    """Take interleaved cells of `size` bytes apart: `vectors` vectors of each of a few rows."""
    keep_apart()
    _split(targets, source, rows, vectors, size)


@called(PLACES, 4)
def join_cells(sources: Places, target: int, rows: int, vectors: int, size: int) -> None:
    """Put cells of `size` bytes of a few rows together, interleaved: the reverse."""
    keep_apart()
    _join(sources, target, rows, vectors, size)
