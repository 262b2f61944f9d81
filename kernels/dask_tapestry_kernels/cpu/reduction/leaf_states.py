"""States of leaves by compiled code: the tables it reads, made for blocks of NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.jit.compile_service import Native, compiled
from dask_tapestry_kernels.cpu.reduction.fold_sources import (
    FOLD_ARITY,
    LEAVES,
    LEAVES_ARITY,
    fold_source,
)
from dask_tapestry_kernels.cpu.reduction.leaf_tables import BLOCK, MOST_OPERANDS, record
from dask_tapestry_kernels.cpu.reduction.supported_folds import NEAR_CELLS

Block = np.ndarray[Any, Any]
DType = np.dtype[Any]

ROWS_SCRATCH: Final = 524_288  # of a formula's rows, the longer the better: 64 columns of float64
LINES_SCRATCH: Final = 65_536  # of a formula's leaves that are evaluated one after the other
LONG: Final = 64  # cells of a leaf that are worth a call
SCRATCH: Final = 262_144  # bytes, which stay in the second cache
MOST_DIMS: Final = 64


class Formula(NamedTuple):
    """A compiled formula: the address of its row, its operands of single cells, and itself."""

    row: int
    scalars: tuple[Block, ...] = ()
    expression: Any = None
    still: tuple[int, ...] | None = None  #: operands of one cell in a leaf, if leaves lie in line


def formula_of(expression: Any, cells: int, still: tuple[int, ...] | None = None) -> Formula | None:
    """A formula of the blocks' cells as compiled code, if it is there.

    Of leaves that lie in line, the operands that are `still` in them are read once.
    """
    row = rows.row_of(expression, still or ())
    if row is None:
        return None
    native = compiled(row.source, rows.ARITY, rows.text(expression), cells)
    return Formula(native.address, row.scalars, expression, still) if native else None


def leaf_states(
    blocks: Sequence[Block],
    monoid: str,
    cell: DType,
    sides: tuple[int, ...],
    state: DType,
    formula: Formula | None = None,
    picks: Block | None = None,
) -> Block | None:
    """States of the leaves of a block whose reduced axes come first; None if none is compiled.

    Parameters
    ----------
    blocks
        The cells; or, with `formula`, the formula's operands, of one shape.
    monoid
        A key of `monoids.ARITHMETIC`.
    cell
        Dtype of the cells.
    sides
        Sides of a leaf along the reduced axes.
    state
        Dtype of the states.
    formula
        Makes the cells of the operands.
    picks
        Numbers of the columns that are folded, int64: cells of a column lie side by side, and there
        are one reduced and one kept axis, both of more than one cell.

    Returns
    -------
    The states, of shape (leaves along each reduced axis, kept axes).
    """
    shape, rank = blocks[0].shape, len(sides)
    if picks is not None:
        shape = (shape[0], len(picks))
    if not prod(shape) or prod(sides) > NEAR_CELLS or len(shape) > MOST_DIMS:
        return None
    if formula is not None and len(blocks) + len(formula.scalars) > MOST_OPERANDS:
        return None
    loops = loops_of(monoid, cell, state, prod(shape))
    if loops is None:
        return None
    grid = [-(-n // side) for n, side in zip(shape, sides, strict=False)]
    states = States((*grid, *shape[rank:]), state)
    fold, driver = loops
    told = states.addresses, states.items
    arguments = driver_arguments(fold, blocks, cell, sides, *told, formula, picks)
    driver(arguments.address)  # which are alive until then
    return states.joined()


class Arguments(NamedTuple):
    """A record `leaf_tables.BLOCK`, and the arrays that it has the addresses of.

    `parts` is the table of where each part of the states begins.
    """

    record: Block
    parts: Block
    others: tuple[Any, ...]

    @property
    def address(self) -> int:
        """The address of the record."""
        return int(self.record.ctypes.data)


def driver_arguments(
    fold: int,
    blocks: Sequence[Block],
    cell: DType,
    sides: tuple[int, ...],
    addresses: Sequence[int],
    items: Sequence[int],
    formula: Formula | None = None,
    picks: Block | None = None,
) -> Arguments:
    """What `leaf_driver.fold_leaves` is told: `addresses` and `items` are of parts of states."""
    extents, cuts, strides = simplified(blocks[0].shape, sides, [b.strides for b in blocks])
    if picks is not None:
        extents[1] = len(picks)
    operands = _operands(blocks, strides, formula.scalars if formula else ())
    count = len(operands) // (len(extents) + 2)
    leaf_bytes = prod(cuts) * (cell.itemsize + sum(b.itemsize for b in blocks))
    in_line = formula is not None and formula.still is not None
    least = LINES_SCRATCH if in_line else ROWS_SCRATCH if formula else SCRATCH
    scratch = Scratch(max(least, leaf_bytes + 64 * (count + 2)))
    lists = (operands, extents, cuts, addresses, items)
    at, shapes, leaf_sides, parts, sizes = (np.array(words, np.int64) for words in lists)
    arguments = record(
        BLOCK,
        fold=fold,
        row=formula.row if formula else 0,
        in_line=in_line,
        operands=at.ctypes.data,
        count=count,
        shape=shapes.ctypes.data,
        ndim=len(extents),
        reduced=len(cuts),
        sides=leaf_sides.ctypes.data,
        item=cell.itemsize,
        parts=parts.ctypes.data,
        part_items=sizes.ctypes.data,
        part_count=len(parts),
        scratch=scratch.address,
        size=scratch.size,
        picks=0 if picks is None else picks.ctypes.data,
    )
    return Arguments(arguments, parts, (at, shapes, leaf_sides, sizes, scratch, blocks, picks))


def still_in_line(blocks: Sequence[Block], sides: tuple[int, ...]) -> tuple[int, ...] | None:
    """Numbers of the operands of a formula that are one cell in each leaf; None: not in line.

    Leaves lie in line where one axis is reduced, some are kept, and the cells of a leaf lie side by
    side in each operand or are the same one: sums along rows of ``exp(x - m)``, of which `m` has a
    cell for each row. Then nothing is packed, and `m` is read once a row.
    """
    extents, cuts, strides = simplified(blocks[0].shape, sides, [b.strides for b in blocks])
    if len(extents) < 2 or len(cuts) != 1 or cuts[0] < LONG:
        return None
    firsts = [steps[0] for steps in strides]
    if any(first not in (0, b.itemsize) for first, b in zip(firsts, blocks, strict=True)):
        return None
    still = tuple([i for i, first in enumerate(firsts) if first == 0])
    return still if len(still) < len(blocks) else None


def _operands(
    blocks: Sequence[Block], strides: Sequence[Sequence[int]], scalars: Sequence[Block]
) -> list[int]:
    """Address, size of a cell, and strides of each operand; `scalars` have no strides."""
    rank = len(strides[0])
    words = []
    for block, steps in zip(blocks, strides, strict=True):
        words += [block.ctypes.data, block.itemsize, *steps]
    for scalar in scalars:
        words += [scalar.ctypes.data, 0, *[0] * rank]
    return words


class Scratch:
    """Memory for compiled code to work in, which begins at a multiple of 64 bytes."""

    def __init__(self, size: int) -> None:
        whole = np.empty(size + 64, np.uint8)
        start = -whole.ctypes.data % 64
        self.memory = whole[start : start + size]
        self.address, self.size = self.memory.ctypes.data, size


class States:
    """States of leaves, each field in an array of its own while they are computed."""

    def __init__(self, shape: tuple[int, ...], state: DType) -> None:
        self.names = state.names or ()
        self.nodes = np.empty(shape, state)
        self.parts = [np.empty(shape, state[name]) for name in self.names] or [self.nodes]

    @property
    def addresses(self) -> list[int]:
        """The addresses of the fields."""
        return [part.ctypes.data for part in self.parts]

    @property
    def items(self) -> list[int]:
        """Sizes of their cells."""
        return [part.itemsize for part in self.parts]

    def joined(self) -> Block:
        """The states."""
        for name, part in zip(self.names, self.parts, strict=False):
            self.nodes[name] = part
        return self.nodes


def loops_of(monoid: str, cell: DType, state: DType, cells: int) -> tuple[int, Native] | None:
    """Address of the fold, and the driver that calls it for each leaf, if both are compiled.

    Both are asked for, so that one does not wait for the other to be compiled.
    """
    fold = fold_of(monoid, cell, state, cells)
    supported = _source(monoid, cell, state) is not None
    driver = compiled(LEAVES, LEAVES_ARITY, "leaves of a reduction", cells) if supported else None
    return (fold.address, driver) if fold and driver else None


def fold_of(monoid: str, cell: DType, state: DType, cells: int) -> Native | None:
    """The compiled fold of one leaf, or of its columns; None while it is not compiled."""
    source = _source(monoid, cell, state)
    return compiled(source, FOLD_ARITY, f"{monoid} of {cell.name}", cells) if source else None


@lru_cache(maxsize=1024)
def _source(monoid: str, cell: DType, state: DType) -> str | None:
    return fold_source(monoid, cell, state)


def simplified(
    shape: tuple[int, ...], sides: tuple[int, ...], strides: Sequence[tuple[int, ...]]
) -> tuple[list[int], list[int], list[list[int]]]:
    """Extents, sides and strides with fewer axes: neighbours that run as one axis are merged.

    Kept axes are merged wherever they lie together, reduced axes where the later one is not cut.

    Examples
    --------
    >>> simplified((100, 3, 5, 2), (32, 4), [(240, 80, 16, 8)])
    ([300, 10], [96], [[80, 8]])
    """
    rank = len(sides)
    extents: list[int] = []
    cuts: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    reduced = 0
    for axis in reversed(range(len(shape))):
        n = shape[axis]
        side = min(sides[axis], n) if axis < rank else n
        if n == 1:
            continue
        joins = bool(extents) and (axis >= rank or (reduced > 0 and cuts[-1] == extents[-1]))
        if joins and all(
            steps_of[-1] * extents[-1] == of[axis]
            for steps_of, of in zip(steps, strides, strict=True)
        ):
            side *= extents[-1]
            extents[-1] *= n
            cuts[-1] = side
            continue
        extents.append(n)
        cuts.append(side)
        reduced += axis < rank
        for steps_of, of in zip(steps, strides, strict=True):
            steps_of.append(of[axis])
    first = [steps_of[::-1] for steps_of in steps]
    return extents[::-1], cuts[::-1][:reduced], first
