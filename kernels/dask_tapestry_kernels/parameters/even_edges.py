"""Evenly spaced edges of bins, and when they cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_even(edges: np.ndarray[Any, Any]) -> None:
    """Raise as NumPy does for edges between a least and a greatest cell that cannot be bins.

    Examples
    --------
    >>> check_even(np.linspace(0, 1, 5))
    >>> check_even(np.array([0.0, np.inf]))
    Traceback (most recent call last):
    ...
    ValueError: autodetected range of [0.0, inf] is not finite
    """
    if not (np.isfinite(edges[0]) and np.isfinite(edges[-1])):
        raise ValueError(f"autodetected range of [{edges[0]}, {edges[-1]}] is not finite")
    if np.any(edges[:-1] >= edges[1:]):
        raise ValueError(
            f"Too many bins for data range. Cannot create {len(edges) - 1} finite-sized bins."
        )
