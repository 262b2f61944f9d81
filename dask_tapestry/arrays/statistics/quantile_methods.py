"""Methods of quantiles: places among sorted cells, by NumPy's thirteen names.

A method maps the number of cells and a level to a place, which may lie between two cells. Methods
in `DISCRETE` take one cell; those in `CONTINUOUS` interpolate between the two next to the place.

Source: R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", 1996.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry.amounts import one_of
from dask_tapestry.arrays.core.array import Array

Count = int | Array
Levels = np.ndarray[Any, Any]
Places = np.ndarray[Any, Any] | Array
Method = Callable[[Count, Levels], Places]


def _plotting_position(alpha: float, beta: float) -> Method:
    """The method with the place ``alpha + q * (n + 1 - alpha - beta) - 1``, from 0."""

    def place(n: Count, q: Levels) -> Places:
        return n * q + (alpha + q * (1 - alpha - beta)) - 1

    return place


def _inverted_cdf(n: Count, q: Levels) -> Places:
    """The last cell that counts at most the level, by the steps of the distribution."""
    place = n * q - 1
    low = np.floor(place)
    return np.maximum(np.where(place == low, low, low + 1), 0)


def _closest_observation(n: Count, q: Levels) -> Places:
    """The cell nearest to the level; of two, the one with the even number, from 1."""
    place = n * q - 1 - 0.5
    low = np.floor(place)
    return np.maximum(np.where((place == low) & (low % 2 == 1), low, low + 1), 0)


def _midpoint(n: Count, q: Levels) -> Places:
    """Halfway between the cells next to the place."""
    return 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q))


DISCRETE: Final[MappingProxyType[str, Method]] = MappingProxyType(
    {
        "inverted_cdf": _inverted_cdf,
        "closest_observation": _closest_observation,
        "lower": lambda n, q: np.floor((n - 1) * q),
        "higher": lambda n, q: np.ceil((n - 1) * q),
        "nearest": lambda n, q: np.rint((n - 1) * q),
    }
)
CONTINUOUS: Final[MappingProxyType[str, Method]] = MappingProxyType(
    {
        "averaged_inverted_cdf": lambda n, q: n * q - 1,
        "interpolated_inverted_cdf": _plotting_position(0, 1),
        "hazen": _plotting_position(0.5, 0.5),
        "weibull": _plotting_position(0, 0),
        "linear": lambda n, q: (n - 1) * q,
        "median_unbiased": _plotting_position(1 / 3.0, 1 / 3.0),
        "normal_unbiased": _plotting_position(3 / 8.0, 3 / 8.0),
        "midpoint": _midpoint,
    }
)
METHODS: Final = (*DISCRETE, *CONTINUOUS)


def check_method(method: str) -> None:
    """Raise `ArgumentError` for an unknown method."""
    one_of("method", method, METHODS)


def neighbours(place: Places, n: Count) -> tuple[Places, Places]:
    """The numbers of the cells before and after a place; beyond an end, the last cell twice."""
    low = np.floor(place)
    last, first = place >= n - 1, place < 0
    before = np.where(last, n - 1, np.where(first, 0, low))
    after = np.where(last, n - 1, np.where(first, 0, low + 1))
    return before, after


def weight(method: str, position: Places, n: Count) -> Places:
    """The share of the cell after a place, from 0 to 1."""
    low = np.floor(position)
    base = np.where(position >= n - 1, -1, np.where(position < 0, 0, low))
    gamma = position - base
    if method == "averaged_inverted_cdf":
        return np.where(gamma == 0, 0.5, 1.0)
    if method == "midpoint":
        return np.where(position % 1 == 0, 0.0, 0.5)
    return gamma
