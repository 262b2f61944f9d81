"""The method `reduce` of NumPy's ufuncs: ``numpy.add.reduce(x)`` and its kind reach our folds."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import METHODS
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.reduction_arguments import NOT_GIVEN, folded
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.axes import Axes
from dask_tapestry.operators.reductions.monoids import MONOIDS

RENAMED = {  # monoids that begin as NumPy's ufunc does, where there are two of one ufunc
    "add": "sum",
}


def _reduce(monoid: str, ufunc: str) -> Callable[..., Array]:
    @names_axes
    def reduce(
        array: ArrayLike,
        axis: Axes = 0,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = NOT_GIVEN,
        where: ArrayLike = NOT_GIVEN,
    ) -> Array:
        """Fold the ufunc over `axis`, by default the first, as `numpy.ufunc.reduce`."""
        x = asarray(array)
        asked = dtype is not None and as_dtype(dtype).kind == "b"
        if x.dtype.kind == "O" and not asked and _is_logical(monoid, x):
            raise DTypeError(
                f"{ufunc}.reduce of Python objects returns one of them: give dtype=bool "
                "for booleans"
            )
        return folded(
            monoid,
            x,
            axis,
            dtype=dtype,
            out=out,
            keepdims=keepdims,
            initial=initial,
            where=where,
        )

    return reduce


def _is_logical(monoid: str, x: Array) -> bool:
    return MONOIDS[monoid].dtypes(x.dtype, None)[0].kind == "b"


def register() -> None:
    """Make the methods known to NumPy's dispatch."""
    for declared in MONOIDS.values():
        if declared.ufunc:
            monoid = RENAMED.get(declared.ufunc, declared.name)
            METHODS[declared.ufunc, "reduce"] = _reduce(monoid, declared.ufunc)
