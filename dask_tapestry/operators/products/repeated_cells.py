"""Repeated cells: whether a tensor shows the cells that it is made of again and again.

Windows that overlap and broadcast operands do. Such a tensor should be no operand of a matrix
product, which would have it in memory with every repetition: multiplied and added up cell by cell,
it is never there as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from dask_tapestry.operators.cells.cellwise import CellwiseOperator
from dask_tapestry.operators.tuning import MOST_REPEATED_NODES
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.selector import GeneratorOperator


def repeats_cells(x: Tensor) -> bool:
    """Whether `x` has at least twice as many cells as what it is made of, cell by cell.

    Examples
    --------
    >>> import numpy as np
    >>> from dask_tapestry.io.sources.numpy_source import from_numpy
    >>> from dask_tapestry.operators.views.broadcast import broadcast
    >>> row = from_numpy(np.zeros(5))
    >>> repeats_cells(row), repeats_cells(broadcast(row, (3, 5)))
    (False, True)
    """
    total = 0
    for origin in _origins(x):
        total += origin.type.size
        if 2 * total > x.type.size:
            return False
    return total > 0


def _origins(x: Tensor) -> Iterator[Tensor]:
    """The tensors of which `x` is made by views, joins and formulas alone; `x` if it is large."""
    visited, stack = {x}, [x]
    while stack:
        node = stack.pop()
        if not (node.operator.is_selector or isinstance(node.operator, CellwiseOperator)):
            if not isinstance(node.operator, GeneratorOperator):
                yield node
            continue
        fresh = [one for one in node.inputs if one not in visited]
        visited.update(fresh)
        stack += fresh
        if len(visited) > MOST_REPEATED_NODES:
            yield x
            return
