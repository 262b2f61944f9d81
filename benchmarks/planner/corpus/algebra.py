"""Products, factors and layouts of large matrices."""

from __future__ import annotations

from typing import Any

import dask_tapestry as dt
from benchmarks.planner.corpus.job import (
    GB,
    GIB,
    USUAL,
    Cluster,
    Jobs,
    exchanged,
    merged,
    nbytes,
    stored,
)

ALGEBRA_JOBS = Jobs()
job = ALGEBRA_JOBS.job

N = 100_000
MATRIX = nbytes(N, N)


def matrix() -> Any:
    return dt.placeholder((N, N), "f8", (2000, 2000))


# each worker has a cube of the products, and sends or takes three of its faces
CUBES = 3 * MATRIX * USUAL.workers ** (1 / 3)


@job("product of 80 GB each", USUAL, USUAL.bound(2 * MATRIX, CUBES, 3 * MATRIX, tasks=5000))
def product() -> Any:
    return matrix() @ matrix()


@job(
    "product, sum and ReLU",
    USUAL,
    USUAL.bound(2 * MATRIX, CUBES, 3 * MATRIX, tasks=5000),
)
def layer() -> Any:
    return dt.nn.relu(dt.nn.linear(matrix(), matrix(), dt.placeholder((N,), "f8")))


TALL = Cluster(16, 2, 2)
THIN = nbytes(10**8, 100, itemsize=4)


@job(
    "SVD of centred columns",
    TALL,
    TALL.bound(2 * THIN, merged(TALL, nbytes(3, 100, 100)), block=THIN / 100, passes=2),
)
def svd() -> Any:
    x = dt.placeholder((10**8, 100), "f4", (1_000_000, 100))
    _, s, vt = dt.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    return [s, vt]


QR = nbytes(10**8, 64)


@job("R of a tall matrix", TALL, TALL.bound(QR, merged(TALL, nbytes(64, 64)), block=QR / 200))
def triangle() -> Any:
    return dt.linalg.qr(dt.placeholder((10**8, 64), "f8", (500_000, 64)))[1]


PCA = nbytes(800_000, 1000)


@job("PCA of 1000 columns", TALL, TALL.bound(PCA, merged(TALL, 4 * nbytes(1000, 1000))))
def components() -> Any:
    x = dt.placeholder((800_000, 1000), "f8", (10_000, 1000))
    return dt.linalg.eigh(x.T @ x)


@job("matrix and its transpose to Zarr", USUAL, USUAL.bound(MATRIX, MATRIX, passes=2))
def symmetric() -> Any:
    x = matrix()
    return stored(x + x.T, (2000, 2000))


@job("rows over their norms", USUAL, USUAL.bound(2 * MATRIX, 0, passes=2, again=MATRIX))
def normed() -> Any:
    x = matrix()
    return stored(x / dt.sqrt((x * x).sum(axis=1, keepdims=True)), (2000, 2000))


@job("distance of two matrices", USUAL, USUAL.bound(2 * MATRIX, 0))
def distance() -> Any:
    return dt.sqrt(((matrix() - matrix()) ** 2).sum())


@job("ten steps of power iteration", USUAL, USUAL.bound(MATRIX, 0.4 * GB, MATRIX, passes=10))
def power() -> Any:
    x, v = matrix(), dt.ones(N)
    for _ in range(10):
        v = x @ v
        v = v / dt.sqrt((v * v).sum())
    return v


BLOCK = nbytes(100, 721, 720)
CUBOID = 662 * BLOCK  # 275 GB


@job(
    "four dimensions transposed",
    USUAL,
    USUAL.bound(CUBOID, exchanged(USUAL, CUBOID), CUBOID, block=BLOCK, tasks=10_000),
)
def transposed() -> Any:
    x = dt.placeholder((662, 100, 721, 720), "f8", (1, 100, 721, 720))
    return x.transpose(3, 2, 1, 0).rechunk((8, 721, 100, 662))


WIDE = Cluster(100, 2, 48)


@job(
    "rows to columns",
    WIDE,
    WIDE.bound(400 * GB, 400 * GB, 400 * GB, block=2 * GB, passes=2),
)
def columns() -> Any:
    x = dt.placeholder((100_000, 500_000), "f8", (500, 500_000))
    return x.rechunk((100_000, 2500))


@job(
    "a b + c and its mean, three chunkings",
    USUAL,
    USUAL.bound(109 * GB, 73 * GB, 73 * GB, passes=2),  # two of three are exchanged
)
def three_chunkings() -> Any:
    chunks = ((1000, 40_000), (40_000, 1000), (4000, 4000))
    a, b, c = (dt.placeholder((113_000, 40_000), "f8", sides) for sides in chunks)
    y = a * b + c
    return [stored(y, (4000, 4000)), y.mean(axis=0)]


POINTS = 100_000
KERNEL = nbytes(POINTS, POINTS)


@job(
    "Gaussian process of 100,000 points",
    USUAL,
    USUAL.bound(10 * GB, 8 * KERNEL, 2 * KERNEL, peak=8 * GIB, tasks=20_000),
)
def gaussian_process() -> Any:
    x, y = dt.placeholder((POINTS, 8), "f8"), dt.placeholder((POINTS,), "f8")
    squares = (x**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * (x @ x.T)
    factor = dt.linalg.cholesky(dt.exp(-distances / 2) + 1e-3 * dt.eye(POINTS))
    half = dt.linalg.solve_triangular(factor, y, lower=True)
    return [(half**2).sum(), dt.log(dt.diag(factor)).sum()]
