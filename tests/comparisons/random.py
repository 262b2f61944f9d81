"""Comparisons of random arrays: what NumPy makes of the bits of its own Philox generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from tests.comparisons.table import Arrays, Comparison, each

SEED, SHAPE = 5, (4, 6)


def bits(shape: tuple[int, ...], call: int = 0, part: int = 0) -> np.ndarray:
    """Numbers 0, 1, ... of a part of a call, cells in C order."""
    key = np.random.SeedSequence(SEED).generate_state(2, np.uint64)
    philox = np.random.Philox(key=key, counter=call << 128 | part << 64)
    return philox.random_raw(prod(shape)).reshape(shape)


def uniform(shape: tuple[int, ...] = SHAPE, call: int = 0, part: int = 0) -> np.ndarray:
    return (bits(shape, call, part) >> 11) * 2.0**-53


def cosine(turn: np.ndarray) -> np.ndarray:
    square = np.tan(turn * turn.dtype.type(np.pi)) ** 2
    return (1 - square) / (1 + square)


def normal(shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return np.sqrt(-2 * np.log(uniform(shape) + 2.0**-53)) * cosine(uniform(shape, part=1))


def normal_single(shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    share = ((bits(shape) >> 24) + 1).astype("f4") * np.float32(2**-40)
    turn = (bits(shape) % 2**24).astype("f4") * np.float32(2**-24)
    return np.sqrt(np.log(share) * np.float32(-2)) * cosine(turn)


def exponential(shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return -np.log(uniform(shape) + 2.0**-53)


def middle(shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return ((bits(shape) >> 12) + 0.5) * 2.0**-52


def triangle(left: float, mode: float, right: float) -> np.ndarray:
    u, base = middle(), right - left
    return np.where(
        u <= (mode - left) / base,
        left + np.sqrt(u * (base * (mode - left))),
        right - np.sqrt((1 - u) * (base * (right - mode))),
    )


def integers(low: Any, high: Any, shape: tuple[int, ...] = SHAPE, dtype: Any = "i8") -> np.ndarray:
    """By Python's integers: the share of the range that the bits are of all they could be."""
    first, second = bits(shape).astype(object), bits(shape, part=1).astype(object)
    count = np.asarray(high, object) - np.asarray(low, object)
    few = (first * count) >> 64
    many = ((first << 64 | second) * count) >> 128
    wide = np.ndim(count) > 0 or int(count) > 2**32
    return (np.asarray(low, object) + (many if wide else few)).astype(dtype)


def order(extent: int) -> np.ndarray:
    return np.argsort(bits((extent,)), kind="stable")


def row(
    name: str,
    ours: Callable[..., Any],
    numpy: Callable[..., Any],
    inputs: Callable[[], Iterator[Arrays]] = lambda: iter([()]),
    ulp: int | None = 0,
) -> Comparison:
    """A random array of a generator of a known seed, or of the module after `seed`."""
    return Comparison(f"random.{name}", ours, numpy, inputs, ulp)


def seeded(dt: Any) -> Any:
    dt.random.seed(SEED)
    return dt.random


def new(dt: Any) -> Any:
    return dt.random.default_rng(SEED)


def shuffled(dt: Any, x: Any) -> Any:
    moved = dt.asarray(x)
    seeded(dt).shuffle(moved)
    return moved


FLOATS = each(1, ["f8"], ((6,), (4, 1), (4, 6)), make=lambda s, d, n: np.arange(prod(s)).reshape(s))

COMPARISONS = (
    row("default_rng", lambda dt: new(dt).random(SHAPE), uniform),
    row("random", lambda dt: seeded(dt).random(SHAPE), uniform),
    row("random rank", lambda dt: seeded(dt).random(), lambda: uniform(())),
    row("random nothing", lambda dt: seeded(dt).random((0, 3)), lambda: uniform((0, 3))),
    row(
        "random float32",
        lambda dt: seeded(dt).random(SHAPE, "f4"),
        lambda: (bits(SHAPE) >> 40).astype("f4") * np.float32(2**-24),
    ),
    row("random_sample", lambda dt: seeded(dt).random_sample(SHAPE), uniform),
    row(
        "seed",
        lambda dt: (seeded(dt).normal(), dt.random.random(5))[1],
        lambda: uniform((5,), call=1),
    ),
    row("uniform", lambda dt: seeded(dt).uniform(-1, 3, SHAPE), lambda: uniform() * 4 + -1),
    row(
        "uniform arrays",
        lambda dt, x: new(dt).uniform(x, x + 2, SHAPE),
        lambda x: uniform() * 2 + x,
        FLOATS,
    ),
    row("standard_normal", lambda dt: seeded(dt).standard_normal(SHAPE), normal, ulp=2),
    row(
        "standard_normal float32",
        lambda dt: new(dt).standard_normal(SHAPE, "f4"),
        normal_single,
        ulp=16,  # near a zero of the cosine
    ),
    row("normal", lambda dt: seeded(dt).normal(3, 2, SHAPE), lambda: normal() * 2 + 3, ulp=4),
    row(
        "normal arrays",
        lambda dt, x: new(dt).normal(x, x + 1, SHAPE),
        lambda x: normal() * (x + 1.0) + x,
        FLOATS,
        ulp=8,
    ),
    row("lognormal", lambda dt: seeded(dt).lognormal(size=SHAPE), lambda: np.exp(normal()), ulp=8),
    row(
        "standard_exponential",
        lambda dt: seeded(dt).standard_exponential(SHAPE),
        exponential,
        ulp=2,
    ),
    row(
        "standard_exponential float32",
        lambda dt: new(dt).standard_exponential(SHAPE, "f4"),
        lambda: exponential().astype("f4"),
        ulp=2,
    ),
    row(
        "exponential",
        lambda dt, x: seeded(dt).exponential(x, SHAPE),
        lambda x: exponential() * x,
        FLOATS,
        ulp=4,
    ),
    row("integers", lambda dt: new(dt).integers(-3, 10**6, SHAPE), lambda: integers(-3, 10**6)),
    row("integers one", lambda dt: new(dt).integers(1, size=SHAPE), lambda: integers(0, 1)),
    row(
        "integers endpoint",
        lambda dt: new(dt).integers(1, 6, SHAPE, "u1", endpoint=True),
        lambda: integers(1, 7, dtype="u1"),
    ),
    row(
        "integers wide",
        lambda dt: new(dt).integers(-(10**15), 10**18, SHAPE),
        lambda: integers(-(10**15), 10**18),
    ),
    row(
        "integers whole",
        lambda dt: new(dt).integers(-(2**63), 2**63, SHAPE),
        lambda: (bits(SHAPE).astype(object) - 2**63).astype("i8"),
    ),
    row(
        "integers bool",
        lambda dt: new(dt).integers(2, size=SHAPE, dtype=bool),
        lambda: bits(SHAPE) >> 63 == 1,
    ),
    row(
        "integers arrays",
        lambda dt, x: new(dt).integers(x - 9, x, SHAPE),
        lambda x: integers(x.astype("i8") - 9, x.astype("i8")),
        each(
            1,
            ["i1", "i8"],
            ((6,), (4, 1)),
            make=lambda s, d, n: np.arange(prod(s), dtype=d).reshape(s),
        ),
    ),
    row("rand", lambda dt: seeded(dt).rand(*SHAPE), uniform),
    row("randn", lambda dt: seeded(dt).randn(*SHAPE), normal, ulp=2),
    row("ranf", lambda dt: seeded(dt).ranf(SHAPE), uniform),
    row("sample", lambda dt: seeded(dt).sample(SHAPE), uniform),
    row(
        "random_integers",
        lambda dt: seeded(dt).random_integers(6, size=SHAPE),
        lambda: integers(1, 7),
    ),
    row(
        "bytes",
        lambda dt: dt.asarray(np.frombuffer(seeded(dt).bytes(13), "u1")),
        lambda: bits((2,)).view("u1")[:13],
    ),
    row(
        "get_state",
        lambda dt: (dt.random.set_state(seeded(dt).get_state()), dt.random.random(5))[1],
        lambda: uniform((5,)),
    ),
    row(
        "set_state",
        lambda dt: (dt.random.set_state(seeded(dt).get_state()), dt.random.random(5))[1],
        lambda: uniform((5,)),
    ),
    row(
        "shuffle",
        shuffled,
        lambda x: x[order(x.shape[0])],
        each(1, ["i1", "c8"], ((3, 4), (2,), (0, 3), (2, 5, 3))),
    ),
    row(
        "default_rng permuted",
        lambda dt, x: new(dt).permuted(x, axis=1),
        lambda x: np.take_along_axis(x, np.argsort(bits(x.shape), axis=1, kind="stable"), 1),
        each(1, ["i1", "f8"], ((3, 4), (2, 1), (3, 0), (2, 5, 3))),
    ),
    row("randint", lambda dt: seeded(dt).randint(7, size=SHAPE), lambda: integers(0, 7)),
    row("permutation", lambda dt: seeded(dt).permutation(23), lambda: order(23)),
    row(
        "permutation axis",
        lambda dt, x: new(dt).permutation(x, axis=1),
        lambda x: x[:, order(x.shape[1])],
        each(1, ["i1", "c8"], ((3, 4), (2, 1), (3, 0), (2, 5, 3))),
    ),
    row("choice", lambda dt: seeded(dt).choice(9, SHAPE), lambda: integers(0, 9)),
    row(
        "choice rows",
        lambda dt, x: new(dt).choice(x, 7),
        lambda x: x[integers(0, len(x), (7,))],
        each(1, ["f8"], ((3,), (5, 2))),
    ),
    row(
        "choice once",
        lambda dt: new(dt).choice(9, (2, 3), replace=False),
        lambda: order(9)[:6].reshape(2, 3),
    ),
    row(
        "choice once p",
        lambda dt: new(dt).choice(4, 3, replace=False, p=[0.125, 0, 0.5, 0.375]),
        lambda: np.argsort(exponential((4,)) / [0.125, 1e-300, 0.5, 0.375])[:3],
    ),
    row(
        "choice p",
        lambda dt: new(dt).choice(4, SHAPE, p=[0.125, 0, 0.5, 0.375]),
        lambda: np.searchsorted([0.125, 0.125, 0.625], uniform(), side="right"),
    ),
    row(
        "laplace",
        lambda dt: seeded(dt).laplace(3, 2, SHAPE),
        lambda: np.where(bits(SHAPE) & 1, -exponential(), exponential()) * 2 + 3,
        ulp=8,
    ),
    row(
        "logistic",
        lambda dt: seeded(dt).logistic(3, 2, SHAPE),
        lambda: (np.log(middle()) - np.log1p(-middle())) * 2 + 3,
        ulp=8,
    ),
    row(
        "gumbel",
        lambda dt: seeded(dt).gumbel(3, 2, SHAPE),
        lambda: -np.log(-np.log(middle())) * 2 + 3,
        ulp=8,
    ),
    row(
        "rayleigh",
        lambda dt: seeded(dt).rayleigh(3, SHAPE),
        lambda: np.sqrt(exponential() * 2) * 3,
        ulp=4,
    ),
    row(
        "weibull",
        lambda dt, x: seeded(dt).weibull(x, SHAPE),
        lambda x: np.where(x == 0, 0, exponential() ** (1 / x)),
        FLOATS,
        ulp=16,
    ),
    row(
        "pareto", lambda dt: seeded(dt).pareto(3, SHAPE), lambda: np.expm1(exponential() / 3), ulp=8
    ),
    row("power", lambda dt: seeded(dt).power(3, SHAPE), lambda: middle() ** (1 / 3), ulp=4),
    row(
        "standard_cauchy",
        lambda dt: seeded(dt).standard_cauchy(SHAPE),
        lambda: np.tan((middle() - 0.5) * np.pi),
        ulp=4,
    ),
    row(
        "triangular",
        lambda dt: seeded(dt).triangular(-1, 2, 4, SHAPE),
        lambda: triangle(-1, 2, 4),
        ulp=4,
    ),
    row(
        "triangular arrays",
        lambda dt, x: new(dt).triangular(x, x + 1, x + 4.0, SHAPE),
        lambda x: triangle(x, x + 1, x + 4.0),
        FLOATS,
        ulp=8,
    ),
)
