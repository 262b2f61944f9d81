"""Programs of a tenth of a second to a second, whose plans are measured beside forced ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import distributed
import numpy as np

import dask_tapestry as dt

CHUNK = 2**23  # bytes of a block of an array that lies on a cluster, and of a stored chunk

STEPS = 2**-10  # values of a measurement have some digits, which codecs see


class Data:
    """Arrays that programs read: in this process, on a cluster's workers, or stored.

    Parameters
    ----------
    folder
        For what is stored.
    on_cluster
        Whether arrays lie on the workers of the live client, in blocks of rows.
    size
        Part of the usual number of cells, for a test.
    """

    def __init__(self, folder: Path, on_cluster: bool, size: float = 1.0) -> None:
        self.folder, self.on_cluster, self.size = folder, on_cluster, size
        self._known: dict[Any, Any] = {}

    def sides(self, *sides: int) -> tuple[int, ...]:
        """Sides of an array, each shrunk alike."""
        scale = self.size ** (1 / len(sides))
        return tuple(max(16, round(n * scale)) for n in sides)

    def array(self, *sides: int, dtype: str = "f8", key: int = 0) -> dt.Array:
        """Random cells from 0 to 1, the same ones when asked again."""
        shape = self.sides(*sides)
        if (shape, dtype, key) not in self._known:
            x = dt.asarray(_random(shape, dtype, key))
            if self.on_cluster:
                x = x.rechunk(_chunks(x)).persist()
                distributed.wait(x)
            self._known[shape, dtype, key] = x
        return self._known[shape, dtype, key]

    def stored(self, *sides: int, chunks: tuple[int, ...], dtype: str = "f8") -> dt.Array:
        """The same from a store with about so many chunks along each dimension."""
        shape = self.sides(*sides)
        path = self.folder / f"{shape}-{chunks}-{dtype}"
        if not path.exists():
            lengths = tuple(-(-n // c) for n, c in zip(shape, chunks, strict=True))
            cells = np.round(_random(shape, dtype, 0) / STEPS) * STEPS
            dt.to_zarr(dt.asarray(cells), path, chunks=lengths)
        return dt.from_zarr(path)

    def written(self, x: dt.Array, chunks: tuple[int, ...]) -> Any:
        """A write of an array in about so many chunks along each dimension."""
        path = self.folder / f"written-{len(list(self.folder.iterdir()))}"
        lengths = tuple(-(-n // c) for n, c in zip(x.shape, chunks, strict=True))
        return dt.to_zarr(x, path, chunks=lengths, compute=False)


def _random(shape: tuple[int, ...], dtype: str, key: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(key).random(shape).astype(dtype)


def _chunks(x: dt.Array) -> tuple[int, ...]:
    rows = max(1, CHUNK // max(1, x.nbytes // x.shape[0]))
    return (rows, *x.shape[1:])


def chain(data: Data) -> Any:
    x = data.array(5000, 4000)
    return dt.exp(-x * x) * dt.sin(x) + dt.sqrt(x)


def two_reads(data: Data) -> Any:
    return data.array(6000, 4000) * 2 + data.array(6000, 4000, key=1)


def sum_of_columns(data: Data) -> Any:
    return (data.array(8000, 4000) * 1.5).sum(axis=0)


def deviation_of_rows(data: Data) -> Any:
    return data.array(8000, 4000).std(axis=1)


def mean_of_all(data: Data) -> Any:
    return dt.exp(data.array(8000, 4000)).mean()


def normalise(data: Data) -> Any:
    x = data.array(6000, 4000)
    return (x - x.mean(axis=0)) / x.std(axis=0)


def matmul(data: Data) -> Any:
    n = 2000
    return data.array(n, n) @ data.array(n, n, key=1)


def gram(data: Data) -> Any:
    x = data.array(100_000, 300)
    return x.T @ x


def symmetric(data: Data) -> Any:
    x = data.array(4500, 4500)
    return x + x.T


def transposed(data: Data) -> Any:
    return data.array(8000, 3000).T * 2.0


def stencil(data: Data) -> Any:
    x = data.array(5000, 4000)
    beside = x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2]
    return 0.2 * (x[1:-1, 1:-1] + beside)


def cumsum_of_columns(data: Data) -> Any:
    return dt.cumsum(data.array(5000, 4000), axis=0)


def cumsum_of_all(data: Data) -> Any:
    return dt.cumsum(data.array(20_000_000))


def sort_of_rows(data: Data) -> Any:
    return dt.sort(data.array(4000, 2000), axis=1)


def sort_of_columns(data: Data) -> Any:
    return dt.sort(data.array(4000, 2000), axis=0)


def sort_of_all(data: Data) -> Any:
    return dt.sort(data.array(5_000_000))


def median(data: Data) -> Any:
    return dt.median(data.array(3000, 3000), axis=0)


def softmax(data: Data) -> Any:
    e = dt.exp(data.array(5000, 4000))
    return e / e.sum(axis=1, keepdims=True)


def attention(data: Data) -> Any:
    q, k, v = (data.array(3000, 64, key=i) for i in range(3))
    e = dt.exp(q @ k.T / 8)
    return (e / e.sum(axis=1, keepdims=True)) @ v


def taken_rows(data: Data) -> Any:
    x = data.array(20_000, 1000)
    return dt.take(x, np.random.default_rng(0).permutation(x.shape[0]), axis=0) + 1.0


def stored_mean(data: Data) -> Any:
    return data.stored(4000, 4000, chunks=(8, 4)).mean(axis=0)


def stored_normalise(data: Data) -> Any:
    x = data.stored(3000, 2000, chunks=(6, 2))
    return data.written((x - x.mean(axis=0)) / x.std(axis=0), chunks=(6, 2))


def rows_to_columns(data: Data) -> Any:
    return data.written(data.stored(4000, 2000, chunks=(16, 1)) + 1, chunks=(1, 16))


PROGRAMS: dict[str, Callable[[Data], Any]] = {
    make.__name__.replace("_", " "): make
    for make in (
        chain,
        two_reads,
        sum_of_columns,
        deviation_of_rows,
        mean_of_all,
        normalise,
        matmul,
        gram,
        symmetric,
        transposed,
        stencil,
        cumsum_of_columns,
        cumsum_of_all,
        sort_of_rows,
        sort_of_columns,
        sort_of_all,
        median,
        softmax,
        attention,
        taken_rows,
        stored_mean,
        stored_normalise,
        rows_to_columns,
    )
}
