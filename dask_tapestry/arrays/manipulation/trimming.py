"""Arrays without the zeros at their ends: `trim_zeros`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.computing import computed
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.masks.boolean_mask import not_zero
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.axes import Axes, normalize_axes

__all__ = ["trim_zeros"]


@implements(np.trim_zeros)
def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axes = None) -> Array:
    """Return an array without zeros at its beginning and end, as `numpy.trim_zeros`.

    Where it begins and ends is computed now, as the shape follows from it.

    {Parameters}
        filt: The array.
        trim: Where zeros are cut off: ``"f"`` at the front, ``"b"`` at the back.
        axis: Along which; None trims all.
    {Returns} Array: A part of it.
    {Raises} ArgumentError: For another `trim`.
    {Examples}
    >>> dt.trim_zeros([0, 0, 1, 2, 0, 3, 0]).compute()
    array([1, 2, 0, 3])
    """
    array, ends = asarray(filt), str(trim).lower()
    if ends not in ("f", "b", "fb", "bf"):
        raise ArgumentError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = normalize_axes(axis, array.ndim)
    filled = Array(not_zero(array.node))
    rest = [tuple(dim for dim in range(array.ndim) if dim != one) for one in axes]
    key = [slice(None)] * array.ndim
    for one, flags in zip(axes, computed(*[filled.any(axis=dims) for dims in rest]), strict=True):
        places = np.flatnonzero(flags)
        first, last = (int(places[0]), int(places[-1]) + 1) if places.size else (0, 0)
        kept_front, kept_back = places.size and "f" not in ends, places.size and "b" not in ends
        key[one] = slice(None if kept_front else first, None if kept_back else last)
    return array[tuple(key)]
