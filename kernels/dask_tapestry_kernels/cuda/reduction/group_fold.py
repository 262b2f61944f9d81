"""Folds by group on a GPU: the cells of each of some groups are folded to one.

A leaf of the canonical tree has a table of a state for each group and kept cell, into which its
cells are folded in C order; tables are merged as nodes are.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cuda.cells.formulas import handed
from dask_tapestry_kernels.cuda.jit.runtime import Block, Runtime, blocks_for, runtime
from dask_tapestry_kernels.cuda.reduction.folds import (
    DeviceFold,
    Nodes,
    handed_on,
    kept_axes,
    kept_dims,
    merged_levels,
    merged_pair,
    reduce,
    value_of,
)
from dask_tapestry_kernels.cuda.reduction.group_texts import NUMBERS, group_program
from dask_tapestry_kernels.cuda.reduction.monoid_texts import (
    NUMBER_SPREADS,
    PLAIN,
    MonoidText,
    monoid_text,
)
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.fold_part import FoldPart, last_level
from dask_tapestry_kernels.formulas.formula_steps import FormulaSteps
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.lattice_cells import (
    Counts,
    LatticeCell,
    folded_nodes,
    node_counts,
    node_numbers,
)
from dask_tapestry_kernels.parameters.groups import Groups


class _Grouped(NamedTuple):
    """Cells whose folded axes come first, the codes of these, and how they are folded."""

    fold: DeviceFold
    groups: Groups
    cells: Block
    codes: Block

    @property
    def rank(self) -> int:
        """Number of folded axes."""
        return len(self.groups.axes)

    @property
    def folded(self) -> tuple[int, ...]:
        """Extents along them."""
        return tuple(self.cells.shape[: self.rank])


def group_fold(out: Block | None, cells: Block, codes: Block, **how: Any) -> Block:  # noqa: ARG001
    """Fold the cells of each group, whose number is in `codes`.

    Parameters
    ----------
    codes
        Numbers of the groups, one for each cell along the labelled axes.
    **how
        The fields of `Groups`.

    Returns
    -------
    The kept axes, or with a target all axes with nodes along the folded ones; groups last.

    Raises
    ------
    KernelDeviceError
        If the fold is not supported on a GPU for these dtypes.
    """
    gpu, groups = runtime(), Groups(**how)
    text = _text(groups, cells.dtype)
    outer_axes = kept_axes(cells, groups.axes)
    turned = _aligned(gpu, cells).transpose((*groups.axes, *outer_axes))
    part = FoldPart(
        groups.monoid, tuple(range(len(groups.axes))), groups.tree, groups.origin, groups.dtype,
        groups.state, groups.ddof, None, groups.target,
    )  # fmt: skip
    fold = DeviceFold(gpu, part, text, FormulaSteps((cells.dtype,), (), ()))
    spread = _spread(gpu, _aligned(gpu, codes), groups, turned.shape[: len(groups.axes)])
    grouped = _Grouped(fold, groups, turned, spread)
    nodes, rank = _nodes(grouped), len(groups.axes)
    if groups.target is not None:
        back = np.argsort((*groups.axes, *outer_axes))
        order = [*range(rank), *range(rank + 1, cells.ndim + 1), rank]
        return handed_on(fold, nodes).transpose(order).transpose((*back, cells.ndim))
    if 0 in nodes[0].shape[:rank]:
        nodes = _of_no_cells(grouped, (*[1] * rank, *nodes[0].shape[rank:]))
    value = value_of(fold, nodes)
    back = np.argsort(outer_axes)
    return value.transpose((*range(1, value.ndim), 0)).transpose((*back, len(outer_axes)))


def _text(groups: Groups, cell: np.dtype[Any]) -> MonoidText:
    """The monoid of the groups as text."""
    text = None
    real_spread = groups.monoid in NUMBER_SPREADS and cell.kind != "c"
    if groups.monoid in PLAIN or groups.monoid == "nanmean" or real_spread:
        text = monoid_text(groups.monoid, cell, groups.state)
    numbers = groups.skipna and cell.kind == groups.state.kind == "f"
    if text is None or (groups.monoid in NUMBERS and not numbers):
        raise KernelDeviceError(
            f"kernel groupfold: {groups.monoid} of {cell} to {groups.state} is not "
            "supported on a GPU"
        )
    return text


def _aligned(gpu: Runtime, block: Block) -> Block:
    return block if gpu.is_addressed_by_cells(block) else gpu.in_order(block)


def _spread(gpu: Runtime, codes: Block, groups: Groups, extents: tuple[int, ...]) -> Block:
    """The codes of all folded cells: those of some axes are the same along the others."""
    steps = iter(codes.strides)
    strides = [next(steps) if axis in groups.labelled else 0 for axis in groups.axes]
    return gpu.strided(codes, extents, strides)


def _nodes(grouped: _Grouped) -> Nodes:
    """Tables of the nodes that are asked for, shaped (nodes..., groups, kept...)."""
    tree, last = grouped.groups.tree, last_level(grouped.fold.part)
    if tree.lattice is None:
        return _merged(grouped, tree, last, grouped.groups.origin)
    return _lattice_nodes(grouped, last)


def _merged(grouped: _Grouped, tree: Any, level: int, origin: tuple[int, ...]) -> Nodes:
    """Tables of the nodes at a level of a tree without lattice."""
    leaves, first = _leaves(grouped, tree), node_numbers(tree, 0, origin)
    return merged_levels(grouped.fold, leaves, range(level), first, tree)


def _lattice_nodes(grouped: _Grouped, last: int) -> Nodes:
    """Tables of the nodes at a level of a tree over a lattice."""
    tree, origin, rank = grouped.groups.tree, grouped.groups.origin, grouped.rank
    fold = grouped.fold

    def fold_cell(cell: LatticeCell) -> Nodes:
        part = grouped._replace(cells=grouped.cells[cell.cut], codes=grouped.codes[cell.cut])
        if not all(part.folded):
            return _of_no_cells(part, (*[1] * rank, *_table(part)))
        return _merged(part, cell.tree, cell.tree.depth, (0,) * rank)

    def merge(left: Nodes, right: Nodes, cells: Counts) -> Nodes:
        return merged_pair(fold, left, right, cells)

    grid = node_counts(tree, last, origin, grouped.folded)
    made = [fold.gpu.empty((*grid, *_table(grouped)), d) for _, d in fold.text.parts]
    for place, states in folded_nodes(tree, last, origin, grouped.folded, fold_cell, merge):
        at = tuple([slice(n, n + 1) for n in place])
        for whole, state in zip(made, states, strict=True):
            whole[at] = state
    return made


def _table(grouped: _Grouped) -> tuple[int, ...]:
    """Shape of a table."""
    return (len(grouped.groups.groups), *grouped.cells.shape[grouped.rank :])


def _of_no_cells(grouped: _Grouped, shape: tuple[int, ...]) -> Nodes:
    """Tables of groups without cells."""
    gpu, groups, nodes = grouped.fold.gpu, grouped.groups, []
    for name, dtype in grouped.fold.text.parts:
        table = gpu.empty(shape, dtype)
        identity = groups.identity if groups.state.names is None else groups.identity[name]
        table[...] = np.asarray(identity).astype(dtype)[()]
        nodes.append(table)
    return nodes


def _leaves(grouped: _Grouped, tree: Any) -> Nodes:
    """Tables of the leaves, each of which a thread a column has filled."""
    fold, groups, rank = grouped.fold, grouped.groups, grouped.rank
    cells, codes = grouped.cells, grouped.codes
    sides = tree.sides(0)
    grid = [-(-n // side) for n, side in zip(grouped.folded, sides, strict=True)]
    nodes = _of_no_cells(grouped, (*grid, *_table(grouped)))
    columns = prod(cells.shape[rank:])
    if not (prod(grid) and columns and len(groups.groups)):
        return nodes
    kept_extents, (steps,) = kept_dims([cells], rank)
    words = [prod(grid) * columns]
    extents = zip(grid, grouped.folded, sides, strict=True)
    words += [word for numbers in extents for word in numbers]
    words += kept_extents
    words += [s // cells.itemsize for s in cells.strides[:rank]]
    words += [s // codes.itemsize for s in codes.strides]
    words += [*steps, columns, groups.groups.start, len(groups.groups)]
    first, dtype = fold.text.parts[0]
    identity = groups.identity if groups.state.names is None else groups.identity[first]
    identity_cell = handed(np.asarray(identity).astype(dtype)[()])
    key = f"groupfold: {groups.monoid} of {cells.dtype}"
    program = group_program(key, fold.text, groups.skipna, codes.dtype, rank, len(kept_extents))
    arguments = [*map(np.int64, words), identity_cell, cells, codes, *nodes]
    fold.gpu.launch(program, blocks_for(words[0], fold.gpu), arguments)
    return nodes


KERNELS: Final[dict[str, Kernel]] = {
    "groupfold": group_fold,
    "groupmerge": reduce,
}
