"""Windows that move over an array: `sliding_window_view`."""

from __future__ import annotations

from numpy.lib.stride_tricks import sliding_window_view as numpy_s
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.shape_arguments import Shape, lengths_of
from dask_tapestry.errors import ArgumentError, ShapeError
from dask_tapestry.operators.axes import each_axis, normalize_axis
from dask_tapestry.operators.layouts.nominal_chunks import with_nominal_chunks
from dask_tapestry.operators.views.windows import windows
from dask_tapestry.teg.nominal import nominal_cuts
from dask_tapestry.zspace import Cuts

__all__ = ["sliding_window_view"]


@implements(numpy_s)
def sliding_window_view(
    x: ArrayLike,
    window_shape: Shape,
    axis: int | tuple[int, ...] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
    automatic_rechunk: bool = True,
) -> Array:
    """Return all windows of an array, as `numpy.lib.stride_tricks.sliding_window_view`.

    It takes no memory: windows share the cells that they read.

    {Parameters}
        {x}
        window_shape: Length of the windows along each axis of `axis`.
        axis: Along which they move, an axis more than once at will; None for all axes.
        subok, automatic_rechunk: As NumPy's and Dask's, without meaning here.
        writeable: False: a window is a value.
    {Returns} Array: Dimensions of `x`, shorter by where windows do not fit, and then those of a
        window, which is within a chunk.
    {Raises}
        ShapeError: If a window does not fit, or there are not as many lengths as axes.
        ArgumentError: If it should be writeable.
    {See Also} map_overlap, numpy.lib.stride_tricks.sliding_window_view
    {Examples}
    >>> dt.overlap.sliding_window_view(dt.arange(5), 3).sum(axis=-1).compute()
    array([3, 6, 9])
    """
    del subok, automatic_rechunk
    if writeable:
        raise ArgumentError("windows of an Array are not writeable: each of them is a value")
    array = asarray(x)
    lengths = lengths_of(window_shape)
    if any(n < 0 for n in lengths):
        raise ShapeError("`window_shape` cannot contain negative values")
    along = range(array.ndim) if axis is None else each_axis(axis)
    if len(lengths) != len(along):
        raise ShapeError(f"{len(lengths)} lengths of windows for {len(along)} axes")
    node = array.node
    for one, length in zip(along, lengths, strict=True):
        number = normalize_axis(integer(one), array.ndim)
        if length > node.type.shape[number]:
            raise ShapeError("window shape cannot be larger than input array shape")
        node = windows(node, number, length)
    cuts = nominal_cuts(node)
    whole = cuts[: array.ndim] + tuple(Cuts.regular(n, max(n, 1)) for n in lengths)
    return Array(node if whole == cuts else with_nominal_chunks(node, whole))
