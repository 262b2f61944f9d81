"""Tiles of cells that change rows and columns in registers, as vectors.

Cell by cell each one is a load and a store of its own, the store in another line of memory than
the one before. Here a line of the source is a vector, and so is one of the target.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types

from dask_tapestry_kernels.elementary.number_intrinsics import Lowered, intrinsic

TILE: Final = 8  # rows and columns
LANE: Final = ir.IntType(32)


def _turned(builder: Any, rows: list[Any]) -> list[Any]:
    """The columns of `TILE` vectors: blocks off the diagonal change places, large ones first."""
    half = TILE // 2
    while half:
        low = [lane if not lane & half else TILE + lane - half for lane in range(TILE)]
        high = [lane + half if not lane & half else TILE + lane for lane in range(TILE)]
        masks = [ir.Constant(ir.VectorType(LANE, TILE), lanes) for lanes in (low, high)]
        for row in range(TILE):
            if not row & half:
                pair = rows[row], rows[row + half]
                rows[row], rows[row + half] = [
                    builder.shuffle_vector(*pair, mask) for mask in masks
                ]
        half //= 2
    return rows


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
        kind, size = ir.VectorType(cell.type, TILE), cell.type.width // 8
        rows = []
        for _ in range(TILE):
            rows.append(builder.load(builder.inttoptr(at, kind.as_pointer()), align=size, typ=kind))
            at = builder.add(at, down)
        for row in _turned(builder, rows):
            builder.store(row, builder.inttoptr(to, kind.as_pointer()), align=size)
            to = builder.add(to, to_down)
        return _c.get_dummy_value()

    return types.void(source, target, apart, to_apart, word), lower
