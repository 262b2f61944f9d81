"""Searches on a GPU, cell by cell, in sorted tables that each block has whole."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np

from dask_tapestry_kernels.cuda.blocks.search_texts import Answer, search_program
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.even_edges import check_even

DType = np.dtype[Any]
NARROW: Final = 2**31  # numbers of cells below are divided in 32 bits
PLACE, TRUTH = np.dtype(np.int64), np.dtype(bool)
IN_A_PART: Final[dict[str, Answer]] = {"left": "place", "right": "place", "within": "is there"}


def search(out: Block | None, cells: Block, table: Block, *, side: str) -> Block:
    """Places, int64, in a sorted `table` of one dimension before which `cells` belong.

    `side` is that of equal cells, "left" or "right", as of `numpy.searchsorted`.
    """
    return _looked_up(out, cells, table, PLACE, "place", side == "right")


def digitize(out: Block | None, cells: Block, bins: Block, *, right: bool) -> Block:
    """Numbers, int64, of the bins that `cells` lie in, as `numpy.digitize` has them.

    `bins` are edges of one dimension, ascending or descending; `right` says whether a bin holds its
    right edge. They are looked at on the host, as NumPy does.
    """
    edges = runtime().to_host(bins)
    ascend = not edges.size or np.digitize(np.nan, edges) == len(edges)
    if ascend:
        return _looked_up(out, cells, bins, PLACE, "place", not right)
    return _looked_up(out, cells, bins[::-1], PLACE, "far place", not right)


def is_in(out: Block | None, cells: Block, table: Block, *, invert: bool) -> Block:
    """Whether `cells` are in a sorted `table` of one dimension; with `invert`, whether not."""
    if not table.size:
        made = runtime().empty(cells.shape, TRUTH)
        made[...] = np.bool_(invert)
        return made
    answer: Answer = "is not there" if invert else "is there"
    return _looked_up(out, cells, table, TRUTH, answer, False)


def search_parts(
    out: Block | None,
    cells: Block,
    table: Block,
    *,
    answer: Literal["left", "right", "within"],
    length: int,
) -> Block:
    """What each part of `length` cells of a sorted `table` tells of cells: (parts, *cells).

    Places, int64, left or right of equal cells, or whether cells are "within" it.
    """
    firsts = range(0, table.size, length)
    within = answer == "within"
    dtype, asked = (TRUTH if within else PLACE), IN_A_PART[answer]
    made = runtime().empty((len(firsts), *cells.shape), dtype) if out is None else out
    for number, first in enumerate(firsts):
        part = table[first : first + length]
        own = made[number]
        found = _looked_up(own, cells, part, dtype, asked, answer == "right")
        if found is not own:
            own[...] = found
    return made


def bin_number(out: Block | None, x: Block, edges: Block, *, even: bool, dtype: DType) -> Block:
    """Number of the bin that each cell of `x` lies in, counted from 1.

    A cell below all bins has number 0; one above them, or a NaN, one more than there are bins.
    A bin holds its lower edge and not its upper one; the last bin holds both.

    Parameters
    ----------
    x
        Numbers of any shape.
    edges
        One more than there are bins, ascending, of one dimension.
    even
        Whether the edges are evenly spaced, and looked at whether they are bins.
    dtype
        Integer dtype of the result, which has the shape of `x`.

    Raises
    ------
    ValueError
        If even edges are not finite, or lie closer than their dtype can tell.
    """
    if even:
        check_even(runtime().to_host(edges))
    return _looked_up(out, x, edges, dtype, "bin", True)


def _looked_up(
    out: Block | None, cells: Block, table: Block, dtype: DType, answer: Answer, right: bool
) -> Block:
    """What is asked of each cell, in a block of their shape.

    Raises
    ------
    KernelDeviceError
        If a GPU has no order of these dtypes.
    """
    gpu = runtime()
    result = out if out is not None and gpu.is_addressed_by_cells(out) else None
    result = gpu.empty(cells.shape, dtype) if result is None else result
    operand = cells if gpu.is_addressed_by_cells(cells) else gpu.in_order(cells)
    extents, steps = merged([operand, result], 1)
    source, target = [
        [s // a.itemsize for s in own] for own, a in zip(steps, (operand, result), strict=True)
    ]
    wide = result.size >= NARROW
    options = cells.dtype, table.dtype, dtype, answer, right, len(extents), wide
    program = search_program(*options)
    if program is None:
        raise KernelDeviceError(
            f"kernel search: comparing {cells.dtype} with {table.dtype} is not supported on a GPU"
        )
    sides = [(np.uint64 if wide else np.uint32)(extent) for extent in extents[1:]]
    words = map(np.int64, (*source, *target, table.size))
    if result.size:
        arguments = [np.int64(result.size), *sides, *words, operand, gpu.in_order(table), result]
        gpu.launch(program, blocks_for(result.size, gpu), arguments)
    return result


KERNELS: Final[dict[str, Kernel]] = {
    "search": search,
    "digitize": digitize,
    "isin": is_in,
    "searchparts": search_parts,
    "bin": bin_number,
}
