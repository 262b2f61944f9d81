"""Values without dimensions that are scalars in NumPy: no operator changes them in place.

``s = x.sum(); t = s; t += 1`` leaves `s` as it is, and ``s += 0.5`` of an integer is a float. NumPy
has an array without dimensions where somebody makes one, as by ``zeros(())``: this changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dask_tapestry.io.sources.dask_blocks_source import BlockSource

if TYPE_CHECKING:
    from dask_tapestry.arrays.core.array import Array


def is_scalar(x: Array) -> bool:
    """Whether a value is a scalar in NumPy: computed, or taken out of an array by integers.

    A copy is none, nor what was assigned to.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(3)
    >>> is_scalar(x.sum()), is_scalar(x[0]), is_scalar(dt.zeros(())), is_scalar(x)
    (True, True, False, False)
    """
    if x.ndim or x.is_own:
        return False
    node = x.bound
    while node.operator.is_selector and len(node.inputs) == 1:
        whole = node.inputs[0]
        if node.operator.is_view and node.type.ndim < whole.type.ndim:
            return True
        node = whole
    return bool(node.inputs) or isinstance(node.operator, BlockSource)
