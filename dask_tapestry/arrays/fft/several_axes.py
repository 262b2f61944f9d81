"""Transforms along several axes, one after the other in NumPy's order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integers
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.fft.one_axis import fft, ifft, irfft, rfft
from dask_tapestry.errors import AxisError, ShapeError
from dask_tapestry.operators.axes import normalize_axis

__all__ = ["fftn", "ifftn", "irfftn", "rfftn"]
Lengths = Sequence[int] | None
Axes = Sequence[int] | None


@implements(np.fft.fftn)
def fftn(
    a: ArrayLike,
    s: Lengths = None,
    axes: Axes = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the Fourier transform along several axes, as `numpy.fft.fftn`.

    {Parameters}
        {a.complex}
        s: Cells along each of the axes, -1 for as many as there are; by default as many as there
            are.
        axes: The axes; by default the last ``len(s)``, or all.
        norm: Which direction divides by the cells of the axes: ``"backward"`` (None),
            ``"forward"``, or ``"ortho"``, both by their root.
        out: An array that takes the value, of its shape.
    {Returns} Array: Shape of `a`, but along the axes; complex64 for float16, float32 and complex64,
        else of the precision of `a`.
    {Raises} {ShapeError.axes, ArgumentError.norm, DTypeError.numbers}
    {See Also} ifftn, fft, rfftn
    {Examples}
    >>> dt.fft.fftn(dt.ones((2, 2))).compute()
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    x = asarray(a)
    for length, axis in reversed(_lengths(x, s, axes)):
        x = fft(x, length, axis, norm)
    return assigned_to_out(out, x)


@implements(np.fft.ifftn)
def ifftn(
    a: ArrayLike,
    s: Lengths = None,
    axes: Axes = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the inverse of `fftn`, as `numpy.fft.ifftn`.

    {Parameters} {a.complex, s.fftn}
    {Returns} Array: Shape of `a`, but along the axes; in the dtype of `fftn`.
    {Raises} {ShapeError.axes, ArgumentError.norm, DTypeError.numbers}
    {See Also} fftn, ifft, irfftn
    {Examples}
    >>> dt.fft.ifftn(dt.ones((2, 2))).compute()
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    x = asarray(a)
    for length, axis in reversed(_lengths(x, s, axes)):
        x = ifft(x, length, axis, norm)
    return assigned_to_out(out, x)


@implements(np.fft.rfftn)
def rfftn(
    a: ArrayLike,
    s: Lengths = None,
    axes: Axes = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the transform of real cells along several axes, as `numpy.fft.rfftn`.

    {Parameters} {a.real, s.fftn}
    {Returns} Array: Shape of `a`, but along the axes; in the dtype of `fftn`.
    {Raises} {ShapeError.axes, ArgumentError.norm, DTypeError.complex}
    {See Also} irfftn, rfft, fftn
    {Examples}
    >>> dt.fft.rfftn(dt.ones((2, 4))).compute()
    array([[8.+0.j, 0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j, 0.+0.j]])
    """
    *others, (length, axis) = _some_lengths(asarray(a), s, axes)
    x = rfft(a, length, axis, norm)
    for length, axis in reversed(others):
        x = fft(x, length, axis, norm)
    return assigned_to_out(out, x)


@implements(np.fft.irfftn)
def irfftn(
    a: ArrayLike,
    s: Lengths = None,
    axes: Axes = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the inverse of `rfftn`, as `numpy.fft.irfftn`.

    {Parameters}
        a: Cells of which the half with positive frequencies along the last axis is known.
        {s.irfft}
        axes, norm, out: As of `fftn`.
    {Returns} Array: Shape of `a`, but along the axes; real, of the precision of `a`.
    {Raises} {ShapeError.axes, ArgumentError.norm, DTypeError.numbers}
    {See Also} rfftn, irfft, ifftn
    {Examples}
    >>> dt.fft.irfftn(dt.ones((2, 2))).compute()
    array([[1., 0.],
           [0., 0.]])
    """
    x = asarray(a)
    *others, (length, axis) = _some_lengths(x, s, axes)
    for inner, other in others:
        x = ifft(x, inner, other, norm)
    whole = 2 * (x.shape[axis] - 1) if s is None else length
    return assigned_to_out(out, irfft(x, whole, axis, norm))


def _some_lengths(x: Array, s: Lengths, axes: Axes) -> list[tuple[int, int]]:
    """The lengths of a transform of real numbers, which needs a last axis."""
    found = _lengths(x, s, axes)
    if not found:
        raise AxisError("at least 1 axis must be transformed")
    return found


def _lengths(x: Array, s: Lengths, axes: Axes) -> list[tuple[int, int]]:
    """Lengths and axes, one for each transform; an axis may come several times."""
    s = s if s is None else integers(s, "lengths")
    if axes is None:
        numbers = list(range(x.ndim))[-len(s) :] if s else list(range(x.ndim)) if s is None else []
    else:
        numbers = [normalize_axis(axis, x.ndim) for axis in integers(axes, "axes")]
    lengths = [x.shape[axis] for axis in numbers] if s is None else list(s)
    if len(lengths) != len(numbers):
        raise ShapeError("Shape and axes have different lengths.")
    return [(x.shape[a] if n == -1 else n, a) for n, a in zip(lengths, numbers, strict=True)]
