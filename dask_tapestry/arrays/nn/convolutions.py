"""Convolutions of a network: `conv`, and `conv_transpose`, which takes its result back."""

from __future__ import annotations

from numpy.typing import ArrayLike

from dask_tapestry.amounts import whole_number
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.nn.spatial_arguments import Mode, Padding, PerAxis, padded, pads, per_axis
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.joins.axis_slices import slice_axis
from dask_tapestry.operators.joins.zero_stuffing import spread
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.reverse import reverse
from dask_tapestry.operators.windows.convolve import convolve
from dask_tapestry.teg import Tensor

__all__ = ["conv", "conv_transpose"]


def conv(
    x: ArrayLike,
    k: ArrayLike,
    *,
    strides: PerAxis = 1,
    padding: Padding = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
    padding_mode: Mode = "zeros",
) -> Array:
    """Convolve images, or signals or volumes, as networks do: windows are not turned around.

    {Parameters}
        x: Input, shape (batch, channels, space...), of one dimension of space or more.
        k: Weights, shape (outputs, channels / groups, window...).
        strides: Cells from a window to the next; one for all dimensions of space, or one for each.
        padding: Cells added before and after: one number, one for each dimension of space, or
            pairs; ``"valid"`` for none, ``"same"`` for as many windows as cells, divided by the
            strides.
        dilation: Cells from a cell of a window to the next.
        groups: Into how many the channels are parted; outputs of a group see its channels alone.
        padding_mode: What is added: ``"zeros"``, or as `dt.pad` does ``"reflect"``, ``"wrap"``,
            ``"edge"``.
    {Returns} Array: Shape (batch, outputs, windows...), of the dtype of a product of matrices.
        Integers are exact. Floats of at most 16 pairs of channels a group have the same bits for
        every sharding; others end in BLAS, and are within rounding.
    {Raises}
        ShapeError: If the ranks differ, channels do not fit `groups`, or a window does not fit the
            padded cells.
        ArgumentError: For strides, dilations or groups below one, negative widths, or another mode.
        DTypeError: If there is no product of these dtypes.
    {See Also} conv_transpose, avg_pool, convolve

    Notes
    -----
    Source: Tapestry whitepaper, "Sharding Convolution Operators", "Sparse Strided Convolution
    Operators". A block reads the cells of its windows and no others, and a slice of the result
    reads what its own windows need.

    {Examples}
    >>> x = dt.arange(16.0).reshape(1, 1, 4, 4)
    >>> dt.nn.conv(x, dt.ones((1, 1, 3, 3)), padding="same", strides=2).compute()
    array([[[[45., 39.],
             [66., 50.]]]])
    """
    cells, weights = asarray(x).node, asarray(k).node
    rank = _rank("conv", cells, weights)
    pace, apart = per_axis("strides", strides, rank), per_axis("dilation", dilation, rank)
    count = whole_number("groups", groups)
    widths = pads(padding, cells.type.shape[2:], weights.type.shape[2:], pace, apart)
    around = padded(cells, widths, padding_mode)
    return Array(convolve(around, weights, pace, apart, count))


def conv_transpose(
    x: ArrayLike,
    k: ArrayLike,
    *,
    strides: PerAxis = 1,
    padding: Padding = 0,
    output_padding: PerAxis = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Array:
    """Add up the windows that the cells of `x` are weights of: the transpose of `conv`.

    ``conv(., k)`` is a linear map; this is the one of its transposed matrix, with the same `k`,
    strides, padding, dilation and groups: it leads from results back to inputs.

    {Parameters}
        {x.images}
        k: Weights, shape (channels, outputs / groups, window...): those of the `conv` that leads
            from `outputs` to `channels`.
        strides, dilation, groups: Those of that `conv`.
        padding: That of that `conv`, so many cells less; one number, one for each dimension, or
            pairs.
        output_padding: Cells added after: of several extents that `conv` makes one of, it tells
            which.
    {Returns} Array: Shape (batch, outputs, ``(n - 1) * stride + dilation * (window - 1) + 1 +
        output_padding`` without the padding...), of the dtype of `conv`.
    {Raises}
        ShapeError: If the ranks differ, channels do not fit, or padding leaves no cell.
        ArgumentError: For numbers that are too small, or an output padding that is not below stride
            or dilation.
    {See Also} conv
    {Examples}
    >>> x, k = dt.asarray([[[1.0, 2.0]]]), dt.asarray([[[1.0, 10.0, 100.0]]])
    >>> dt.nn.conv_transpose(x, k, strides=2).compute()
    array([[[  1.,  10., 102.,  20., 200.]]])
    """
    cells, weights = asarray(x).node, asarray(k).node
    rank = _rank("conv_transpose", cells, weights)
    steps, dilations = per_axis("strides", strides, rank), per_axis("dilation", dilation, rank)
    count = whole_number("groups", groups)
    more = per_axis("output_padding", output_padding, rank, 0)
    space, window = cells.type.shape[2:], weights.type.shape[2:]
    if isinstance(padding, str):
        raise ShapeError(f"conv_transpose takes padding in cells, not {padding!r}")
    less = pads(padding, space, window, steps, dilations)
    ends = []
    for n, w, s, d, (before, after), extra in zip(
        space, window, steps, dilations, less, more, strict=True
    ):
        if extra >= max(s, d):
            raise ShapeError(f"output_padding {more} must be below strides {steps} or {dilations}")
        reach = d * (w - 1)
        made = (n - 1) * s + reach + 1 + extra - before - after if n else 0
        if made < 1:
            raise ShapeError(
                f"conv_transpose of x {cells.type} with k {weights.type}: padding {less} leaves "
                "no cell"
            )
        ends.append((reach - before, reach - after + extra))
    wide = cells
    for axis, s in enumerate(steps, start=2):
        wide = spread(wide, axis, s)
    cut = [(max(0, -a), max(0, -b)) for a, b in ends]
    for axis, (a, b) in enumerate(cut, start=2):
        wide = slice_axis(wide, axis, a, wide.type.shape[axis] - b)
    wide = padded(wide, [(max(0, a), max(0, b)) for a, b in ends], "zeros")
    turned = _transposed_weights(weights, count)
    return Array(convolve(wide, turned, (1,) * rank, dilations, count))


def _transposed_weights(k: Tensor, groups: int) -> Tensor:
    """Weights (channels, outputs / groups, window...) as a convolution takes them, reversed."""
    channels, own, *window = k.type.shape
    if channels % groups:
        raise ShapeError(f"conv_transpose: groups={groups} do not divide channels of k {k.type}")
    for axis in range(2, k.type.ndim):
        k = reverse(k, axis)
    parted = reshape(k, (groups, channels // groups, own, *window))
    order = (0, 2, 1, *range(3, parted.type.ndim))
    return reshape(permute(parted, order), (groups * own, channels // groups, *window))


def _rank(name: str, x: Tensor, k: Tensor) -> int:
    """Dimensions of space."""
    if x.type.ndim < 3 or x.type.ndim != k.type.ndim:
        raise ShapeError(
            f"{name} takes x (batch, channels, space...) and k (outputs, channels, window...) of "
            f"as many dimensions, three at least: got x {x.type} and k {k.type}"
        )
    return x.type.ndim - 2
