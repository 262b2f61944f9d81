"""Bytes of keys by which cells are sorted."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

WORD: Final = 8  # bytes
EXTENDED: Final = 63  # bits of the fraction of the numbers of 80 bits
EXTENDED_BYTES: Final = 10  # of theirs; the others are not looked at


def text_bytes(dtype: np.dtype[Any]) -> int:
    """Bytes of a key of this dtype.

    Examples
    --------
    >>> [text_bytes(np.dtype(kind)) for kind in ("f4", "?", "U2", "c16")]
    [4, 1, 8, 18]
    """
    wide = dtype.kind == "c" or (dtype.kind == "f" and dtype.itemsize > WORD)
    return key_bytes(dtype) if wide else dtype.itemsize


def key_bytes(dtype: np.dtype[Any]) -> int:
    """Bytes of the key of a complex cell, or one of extended precision."""
    if dtype.kind == "c":
        return 2 * key_bytes(_part_dtype(dtype)) + 2
    return EXTENDED_BYTES if np.finfo(dtype).nmant == EXTENDED else dtype.itemsize


def _part_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.zeros((), dtype).real.dtype
