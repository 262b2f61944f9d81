"""Exact integers: what every coordinate is made of."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import SupportsIndex, TypeAlias

from dask_tapestry.basic_errors import ArgumentTypeError

Ints: TypeAlias = Iterable[SupportsIndex]
"""What is accepted where a tuple of integers is meant."""


def exact_int(value: SupportsIndex, what: str = "value") -> int:
    """Return `value` as a plain ``int``; refuse what is not exactly an integer.

    Parameters
    ----------
    value
        Anything with ``__index__``, so NumPy's integers too.
    what
        What the value is, for the error.

    Raises
    ------
    TypeError
        For floats and anything else without ``__index__``, and for ``bool``: a mask given
        where a coordinate is meant is a mistake, and would pass silently as 0 or 1.

    Examples
    --------
    >>> exact_int(2**70)
    1180591620717411303424
    >>> exact_int(True, "axis")
    Traceback (most recent call last):
    dask_tapestry.basic_errors.ArgumentTypeError: axis must be an integer, got True (bool)
    """
    if type(value) is int:
        return value
    try:
        if isinstance(value, bool):
            raise TypeError
        return index(value)
    except TypeError:
        found = f"{value!r} ({type(value).__name__})"
        raise ArgumentTypeError(f"{what} must be an integer, got {found}") from None


def exact_ints(values: Ints, what: str = "values") -> tuple[int, ...]:
    """Return `values` as a plain tuple of plain ``int``.

    Plain ints are taken as they are: planners make ranges by the thousand from them.

    Raises
    ------
    TypeError
        If `values` cannot be iterated, or holds something `exact_int` refuses.

    Examples
    --------
    >>> exact_ints([1, 2])
    (1, 2)
    >>> exact_ints((1, 2.0), "shape")
    Traceback (most recent call last):
    dask_tapestry.basic_errors.ArgumentTypeError: shape[1] must be an integer, got 2.0 (float)
    """
    if isinstance(values, tuple | list):
        for value in values:
            if type(value) is not int:
                break
        else:
            return tuple(values)
    try:
        items = enumerate(values)
    except TypeError:
        raise ArgumentTypeError(f"{what} must be an iterable of integers, got {values!r}") from None
    return tuple([exact_int(value, f"{what}[{i}]") for i, value in items])
