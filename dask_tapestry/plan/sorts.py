"""Which sorts are cut along the sorted axis, and into how many columns."""

from __future__ import annotations

from math import isqrt, prod
from types import MappingProxyType
from typing import Final

from dask_tapestry.plan.grid import Aim
from dask_tapestry.plan.machine import BLOCKS_A_SLOT
from dask_tapestry.teg import Node

COLUMN_BLOCKS: Final = 4  # smallest blocks that make a column worth its part in four rounds
PLACE_BYTES: Final = 8  # of a cell's index, which an argsort sorts with it
COPIES: Final = 4  # of a column's cells while it is sorted: as sent, joined, in order; and room
SLOTS: Final = MappingProxyType(
    {"sort": 2, "argsort": 4, "orderstatistics": 32}
)  # that make up for it


def sort_columns(node: Node, aim: Aim) -> int:
    """Columns in which the lanes of a sort are sorted; 0 where each lane fits into one block.

    Lanes that fit are cut only where there are fewer of them than slots to sort them, and enough
    slots: of 5e7 float64, eight columns take 1.2 times the work of `numpy.sort` (two 1.6 times),
    1.9 times that of `numpy.argsort`, and some 20 times that of `numpy.partition`. The cells of
    each column go to all columns, twice: the fewer columns, the fewer pieces.
    """
    forms = node.operator.forms(node.input_types)
    form = next((form for form in forms if form.name == "columns"), None)
    if form is None:
        return 0
    (x,), name = node.input_types, node.operator.name
    width = x.dtype.itemsize + (PLACE_BYTES if name == "argsort" else 0)
    axis = node.operator.axis  # type: ignore[attr-defined]
    cells = x.shape[axis]
    lanes = prod(x.shape) // cells
    columns = -(-COPIES * cells * width // aim.limit)
    slots = -(-aim.count // BLOCKS_A_SLOT)
    if slots >= SLOTS[name]:
        blocks = aim.count if aim.local else slots  # memory that is used again is not cleared again
        wanted = min(-(-blocks // lanes), cells * width // (COLUMN_BLOCKS * aim.smallest))
        columns = max(columns, min(wanted, isqrt(aim.edges // lanes)))
    return min(columns, form.sizes[-1]) if columns > 1 else 0
