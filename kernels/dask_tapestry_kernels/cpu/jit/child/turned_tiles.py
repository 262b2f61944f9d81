"""Tiles of cells that change rows and columns in registers, as vectors.

Cell by cell each one is a load and a store of its own, the store in another line of memory than
the one before. Here a line of the source is a vector, and so is one of the target.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

from llvmlite import ir
from numba import types

from dask_tapestry_kernels.elementary.number_intrinsics import Lowered, intrinsic

TILE: Final = 8  # rows and columns
HELD: Final = 32  # bytes of a row that are turned at a time: registers hold so many rows' columns
LANE: Final = ir.IntType(32)


def _turned(builder: Any, rows: list[Any]) -> list[Any]:
    """The columns of as many vectors: blocks off the diagonal change places, large ones first."""
    side = len(rows)
    half = side // 2
    while half:
        low = [lane if not lane & half else side + lane - half for lane in range(side)]
        high = [lane + half if not lane & half else side + lane for lane in range(side)]
        masks = [ir.Constant(ir.VectorType(LANE, side), lanes) for lanes in (low, high)]
        for row in range(side):
            if not row & half:
                pair = rows[row], rows[row + half]
                rows[row], rows[row + half] = [
                    builder.shuffle_vector(*pair, mask) for mask in masks
                ]
        half //= 2
    return rows


def _rows(builder: Any, first: Any, apart: Any) -> list[Any]:
    """Addresses of the rows of a tile."""
    rows = [first]
    while len(rows) < TILE:
        rows.append(builder.add(rows[-1], apart))
    return rows


def _pointer(builder: Any, row: Any, behind: int, kind: Any) -> Any:
    """A vector so many bytes behind where a row begins."""
    place = builder.add(row, ir.Constant(ir.IntType(64), behind))
    return builder.inttoptr(place, kind.as_pointer())


@intrinsic
def turn_tile(
    context: Any,  # noqa: ARG001
    source: Any,
    target: Any,
    apart: Any,
    to_apart: Any,
    word: Any,
) -> Lowered:
    """Write the columns of a tile at `source` as rows at `target`.

    Its cells are numbers as `word` is; those of a row lie side by side, and rows are `apart` and
    `to_apart` bytes.
    """

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        at, to, down, to_down, cell = args
        size = cell.type.width // 8
        side = min(TILE, HELD // size)
        kind = ir.VectorType(cell.type, side)
        starts, ends = [_rows(builder, *one) for one in ((at, down), (to, to_down))]
        for first, second in product(range(0, TILE, side), repeat=2):
            rows = [
                builder.load(_pointer(builder, row, second * size, kind), align=size, typ=kind)
                for row in starts[first : first + side]
            ]
            turned = zip(_turned(builder, rows), ends[second : second + side], strict=True)
            for cells, row in turned:
                builder.store(cells, _pointer(builder, row, first * size, kind), align=size)
        return _c.get_dummy_value()

    return types.void(source, target, apart, to_apart, word), lower
