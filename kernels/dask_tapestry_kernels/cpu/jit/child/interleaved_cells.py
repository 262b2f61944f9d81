"""Interleaved cells of a few rows, as colours of pixels, taken apart and put together as vectors.

Cell by cell each one is a load and a store, and memory is gone through once for each row. Here a
vector of each row is made of, or becomes, as many vectors of memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types

from dask_tapestry_kernels.elementary.compiled_functions import called, inlined, keep_apart
from dask_tapestry_kernels.elementary.number_intrinsics import Lowered, intrinsic

MOST_ROWS: Final = 4
BYTES: Final = 32  # of a vector
LANE: Final = ir.IntType(32)


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


def _moved(rows: int, joins: bool) -> Any:
    """An intrinsic (where the rows are, where they are interleaved, cell): one vector of each."""

    def move(context: Any, places: Any, address: Any, cell: Any) -> Lowered:  # noqa: ARG001
        def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
            size = args[2].type.width // 8
            kind = ir.VectorType(args[2].type, BYTES // size)
            apart = [builder.extract_value(args[0], number) for number in range(rows)]
            steps = [ir.Constant(ir.IntType(64), number * BYTES) for number in range(rows)]
            together = [builder.add(args[1], step) for step in steps]
            sources, targets = (apart, together) if joins else (together, apart)
            found = [
                builder.load(builder.inttoptr(at, kind.as_pointer()), align=size, typ=kind)
                for at in sources
            ]
            for to, lanes in zip(targets, _lanes(rows, kind.count, joins), strict=True):
                vector = _picked(builder, found, lanes)
                builder.store(vector, builder.inttoptr(to, kind.as_pointer()), align=size)
            return _c.get_dummy_value()

        return types.void(places, address, cell), lower

    return intrinsic(move)


_split_two, _split_three, _split_four = (_moved(rows, False) for rows in (2, 3, 4))
_join_two, _join_three, _join_four = (_moved(rows, True) for rows in (2, 3, 4))
Places = tuple[int, int, int, int]  # addresses of rows; those after the last are not read
PLACES: Final = types.UniTuple(types.int64, MOST_ROWS)


@inlined
def _split_as(zero: Any, source: int, targets: Places, rows: int, vectors: int) -> None:
    a, b, c, d = targets
    for i in range(vectors):
        at = i * BYTES
        if rows == 2:
            _split_two((a + at, b + at), source + 2 * at, zero)
        elif rows == 3:
            _split_three((a + at, b + at, c + at), source + 3 * at, zero)
        else:
            _split_four((a + at, b + at, c + at, d + at), source + 4 * at, zero)


@inlined
def _join_as(zero: Any, sources: Places, target: int, rows: int, vectors: int) -> None:
    a, b, c, d = sources
    for i in range(vectors):
        at = i * BYTES
        if rows == 2:
            _join_two((a + at, b + at), target + 2 * at, zero)
        elif rows == 3:
            _join_three((a + at, b + at, c + at), target + 3 * at, zero)
        else:
            _join_four((a + at, b + at, c + at, d + at), target + 4 * at, zero)


@called(1, PLACES, 3)
def split_cells(source: int, targets: Places, rows: int, vectors: int, size: int) -> None:
    """Take interleaved cells of `size` bytes apart: `vectors` vectors of each of a few rows."""
    keep_apart()
    if size == 8:
        _split_as(np.int64(0), source, targets, rows, vectors)
    elif size == 4:
        _split_as(np.int32(0), source, targets, rows, vectors)
    elif size == 2:
        _split_as(np.int16(0), source, targets, rows, vectors)
    else:
        _split_as(np.int8(0), source, targets, rows, vectors)


@called(PLACES, 4)
def join_cells(sources: Places, target: int, rows: int, vectors: int, size: int) -> None:
    """Put cells of `size` bytes of a few rows together, interleaved: the reverse."""
    keep_apart()
    if size == 8:
        _join_as(np.int64(0), sources, target, rows, vectors)
    elif size == 4:
        _join_as(np.int32(0), sources, target, rows, vectors)
    elif size == 2:
        _join_as(np.int16(0), sources, target, rows, vectors)
    else:
        _join_as(np.int8(0), sources, target, rows, vectors)
