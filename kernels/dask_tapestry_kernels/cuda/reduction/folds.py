"""Folds over the canonical tree on a GPU: leaves of a block, merges of nodes, the value.

The same leaves, lanes and merges as the CPU's, hence the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cuda.cells.formulas import handed
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.cuda.jit.runtime import Block, Runtime, blocks_for, runtime
from dask_tapestry_kernels.cuda.reduction.leaf_texts import LANES, leaf_program
from dask_tapestry_kernels.cuda.reduction.monoid_texts import (
    NUMBER_SPREADS,
    SPREADS,
    WORST,
    MonoidText,
    monoid_text,
)
from dask_tapestry_kernels.cuda.reduction.node_texts import (
    divisor,
    merge_program,
    pair_program,
    value_program,
)
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.field_blocks import FieldBlocks
from dask_tapestry_kernels.fold_part import FoldPart, last_level
from dask_tapestry_kernels.formulas.formula_steps import FormulaSteps, formula_steps
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.lattice_cells import (
    Counts,
    LatticeCell,
    folded_nodes,
    node_counts,
    node_numbers,
    runs_of_cells,
)

Nodes = list[Block]  # an array for each field of a state, reduced axes first
TOGETHER: Final = 2**25  # bytes of leaves of a lattice's cells that are folded together


class DeviceFold(NamedTuple):
    """A reduction, what runs it, and its monoid as text."""

    gpu: Runtime
    part: FoldPart
    text: MonoidText
    formula: FormulaSteps

    @property
    def what(self) -> str:
        """The name of the fold, for errors."""
        cell = self.formula.steps[-1].dtype if self.formula.steps else self.formula.parameters[-1]
        return f"reduce: {self.part.monoid} of {cell}"


def reduce(out: Block | None, *blocks: Block, **part: Any) -> Block:  # noqa: ARG001
    """Fold blocks from cells or nodes of level `source` to nodes of level `target` or the value.

    Parameters
    ----------
    blocks
        Cells or nodes; along the reduced axes they begin at `origin`. Several, of one shape, are
        the operands of `expression`.
    **part
        The fields of `FoldPart`.

    Returns
    -------
    Nodes of states with several fields (means with spreads, values with places) as `FieldBlocks`.

    Raises
    ------
    KernelDeviceError
        If the monoid is not supported on a GPU for these dtypes.
    """
    fold = _fold_of(blocks, FoldPart(**part))
    spec, gpu = fold.part, fold.gpu
    order = (*spec.axes, *kept_axes(blocks[0], spec.axes))
    if spec.source is None:
        nodes = _nodes(fold, [block.transpose(order) for block in blocks])
    else:
        nodes = [gpu.in_order(part.transpose(order)) for part in _parts(blocks[0])]
    if spec.source is not None or spec.tree.lattice is None:
        first = spec.origin if spec.source is not None else node_numbers(spec.tree, 0, spec.origin)
        levels = range(spec.source or 0, last_level(spec))
        nodes = merged_levels(fold, nodes, levels, first, spec.tree)
    back = np.argsort(order)
    if spec.target is not None:
        return handed_on(fold, nodes).transpose(back)
    value = value_of(fold, nodes)
    return value.transpose(np.argsort(order[len(spec.axes) :]))


def _parts(nodes: Block) -> Sequence[Block]:
    """The arrays of nodes, one for each field."""
    return nodes.arrays if isinstance(nodes, FieldBlocks) else (nodes,)


def _fold_of(blocks: Sequence[Block], part: FoldPart) -> DeviceFold:
    if part.expression is None:
        formula = FormulaSteps((_parts(blocks[0])[0].dtype,), (), ())
    else:
        formula = formula_steps(part.expression)
    cell = formula.steps[-1].dtype if formula.steps else formula.parameters[-1]
    text = monoid_text(part.monoid, cell, part.state)
    if text is None:
        raise KernelDeviceError(
            f"kernel reduce: {part.monoid} of {cell} to {part.state} is not supported on a GPU"
        )
    return DeviceFold(runtime(), part, text, formula)


def kept_axes(block: Block, axes: Sequence[int]) -> list[int]:
    """The other axes, those first whose cells lie farthest apart."""
    kept = [axis for axis in range(block.ndim) if axis not in axes]
    strides = _parts(block)[0].strides
    return sorted(kept, key=lambda axis: -abs(strides[axis]))


def _nodes(fold: DeviceFold, blocks: Sequence[Block]) -> Nodes:
    """Leaves of blocks whose reduced axes come first; of a lattice nodes at the last level."""
    part = fold.part
    if part.tree.lattice is None:
        return _leaves(fold, blocks, part.tree, part.origin)
    return _lattice_nodes(fold, blocks)


def _lattice_nodes(fold: DeviceFold, blocks: Sequence[Block]) -> Nodes:
    """The nodes of a tree over a lattice, whose cells are folded one after the other."""
    part, rank = fold.part, len(fold.part.axes)
    tree, shape, kept_shape = part.tree, blocks[0].shape[:rank], blocks[0].shape[rank:]
    last = last_level(part)

    def fold_cell(cell: LatticeCell) -> Nodes:
        starts = [o + cut.start for o, cut in zip(part.origin, cell.cut, strict=True)]
        piece = [block[cell.cut] for block in blocks]
        leaves = _leaves(fold, piece, cell.tree, (0,) * rank, starts)
        return merged_levels(fold, leaves, range(cell.tree.depth), (0,) * rank, cell.tree)

    def merge(left: Nodes, right: Nodes, cells: Counts) -> Nodes:
        return merged_pair(fold, left, right, cells)

    cell_nodes = _nodes_of_cells(fold, blocks)
    if cell_nodes is not None:
        return merged_levels(
            fold, cell_nodes, range(last), node_numbers(tree, 0, part.origin), tree
        )
    grid = node_counts(tree, last, part.origin, shape)
    nodes = [fold.gpu.empty((*grid, *kept_shape), d) for d in fold.text.fields.values()]
    for place, states in folded_nodes(tree, last, part.origin, shape, fold_cell, merge):
        at = tuple([slice(n, n + 1) for n in place])
        for whole, state in zip(nodes, states, strict=True):
            whole[at] = state
    return nodes


def _nodes_of_cells(fold: DeviceFold, blocks: Sequence[Block]) -> Nodes | None:
    """The nodes of all cells of a lattice, those of one size together; None where they are large.

    The cells' numbers become kept axes. So launches follow from the depth of the trees alone.
    """
    part, gpu, rank = fold.part, fold.gpu, len(fold.part.axes)
    tree, shape, kept_shape = part.tree, blocks[0].shape[:rank], blocks[0].shape[rank:]
    runs = runs_of_cells(tree, part.origin, shape)
    state = sum(dtype.itemsize for dtype in fold.text.fields.values())
    leaves = sum(prod(run.counts) * prod(run.tree.counts(0)) for run in runs)
    if leaves * prod(kept_shape) * state > TOGETHER:
        return None
    all_nodes = [
        gpu.empty((*node_counts(tree, 0, part.origin, shape), *kept_shape), d)
        for d in fold.text.fields.values()
    ]
    for run in runs:
        sides = run.tree.extents
        views = []
        for block in blocks:
            piece, along = block[run.cut], block.strides[:rank]
            apart = [s * n for s, n in zip(along, sides, strict=True)]
            steps = (*along, *apart, *block.strides[rank:])
            views.append(gpu.strided(piece, (*sides, *run.counts, *kept_shape), steps))
        starts = [o + cut.start for o, cut in zip(part.origin, run.cut, strict=True)]
        leaves_of_run = _leaves(fold, views, run.tree, (0,) * rank, starts)
        nodes = merged_levels(fold, leaves_of_run, range(run.tree.depth), (0,) * rank, run.tree)
        for name, whole, node in zip(fold.text.names, all_nodes, nodes, strict=True):
            cell_root = node[(0,) * rank]
            whole[run.place] = cell_root
            if name == "place":
                further = gpu.library.asarray(run.running_numbers(tree.extents))
                whole[run.place] += further.reshape((*run.counts, *(1,) * len(kept_shape)))
    return all_nodes


def _leaves(
    fold: DeviceFold,
    blocks: Sequence[Block],
    tree: Any,
    origin: Sequence[int],
    starts: Sequence[int] | None = None,
) -> Nodes:
    """States of leaves, an array for each field; the block begins at `starts` in the whole."""
    gpu, rank = fold.gpu, len(fold.part.axes)
    operands = [b if gpu.is_addressed_by_cells(b) else gpu.in_order(b) for b in blocks]
    shape, sides = operands[0].shape, tree.sides(0)
    grid = [-(-n // side) for n, side in zip(shape, sides, strict=False)]
    nodes = [gpu.empty((*grid, *shape[rank:]), d) for d in fold.text.fields.values()]
    count = prod(nodes[0].shape)
    if not count:
        return nodes
    extents, steps = kept_dims(operands, rank)
    columns = _has_columns(operands, rank, extents, steps)
    program = leaf_program(
        fold.what, fold.text, fold.formula, len(operands), rank, len(extents), gpu.threads, columns
    )
    if program is None:
        raise KernelDeviceError(
            f"kernel {fold.what}: {fold.part.expression} is not supported on a GPU"
        )
    words = [count]
    words += [word for numbers in zip(grid, shape, sides, strict=False) for word in numbers]
    if "place" in fold.text.fields:
        whole = fold.part.tree.extents
        words += [w for pair in zip(starts or origin, whole, strict=True) for w in pair]
    words += extents
    words += [s // b.itemsize for b in operands for s in b.strides[:rank]]
    words += [step for own in steps for step in own]
    arguments: list[Any] = [np.int64(word) for word in words]
    arguments += [*operands, *[handed(c) for c in fold.formula.constants], *nodes]
    gpu.launch(program, blocks_for(count, gpu, program.threads // LANES), arguments)
    return nodes


def kept_dims(operands: Sequence[Block], rank: int) -> tuple[list[int], list[list[int]]]:
    """Extents of the kept axes, merged, and strides in cells of each operand along them."""
    shape = operands[0].shape[rank:]
    in_order = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    views = [
        SimpleNamespace(shape=shape, strides=b.strides[rank:], ndim=len(shape), itemsize=b.itemsize)
        for b in operands
    ]
    nodes = SimpleNamespace(shape=shape, strides=in_order, ndim=len(shape), itemsize=1)
    extents, strides = merged([*views, nodes])
    steps = [[s // b.itemsize for s in own] for b, own in zip(operands, strides, strict=False)]
    return extents, steps


def _has_columns(
    operands: Sequence[Block], rank: int, kept: Sequence[int], steps: Sequence[Sequence[int]]
) -> bool:
    """Whether cells lie side by side along the last kept axis rather than along a reduced one."""
    if kept[-1] < LANES:
        return False
    beside = [min(abs(s) // b.itemsize for s in b.strides[:rank]) for b in operands]
    return bool(
        sum(abs(own[-1]) < b for own, b in zip(steps, beside, strict=True)) * 2 > len(operands)
    )


def merged_levels(
    fold: DeviceFold, nodes: Nodes, levels: range, first: Sequence[int], tree: Any
) -> Nodes:
    """Nodes, of which those with the numbers `first` come first, merged at each of some levels."""
    numbers = list(first)
    for level in levels:
        axis = tree.axis(level)
        if nodes[0].shape[axis] > 1:
            nodes = _merged_once(fold, nodes, level, axis, numbers, tree)
        numbers[axis] //= 2
    return nodes


def _merged_once(
    fold: DeviceFold, nodes: Nodes, level: int, axis: int, first: Sequence[int], tree: Any
) -> Nodes:
    gpu, rank = fold.gpu, len(fold.part.axes)
    before = nodes[0].shape
    after = tuple([-(-n // 2) if a == axis else n for a, n in enumerate(before)])
    merged_nodes = [gpu.empty(after, node.dtype) for node in nodes]
    if not prod(after):
        return merged_nodes
    words = [prod(after), *before[:rank], *after[:rank], prod(before[rank:])]
    if fold.text.monoid in SPREADS:
        sides, whole = tree.sides(level), tree.extents
        told = zip(first, tree.offset, sides, whole, strict=True)
        words += [word for numbers in told for word in numbers]
    program = merge_program(fold.what, fold.text, rank, axis)
    _launch(gpu, program, words, [*nodes, *merged_nodes])
    return merged_nodes


def _launch(gpu: Runtime, program: CudaProgram, words: Sequence[int], blocks: Nodes) -> None:
    """Launch over as many cells as the first word says."""
    arguments = [*[np.int64(word) for word in words], *blocks]
    gpu.launch(program, blocks_for(words[0], gpu), arguments)


def merged_pair(fold: DeviceFold, left: Nodes, right: Nodes, cells: Counts) -> Nodes:
    """Nodes merged with those of as many right neighbours, which stand for so many cells."""
    gpu, count = fold.gpu, prod(left[0].shape)
    merged_nodes = [gpu.empty(left[0].shape, node.dtype) for node in left]
    if not count:
        return merged_nodes
    program = pair_program(fold.what, fold.text)
    arguments: list[Any] = [np.int64(count)]
    if fold.text.monoid in SPREADS:
        arguments += [np.float64(number) for number in cells]
    gpu.launch(
        program,
        blocks_for(count, gpu),
        [*arguments, *left, *right, *merged_nodes],
    )
    return merged_nodes


def handed_on(fold: DeviceFold, nodes: Nodes) -> Block:
    """Nodes as other steps take them."""
    state = fold.part.state
    return FieldBlocks(nodes[0].shape, state, nodes) if state.names else nodes[0]


def value_of(fold: DeviceFold, nodes: Nodes) -> Block:
    """The value of the root, which is alone along the reduced axes."""
    part, gpu, rank = fold.part, fold.gpu, len(fold.part.axes)
    if 0 in nodes[0].shape[:rank]:
        return _of_no_cells(fold, nodes[0].shape[rank:])
    root = [node[(*(0,) * rank, ...)] for node in nodes]
    if part.monoid in WORST and not gpu.to_host(root[-1]).all():
        raise ValueError("All-NaN slice encountered")
    result = gpu.empty(nodes[0].shape[rank:], part.dtype)
    program = value_program(fold.what, fold.text, part.dtype)
    if program is None:
        raise KernelDeviceError(f"kernel {fold.what}: no conversion to {part.dtype} here")
    by = np.asarray(degrees(part)).astype(divisor(fold.text))[()]
    if prod(result.shape):
        blocks = blocks_for(prod(result.shape), gpu)
        gpu.launch(program, blocks, [np.int64(prod(result.shape)), by, *root, result])
    return result


def degrees(part: FoldPart) -> float:
    """What the root is divided by: the number of cells, or of degrees of freedom."""
    if part.monoid in NUMBER_SPREADS:
        return part.ddof
    count = float(prod(part.tree.extents))
    return max(count - part.ddof, 0.0) if part.monoid in SPREADS else count


OF_NONE: Final = {
    "prod": 1, "all": 1, "bitwise_and": -1, "mean": np.nan, "var": np.nan, "std": np.nan,
    "nanmean": np.nan, "nanvar": np.nan, "nanstd": np.nan,
}  # fmt: skip


def _of_no_cells(fold: DeviceFold, shape: tuple[int, ...]) -> Block:
    """The value of no cells; of monoids that have none operators do not ask."""
    result = fold.gpu.empty(shape, fold.part.dtype)
    value: complex = OF_NONE.get(fold.part.monoid, 0)
    if np.isnan(value) and result.dtype.kind == "c":
        value = complex(np.nan, np.nan)
    result[...] = np.asarray(value).astype(result.dtype)[()]
    return result


KERNELS: Final[dict[str, Kernel]] = {
    "reduce": reduce,
}
