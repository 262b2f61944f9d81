"""Roll: cells moved along axes; those that leave at one end return at the other."""

from __future__ import annotations

from collections.abc import Mapping

from dask_tapestry.operators.joins.axis_slices import concat_nonempty, slice_axis
from dask_tapestry.teg import Tensor


def roll(x: Tensor, shifts: Mapping[int, int]) -> Tensor:
    """Move cells by ``shifts[axis]``, of either sign, along each axis of `shifts`, from 0."""
    for axis, shift in shifts.items():
        extent = x.type.shape[axis]
        places = shift % extent if extent else 0
        if places:
            back = slice_axis(x, axis, extent - places, None)
            x = concat_nonempty([back, slice_axis(x, axis, None, extent - places)], axis)
    return x
