"""Arrays that phrases ask for by name: matrices that are well conditioned, records, strings."""

from __future__ import annotations

from random import Random

import numpy as np

from tests.fuzz.values import DTYPES, cells, shape

Arrays = tuple[np.ndarray, ...]
INNER = ("v", "f4", (2,))  # a field that is an array
REAL = ["f4", "f8", "f8", "c8", "c16", "i4"]


def _batch(random: Random) -> tuple[int, ...]:
    return random.choice([(), (), (), (2,), (3, 1), (0,)])


def _kind(random: Random, complex_too: bool = True) -> str:
    return random.choice(REAL if complex_too else ["f4", "f8", "i4"])


def square(random: Random) -> Arrays:
    """Diagonally dominant matrices, and right sides for them."""
    n, kind, batch = random.choice([1, 2, 3, 5, 8]), _kind(random), _batch(random)
    x = cells(random, (*batch, n, n), kind)
    x[~np.isfinite(x)] = 1
    x = x + (np.eye(n) * (6 * n)).astype(x.dtype)
    y = cells(random, (*batch, n, random.choice([1, 2, 3])), kind)
    y[~np.isfinite(y)] = 1
    return x.astype(kind), y


def positive(random: Random) -> Arrays:
    """Positive definite matrices."""
    x, y = square(random)
    return x + np.conj(np.swapaxes(x, -1, -2)), y


def tall(random: Random) -> Arrays:
    """Matrices of any shape, of full rank, and right sides."""
    n, m = random.choice([(3, 2), (2, 3), (7, 3), (4, 4), (12, 2), (1, 5)])
    kind, batch = _kind(random), _batch(random)
    x = cells(random, (*batch, n, m), kind)
    x[~np.isfinite(x)] = 1
    x = x + (np.eye(n, m) * 20).astype(x.dtype)
    return x.astype(kind), cells(random, (*batch, n, 2), "f8" if kind == "i4" else kind)


def tall_alone(random: Random) -> Arrays:
    """One matrix of at least as many rows as columns, and a right side."""
    n, m = random.choice([(3, 2), (7, 3), (4, 4), (12, 2)])
    x = cells(random, (n, m), "i4") + np.eye(n, m) * 20
    return x, cells(random, (n, 2), "i4").astype("f8")


def triangle(random: Random) -> Arrays:
    """Lower triangular matrices without batches, and right sides."""
    n = random.choice([1, 2, 5, 9])
    x = np.tril(cells(random, (n, n), "i4") + np.eye(n) * 9)
    return x, cells(random, (n, 2), "i4").astype("f8")


def signals(random: Random) -> Arrays:
    """Arrays to transform."""
    kind = random.choice(["f4", "f8", "c8", "c16", "i2"])
    sides = random.choice([(6,), (5,), (4, 3), (2, 7), (3, 1, 4), (16,)])
    x = cells(random, sides, kind)
    x[~np.isfinite(x)] = 1
    return (x,)


def lanes(random: Random) -> Arrays:
    """Longer arrays of one or two dimensions, without what is no number, of one shape."""
    sides = random.choice([(40,), (23,), (17, 3), (2, 23), (1, 9), (6, 5)])
    kind = random.choice(["f8", "f4", "i8", "i2", "f2", "u1"])
    made = [cells(random, sides, kind) for _ in range(2)]
    for x in made:
        x[~np.isfinite(x)] = 1
    return tuple(made)


def lanes2(random: Random) -> Arrays:
    """Arrays of at least three rows."""
    sides = random.choice([(40,), (3, 4), (17, 3), (5, 2, 3), (3, 0)])
    kind = random.choice(["f8", "f4", "i8", "i2", "c16", "?"])
    made = [cells(random, sides, kind) for _ in range(2)]
    for x in made:
        x[~np.isfinite(x)] = 1
    return tuple(made)


def single(random: Random) -> Arrays:
    """Two long arrays of one dimension."""
    n, kind = random.choice([1, 5, 40]), random.choice(["f8", "f4", "i8"])
    x, y = (np.nan_to_num(cells(random, (n,), kind), posinf=1, neginf=1) for _ in range(2))
    return x, y


def gaps(random: Random) -> Arrays:
    """Arrays of which many cells are no numbers."""
    (x, _) = lanes2(random)
    if x.dtype.kind == "f":
        x[np.array([random.random() < 0.6 for _ in range(x.size)], bool).reshape(x.shape)] = np.nan
    return (x,)


def samples(random: Random) -> Arrays:
    """Longer arrays of floats, of no equal cells."""
    x, y = lanes(random)
    spread = np.arange(x.size).reshape(x.shape) * 0.37
    return x.astype("f8") + np.sin(spread), y.astype("f8") + np.cos(spread)


def counts(random: Random) -> Arrays:
    """Small integers, none negative, and weights."""
    n = random.choice([0, 1, 5, 40])
    kind = random.choice(["i8", "u1", "i2", "?"])
    x = abs(cells(random, (n,), kind)) if kind != "?" else cells(random, (n,), kind)
    return x, cells(random, (n,), random.choice(["f8", "f4", "i4"]))


def pair(random: Random) -> Arrays:
    """Two matrices of one shape."""
    sides = random.choice([(3, 4), (1, 5), (7, 2), (0, 3), (12, 12)])
    kind = random.choice(["f8", "f4", "i8", "i2", "c16", "?"])
    x, y = (np.nan_to_num(cells(random, sides, kind), posinf=1, neginf=1) for _ in range(2))
    return x, y


def points(random: Random) -> Arrays:
    """Points of some dimensions, and weights."""
    n = random.choice([0, 1, 7, 40])
    return cells(random, (n, 2), "i4") * 0.75, abs(cells(random, (n,), "i4")).astype("f8")


def records(random: Random) -> Arrays:
    """Structured cells."""
    sides = shape(random, most=3)
    number = random.choice(["f8", "f4", "i2", "M8[s]"])
    kind = np.dtype([("a", "i4"), ("b", number), ("c", "u1"), INNER])
    made = []
    for _ in range(2):
        x = np.zeros(sides, kind)
        for name in x.dtype.names or ():
            x[name] = cells(random, sides, "i4").astype(x.dtype[name])
        made.append(x)
    return tuple(made)


def strings(random: Random) -> Arrays:
    """Strings or bytes."""
    sides, kind = shape(random, most=3), random.choice("US")
    size = int(np.prod(sides, dtype=int))
    made = [
        np.array([random.choice(["", "a", "b", "bc", "B", "a "]) for _ in range(size)], f"{kind}3")
        for _ in range(2)
    ]
    return tuple(x.reshape(sides) for x in made)


def zeros(random: Random) -> Arrays:
    """Integers and floats among which are many zeros."""
    x = cells(random, shape(random, most=3), random.choice(DTYPES[:10]))
    return x, np.where(x == x, x, 0) * 0


def none(random: Random) -> Arrays:
    """Nothing: the phrase makes its own."""
    return ()
