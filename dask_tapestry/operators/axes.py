"""Axes as users write them: negative ones, one or several, checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from dask_tapestry.amounts import integer, integers, is_several
from dask_tapestry.errors import ArgumentTypeError, AxisError, ShapeError

Axes = int | Iterable[int] | None


def one_integer(axis: int, name: str = "axis") -> int:
    """Return `axis` as an int, which no truth value is.

    Examples
    --------
    >>> one_integer(-1)
    -1
    """
    if isinstance(axis, bool):
        raise ArgumentTypeError(f"{name} must be an integer, not {axis}")
    return integer(axis)


def normalize_axis(axis: int, ndim: int, name: str = "axis") -> int:
    """Return `axis` as a number from 0; raise `AxisError` outside ``[-ndim, ndim)``.

    Examples
    --------
    >>> normalize_axis(-1, 3)
    2
    """
    number = one_integer(axis, name)
    if not -ndim <= number < ndim:
        raise AxisError(f"{name} {number} is out of bounds for array of dimension {ndim}")
    return number % ndim


def is_one_axis(axes: int | Iterable[int]) -> bool:
    """Whether `axes` are one axis: an integer, or an array without dimensions that holds one."""
    return not is_several(axes)


def each_axis(axes: int | Iterable[int]) -> tuple[int, ...]:
    """Return `axes` in a tuple, negative ones as they are.

    Examples
    --------
    >>> each_axis(-1), each_axis([0, 1])
    ((-1,), (0, 1))
    """
    return (one_integer(cast(int, axes)),) if is_one_axis(axes) else integers(axes, "axes")


def normalize_axes(axes: Axes, ndim: int, name: str = "axis") -> tuple[int, ...]:
    """Return `axes` as sorted numbers from 0; None means all.

    Examples
    --------
    >>> normalize_axes(None, 2), normalize_axes((-1, 0), 3)
    ((0, 1), (0, 2))
    """
    if axes is None:
        return tuple(range(ndim))
    given = each_axis(axes)
    numbers = [normalize_axis(axis, ndim, name) for axis in given]
    if len(set(numbers)) != len(numbers):
        raise ShapeError(f"duplicate value in {name}: {given}")
    return tuple(sorted(numbers))
