"""Masked inserts: a step that writes a part of a field chooses between two values by a mask.

Cells that a choice does not take are hidden: they need not be there, and may be anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.operators.generators.full import Full, full
from dask_tapestry.operators.joins.insert import Insert, insert
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.rules.extensions import MODES, AxisExtension, Extension, seen_through
from dask_tapestry.teg import Node, Progression

Offset = tuple[int, ...]
Sides = tuple[
    AxisExtension | None, AxisExtension | None
]  # what is seen beyond both ends of an axis
INSIDE: Final[Sides] = (None, None)
HIDDEN: Final[Sides] = (
    AxisExtension(MODES),
    AxisExtension(MODES),
)  # whatever others see there will do
QUIET: Final = frozenset(  # functions that tell no error of ordinary cells
    "absolute add cast conjugate constant cos equal exp greater greater_equal imag less less_equal "
    "logical_and logical_not logical_or maximum minimum multiply negative not_equal positive real "
    "sign sin square subtract tanh where".split()
)


class Choice(NamedTuple):
    """Cells of `value` where `mask` is true, and of `rest` elsewhere.

    Attributes
    ----------
    mask
        For each cell that is computed.
    value, offset, sides
        Inserted cells, how far from those that are computed they are, and what lies beyond them.
    rest
        What they are inserted into.
    """

    mask: Node
    value: Node
    offset: Offset
    sides: tuple[Sides, ...]
    rest: Node


def choice_of(
    node: Node, offset: Offset, sides: Sequence[Sides], shape: Sequence[int]
) -> Choice | None:
    """The choice that an insertion is, for `shape` cells so far from its own; None if none."""
    operator = node.operator
    if not isinstance(operator, Insert) or any(p.step != 1 and p.count > 1 for p in operator.into):
        return None
    base, value = node.inputs
    region, new_sides = [], []
    for part, extent, by, side, n in zip(
        operator.into, node.type.shape, offset, sides, shape, strict=True
    ):
        if part.count == extent:
            region.append(Progression(0, 1, n))
            new_sides.append(side)
            continue
        if side not in (INSIDE, HIDDEN):
            return None
        first, stop = max(0, part.start - by), min(n, part.stop - by)
        region.append(Progression(first, 1, max(0, stop - first)))
        new_sides.append(HIDDEN)
    inner = tuple(part.count for part in region)
    mask = insert(full(tuple(shape), np.False_), tuple(region), full(inner, np.True_))
    moved = tuple(by - part.start for by, part in zip(offset, operator.into, strict=True))
    return Choice(mask, value, moved, tuple(new_sides), base)


def chosen_cells(dtype: np.dtype[Any]) -> CellExpression:
    """The formula of a choice: of a mask, a value, and the rest."""
    builder = CellBuilder([np.dtype(bool), dtype, dtype])
    return builder.finish(builder.call("where", [0, 1, 2], dtype))


def is_quiet(formula: CellExpression) -> bool:
    """Whether a formula may be computed of hidden cells: it tells no error that nobody asked for.

    A quotient of a constant that is not 0 is quiet.
    """
    first = len(formula.parameters)
    for step in formula.steps:
        if step.function == "divide" and step.operands[1] >= first:
            divisor = formula.steps[step.operands[1] - first]
            if divisor.function == "constant" and formula.constant(divisor):
                continue
        if step.function not in QUIET:
            return False
    return True


def as_insertion(node: Node, extension: Extension) -> Node | None:
    """A tensor that is padded with one constant, as one inserted into that constant."""
    base, axis, shift, before, after = extension
    ends = [end for end in (before, after) if end is not None]
    if not ends or any(end.modes != {"constant"} for end in ends):
        return None
    if len({repr(end.value) for end in ends}) > 1:
        return None
    into = [Progression(0, 1, n) for n in node.type.shape]
    into[axis] = Progression(shift, 1, base.type.shape[axis])
    if shift < 0 or into[axis].stop > node.type.shape[axis]:
        return None
    value = np.asarray(ends[0].value).astype(node.type.dtype)[()]
    return insert(full(node.type.shape, value), tuple(into), base)


def constant_of(node: Node) -> Any:
    """The one value of all cells; None for what has others, or is not known."""
    last = seen_through(node)[-1].operator
    return last.scalar if isinstance(last, Full) else None


def embedded(
    node: Node, offset: Offset, sides: Sequence[Sides], shape: Sequence[int]
) -> Node | None:
    """Data for `shape` cells, so far from its own; ones where it is hidden and has none."""
    kept_slices, into = [], []
    for by, side, extent, n in zip(offset, sides, node.type.shape, shape, strict=True):
        first, stop = max(0, -by), min(n, extent - by)
        if side not in (INSIDE, HIDDEN) or (side == INSIDE and stop - first < n):
            return None
        into.append(Progression(first, 1, max(0, stop - first)))
        kept_slices.append(slice(first + by, max(first, stop) + by))
    cells = basic_slice(node, tuple(kept_slices))
    ones = full(tuple(shape), np.ones((), node.type.dtype)[()])
    return insert(ones, tuple(into), cells)
