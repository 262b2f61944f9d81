"""Reductions over the canonical tree: leaves of a block, merges of nodes, the final value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells import formula_errors
from dask_tapestry_kernels.cpu.cells.interpreter import tiles
from dask_tapestry_kernels.cpu.reduction.any_order import nodes_in_any_order
from dask_tapestry_kernels.cpu.reduction.axis_orders import (
    kept_axes,
    kept_backwards,
    widest_first,
)
from dask_tapestry_kernels.cpu.reduction.finished_values import finished
from dask_tapestry_kernels.cpu.reduction.fold_errors import (
    cells_of,
    is_quiet,
    is_valid,
    leaves_of_formula_cells,
)
from dask_tapestry_kernels.cpu.reduction.folds_in_turn import states_in_turn
from dask_tapestry_kernels.cpu.reduction.formula_states import (
    cell_states,
    column_states,
    still_in_rows,
)
from dask_tapestry_kernels.cpu.reduction.lane_folds import LANES
from dask_tapestry_kernels.cpu.reduction.lattice_nodes import Leaves, lattice_nodes
from dask_tapestry_kernels.cpu.reduction.leaf_pieces import leaf_grid, leaf_pieces
from dask_tapestry_kernels.cpu.reduction.leaf_states import (
    formula_of,
    leaf_states,
    loops_of,
    still_in_line,
)
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC, FOLD_ERRORS, LINEAR, MonoidOps
from dask_tapestry_kernels.cpu.reduction.node_merges import merged_to_levels
from dask_tapestry_kernels.cpu.reduction.row_folds import row_states
from dask_tapestry_kernels.cpu.reduction.selected_nodes import selected_apart
from dask_tapestry_kernels.cpu.reduction.unread_folds import (
    leaves_by_pieces,
    read_if_folded_whole,
    states_by_pieces,
)
from dask_tapestry_kernels.floating_point import FpErrorCheck, checking_fp_errors
from dask_tapestry_kernels.fold_part import FoldPart, globalize, last_level, tells_places
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.lattice_cells import node_numbers
from dask_tapestry_kernels.unread_cells import in_memory, is_unread

Block = np.ndarray[Any, Any]
FORMULA_BYTES: Final = 2**20  # of a formula's cells that are computed and then folded
TEMPORARY_CELLS: Final = 131_072  # of leaves of which a fold makes copies: 1 MiB of float64
LANES_BYTES: Final = 2**22  # of accumulators: rows of 16,384 float64 are folded whole


def reduce(out: Block | None, *blocks: Block, **part: Any) -> Block:
    """Fold blocks from cells or nodes of level `source` to nodes of level `target` or the value.

    Parameters
    ----------
    out
        Memory for a value of many cells.
    blocks
        Cells or nodes; along the reduced axes they begin at `origin`. Several, of one shape, are
        the operands of `expression`. Cells may be unread.
    **part
        The fields of `FoldPart`.
    """
    return folded(blocks, [FoldPart(**part)], out)[0]


def reductions(
    out: Block | None,  # noqa: ARG001
    *blocks: Block,
    parts: Sequence[Mapping[str, Any]],
    passes: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None,
) -> Block:
    """Several reductions of blocks, or of the fields f0, f1... of one block of nodes.

    `parts` has the fields of `FoldPart` for each. The result has the fields f0, f1... too.

    Parameters
    ----------
    passes
        Numbers of reductions of the same blocks, and those of these blocks; None where all parts
        are of all blocks.
    """
    folds = [FoldPart(**part) for part in parts]
    if folds[0].source is not None:
        values = [folded([blocks[0][f"f{i}"]], [part])[0] for i, part in enumerate(folds)]
    elif passes is None:
        values = folded(blocks, folds)
    else:
        found, blocks = dict[int, Block](), tuple(map(in_memory, blocks))  # once for all passes
        for numbers, reads in passes:
            own = folded([blocks[i] for i in reads], [folds[i] for i in numbers])
            found |= dict(zip(numbers, own, strict=True))
        values = [found[number] for number in range(len(folds))]
    fields = [(f"f{number}", value.dtype) for number, value in enumerate(values)]
    result = np.empty(values[0].shape, fields)
    for (name, _), value in zip(fields, values, strict=True):
        result[name] = value
    return result


def folded(
    blocks: Sequence[Block], parts: Sequence[FoldPart], out: Block | None = None
) -> list[Block]:
    """The nodes or values of reductions that fold the same axes of the same blocks.

    The value of a single one may be written to `out`.
    """
    if all(part.expression is not None for part in parts):
        blocks, expressions = widest_first(blocks, [part.expression for part in parts])
        pairs = zip(parts, expressions, strict=True)
        parts = [part._replace(expression=expression) for part, expression in pairs]
    order = (*parts[0].axes, *kept_axes(blocks, parts[0].axes))
    backwards = kept_backwards(blocks, parts[0].axes)
    if backwards:
        blocks = [np.flip(block, backwards) for block in blocks]
    turned = read_if_folded_whole([block.transpose(order) for block in blocks], parts)
    with checking_fp_errors(needless=all(map(is_quiet, parts))) as suspicion:
        values = _values(turned, parts, order, None if backwards else out)
    if suspicion is not None and (suspicion.raised or parts[0].expression is not None):
        _tell_errors(turned, parts, order, values, suspicion)
    if parts[0].target is None:  # the reduced axes are gone
        before = [sum(a < axis for a in parts[0].axes) for axis in backwards]
        backwards = tuple([axis - n for axis, n in zip(backwards, before, strict=True)])
    return [np.flip(value, backwards) for value in values] if backwards else values


def _values(
    turned: Sequence[Block], parts: Sequence[FoldPart], order: tuple[int, ...], out: Block | None
) -> list[Block]:
    """The nodes or values of blocks whose reduced axes come first, in the order of their axes."""
    if parts[0].source is None and len(parts) == 1 and parts[0].tree.selected is None:
        ready = nodes_in_any_order(turned, parts[0])
        if ready is not None:
            return [finished(parts[0], ready, order, out)]
    nodes = turned if parts[0].source is not None else _nodes(turned, parts)
    return [_merged(part, one, order, out) for part, one in zip(parts, nodes, strict=True)]


def _tell_errors(
    turned: Sequence[Block],
    parts: Sequence[FoldPart],
    order: tuple[int, ...],
    values: Sequence[Block],
    suspicion: FpErrorCheck,
) -> None:
    """Fold once more without compiled code, which says what went wrong, and where.

    Unless it was a NaN that was compared, which is no error.
    """
    for part, value in zip(parts, values, strict=True):
        formula = part.expression
        silent = formula is not None and formula_errors.may_be_silent(formula, turned)
        if not (suspicion.raised or silent):
            continue
        of_nans = part.source is None and not silent and suspicion.may_be_of_nans
        if of_nans and is_valid(part, turned, value):
            continue
        errors = FOLD_ERRORS.get(part.monoid, {})
        folding = _folded_again(turned, part, order, _in_two_steps)
        if folding is not None and folding.raised and errors:
            folding = _folded_again(list(map(in_memory, turned)), part, order, _interpreted)
        if folding is not None:
            folding.tell(errors)


def _folded_again(
    turned: Sequence[Block], part: FoldPart, order: tuple[int, ...], leaves: Leaves
) -> FpErrorCheck | None:
    """What may go wrong where these make the states of leaves."""
    with checking_fp_errors() as folding:
        nodes = _nodes(turned, [part], leaves) if part.source is None else turned
        if part.monoid in LINEAR:
            _merged(part, nodes[0], order)
    return folding


def _merged(
    part: FoldPart, nodes: Block, order: tuple[int, ...], out: Block | None = None
) -> Block:
    """Nodes of the target's level, in the order of the block's axes, or the value."""
    arithmetic, tree = ARITHMETIC[part.monoid], part.tree
    if part.source is not None or tree.lattice is None:
        first = part.origin if part.source is not None else node_numbers(tree, 0, part.origin)
        levels = range(part.source or 0, last_level(part))
        nodes = merged_to_levels(nodes, arithmetic, tree, levels, first)
    return finished(part, nodes, order, out)


def _nodes(
    blocks: Sequence[Block], parts: Sequence[FoldPart], leaves: Leaves | None = None
) -> list[Block]:
    """States of leaves, or over a lattice the nodes at the last level; reduced axes come first."""
    leaves = leaves or _leaves
    if any(part.tree.selected is not None for part in parts):
        return selected_apart(blocks, parts, leaves, _nodes)
    if parts[0].tree.lattice is not None:
        return lattice_nodes(blocks, parts, leaves)
    return leaves(blocks, parts)


def _interpreted(blocks: Sequence[Block], parts: Sequence[FoldPart]) -> list[Block]:
    """`_leaves` without compiled code."""
    return [_numpys_states(blocks, part) for part in parts]


def _in_two_steps(blocks: Sequence[Block], parts: Sequence[FoldPart]) -> list[Block]:
    """`_leaves` of a formula's cells, which are computed before."""
    return leaves_of_formula_cells(blocks, parts, _leaves)


def _numpys_states(blocks: Sequence[Block], part: FoldPart) -> Block:
    chosen = 0 if part.expression is None else part.expression.chosen
    if chosen is None:
        return _interpreted_states(blocks, part)
    return _leaf_states(blocks[chosen], ARITHMETIC[part.monoid], part.tree.sides(0), part.state)


def _leaves(blocks: Sequence[Block], parts: Sequence[FoldPart]) -> list[Block]:
    """States of the leaves, for each part, of blocks whose reduced axes come first.

    Several parts take turns on pieces of the blocks that stay in cache.
    """
    if any(map(is_unread, blocks)):
        return leaves_by_pieces(blocks, parts, _leaves)
    if len(parts) == 1:
        return [_leaves_of(blocks, parts[0])]
    together = _column_states(blocks, parts)
    if together is not None:
        return together
    in_turn = states_in_turn(blocks, parts)
    if in_turn is not None:
        pairs = zip(in_turn, parts, strict=True)
        return [_counted_in_all(nodes, part, blocks[0].shape) for nodes, part in pairs]
    ready = [_is_compiled(part, blocks) for part in parts]  # each is asked for
    by_rows = None if any(ready) else row_states(blocks, parts)
    if by_rows is not None:
        return by_rows
    return states_by_pieces(blocks, parts, _leaves_in_turn)


def _leaves_in_turn(piece: Sequence[Block], parts: Sequence[FoldPart]) -> list[Block]:
    return [_leaves_of(piece, part) for part in parts]


def _leaves_of(blocks: Sequence[Block], part: FoldPart) -> Block:
    """States of the leaves of blocks whose reduced axes come first, by compiled code if it can."""
    expression, sides = part.expression, part.tree.sides(0)
    chosen = 0 if expression is None else expression.chosen
    if chosen is not None:
        blocks, part = [blocks[chosen]], part._replace(expression=None)
        nodes = cell_states(blocks[0], part.monoid, sides, part.state)
    else:
        nodes = _formula_states(blocks, part)
    by_rows = row_states(blocks, [part]) if nodes is None else None
    if by_rows is not None:
        (nodes,) = by_rows
    elif nodes is None:
        nodes = _numpys_states(blocks, part)
    return _counted_in_all(nodes, part, blocks[0].shape)


def _counted_in_all(nodes: Block, part: FoldPart, shape: Sequence[int]) -> Block:
    """States of leaves of cells of this shape, whose places are those in the whole array."""
    if tells_places(part):
        for place, cut in _uniform(tuple(shape[: len(part.origin)]), part.tree.sides(0)):
            inner = [
                (p.stop - p.start) // (q.stop - q.start) for p, q in zip(cut, place, strict=True)
            ]
            globalize(nodes[place], tuple(inner), cut, part.origin, part.tree.extents)
    return nodes


def _is_compiled(part: FoldPart, blocks: Sequence[Block]) -> bool:
    """Whether compiled code folds cells of blocks that lie as these; it is asked for."""
    formula, cells = part.expression, blocks[0].size
    kind = blocks[0].dtype if formula is None else formula.dtype
    row: Any = formula is None or formula.chosen is not None
    row = row or formula_of(formula, cells, _still(blocks, part.tree.sides(0)))
    return loops_of(part.monoid, kind, part.state, cells) is not None and bool(row)


def _formula_states(blocks: Sequence[Block], part: FoldPart) -> Block | None:
    """States of leaves of a formula's cells, which are never all in memory; None: not compiled."""
    kind, cells, sides = part.expression.dtype, blocks[0].size, part.tree.sides(0)
    still = _still(blocks, sides)
    formula = formula_of(part.expression, cells, still)
    if loops_of(part.monoid, kind, part.state, cells) is None or formula is None:
        return None
    if still_in_line(blocks, sides) is None:
        columns = column_states(blocks, part.monoid, kind, sides, part.state, [formula])
        if columns is not None:
            return columns[0]
        formula = formula_of(part.expression, cells) if still else formula
    return leaf_states(blocks, part.monoid, kind, sides, part.state, formula) if formula else None


def _still(blocks: Sequence[Block], sides: tuple[int, ...]) -> tuple[int, ...] | None:
    """The operands that are one cell in each line of a leaf, or else in each row of columns."""
    in_line = still_in_line(blocks, sides)
    return (still_in_rows(blocks, sides) or None) if in_line is None else in_line


def _interpreted_states(blocks: Sequence[Block], part: FoldPart) -> Block:
    """States of leaves of a formula's cells, computed and folded piece by piece."""
    shape, sides, formula = blocks[0].shape, part.tree.sides(0), part.expression
    nodes = np.empty((*leaf_grid(shape[: len(sides)], sides), *shape[len(sides) :]), part.state)
    arithmetic = ARITHMETIC[part.monoid]
    for leaves, cells in leaf_pieces(shape, sides, formula.dtype.itemsize, FORMULA_BYTES):
        values = cells_of(formula, [block[cells] for block in blocks])
        nodes[leaves] = _leaf_states(values, arithmetic, sides, part.state)
    return nodes


def _column_states(blocks: Sequence[Block], parts: Sequence[FoldPart]) -> list[Block] | None:
    """States of leaves of several formulas that are folded alike; None where they are not."""
    kinds = {(p.monoid, p.expression and p.expression.dtype, p.state) for p in parts}
    if len(kinds) > 1 or any(p.expression is None for p in parts) or tells_places(parts[0]):
        return None
    still = still_in_rows(blocks, parts[0].tree.sides(0))
    if still is None:
        return None
    compiled_ = [formula_of(part.expression, blocks[0].size, still or None) for part in parts]
    formulas = [formula for formula in compiled_ if formula is not None]
    if len(formulas) < len(parts):
        return None
    monoid, kind, state = kinds.pop()
    return column_states(blocks, monoid, kind, parts[0].tree.sides(0), state, formulas)


def _leaf_states(
    cells: Block, arithmetic: MonoidOps, sides: tuple[int, ...], state: np.dtype[Any]
) -> Block:
    """States of the leaves of `cells`, whose reduced axes come first, by NumPy.

    They have the bits of those that `leaf_states` compiles.
    """
    rank = len(sides)
    grid = leaf_grid(cells.shape[:rank], sides)
    nodes = np.empty((*grid, *cells.shape[rank:]), state)
    for node, part in _uniform(cells.shape[:rank], sides):
        box = cells[part]
        if not box.size:
            continue
        counts = [p.stop - p.start for p in node]
        shape = [n for g, n in zip(counts, box.shape, strict=False) for n in (g, n // g)]
        split = box.reshape(*shape, *box.shape[rank:])
        split = split.transpose(
            *range(1, 2 * rank, 2), *range(0, 2 * rank, 2), *range(2 * rank, split.ndim)
        )
        _fold_tiles(split, arithmetic, rank, state, nodes[node])
    return nodes


def _uniform(
    shape: tuple[int, ...], sides: tuple[int, ...]
) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Parts of a box whose leaves are all alike: (leaf slices, cell slices)."""
    choices = []
    for n, side in zip(shape, sides, strict=True):
        whole = n // side
        parts = [(slice(0, whole), slice(0, whole * side))] if whole else []
        if n % side:
            parts.append((slice(whole, whole + 1), slice(whole * side, n)))
        choices.append(parts)
    for combination in product(*choices):
        yield tuple(c[0] for c in combination), tuple(c[1] for c in combination)


def _fold_tiles(
    split: Block, arithmetic: MonoidOps, rank: int, state: np.dtype[Any], result: Block
) -> None:
    """Leaf states, to `result`, of cells shaped (sides of a leaf..., leaves..., kept...)."""
    sides, outer = split.shape[:rank], split.shape[rank:]
    if arithmetic.function is not None and split.dtype == state:  # no copy is made
        held = min(LANES, prod(sides)) * state.itemsize
        budget = LANES_BYTES // held
    else:
        budget = TEMPORARY_CELLS // prod(sides)
    for tile in tiles(outer, max(1, budget)):
        result[tile] = arithmetic.leaf(split[(slice(None),) * rank + tile], state, rank)


KERNELS: Final[dict[str, Kernel]] = {
    "reduce": reduce,
    "reductions": reductions,
}
