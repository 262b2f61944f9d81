"""Whole programs: on a few cells for the tests, on large inputs for the benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from tests.comparisons import programs
from tests.comparisons.table import Arrays, Bench, Comparison, each, mild

UNSIZED = "no shape that depends on data inside jit"
NO_SORT = "has no sort"
LAZY_PEERS = ("dask.array", "dask-array")

Samples = Callable[[], Iterator[Arrays]]
Large = Callable[[float], Arrays]


def cells(shape: tuple[int, ...], dtype: str = "f8", seed: int = 0) -> np.ndarray:
    """Cells between 1/2 and 3/2, made in place so that they cost no other memory."""
    random = np.random.default_rng(seed)
    if dtype == "u1":
        return random.integers(0, 256, shape, dtype)
    x = random.random(shape, dtype="f4" if dtype != "f8" else "f8")
    x += x.dtype.type(0.5)
    return x.astype(dtype, copy=False)


def rows(first: float, *others: int, count: int = 1, dtype: str = "f8") -> Large:
    """Inputs whose first axis grows with the scale."""

    def large(scale: float) -> Arrays:
        shape = (max(1, round(first * scale)), *others)
        return tuple(cells(shape, dtype, seed) for seed in range(count))

    return large


def square(side: int, count: int = 1, dtype: str = "f8") -> Large:
    """Square matrices of which both axes grow."""
    return lambda scale: tuple(
        cells((round(side * scale**0.5),) * 2, dtype, seed) for seed in range(count)
    )


def layers(scale: float) -> Arrays:
    return (*rows(40_000, 1024, dtype="f4")(scale), *weights((1024, 1024), (1024, 256)))


def weights(*shapes: tuple[int, int]) -> Arrays:
    return tuple(cells(shape, "f4", 9) / np.float32(shape[0]) for shape in shapes)


def normed(scale: float) -> Arrays:
    return (*rows(20_000, 1024)(scale), cells((1024,), seed=1), cells((1024,), seed=2))


def gathered(scale: float) -> Arrays:
    (x,) = rows(1e6, 64)(scale)
    return x, np.random.default_rng(1).integers(0, len(x), 2 * len(x))


def every_other(make: Large) -> Large:
    return lambda scale: tuple(x[::2] for x in make(2 * scale))


def transposed(make: Large) -> Large:
    return lambda scale: tuple(x.T for x in make(scale))


def unscaled(make: Large) -> Large:
    """Inputs of one size whatever the scale: what is measured is the overhead."""
    return lambda scale: make(1)


def sample(*shapes: tuple[int, ...], dtypes: tuple[str, ...] = ("f8",)) -> Samples:
    """Small inputs, one array of each shape."""

    def inputs() -> Iterator[Arrays]:
        for dtype in dtypes:
            yield tuple(mild(shape, dtype, seed) for seed, shape in enumerate(shapes))

    return inputs


def row(
    name: str,
    program: Callable[..., Any],
    inputs: Samples,
    large: Large,
    ulp: int | None = None,
    one_value: bool = True,
    cannot: Mapping[str, str] = MappingProxyType({}),
    **bench: Any,
) -> Comparison:
    """A program that is tested on `inputs` and timed on `large` ones."""
    timed = Bench(large, cannot=cannot, **bench)
    meaning = partial(program, np)
    return Comparison(f"program {name}", program, meaning, inputs, ulp, one_value, timed)


def taken() -> Iterator[Arrays]:
    yield mild((5, 3), "f8"), np.array([4, 0, 0, -1, 2, 3, 1])


def strided() -> Iterator[Arrays]:
    yield (mild((14,), "f8")[::2],)


def turned() -> Iterator[Arrays]:
    yield (mild((5, 4), "f8").T,)


MATRICES = each(1, ("f8", "f4"), ((5, 4), (1, 3)), mild)
BLACK_SCHOLES = (
    "a / (1 + exp(-1.702 * ((log(a / b) + .065 * c) / (.3 * sqrt(c))))) - b * exp(-.02 * c)"
    " / (1 + exp(-1.702 * ((log(a / b) + .065 * c) / (.3 * sqrt(c)) - .3 * sqrt(c))))"
)
EXP_SUM = "sum(exp(-a**2) * a)"
WHERE_CLIP = "where(a > .75, where(a < .8, .8, where(a > 1.2, 1.2, a)), -a)"
OPTIONS = each(3, ("f8",), ((7,), (2, 3)), mild)
CANNOT_SORT = dict.fromkeys(LAZY_PEERS, NO_SORT)

ANCHORS = (
    row(
        "black_scholes",
        programs.black_scholes,
        OPTIONS,
        rows(4e7, count=3),
        numexpr=BLACK_SCHOLES,
        cubed=True,
    ),
    row("exp_sum", programs.exp_sum, sample((13,)), rows(4e7), numexpr=EXP_SUM, cubed=True),
    row(
        "image",
        programs.image,
        each(1, ("u1",), ((2, 3, 2, 3),), mild),
        rows(600, 256, 256, 3, dtype="u1"),
        ulp=0,
        memory_bound=True,
    ),
    row(
        "double_difference",
        programs.double_difference,
        each(1, ("f8", "f4"), ((5, 6),), mild),
        square(6000),
        ulp=0,
        memory_bound=True,
        cubed=True,
    ),
    row("anomaly", programs.anomaly, MATRICES, square(6000), passes=2, memory_bound=True),
    row(
        "quadratic_means",
        programs.quadratic_means,
        each(2, ("f8",), ((5, 3),), mild),
        square(4000, 2),
        memory_bound=True,
    ),
    row(
        "mlp", programs.mlp, sample((6, 4), (4, 5), (5, 2), dtypes=("f4",)), layers, one_value=False
    ),
    row("heat", programs.heat, sample((9, 8)), square(6000), ulp=0, arguments={"steps": 10}),
    row("take_rows_sum", programs.take_rows_sum, taken, gathered),
    row("gram_sum", programs.gram_sum, MATRICES, square(6000), one_value=False),
)
REDUCED = (
    row("sum", programs.total, MATRICES, square(6000), memory_bound=True),
    row("row_sum", programs.row_sum, MATRICES, square(6000), memory_bound=True),
    row(
        "row_sum float32",
        programs.row_sum,
        sample((4, 5), dtypes=("f4",)),
        square(8000, dtype="f4"),
        memory_bound=True,
    ),
    row("column_sum", programs.column_sum, MATRICES, square(6000), memory_bound=True),
    row("std", programs.std, MATRICES, square(6000), memory_bound=True),
    row("softmax", programs.softmax, MATRICES, rows(20_000, 1024)),
    row(
        "softmax float32",
        programs.softmax,
        sample((4, 5), dtypes=("f4",)),
        rows(40_000, 1024, dtype="f4"),
    ),
    row("layer_norm", programs.layer_norm, sample((5, 4), (4,), (4,)), normed, memory_bound=True),
    row("histogram", programs.histogram, sample((13,)), rows(4e7), ulp=0),
)
MOVED = (
    row(
        "transpose_add",
        programs.transpose_add,
        sample((4, 4)),
        square(6000),
        ulp=0,
        memory_bound=True,
    ),
    row("cumulative_sum", programs.cumulative_sum, MATRICES, square(6000), memory_bound=True),
    row(
        "where_clip",
        programs.where_clip,
        MATRICES,
        square(6000),
        ulp=0,
        memory_bound=True,
        numexpr=WHERE_CLIP,
    ),
    row(
        "where_clip transposed",
        programs.where_clip,
        turned,
        transposed(square(6000)),
        ulp=0,
        memory_bound=True,
        numexpr=WHERE_CLIP,
    ),
    row("sort", programs.sort, sample((13,)), rows(2e7), ulp=0, cannot=CANNOT_SORT),
    row(
        "boolean_mask",
        programs.boolean_mask,
        sample((13,)),
        rows(4e7),
        ulp=0,
        cannot={"JAX": UNSIZED},
    ),
)
OTHER_CELLS = (
    row(
        "black_scholes float32",
        programs.black_scholes,
        each(3, ("f4",), ((7,),), mild),
        rows(8e7, count=3, dtype="f4"),
    ),
    row(
        "exp_sum float32",
        programs.exp_sum,
        sample((13,), dtypes=("f4",)),
        rows(8e7, dtype="f4"),
        numexpr=EXP_SUM,
    ),
    row("exp_sum every other", programs.exp_sum, strided, every_other(rows(4e7)), numexpr=EXP_SUM),
    row(
        "scale float16",
        programs.scale,
        sample((13,), dtypes=("f2",)),
        rows(8e7, dtype="f2"),
        ulp=0,
        memory_bound=True,
    ),
)
SMALL = (
    row(
        "scale 10_000 cells",
        programs.scale,
        sample((7,)),
        unscaled(rows(10_000)),
        ulp=0,
        numexpr="a * 2 + 1",
    ),
    row(
        "scale_sum 10_000 cells",
        programs.scale_sum,
        sample((7,)),
        unscaled(rows(10_000)),
        numexpr="sum(a * 2 + 1)",
    ),
    row("persist_reuse", programs.persist_reuse, sample((5, 4)), square(5000)),
)
COMPARISONS = (*ANCHORS, *REDUCED, *MOVED, *OTHER_CELLS, *SMALL)
