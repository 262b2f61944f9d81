"""Folds of cells that lie in a file: read and folded by one call, as many as a core's cache holds.

Of 1.6 GB of float64 in chunks of 32 MB, reading and adding up takes .071 processor seconds by
pieces of 4 MiB and .060 by pieces of 512 KiB; but to go from piece to piece in Python takes a tenth
of a millisecond each.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.reduction.leaf_pieces import leaf_grid
from dask_tapestry_kernels.cpu.reduction.leaf_states import (
    MOST_DIMS,
    Scratch,
    States,
    driver_arguments,
    loops_of,
)
from dask_tapestry_kernels.cpu.reduction.leaf_tables import FILE, record
from dask_tapestry_kernels.cpu.reduction.supported_folds import NEAR_CELLS
from dask_tapestry_kernels.fold_part import FoldPart, tells_places
from dask_tapestry_kernels.stopping import stop_if_asked
from dask_tapestry_kernels.unread_cells import UnreadCells

Block = np.ndarray[Any, Any]
PIECE_BYTES: Final = 2**19  # half of a second-level cache; one row of leaves at least
MOST_PIECE: Final = 2**22  # bytes
MOST_BYTES: Final = 2**26  # that are read between two questions whether to go on
SOURCE: Final = """\
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.fold_file import fold_pieces


@njit("void(int64)", nogil=True, error_model="numpy")
def kernel(call):
    fold_pieces(call)
"""
ARITY: Final = 1  #: the address of a record `leaf_tables.FILE`


def file_states(cells: UnreadCells, part: FoldPart) -> Block | None:
    """States of the leaves of cells that lie side by side in a file; None where they are read.

    They are read too where the file cannot be: who reads them says why.
    """
    shape, sides = cells.shape, part.tree.sides(0)
    row = prod(shape[1:]) * cells.itemsize
    if cells.opening is None or part.expression is not None or tells_places(part):
        return None
    in_order = cells.order == tuple(range(cells.ndim)) and sides and 0 not in shape
    if not in_order or prod(sides) > NEAR_CELLS or cells.ndim > MOST_DIMS:
        return None
    if sides[0] * row > MOST_PIECE or shape[0] * row > MOST_BYTES:
        return None
    with cells.opening(cells.spans) as place:
        return None if place is None else _states(cells, part, *place)


def _states(cells: UnreadCells, part: FoldPart, file: int, at: int) -> Block | None:
    """States of the leaves of cells that begin at byte `at` of an open file.

    None where it ends before, or nothing is compiled.
    """
    loops = loops_of(part.monoid, cells.dtype, part.state, cells.size)
    native = compiled(SOURCE, ARITY, "pieces of a file", cells.size)
    if loops is None or native is None:
        return None
    stop_if_asked()
    shape, sides = cells.shape, part.tree.sides(0)
    rank, row = len(sides), prod(shape[1:]) * cells.itemsize
    states = States((*leaf_grid(shape[:rank], sides), *shape[rank:]), part.state)
    rows = max(1, PIECE_BYTES // (sides[0] * row)) * sides[0]
    room, parts = Scratch(min(rows, shape[0]) * row), states.addresses
    step = rows // sides[0] * prod(states.nodes.shape[1:])
    for height, count in ((rows, shape[0] // rows), (shape[0] % rows, 1)):
        if not height or not count:
            continue
        piece = np.ndarray((height, *shape[1:]), cells.dtype, room.memory)
        arguments = driver_arguments(loops[0], [piece], cells.dtype, sides, parts, states.items)
        steps = np.array([step * item for item in states.items], np.int64)
        call = record(
            FILE,
            file=file,
            at=at,
            size=height * row,
            pieces=count,
            buffer=piece.ctypes.data,
            driver=loops[1].address,
            block=arguments.address,
            parts=arguments.parts.ctypes.data,
            steps=steps.ctypes.data,
            part_count=len(steps),
            failed=0,
        )
        native(call.ctypes.data)
        if call["failed"]:
            return None
        at += count * height * row
        parts = arguments.parts.tolist()
    return states.joined()
