"""FilterError: wrong arguments of a filter, where SciPy raises RuntimeError."""

from __future__ import annotations

from dask_tapestry.errors import ArgumentError


class FilterError(ArgumentError, RuntimeError):
    """An argument of a filter has a value that it cannot have: a ValueError and a RuntimeError.

    {Examples}
    >>> try:
    ...     dt.ndimage.uniform_filter1d(dt.ones(3), 0)
    ... except RuntimeError as error:
    ...     print(error)
    uniform_filter1d: size must be at least 1, not 0
    """
