"""What is said of slices without cells: nothing, where xarray computes, as of arrays in memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

import numpy as np

# What xarray ignores in its own reductions that skip NaN, of arrays in memory.
OF_EMPTY_SLICES: Final = (
    "All-NaN (slice|axis) encountered|Mean of empty slice|Degrees of freedom <= 0 for slice"
)


@contextmanager
def nothing_said_of_empty_slices() -> Iterator[None]:
    """A compute that xarray asks for warns as xarray does of arrays in memory."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", OF_EMPTY_SLICES, RuntimeWarning)
        yield


def silent_of_empty_slices(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function by which xarray makes NumPy's arrays, computing in silence of such slices."""

    @wraps(function)
    def converted(data: Any) -> Any:
        if isinstance(data, np.ndarray):
            return function(data)
        with nothing_said_of_empty_slices():
            return function(data)

    return converted
