"""Doubles as cells of another dtype, as C converts them."""

from __future__ import annotations

from typing import Any

import numpy as np

Block = np.ndarray[Any, Any]


def from_double(cells: Block, dtype: np.dtype[Any]) -> Block:
    """Doubles converted to `dtype`: to integers towards zero, modulo their range.

    Integers beyond 64 bits and what is no number have no value of their own: theirs is that of the
    processor's conversion to 64 bits.

    Examples
    --------
    >>> from_double(np.array([-1.5, 2.9, 257.0, 0.5]), np.dtype("u1"))
    array([255,   2,   1,   0], dtype=uint8)
    """
    if dtype.kind in "fc":
        with np.errstate(all="ignore"):
            return cells.astype(dtype)
    with np.errstate(all="ignore"):
        whole = cells.astype(np.int64)
        if dtype.kind == "b":
            return np.not_equal(whole, 0)
        if dtype == np.uint64:
            large = cells >= 2.0**63
            if large.any():
                return np.where(large, cells.astype(np.uint64), whole.astype(np.uint64))
        return whole.astype(dtype)
