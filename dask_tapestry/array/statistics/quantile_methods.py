"""Where in sorted cells a quantile lies: NumPy's thirteen methods.

A method maps the number of cells and a quantile to a place, which may lie between two cells. Those
of `DISCRETE` yield a cell; the others interpolate between the two next to the place.

Source: R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", 1996.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import ShapeError

Place = Callable[[Any, Any], Any]


def _between(alpha: float, beta: float) -> Place:
    def place(n: Any, q: Any) -> Any:
        return n * q + (alpha + q * (1 - alpha - beta)) - 1

    return place


def _inverted(n: Any, q: Any) -> Any:
    place = n * q - 1
    low = np.floor(place)
    return np.maximum(np.where(place == low, low, low + 1), 0)


def _closest(n: Any, q: Any) -> Any:
    place = n * q - 1 - 0.5
    low = np.floor(place)
    return np.maximum(np.where((place == low) & (low % 2 == 1), low, low + 1), 0)


def _midpoint(n: Any, q: Any) -> Any:
    return 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q))


DISCRETE: Final[MappingProxyType[str, Place]] = MappingProxyType(
    {
        "inverted_cdf": _inverted,
        "closest_observation": _closest,
        "lower": lambda n, q: np.floor((n - 1) * q),
        "higher": lambda n, q: np.ceil((n - 1) * q),
        "nearest": lambda n, q: np.rint((n - 1) * q),
    }
)
CONTINUOUS: Final[MappingProxyType[str, Place]] = MappingProxyType(
    {
        "averaged_inverted_cdf": lambda n, q: n * q - 1,
        "interpolated_inverted_cdf": _between(0, 1),
        "hazen": _between(0.5, 0.5),
        "weibull": _between(0, 0),
        "linear": lambda n, q: (n - 1) * q,
        "median_unbiased": _between(1 / 3.0, 1 / 3.0),
        "normal_unbiased": _between(3 / 8.0, 3 / 8.0),
        "midpoint": _midpoint,
    }
)
METHODS: Final = (*DISCRETE, *CONTINUOUS)


def check_method(method: str) -> None:
    """Raise `ShapeError`, a ValueError, for an unknown method."""
    if method not in METHODS:
        raise ShapeError(f"{method!r} is not a valid method. Use one of: {', '.join(METHODS)}")


def neighbours(place: Any, n: Any) -> tuple[Any, Any]:
    """Numbers of the cells before and after a place; at both ends twice the last one there."""
    low = np.floor(place)
    last, first = place >= n - 1, place < 0
    before = np.where(last, n - 1, np.where(first, 0, low))
    after = np.where(last, n - 1, np.where(first, 0, low + 1))
    return before, after


def weight(method: str, place: Any, n: Any) -> Any:
    """How much of the cell after a place is taken; 1 is all of it."""
    low = np.floor(place)
    base = np.where(place >= n - 1, -1, np.where(place < 0, 0, low))
    gamma = place - base
    if method == "averaged_inverted_cdf":
        return np.where(gamma == 0, 0.5, 1.0)
    if method == "midpoint":
        return np.where(place % 1 == 0, 0.0, 0.5)
    return gamma
