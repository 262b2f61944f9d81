"""Checks of axes, permutations and dimension counts, with errors that say what was expected."""

from __future__ import annotations

from typing import SupportsIndex

from dask_tapestry.basic_errors import ArgumentError
from dask_tapestry.zspace.integers import Ints, exact_int, exact_ints


def exact_axis(axis: SupportsIndex, ndim: int, what: str = "axis") -> int:
    """Return `axis` as an ``int`` in ``0 <= axis < ndim``.

    Negative axes are refused, not counted from the end: at this layer they are mistakes of
    arithmetic, and the array layer has already normalised what its user wrote.

    Raises
    ------
    ValueError
        If the axis is outside.

    Examples
    --------
    >>> exact_axis(1, 2)
    1
    >>> exact_axis(-1, 2)
    Traceback (most recent call last):
    dask_tapestry.basic_errors.ArgumentError: axis must be at least 0 and below 2, got -1
    """
    number = exact_int(axis, what)
    if not 0 <= number < ndim:
        raise ArgumentError(f"{what} must be at least 0 and below {ndim}, got {number}")
    return number


def exact_permutation(order: Ints, ndim: int) -> tuple[int, ...]:
    """Return `order` as a tuple if it names each of `ndim` axes exactly once.

    Raises
    ------
    ValueError
        If an axis is missing, repeated or outside.

    Examples
    --------
    >>> exact_permutation([1, 0], 2)
    (1, 0)
    >>> exact_permutation([1, 1], 2)
    Traceback (most recent call last):
    dask_tapestry.basic_errors.ArgumentError: order must be a permutation of 2 axes, got (1, 1)
    """
    axes = exact_ints(order, "order")
    if sorted(axes) != list(range(ndim)):
        raise ArgumentError(f"order must be a permutation of {ndim} axes, got {axes}")
    return axes


def same_ndim(found: int, expected: int, what: str) -> None:
    """Refuse a dimension count that is not the expected one.

    Raises
    ------
    ValueError
        If the two differ.

    Examples
    --------
    >>> same_ndim(2, 3, "point")
    Traceback (most recent call last):
    dask_tapestry.basic_errors.ArgumentError: point has 2 dimensions where 3 are expected
    """
    if found != expected:
        raise ArgumentError(f"{what} has {found} dimensions where {expected} are expected")
