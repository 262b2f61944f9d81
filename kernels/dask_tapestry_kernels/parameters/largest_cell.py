"""Largest cell: the last value in the order of a dtype, with which short runs are filled."""

from __future__ import annotations

from typing import Any

import numpy as np


def largest(dtype: np.dtype[Any]) -> Any:
    """The last value in the order of `dtype`."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).max
    if dtype.kind == "S":
        return b"\xff" * dtype.itemsize
    if dtype.kind == "U":
        return "\U0010ffff" * (dtype.itemsize // 4)
    if dtype.kind == "c":
        return complex(np.nan, np.nan)
    return {"b": True, "f": np.nan}.get(dtype.kind, "NaT")
