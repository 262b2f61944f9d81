"""Interleaved cells of a few rows, as colours of pixels, taken apart and put together as vectors.

Cell by cell each one is a load and a store, and memory is gone through once for each row. Here a
vector of each row is made of, or becomes, as many vectors of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llvmlite import ir
from numba import types

from dask_tapestry_kernels.elementary.compiled_functions import inlined
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


def _vectors(builder: Any, address: Any, apart: Any, count: int, kind: Any) -> list[Any]:
    """Pointers to `count` vectors, `apart` bytes from one to the next."""
    found = []
    for _ in range(count):
        found.append(builder.inttoptr(address, kind.as_pointer()))
        address = builder.add(address, apart)
    return found


def _moved(rows: int, joins: bool) -> Any:
    """An intrinsic (source, target, bytes from row to row, cell): one vector of each row."""

    def move(context: Any, source: Any, target: Any, apart: Any, cell: Any) -> Lowered:  # noqa: ARG001
        def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
            size = args[3].type.width // 8
            width = BYTES // size
            kind = ir.VectorType(args[3].type, width)
            steps = [args[2], ir.Constant(ir.IntType(64), BYTES)]
            step, to_step = steps if joins else steps[::-1]
            found = [
                builder.load(at, align=size, typ=kind)
                for at in _vectors(builder, args[0], step, rows, kind)
            ]
            for number, to in enumerate(_vectors(builder, args[1], to_step, rows, kind)):
                if joins:
                    places = range(number * width, (number + 1) * width)
                    lanes = [place % rows * width + place // rows for place in places]
                else:
                    lanes = [number + rows * i for i in range(width)]
                builder.store(_picked(builder, found, lanes), to, align=size)
            return _c.get_dummy_value()

        return types.void(source, target, apart, cell), lower

    return intrinsic(move)


_split_two, _split_three, _split_four = (_moved(rows, False) for rows in (2, 3, 4))
_join_two, _join_three, _join_four = (_moved(rows, True) for rows in (2, 3, 4))


@inlined
def split_cells(zero: Any, source: int, target: int, rows: int, vectors: int, apart: int) -> None:
    """Take cells of `rows` rows apart: `vectors` vectors of each row, written `apart` bytes off."""
    if rows == 2:
        for i in range(vectors):
            _split_two(source + 2 * i * BYTES, target + i * BYTES, apart, zero)
    elif rows == 3:
        for i in range(vectors):
            _split_three(source + 3 * i * BYTES, target + i * BYTES, apart, zero)
    else:
        for i in range(vectors):
            _split_four(source + 4 * i * BYTES, target + i * BYTES, apart, zero)


@inlined
def join_cells(zero: Any, source: int, target: int, rows: int, vectors: int, apart: int) -> None:
    """Put cells of `rows` rows, which are `apart` bytes off, together: the reverse."""
    if rows == 2:
        for i in range(vectors):
            _join_two(source + i * BYTES, target + 2 * i * BYTES, apart, zero)
    elif rows == 3:
        for i in range(vectors):
            _join_three(source + i * BYTES, target + 3 * i * BYTES, apart, zero)
    else:
        for i in range(vectors):
            _join_four(source + i * BYTES, target + 4 * i * BYTES, apart, zero)
