"""Transforms along one axis."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.transforms.fourier_transform import NORMS, fourier
from dask_tapestry.teg import Tensor

__all__ = ["fft", "hfft", "ifft", "ihfft", "irfft", "rfft"]
OTHER_WAY: Final = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


@implements(np.fft.fft)
def fft(
    a: ArrayLike,
    n: int | None = None,
    axis: int | None = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the Fourier transform of each lane along an axis, as `numpy.fft.fft`.

    {Parameters}
        {a.complex}
        n: Cells to which lanes are cut or filled up with zeros; by default as many as there are.
        axis: The axis; None for the last.
        norm: Which direction divides by n: ``"backward"`` (None), ``"forward"``, or ``"ortho"``,
            both by its root.
        out: An array that takes the value, of its shape.
    {Returns} Array: Shape of `a`, with `n` cells along `axis`; complex64 for float16, float32 and
        complex64, else of the precision of `a`.
    {Raises} {ShapeError.n, ArgumentError.norm, DTypeError.numbers}
    {See Also} ifft, rfft, fftn

    Notes
    -----
    Source: Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier series",
    1965; a lane is computed by NumPy's pocketfft.

    {Examples}
    >>> dt.fft.fft(dt.asarray([1.0, 0.0, -1.0, 0.0])).compute()
    array([0.+0.j, 2.+0.j, 0.+0.j, 2.+0.j])
    """
    return assigned_to_out(out, Array(_along_axis("fft", a, n, axis, norm)))


@implements(np.fft.ifft)
def ifft(
    a: ArrayLike,
    n: int | None = None,
    axis: int | None = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the inverse of `fft` along an axis, as `numpy.fft.ifft`.

    {Parameters} {a.complex, n.fft}
    {Returns} Array: Shape of `a`, with `n` cells along `axis`; complex64 for float16, float32 and
        complex64, else of the precision of `a`.
    {Raises} {ShapeError.n, ArgumentError.norm, DTypeError.numbers}
    {See Also} fft, ifftn
    {Examples}
    >>> dt.fft.ifft(dt.asarray([0.0, 2.0, 0.0, 2.0])).compute()
    array([ 1.+0.j,  0.+0.j, -1.+0.j,  0.+0.j])
    """
    return assigned_to_out(out, Array(_along_axis("ifft", a, n, axis, norm)))


@implements(np.fft.rfft)
def rfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int | None = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the transform of real lanes, without what follows by symmetry, as `numpy.fft.rfft`.

    {Parameters} {a.real, n.fft}
    {Returns} Array: Shape of `a`, with ``n // 2 + 1`` cells along `axis`; in the dtype of `fft`.
    {Raises} {ShapeError.n, ArgumentError.norm, DTypeError.complex}
    {See Also} irfft, fft, rfftn
    {Examples}
    >>> dt.fft.rfft(dt.asarray([1.0, 0.0, -1.0, 0.0])).compute()
    array([0.+0.j, 2.+0.j, 0.+0.j])
    """
    return assigned_to_out(out, Array(_along_axis("rfft", a, n, axis, norm)))


@implements(np.fft.irfft)
def irfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int | None = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the inverse of `rfft`, as `numpy.fft.irfft`.

    {Parameters}
        a: Cells of which the half with positive frequencies is known.
        n: Cells of the result along `axis`; by default ``2 * (m - 1)`` for m that there are.
        {axis.norm}
    {Returns} Array: Shape of `a`, with `n` cells along `axis`; real, of the precision of `a`.
    {Raises} {ShapeError.n, ArgumentError.norm, DTypeError.numbers}
    {See Also} rfft, irfftn
    {Examples}
    >>> dt.fft.irfft(dt.asarray([0.0, 2.0, 0.0])).compute()
    array([ 1.,  0., -1.,  0.])
    """
    return assigned_to_out(out, Array(_along_axis("irfft", a, n, axis, norm)))


@implements(np.fft.hfft)
def hfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int | None = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the real transform of lanes that are Hermitian in time, as `numpy.fft.hfft`.

    {Parameters}
        a: Cells of which the half with positive times is known.
        n: Cells of the result along `axis`; by default ``2 * (m - 1)`` for m that there are.
        {axis.norm}
    {Returns} Array: Shape of `a`, with `n` cells along `axis`; real, of the precision of `a`.
    {Raises} {ShapeError.n, ArgumentError.norm, DTypeError.numbers}
    {See Also} ihfft, irfft
    {Examples}
    >>> dt.fft.hfft(dt.asarray([1.0, 2.0, 1.0])).compute()
    array([ 6.,  0., -2.,  0.])
    """
    turned = elementwise("conjugate", asarray(a).node)
    return assigned_to_out(
        out, Array(_along_axis("irfft", Array(turned), n, axis, _other_way(norm)))
    )


@implements(np.fft.ihfft)
def ihfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int | None = -1,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """Return the inverse of `hfft`, as `numpy.fft.ihfft`.

    {Parameters} {a.real, n.fft}
    {Returns} Array: Shape of `a`, with ``n // 2 + 1`` cells along `axis`; in the dtype of `fft`.
    {Raises} {ShapeError.n, ArgumentError.norm, DTypeError.complex}
    {See Also} hfft, rfft
    {Examples}
    >>> dt.fft.ihfft(dt.asarray([6.0, 0.0, -2.0, 0.0])).compute()
    array([1.-0.j, 2.-0.j, 1.-0.j])
    """
    made = _along_axis("rfft", a, n, axis, _other_way(norm))
    return assigned_to_out(out, Array(elementwise("conjugate", made)))


def _along_axis(
    function: str, a: ArrayLike, n: int | None, axis: int | None, norm: str | None
) -> Tensor:
    return fourier(asarray(a).node, function, n, -1 if axis is None else axis, norm)


def _other_way(norm: str | None) -> str:
    """The norm that divides in this direction what `norm` divides in the other."""
    if not is_one_of(norm, OTHER_WAY):
        raise ArgumentError(f"Invalid norm value {norm}; should be one of {', '.join(NORMS)}.")
    return OTHER_WAY[norm]
