"""Casts of doubles to another dtype: as C converts them, or to the nearest cells."""

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


def rounded(cells: Block, dtype: np.dtype[Any]) -> Block:
    """Doubles as cells of `dtype`: integers are the nearest in its range, halves away from zero.

    What is no number is the integer 0.

    Examples
    --------
    >>> rounded(np.array([-1.5, 2.5, 300.0, -300.0]), np.dtype("i1"))
    array([  -2,    3,  127, -128], dtype=int8)
    """
    with np.errstate(all="ignore"):
        if dtype.kind in "fc":
            return cells.astype(dtype)
        if dtype.kind == "b":
            return np.not_equal(np.trunc(cells), 0)
        info = np.iinfo(dtype)
        away = np.where(cells > 0, cells + 0.5, 0.0 if dtype.kind == "u" else cells - 0.5)
        away = np.where(np.isnan(cells), 0.0, away)
        most = away >= float(info.max)
        made = np.where(most, 0.0, np.maximum(away, float(info.min))).astype(dtype)
        return np.where(most, dtype.type(info.max), made)


def with_addend(cells: Block, addend: float, first: bool) -> Block:
    """Doubles that are compared: a number added to cells.

    SciPy converts those of integers, but for the first, to their dtype, modulo its range.

    Examples
    --------
    >>> with_addend(np.array([1, 5], np.uint8), -2.0, False)
    array([255.,   3.])
    """
    total: Block = np.add(cells, addend, dtype=np.float64)
    if first or cells.dtype.kind == "f":
        return total
    own = np.dtype(np.uint8) if cells.dtype.kind == "b" else cells.dtype
    return from_double(total, own).astype(np.float64)
