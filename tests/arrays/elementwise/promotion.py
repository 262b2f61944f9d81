"""Dtypes of results beside NumPy's, for all pairs of dtypes and for numbers."""

import warnings
from itertools import product

import numpy as np

import dask_tapestry as dt

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16 m8[s] M8[D]".split()
NUMBERS = [True, 0, 1, 2, 3, 300, 2.0, 0.5, -1.0, 1j, *map(np.int8, [0, 2]), np.uint64(3)]
NUMBERS += [np.float16(2), np.float32(2), np.float64(2), np.bool_(1), np.array(2), np.array(1j)]
CELLS = {kind: np.arange(1, 3).astype(kind) for kind in DTYPES}
ARRAYS = {kind: dt.asarray(cells) for kind, cells in CELLS.items()}


def kinds(function, *operands):
    """Dtypes of the results, or None for an error."""
    try:
        with np.errstate(all="ignore"):
            made = function(*operands)
    except (TypeError, ValueError, OverflowError):
        return None
    return [one.dtype for one in (made if isinstance(made, tuple) else (made,))]


def unlike(function, of_numpy, numbers=NUMBERS):
    """Operands for which the dtypes are other ones than NumPy's."""
    pairs = list(product(DTYPES, DTYPES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            (a, b)
            for a, b in pairs
            if kinds(of_numpy, CELLS[a], CELLS[b]) != kinds(function, ARRAYS[a], ARRAYS[b])
        ]
        for kind, number in product(DTYPES, numbers):
            if kinds(of_numpy, CELLS[kind], number) != kinds(function, ARRAYS[kind], number):
                found.append((kind, number))
            if kinds(of_numpy, number, CELLS[kind]) != kinds(function, number, ARRAYS[kind]):
                found.append((number, kind))
    return found
