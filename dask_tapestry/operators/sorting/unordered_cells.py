"""Unordered cells: those of a flattened value as they lie, for what does not ask in which order.

A vector that is cut in runs reads chunks of many rows again for each run that begins inside them.
"""

from __future__ import annotations

from dask_tapestry.operators.views.reshape import Reshape
from dask_tapestry.teg import Node
from dask_tapestry.teg.node import reapply


def unordered(x: Node) -> Node:
    """The cells of `x`, of any shape and in any order: those that it is a reshape of, if it is one.

    Or what is computed of reshapes of one shape, cell by cell.
    """
    found = _unflattened(x)
    return x if found is None else found


def _unflattened(x: Node) -> Node | None:
    if x.annotations or x.format is not None:
        return None
    if isinstance(x.operator, Reshape):
        return x.inputs[0]
    if not x.operator.is_formula or not x.inputs:
        return None
    inputs = [_unflattened(one) for one in x.inputs]
    found = [one for one in inputs if one is not None]
    is_alike = len({one.type.shape for one in found}) == 1 and len(found) == len(inputs)
    return reapply(x, found, x.after) if is_alike else None
