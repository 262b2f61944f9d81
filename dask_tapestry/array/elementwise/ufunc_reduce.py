"""The method `reduce` of NumPy's ufuncs: ``numpy.add.reduce(x)`` and its kind reach our folds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.dispatch import METHODS
from dask_tapestry.array.core.reduction_arguments import NOT_GIVEN, folded
from dask_tapestry.operators.axes import Axes
from dask_tapestry.operators.monoids import MONOIDS

RENAMED = {  # monoids that begin as NumPy's ufunc does, where there are two of one ufunc
    "add": "sum",
}


def _reduce(monoid: str) -> Callable[..., Array]:
    def reduce(
        array: Any,
        axis: Axes = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NOT_GIVEN,
        where: Any = NOT_GIVEN,
    ) -> Array:
        """Fold the ufunc over `axis`, by default the first, as `numpy.ufunc.reduce`."""
        options = {"out": out, "keepdims": keepdims, "initial": initial, "where": where}
        return folded(monoid, array, axis, dtype=dtype, **options)

    return reduce


def register() -> None:
    """Make the methods known to NumPy's dispatch."""
    for declared in MONOIDS.values():
        if declared.ufunc:
            monoid = RENAMED.get(declared.ufunc, declared.name)
            METHODS[declared.ufunc, "reduce"] = _reduce(monoid)
