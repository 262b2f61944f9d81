"""Transforms of images, which lie along two axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.fft.several_axes import fftn, ifftn, irfftn, rfftn

__all__ = ["fft2", "ifft2", "irfft2", "rfft2"]
Lengths = Sequence[int] | None
Axes = Sequence[int] | None


@implements(np.fft.fft2)
def fft2(
    a: ArrayLike,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the Fourier transform of images, which lie along two axes, as `numpy.fft.fft2`.

    {Parameters}
        {a.complex}
        s, norm, out: As of `fftn`.
        axes: Two axes, by default the last.
    {Returns} Array: Shape of `a`, but along the axes; in the dtype of `fftn`.
    {Raises} {ShapeError.axes, ArgumentError.norm, DTypeError.numbers}
    {See Also} ifft2, fft, rfft2
    {Examples}
    >>> dt.fft.fft2(dt.ones((3, 2, 2)))[0, 0].compute()
    array([4.+0.j, 0.+0.j])
    """
    return fftn(a, s, axes, norm, out)


@implements(np.fft.ifft2)
def ifft2(
    a: ArrayLike,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the inverse of `fft2`, as `numpy.fft.ifft2`.

    {Parameters} {a.complex, s.fft2}
    {Returns} Array: Shape of `a`, but along the axes; in the dtype of `fftn`.
    {Raises} {ShapeError.axes, ArgumentError.norm, DTypeError.numbers}
    {See Also} fft2, ifft, irfft2
    {Examples}
    >>> dt.fft.ifft2(dt.ones((3, 2, 2)))[0, 0].compute()
    array([1.+0.j, 0.+0.j])
    """
    return ifftn(a, s, axes, norm, out)


@implements(np.fft.rfft2)
def rfft2(
    a: ArrayLike,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the transform of real images, half of it along the last axis, as `numpy.fft.rfft2`.

    {Parameters} {a.real, s.fft2}
    {Returns} Array: Shape of `a`, but along the axes; in the dtype of `fftn`.
    {Raises} {ShapeError.axes, ArgumentError.norm, DTypeError.complex}
    {See Also} irfft2, rfft, fft2
    {Examples}
    >>> dt.fft.rfft2(dt.ones((3, 2, 4)))[0, 0].compute()
    array([8.+0.j, 0.+0.j, 0.+0.j])
    """
    return rfftn(a, s, axes, norm, out)


@implements(np.fft.irfft2)
def irfft2(
    a: ArrayLike,
    s: Lengths = None,
    axes: Axes = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the inverse of `rfft2`, as `numpy.fft.irfft2`.

    {Parameters}
        a: Cells of which the half with positive frequencies along the last axis is known.
        {s.irfft}
        axes, norm, out: As of `fft2`.
    {Returns} Array: Shape of `a`, but along the axes; real, of the precision of `a`.
    {Raises} {ShapeError.axes, ArgumentError.norm, DTypeError.numbers}
    {See Also} rfft2, irfft, ifft2
    {Examples}
    >>> dt.fft.irfft2(dt.ones((3, 2, 2)))[0, 0].compute()
    array([1., 0.])
    """
    return irfftn(a, s, axes, norm, out)
