"""Transforms of other libraries, applied to whole lanes of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dispatch import NUMPY_FUNCTIONS
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.user_functions.gufuncs import apply_gufunc
from dask_tapestry.errors import ArgumentError, ArgumentTypeError, ShapeError
from dask_tapestry.operators.axes import normalize_axis

__all__ = ["fft_wrap"]
Lengths = Sequence[int] | None
Axes = Sequence[int] | None
CELLS: Final[dict[str, Callable[[int], int]]] = {  # along the last axis, for those in time
    "fft": lambda n: n,
    "ifft": lambda n: n,
    "rfft": lambda n: n // 2 + 1,
    "irfft": lambda n: n,
    "hfft": lambda n: n,
    "ihfft": lambda n: n // 2 + 1,
}


@checked
def fft_wrap(
    fft_func: Callable[..., Any],
    kind: str | None = None,
    dtype: DTypeLike | None = None,
    allow_fftpack: bool = False,  # noqa: ARG001
) -> Callable[..., Array]:
    """Return a transform of arrays that calls `fft_func` of blocks, as `dask.array.fft.fft_wrap`.

    {Parameters}
        fft_func: A function as one of `numpy.fft` or `scipy.fft`, called as ``fft_func(block, n,
            axis)`` or, of several axes, as ``fft_func(block, s, axes)``; and with ``norm=``, if
            that is given. Those of `numpy.fft` are ours.
        kind: The function of `numpy.fft` that it is like; by default its name.
        dtype: Of the result; by default learnt by a call.
        allow_fftpack: Accepted for Dask's sake.
    {Returns} callable: Takes ``(a, n, axis, norm)``, or of several axes ``(a, s, axes, norm)``.
    {Raises} ArgumentError: For a kind that `numpy.fft` does not have.
    {See Also} fft, fftn, apply_gufunc

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> def doubled(block, n, axis):
    ...     return 2 * np.fft.fft(block, n, axis)
    >>> dt.fft.fft_wrap(doubled, kind="fft")(dt.ones(2)).compute()
    array([4.+0.j, 0.+0.j])
    """
    name = getattr(fft_func, "__name__", fft_func) if kind is None else kind
    if not isinstance(name, str):
        raise ArgumentTypeError(f"fft_wrap takes a function and a name, not {name!r}")
    base = name.rstrip("2n")
    if base not in CELLS or not hasattr(np.fft, name):
        raise ArgumentError(f"Given unknown `kind` {name}.")
    if fft_func is getattr(np.fft, name):
        ours: Callable[..., Array] = NUMPY_FUNCTIONS[fft_func]
        return ours

    def along_one(
        a: ArrayLike, n: int | None = None, axis: int | None = None, norm: str | None = None
    ) -> Array:
        number = -1 if axis is None else axis
        arguments = {"n": n, "axis": -1}
        return _applied(base, fft_func, a, _single(n), [number], arguments, norm, dtype)

    def along_several(
        a: ArrayLike, s: Lengths = None, axes: Axes = None, norm: str | None = None
    ) -> Array:
        several = _axes_of(name, asarray(a).ndim, s, axes)
        arguments = {"s": s, "axes": tuple(range(-len(several), 0))}
        return _applied(base, fft_func, a, s, several, arguments, norm, dtype)

    found = along_one if name == base else along_several
    found.__name__ = name
    return found


def _single(n: int | None) -> Lengths:
    return None if n is None else (n,)


def _axes_of(name: str, ndim: int, s: Lengths, axes: Axes) -> list[int]:
    if axes is not None:
        return list(axes)
    return [-2, -1] if name.endswith("2") else list(range(ndim))[-len(s or range(ndim)) :]


def _applied(
    base: str,
    function: Callable[..., Any],
    a: ArrayLike,
    s: Lengths,
    axes: Sequence[int],
    arguments: dict[str, Any],
    norm: str | None,
    dtype: DTypeLike | None,
) -> Array:
    """`function` of blocks that have all of `axes`, which it finds last."""
    x = asarray(a)
    numbers = [normalize_axis(axis, x.ndim) for axis in axes]
    if len(set(numbers)) < len(numbers):
        raise ShapeError("Duplicate axes not allowed.")
    is_hermitian = base in ("irfft", "hfft")
    cells = [x.shape[axis] for axis in numbers] if s is None else list(s)
    if s is None and is_hermitian:
        cells[-1] = 2 * (cells[-1] - 1)
    cells[-1] = CELLS[base](cells[-1])
    before = ",".join(f"i{k}" for k in range(len(numbers)))
    after = ",".join(f"o{k}" for k in range(len(numbers)))
    positional = tuple(arguments.values())
    options = {} if norm is None else {"norm": norm}

    def transform(block: Any) -> Any:
        return function(block, *positional, **options)

    transform.__name__ = getattr(function, "__name__", base)
    result: Array = apply_gufunc(
        transform,
        f"({before})->({after})",
        x,
        axes=[tuple(numbers), tuple(numbers)],
        output_sizes={f"o{k}": n for k, n in enumerate(cells)},
        output_dtypes=_dtype(transform, x, len(numbers)) if dtype is None else dtype,
    )
    return result


def _dtype(transform: Callable[[Any], Any], x: Array, rank: int) -> np.dtype[Any]:
    """What a call with ones tells of the dtype."""
    found: np.dtype[Any] = np.asarray(transform(np.ones((8,) * rank, x.dtype))).dtype
    return found


write_out(__name__)
