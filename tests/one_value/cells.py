"""Cells that show in which order they were combined."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from zlib import crc32

import numpy as np

DECADES = {2: 0.5, 4: 2.0, 8: 6.0}  # magnitudes by the bytes of a float; wider, sums overflow
SPREAD = 0.1  # of logarithms around a magnitude; wider, products overflow
HOLES = 0.1  # share of NaNs where functions leave them out
TIED = 5  # cells that share an extreme


def mixed(shape: tuple[int, ...], like: np.ndarray, holes: bool, seed: object) -> np.ndarray:
    """Return cells of mixed signs and magnitudes, the same ones each time.

    Parameters
    ----------
    like
        What a function takes: its dtype; where no integer is negative, none is here.
    holes
        Whether some cells are NaN, if the dtype has it.
    """
    kind = like.dtype
    signed = kind.kind in "mM" or (kind.kind == "i" and like.min(initial=0) < 0)
    return _mixed(shape, kind, bool(signed), holes, seed)


@lru_cache(64)  # ways to call a function have the same, which took 10 s to draw for each again
def _mixed(
    shape: tuple[int, ...], kind: np.dtype, signed: bool, holes: bool, seed: object
) -> np.ndarray:
    random = np.random.default_rng(crc32(f"{shape} {kind} {seed}".encode()))
    size = prod(shape)
    if kind.kind in "fc":
        cells = _floats(random, shape, kind.itemsize // (1 + (kind.kind == "c")))
        if kind.kind == "c":
            cells = cells * np.exp(1j * random.uniform(0, 7, shape))
    elif kind.kind == "b":
        cells = random.integers(0, 2, size)
    elif kind.kind in "US":
        cells = random.integers(10, 99, size)
    else:
        cells = random.integers(-100 if signed else 0, 100, size)
    cells = cells.astype(kind).reshape(shape)
    if size > 10 * TIED:
        _tie(random, cells.reshape(-1))
    if holes and kind.kind in "fc":
        cells[random.random(shape) < HOLES] = np.nan
    return cells


def _floats(random: np.random.Generator, shape: tuple[int, ...], nbytes: int) -> np.ndarray:
    """Magnitudes of neighbours along any axis cancel, so that products of lines stay in range."""
    decades = random.uniform(0, DECADES[nbytes], [-(-n // 2) for n in shape])
    for axis, n in enumerate(shape):
        decades = decades.repeat(2, axis).take(range(n), axis)
    turns = np.indices(shape, sparse=True)
    sign = (-1.0) ** sum(turns, start=np.zeros((), int))
    cells = np.exp(random.uniform(-SPREAD, SPREAD, shape)) * 10 ** (sign * decades)
    return random.choice([-1, 1], shape) * cells


def _tie(random: np.random.Generator, flat: np.ndarray) -> None:
    """Let several places hold the least and the greatest cell."""
    if flat.dtype.kind not in "US":
        for place in (flat.argmin(), flat.argmax()):
            flat[random.integers(0, flat.size, TIED)] = flat[place]
