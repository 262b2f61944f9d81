"""Scatter: updates folded into blocks where index vectors say, one by one in C order.

An update is dropped where its place lies outside the block, cell by cell. Places are numbers of
rows: cells that lie side by side in the updates and in the block alike are folded together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import scatter_compiled
from dask_tapestry_kernels.cpu.blocks.gather import spread
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.formulas.update_steps import only_moves
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputBlocks, OutputShape
from dask_tapestry_kernels.parameters.coordinate_steps import (
    CoordinateStep,
    component_of,
    rows_from,
    wrapped,
)
from dask_tapestry_kernels.parameters.scratch import SCATTERED

Block = np.ndarray[Any, Any]

MOST_ROUNDS: Final = 64  # of updates for one cell, from which waiting for a compiled loop pays
UFUNCS: Final = {"add": np.add, "multiply": np.multiply}  # whose `at` has the bits of a loop


def scatter(
    out: Block | None,
    *blocks: Block,
    steps: Sequence[tuple[int | None, int | None, int, int, int, int]],
    vector: int,
    window: tuple[int, ...],
    expressions: tuple[Any, ...],
    outputs: tuple[OutputShape, ...] = (),
    kept: tuple[int, ...] = (),
    strict: bool = False,
    once: bool = False,
) -> Any:
    """The operands with updates folded in.

    Parameters
    ----------
    *blocks
        N operands of one shape, the indices, and N updates of one shape.
    steps, vector
        As of `gather.gather`, of operands and updates.
    window
        Axes of the updates that run through windows.
    expressions
        N cell expressions of 2N parameters: what each cell becomes of all cells there, and of the
        updates.
    outputs, kept
        Of several results, how those that are returned lie, and their numbers.
    strict
        Count negative indices from the end, and raise IndexError for those out of bounds.
    once
        Raise ValueError where a cell is updated twice.
    """
    count = len(expressions)
    operands, indices, updates = blocks[:count], blocks[count], blocks[count + 1 :]
    results = [_copied(out if count == 1 else None, x) for x in operands]
    coordinate_steps = [CoordinateStep(*step) for step in steps]
    parts = [component_of(indices, vector, step.component) for step in coordinate_steps]
    if strict:
        parts = [
            p if p is None else wrapped(p, coordinate_steps[d].extent, d)
            for d, p in enumerate(parts)
        ]
    if updates[0].size and results[0].size:
        sides = updates[0].shape, results[0].shape
        seen = np.zeros(results[0].size if once else 0, bool)
        for places, lo, hi in slabs(parts, coordinate_steps, window, *sides):
            given = [u[lo:hi] if places.ndim else u for u in updates]
            if once:
                _see(seen, places)
            fold(results, given, places, expressions)
    if count == 1:
        return results[0]
    return OutputBlocks(results[0].shape, outputs, [results[n] for n in kept])


def _see(seen: Block, places: Block) -> None:
    """Note which rows are updated; raise ValueError where one is for the second time."""
    rows = places[places >= 0]
    before = np.count_nonzero(seen)
    seen[rows] = True
    if np.count_nonzero(seen) - before != rows.size:
        raise ValueError("indices are said to be unique, and a cell is updated twice")


def _copied(out: Block | None, block: Block) -> Block:
    """A copy in C order, in memory that is given if there is such."""
    if out is None or not out.flags.c_contiguous:
        return np.array(block, order="C")
    out[...] = block
    return out


def slabs(
    components: Sequence[Block | None],
    steps: Sequence[CoordinateStep],
    window: tuple[int, ...],
    shape: tuple[int, ...],
    block: tuple[int, ...],
) -> Iterator[tuple[Block, int, int]]:
    """Rows of a block in which the updates of `shape` belong, -1 where outside, slab by slab.

    `components` are the parts of the index vectors along each axis of the block, where there are.
    With each slab come the bounds of it along the first axis of the updates.
    """
    batch = tuple(axis for axis in range(len(shape)) if axis not in window)
    lead = rows_from(steps, window, shape, block)
    dims = tuple(d for d, s in enumerate(steps) if s.axis is None or s.axis < lead)
    sides = tuple(block[d] for d in dims)
    starts = [components[d] for d in dims]
    if not lead:
        yield _places(starts, [steps[d] for d in dims], batch, (), sides), 0, 1
        return
    length = max(1, SCATTERED // max(1, prod(shape[1:lead])))
    for lo in range(0, shape[0], length):
        hi = min(shape[0], lo + length)
        told = [steps[d]._replace(first=steps[d].first + lo * (steps[d].axis == 0)) for d in dims]
        here = [s[lo:hi] if s is not None and 0 in batch else s for s in starts]
        yield _places(here, told, batch, (hi - lo, *shape[1:lead]), sides), lo, hi


def _whole(start: Block) -> Block:
    """Starts as int64; those beyond it lie outside of every block."""
    if start.dtype == np.uint64:
        start = np.minimum(start, np.uint64(np.iinfo(np.int64).max))
    return start.astype(np.int64, copy=False)


def _places(
    starts: Sequence[Block | None],
    steps: Sequence[CoordinateStep],
    batch: tuple[int, ...],
    shape: tuple[int, ...],
    sides: tuple[int, ...],
) -> Block:
    """Numbers of rows for updates of `shape`, in a grid of rows of `sides`; -1 for none."""
    found = _natively(starts, steps, shape, sides)
    if found is not None:
        return found
    rank = len(shape)
    row, inside = np.zeros((1,) * rank, np.int64), np.ones((1,) * rank, bool)
    stride = prod(sides)
    for start, step, side in zip(starts, steps, sides, strict=True):
        stride //= side
        along: Block = np.full((1,) * rank, step.first - step.origin, np.int64)
        if step.axis is not None:
            line = (1,) * step.axis + (-1,) + (1,) * (rank - step.axis - 1)
            along = along + np.arange(shape[step.axis]).reshape(line)
        if start is not None:
            along = along + spread(_whole(start), batch, rank)
            inside = inside & (along >= 0) & (along < side)
        row = row + along * stride if stride > 1 else row + along
    made = np.empty(shape, np.int64)
    made[...] = np.where(inside, row, -1)
    return made


def _natively(
    starts: Sequence[Block | None],
    steps: Sequence[CoordinateStep],
    shape: tuple[int, ...],
    sides: tuple[int, ...],
) -> Block | None:
    """The places, where index vectors alone tell them and a compiled loop is there."""
    moves = any(step.axis is not None and shape[step.axis] > 1 for step in steps)
    if prod(shape) < scatter_compiled.SMALL or moves:
        return None
    parts, stride = [], prod(sides)
    for start, step, side in zip(starts, steps, sides, strict=True):
        stride //= side
        if start is None:
            if step.first != step.origin:
                return None
            continue
        shift = step.first - step.origin
        parts.append(scatter_compiled.Component(start, shift, side, stride))
    return scatter_compiled.places(parts, shape)


def fold(
    results: Sequence[Block], updates: Sequence[Block], places: Block, expressions: tuple[Any, ...]
) -> None:
    """Fold updates into results, of which they name rows, one after the other."""
    flat = places.ravel()
    row = prod(updates[0].shape[places.ndim :])
    if scatter_compiled.fold(results, updates, flat, row, expressions):
        return
    rows = [r.reshape(-1, row) for r in results]
    update_rows = [u.reshape(-1, row) for u in updates]
    if (flat < 0).any():
        in_range = flat >= 0
        flat, update_rows = flat[in_range], [u[in_range] for u in update_rows]
    if only_moves(expressions):
        for r, u in zip(rows, update_rows, strict=True):
            r[flat] = u
        return
    ufunc = _ufunc(expressions, results[0].dtype)
    if ufunc is not None:
        with np.errstate(all="ignore"):
            ufunc.at(rows[0], flat, update_rows[0])
        return
    _in_rounds(rows, update_rows, flat, expressions)


def _ufunc(expressions: tuple[Any, ...], dtype: np.dtype[Any]) -> np.ufunc | None:
    """The ufunc that the only expression is, of a result and an update, if its loop is exact."""
    steps = expressions[0].steps
    if len(expressions) > 1 or len(steps) != 1 or dtype.kind not in "biuf":
        return None
    (step,) = steps
    return UFUNCS.get(step.function) if step.operands == (0, 1) and step.dtype == dtype else None


def _in_rounds(
    rows: Sequence[Block],
    update_rows: Sequence[Block],
    row_numbers: Block,
    expressions: tuple[Any, ...],
) -> None:
    """First the first update of each row, then the second of each, and so on."""
    order = np.argsort(row_numbers, kind="stable")
    ordered = row_numbers[order]
    first = np.ones(len(ordered), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    begins = np.maximum.accumulate(np.where(first, np.arange(len(ordered)), 0))
    turn = np.arange(len(ordered)) - begins
    rounds = np.bincount(turn)
    if len(rounds) > MOST_ROUNDS:
        arrays = [np.ascontiguousarray(u) for u in update_rows]
        if scatter_compiled.fold(
            rows, arrays, row_numbers, rows[0].shape[1], expressions, wait=True
        ):
            return
    chosen = order[np.argsort(turn, kind="stable")]
    end = 0
    for length in rounds:
        here = chosen[end : end + length]
        end += length
        at = row_numbers[here]
        cells = [*(r[at] for r in rows), *(u[here] for u in update_rows)]
        made = [evaluate(None, *cells, expression=e) for e in expressions]
        for r, cell in zip(rows, made, strict=True):
            r[at] = cell


KERNELS: Final[dict[str, Kernel]] = {"scatter": scatter}
