"""The works of the figures: inputs, a program that any library runs, and how fast it should be.

A program takes a namespace, such as NumPy, and arrays. `size` is the bytes of the largest operand;
targets are those of operands of a size of their own, and are compared with at that size alone.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tests.gpu.by_library import convolved, scatter_add

F4 = np.dtype("f4")
DRAWN = 2**22 - 3  # cells, no multiple of a row


class Work(NamedTuple):
    """A work.

    Attributes
    ----------
    inputs
        Makes NumPy's arrays for so many cells of the largest.
    program
        ``program(xp, *inputs)``.
    moved
        Bytes read and written for a byte of the largest operand.
    cells
        Of the largest operand, for which the target is meant.
    target
        Milliseconds there.
    """

    inputs: Callable[[int], tuple[np.ndarray, ...]]
    program: Callable[..., Any]
    moved: float
    cells: int
    target: float | None = None


def random(shape, seed=0):
    """Cells between 0 and 1: some millions of them, again and again, as drawing takes long."""
    drawn = np.random.default_rng(seed).random(min(int(np.prod(shape)), DRAWN), F4)
    return np.resize(drawn, shape)


def _lines(count):
    return lambda cells: tuple(random((cells,), k) + F4.type(0.5) for k in range(count))


def _square(cells):
    side = max(64, int(cells**0.5) // 32 * 32)
    return (random((side, side)),)


def _normal(xp, x):
    """The normal distribution's cumulative function, by Zelen and Severo's polynomial."""
    t = 1 / (1 + 0.2316419 * xp.abs(x))
    tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978
        + t * 1.330274429))))  # fmt: skip
    tail = tail * xp.exp(-0.5 * x * x) * 0.3989422804014327
    return xp.where(x > 0, 1 - tail, tail)


def black_scholes(xp, price, strike, years):
    """Prices of calls at 3 % interest and 20 % volatility."""
    spread = 0.2 * xp.sqrt(years)
    first = (xp.log(price / strike) + 0.05 * years) / spread
    kept = strike * xp.exp(-0.03 * years)
    return price * _normal(xp, first) - kept * _normal(xp, first - spread)


def heat(xp, x):
    """A step of five points, of what lies inside."""
    inside = x[1:-1, 1:-1]
    around = x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2]
    return inside + 0.1 * (around - 4 * inside)


def heat_ten(xp, x):
    """Ten steps."""
    for _ in range(10):
        x = heat(xp, x)
    return x


def _diagonal(cells):
    (x,) = _square(cells)
    return x, np.arange(len(x)), np.arange(len(x))[:, None]


def _rotary(cells):
    length, heads, width = 2048, 16, 128
    batch = max(1, cells // (length * heads * width))
    angles = np.random.default_rng(1).random((length, 1, width), F4)
    x = random((batch, length, heads, width))
    return x, np.cos(angles), np.sin(angles)


def rotary(xp, x, cosine, sine):
    """Pairs of cells that are turned: halves of the last axis."""
    half = x.shape[-1] // 2
    turned = xp.concatenate([-x[..., half:], x[..., :half]], -1)
    return x * cosine + turned * sine


def _gather(cells):
    rows = max(16, cells // 64)
    return random((rows, 64)), np.random.default_rng(1).integers(0, rows, rows)


def _scatter(cells):
    rows = max(16, cells // 64)
    places = np.random.default_rng(1).integers(0, rows, rows)
    return random((rows, 64)), random((rows, 64), 1), places


def _images(cells):
    side = max(8, int((cells / 2048) ** 0.5))
    return random((64, 32, side, side)), random((32, 32, 3, 3), 1)


WORKS = {
    "Black-Scholes float32": Work(_lines(3), black_scholes, 4, 2**27, 0.58),
    "zip-map-sum": Work(_lines(2), lambda xp, x, y: xp.sum(x * y + x), 2, 2**27, 0.47),
    "row sums": Work(_square, lambda xp, x: xp.sum(x, axis=1), 1, 2**28, 0.27),
    "column sums": Work(_square, lambda xp, x: xp.sum(x, axis=0), 1, 2**28, 0.27),
    "column variance": Work(_square, lambda xp, x: xp.var(x, axis=0), 1, 2**28, 0.30),
    "heat step": Work(_square, heat, 2, 2**28, 0.65),
    "heat, ten steps": Work(_square, heat_ten, 2, 2**28),
    "DiagonalFill": Work(
        _diagonal, lambda xp, x, row, line: xp.where(row == line, 1.5, x), 2, 2**28, 0.55
    ),
    "RotaryEmbedding": Work(_rotary, rotary, 2, 2**27, 0.33),
    "gather": Work(_gather, lambda xp, table, at: xp.take(table, at, axis=0), 2, 2**30, 2.2),
    "scatter-add": Work(_scatter, scatter_add, 3, 2**28, 1.8),
    "convolution, 3 by 3": Work(_images, convolved, 2, 2**27, 2.0),
    "histogram, 256 bins": Work(
        _lines(1), lambda xp, x: xp.histogram(x, bins=256, range=(0.5, 1.5))[0], 1, 2**28, 0.6
    ),
}
