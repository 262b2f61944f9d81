"""Bincount on a GPU: how many cells have each number, or sums of their weights."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cuda.jit.runtime import BLOCKS, Block, Runtime, blocks_for, runtime
from dask_tapestry_kernels.cuda.reduction.bincount_texts import (
    GROUP,
    LANES,
    count_program,
    ordered_program,
    sum_program,
)
from dask_tapestry_kernels.cuda.reduction.folds import DeviceFold, Nodes, merged_levels, merged_pair
from dask_tapestry_kernels.cuda.reduction.monoid_texts import monoid_text
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.fold_part import FoldPart
from dask_tapestry_kernels.formulas.formula_steps import FormulaSteps
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.lattice_cells import (
    Counts,
    LatticeCell,
    folded_nodes,
    node_counts,
    node_numbers,
)
from dask_tapestry_kernels.parameters.bincount_tables import Tables, refusal

DType = np.dtype[Any]
INT32, INT64, FLOAT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)
SIZES: Final = (1024, 4096, 12_288)  # bins of tables in shared memory: 4, 16 and 48 KiB
CELLS_A_BIN: Final = 16  # that a table counts at least: filling and adding it up costs less
MOST: Final = np.iinfo(np.int64).max


class _Tables(NamedTuple):
    """What is counted, and what notes numbers that are none of all bins."""

    gpu: Runtime
    told: Tables
    found: Block | None

    @property
    def words(self) -> list[int]:
        """The first bin, how many there are, and how many of all."""
        limit = self.told.limit
        return [self.told.bins.start, len(self.told.bins), MOST if limit is None else limit]


class _Boxes(NamedTuple):
    """The boxes of nodes in a block: how many along each axis, their sides, where they begin."""

    grid: Sequence[int]
    sides: Sequence[int]
    starts: Sequence[int]

    def words(self, shape: Sequence[int]) -> list[int]:
        """As kernels take them, for a block of `shape`."""
        told = zip(self.grid, shape, self.sides, self.starts, strict=True)
        return [word for numbers in told for word in numbers]


def bincount(numbers: Block, weights: Sequence[Block], options: Tables) -> Block:
    """Count the cells equal to each of the bins, or add their `weights`.

    Within a leaf of the tree weights are added in C order, leaves in its order.

    Raises
    ------
    ValueError
        If a number is none of all bins, where these have a limit.
    """
    gpu = runtime()
    strays = None
    if options.limit is not None:
        strays = gpu.empty((1,), INT32)
        strays[...] = INT32.type(0)
    given = [x if gpu.is_addressed_by_cells(x) else gpu.in_order(x) for x in (numbers, *weights)]
    tables = _filled(_Tables(gpu, options, strays), given)
    if strays is not None and gpu.to_host(strays)[0]:
        cells, limit = gpu.to_host(given[0]), options.limit or 0
        raise ValueError(refusal(int(cells.min()), int(cells.max()), limit))
    if options.target is not None:
        return tables
    return (
        tables.reshape(tables.shape[-1]) if tables.size else _zeros(gpu, tables.shape[-1:], options)
    )


def _filled(tables: _Tables, given: Sequence[Block]) -> Block:
    """Tables of the nodes that are asked for."""
    options, shape = tables.told, given[0].shape
    tree, origin = options.tree, options.origin
    last = tree.depth if options.target is None else options.target
    grid = node_counts(tree, last, origin, shape)
    if not all(shape):
        return _zeros(tables.gpu, (*grid, len(options.bins)), options)
    if len(given) == 1 and len(options.bins) <= SIZES[-1]:
        first = node_numbers(tree, last, origin)
        spaced = zip(tree.offset, first, tree.sides(last), origin, strict=True)
        starts = [start + number * side - at for start, number, side, at in spaced]
        return _counted(tables, given[0], _Boxes(grid, tree.sides(last), starts))
    if tree.lattice is None:
        return _in_order(tables, given, tree, last, origin)
    return _in_lattice(tables, given, last, grid)


def _counted(tables: _Tables, numbers: Block, boxes: _Boxes) -> Block:
    """Tables of counts of nodes, each counted in parts."""
    gpu, bin_count, nodes = tables.gpu, len(tables.told.bins), prod(boxes.grid)
    shape, strides = numbers.shape, [s // numbers.itemsize for s in numbers.strides]
    result_shape = (*boxes.grid, bin_count)
    if nodes == 1:  # then any order of the axes will do
        shape, (own,) = merged([numbers], 1)
        strides = [stride // numbers.itemsize for stride in own]
        boxes = _Boxes((1,) * len(shape), shape, (0,) * len(shape))
    most = gpu.processors * BLOCKS // 2
    few = prod(shape) // nodes // max(gpu.threads, CELLS_A_BIN * bin_count)
    parts = max(1, min(-(-most // nodes), few))
    words = [nodes * parts, parts, *boxes.words(shape), *strides, *tables.words]
    counts = gpu.empty((nodes * parts, bin_count), INT32)
    size = min(size for size in SIZES if bin_count <= size)
    strict = tables.found is not None
    program = count_program(numbers.dtype, len(shape), size, strict)
    arguments = [*map(np.int64, words), numbers, *[tables.found] * strict, counts]
    gpu.launch(program, min(nodes * parts, gpu.processors * BLOCKS), arguments)
    return summed(gpu, counts, nodes, parts).reshape(result_shape)


def summed(gpu: Runtime, counts: Block, nodes: int, parts: int) -> Block:
    """The counts of nodes, int64, from those of their parts, int32, each a row."""
    held = counts.shape[-1]
    while counts.dtype == INT32 or parts > 1:
        groups = -(-parts // GROUP)
        added = gpu.empty((nodes * groups, held), INT64)
        if added.size:
            words = map(np.int64, (added.size, parts, groups, held))
            blocks = blocks_for(added.size, gpu)
            gpu.launch(sum_program(counts.dtype), blocks, [*words, counts, added])
        counts, parts = added, groups
    return counts


def _in_order(
    tables: _Tables, given: Sequence[Block], tree: Any, level: int, origin: Sequence[int]
) -> Block:
    """Tables of the nodes at a level of a tree without lattice, from those of its leaves."""
    gpu, (dtype, shape) = tables.gpu, (tables.told.state, given[0].shape)
    sides, bin_count = tree.sides(0), len(tables.told.bins)
    grid = [-(-n // side) for n, side in zip(shape, sides, strict=True)]
    boxes, strict = _Boxes(grid, sides, (0,) * len(shape)), tables.found is not None
    weight = given[1].dtype if len(given) > 1 else None
    program = ordered_program(given[0].dtype, weight, dtype, len(shape), strict)
    if program is None:
        raise KernelDeviceError(f"kernel tabulate: {weight} does not become {dtype} on a GPU")
    leaves = gpu.empty((*grid, bin_count), dtype)
    words = [prod(grid), *boxes.words(shape)]
    words += [s // x.itemsize for x in given for s in x.strides]
    arguments = [*map(np.int64, [*words, *tables.words]), *given]
    arguments += [*[tables.found] * strict, leaves]
    gpu.launch(program, blocks_for(prod(grid) * LANES, gpu, LANES), arguments)
    if not bin_count:
        return gpu.empty((*node_counts(tree, level, origin, shape), 0), dtype)
    fold = _sums(tables, tree)
    first = node_numbers(tree, 0, origin)
    return _of_fold(merged_levels(fold, [_for_fold(leaves)], range(level), first, tree), dtype)


def _in_lattice(tables: _Tables, given: Sequence[Block], last: int, grid: Sequence[int]) -> Block:
    """Tables of the nodes at level `last` of a tree over a lattice."""
    options, gpu = tables.told, tables.gpu
    tree, rank, bin_count = options.tree, given[0].ndim, len(options.bins)
    fold = _sums(tables, tree)

    def fold_cell(cell: LatticeCell) -> Nodes:
        parts = [x[cell.cut] for x in given]
        return [_for_fold(_in_order(tables, parts, cell.tree, cell.tree.depth, (0,) * rank))]

    def merge(left: Nodes, right: Nodes, cells: Counts) -> Nodes:
        return merged_pair(fold, left, right, cells)

    result = gpu.empty((*grid, bin_count), options.state)
    for place, (table,) in folded_nodes(
        tree, last, options.origin, given[0].shape, fold_cell, merge
    ):
        result[place] = _of_fold([table], options.state).reshape(bin_count)
    return result


def _sums(tables: _Tables, tree: Any) -> DeviceFold:
    """The fold that adds up tables, complex ones as pairs of numbers."""
    state = FLOAT64 if tables.told.state.kind == "c" else tables.told.state
    axes = tuple(range(len(tree.extents)))
    part = FoldPart("sum", axes, tree, tables.told.origin, state, state, 0.0, None, 0)
    text = monoid_text("sum", state, state)
    assert text is not None
    return DeviceFold(tables.gpu, part, text, FormulaSteps((state,), (), ()))


def _for_fold(tables: Block) -> Block:
    return tables.view(FLOAT64) if tables.dtype.kind == "c" else tables


def _of_fold(nodes: Nodes, state: DType) -> Block:
    return nodes[0].view(state) if nodes[0].dtype != state else nodes[0]


def _zeros(gpu: Runtime, shape: tuple[int, ...], told: Tables) -> Block:
    made = gpu.empty(shape, told.state)
    made[...] = told.state.type(0)
    return made
