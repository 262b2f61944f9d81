"""Which sorts are cut along the sorted axis, and into how many columns."""

from __future__ import annotations

from math import isqrt, prod
from types import MappingProxyType
from typing import Final

from dask_tapestry.operators.columnsort import most_columns, pair_dtype
from dask_tapestry.operators.order_statistics import OrderStatistics
from dask_tapestry.operators.sort import ArgSort, Sort
from dask_tapestry.plan.grid import Aim
from dask_tapestry.plan.machine import BLOCKS_A_SLOT
from dask_tapestry.teg import Node

COLUMN_BLOCKS: Final = 4  # smallest blocks that make a column worth its part in four rounds
COPIES: Final = 4  # of a column's cells while it is sorted: as sent, joined, in order; and room
SLOTS: Final = MappingProxyType({Sort: 2, ArgSort: 4, OrderStatistics: 32})  # that make up for it


def sort_columns(node: Node, aim: Aim) -> int:
    """Columns in which the lanes of a sort are sorted; 0 where each lane fits into one block.

    Lanes that fit are cut only where there are fewer of them than slots to sort them, and enough
    slots: of 5e7 float64, eight columns take 1.2 times the work of `numpy.sort` (two 1.6 times),
    1.9 times that of `numpy.argsort`, and some 20 times that of `numpy.partition`. The cells of
    each column go to all columns, twice: the fewer columns, the fewer pieces.
    """
    match node.operator:
        case Sort(axis, in_runs=False) | OrderStatistics(axis):
            (x,) = node.input_types
            width = x.dtype.itemsize
        case ArgSort(axis):
            (x,) = node.input_types
            width = pair_dtype(x.dtype).itemsize
        case _:
            return 0
    cells = x.shape[axis]
    if not x.size:
        return 0
    lanes = prod(x.shape) // cells
    columns = -(-COPIES * cells * width // aim.limit)
    slots = -(-aim.count // BLOCKS_A_SLOT)
    if slots >= SLOTS[type(node.operator)]:
        blocks = aim.count if aim.local else slots  # memory that is used again is not cleared again
        wanted = min(-(-blocks // lanes), cells * width // (COLUMN_BLOCKS * aim.smallest))
        columns = max(columns, min(wanted, isqrt(aim.edges // lanes)))
    return min(columns, most_columns(cells)) if columns > 1 else 0
