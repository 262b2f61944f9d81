"""Programs of one kernel each: sorts, tables, gathers, scatters, norms, differences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from tests.comparisons import programs
from tests.comparisons.program_rows import (
    CANNOT_SORT,
    LAZY_PEERS,
    MATRICES,
    UNSIZED,
    Large,
    cells,
    gathered,
    row,
    rows,
    sample,
    square,
    taken,
)
from tests.comparisons.table import Arrays, mild

FEW_GROUPS, MANY_GROUPS = 1000, 10**6
NO_AXES = dict.fromkeys(LAZY_PEERS, "has no median without an axis")
NO_PLACES = dict.fromkeys(LAZY_PEERS, "adds nothing at places")


def numbers(count: float, groups: int = FEW_GROUPS) -> Large:
    """Integers below `groups`, as many as the scale says."""
    return lambda scale: (np.random.default_rng(0).integers(0, groups, round(count * scale)),)


def weighed(count: float) -> Large:
    """The same, each of them there, with a weight for each."""
    return lambda scale: (_every_group(*numbers(count)(scale)), *rows(count)(scale))


def _every_group(groups: np.ndarray) -> np.ndarray:
    groups[:FEW_GROUPS] = np.arange(FEW_GROUPS)[: len(groups)]
    return groups


def turned(scale: float) -> Arrays:
    """Queries of many positions, and the angles of each position's pairs."""
    (x,) = rows(20_000, 16, 64, dtype="f4")(scale)
    angles = cells((len(x), 1, 32), "f4", 1)
    return x, np.cos(angles), np.sin(angles)


def counted() -> Iterator[Arrays]:
    yield (np.array([4, 0, 0, 2, 999, 4]),)


def weighted() -> Iterator[Arrays]:
    yield np.arange(2000) % 1000, mild((2000,), "f8")


SORTED = (
    row("sort 5M", programs.sort, sample((13,)), rows(5e6), ulp=0, cannot=CANNOT_SORT),
    row("argsort", programs.argsort, sample((13,)), rows(5e6), ulp=0, cannot=CANNOT_SORT),
    row("partition", programs.partition, sample((13,)), rows(5e6), ulp=0, cannot=CANNOT_SORT),
    row("median", programs.median, sample((13,)), rows(5e6), cannot=NO_AXES),
    row("median rows", programs.median_rows, MATRICES, rows(2000, 2500)),
    row("top 100", programs.top, sample((130,)), rows(2e7), ulp=0),
    row("unique", programs.unique, counted, numbers(5e6), ulp=0, cannot={"JAX": UNSIZED}),
    row(
        "unique float64", programs.unique, sample((13,)), rows(5e6), ulp=0, cannot={"JAX": UNSIZED}
    ),
    row(
        "unique places",
        programs.unique_places,
        counted,
        numbers(5e6),
        ulp=0,
        cannot={"JAX": UNSIZED, "dask-array": UNSIZED},
    ),
)
MOVED = (
    row("take rows", programs.take_rows, taken, gathered, ulp=0),
    row("mask rows", programs.mask_rows, MATRICES, rows(5e5, 64), ulp=0, cannot={"JAX": UNSIZED}),
    row("bincount", programs.bincount, counted, numbers(2e7), ulp=0),
    row(
        "bincount many",
        partial(programs.bincount, groups=MANY_GROUPS),
        counted,
        numbers(2e7, MANY_GROUPS),
        ulp=0,
    ),
    row("group mean", programs.group_mean, weighted, weighed(2e7)),
    row("scatter add", programs.scatter_add, taken, gathered, cannot=NO_PLACES),
)
NORMED = (
    row("std rows", programs.std_rows, MATRICES, square(6000), memory_bound=True),
    row(
        "column_sum float32",
        programs.column_sum,
        sample((4, 5), dtypes=("f4",)),
        square(8000, dtype="f4"),
        memory_bound=True,
    ),
    row(
        "rotary",
        programs.rotary,
        sample((5, 2, 6), (5, 1, 3), (5, 1, 3), dtypes=("f4",)),
        turned,
        memory_bound=True,
    ),
    row("diff", programs.diff, sample((13,)), rows(4e7), ulp=0, memory_bound=True),
    row("diff rows", programs.diff, MATRICES, square(6000), ulp=0, memory_bound=True),
)
COMPARISONS = (*SORTED, *MOVED, *NORMED)
