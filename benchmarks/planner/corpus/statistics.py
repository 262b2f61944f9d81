"""Tables of many rows: clusters, components, regressions, orders."""

from __future__ import annotations

from typing import Any

import numpy as np

import dask_tapestry as dt
from benchmarks.planner.corpus.job import (
    GB,
    GIB,
    SMALL,
    USUAL,
    Cluster,
    Jobs,
    exchanged,
    merged,
    nbytes,
    sent,
)

STATISTICS_JOBS = Jobs()
job = STATISTICS_JOBS.job

ROWS = 10**8
POINTS = nbytes(ROWS, 32, itemsize=4)
TABLE = nbytes(ROWS, 100, itemsize=4)
STEP = SMALL.bound(POINTS, 0.1 * GB, peak=GIB)


def points() -> tuple[Any, Any]:
    return dt.placeholder((ROWS, 32), "f4", (250_000, 32)), dt.placeholder((256, 32), "f4")


def labels(x: Any, centres: Any) -> Any:
    return dt.argmin((centres**2).sum(axis=1) - 2 * (x @ centres.T), axis=1)


@job("k-means step by one-hot rows", SMALL, STEP)
def k_means() -> Any:
    x, centres = points()
    one_hot = (labels(x, centres)[:, None] == dt.arange(256)).astype("f4")
    return (one_hot.T @ x) / one_hot.sum(axis=0)[:, None]


@job("k-means step by groups", SMALL, STEP)
def k_means_by_groups() -> Any:
    x, centres = points()
    label, groups = labels(x, centres), np.arange(256)
    sums, _ = dt.groupby_reduce(x, label, func="sum", expected_groups=groups, axis=0)
    counts, _ = dt.groupby_reduce(label, label, func="count", expected_groups=groups)
    return sums / counts


def table(itemsize: int = 4, columns: int = 100) -> Any:
    return dt.placeholder((ROWS, columns), f"f{itemsize}", (1_000_000, columns))


SQUARE = nbytes(100, 100)


@job("covariance", USUAL, USUAL.bound(2 * TABLE, merged(USUAL, SQUARE), passes=2, again=TABLE))
def covariance() -> Any:
    x = table()
    a = x - x.mean(axis=0)
    return a.T @ a / (ROWS - 1)


@job(
    "correlations of columns",
    USUAL,
    USUAL.bound(2 * TABLE, merged(USUAL, SQUARE), passes=2, again=TABLE),
)
def correlations() -> Any:
    return dt.corrcoef(table(), rowvar=False)


@job("normal equations", USUAL, USUAL.bound(TABLE, merged(USUAL, SQUARE)))
def normal_equations() -> Any:
    x, y = table(), dt.placeholder((ROWS,), "f4", (1_000_000,))
    return dt.linalg.solve((x.T @ x).astype("f8"), (x.T @ y).astype("f8"))


@job("means and deviations", USUAL, USUAL.bound(TABLE, merged(USUAL, nbytes(4, 100))))
def moments() -> Any:
    x = table()
    return [x.mean(axis=0), x.std(axis=0), x.min(axis=0), x.max(axis=0)]


@job(
    "standardised rows summed",
    USUAL,
    USUAL.bound(2 * TABLE, merged(USUAL, nbytes(4, 100)), passes=2, again=TABLE),
)
def standardised() -> Any:
    x = table()
    return ((x - x.mean(axis=0)) / x.std(axis=0)).sum(axis=1)


@job("logistic gradient", USUAL, USUAL.bound(TABLE, merged(USUAL, nbytes(100))))
def gradient() -> Any:
    x, y = table(), dt.placeholder((ROWS,), "f4", (1_000_000,))
    w = dt.placeholder((100,), "f4")
    return x.T @ (1 / (1 + dt.exp(-(x @ w))) - y)


@job(
    "ten steps of a descent",
    USUAL,
    USUAL.bound(TABLE, 20 * merged(USUAL, nbytes(100)), TABLE, passes=10),
)
def descent() -> Any:
    x, y = table(), dt.placeholder((ROWS,), "f4", (1_000_000,))
    w = dt.zeros(100, dtype="f4")
    for _ in range(10):
        w = w - 1e-9 * (x.T @ (x @ w - y))
    return w


KEYS = 1_000_000
COLUMN = nbytes(10**9)


@job(
    "sums of a million keys",
    SMALL,
    SMALL.bound(2 * COLUMN, merged(SMALL, nbytes(KEYS))),
)
def by_key() -> Any:
    values = dt.placeholder((10**9,), "f8", (10_000_000,))
    keys = dt.placeholder((10**9,), "i8", (10_000_000,))
    return dt.groupby_reduce(values, keys, func="sum", expected_groups=np.arange(KEYS))[0]


@job("counts of values", SMALL, SMALL.bound(COLUMN, merged(SMALL, nbytes(1000))))
def counted() -> Any:
    x = dt.placeholder((10**9,), "i8", (10_000_000,))
    return dt.histogram(x, bins=1000, range=(0, 1000))[0]


@job("median of a column", SMALL, SMALL.bound(COLUMN, exchanged(SMALL, COLUMN), COLUMN, passes=2))
def median() -> Any:
    return dt.median(dt.placeholder((10**9,), "f8", (10_000_000,)), axis=0)


FEW = Cluster(4, 4, 8)
MAPS = nbytes(10_000, 721, 1440, itemsize=4)


@job("percentiles of all cells", FEW, FEW.bound(2 * MAPS, passes=2))
def percentiles() -> Any:
    x = dt.placeholder((10_000, 721, 1440), "f4", (10, 721, 1440))
    return dt.percentile(x, [1, 99])


LINE = nbytes(125 * 10**9)
SORTERS = Cluster(100, 4, 64)


@job(
    "sort of 1 TB",
    SORTERS,
    SORTERS.bound(LINE, exchanged(SORTERS, LINE), LINE, peak=40 * GIB, passes=2),
)
def sorted_line() -> Any:
    return dt.sort(dt.placeholder((125 * 10**9,), "f8", (62_500_000,)))


@job("largest hundred", SMALL, SMALL.bound(COLUMN, merged(SMALL, nbytes(100))))
def largest() -> Any:
    return dt.topk(dt.placeholder((10**9,), "f8", (10_000_000,)), 100)


@job("area of a circle", USUAL, USUAL.bound(0, 0, work=0))
def circle() -> Any:
    rng = dt.random.default_rng(0)
    x, y = rng.random(10**10), rng.random(10**10)
    return (x * x + y * y < 1).mean()


@job(
    "weighted means of samples",
    SMALL,
    SMALL.bound(TABLE, merged(SMALL, nbytes(200, 100)), block=TABLE / 100),
)
def bootstrap() -> Any:
    weights = dt.random.default_rng(0).poisson(1.0, (200, ROWS)).astype("f4")
    return weights @ table()


@job(
    "nearest of 50,000",
    SMALL,
    SMALL.bound(2 * nbytes(50_000, 64), sent(SMALL, nbytes(50_000, 64))),
)
def nearest() -> Any:
    x = dt.placeholder((50_000, 64), "f8", (5000, 64))
    squares = (x**2).sum(axis=1)
    far = dt.eye(50_000) * 1e9
    return (squares[:, None] + squares - 2 * (x @ x.T) + far).argmin(axis=1)
