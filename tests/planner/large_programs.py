"""Random programs on arrays of many megabytes, whose memory and seconds are measured.

The programs of `tests/fuzz` are about values and so are small; these keep about the size that they
begin with, until a fold or a product ends them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import dask_tapestry as dt

Draw = Callable[[Random, dt.Array], Any]
DTYPES = ("f8", "f8", "f4", "i4", "u1")
STEPS = 4  # at most, before the last


def _cells(random: Random, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    generator = np.random.default_rng(random.randrange(2**32))
    return generator.integers(0, 100, shape, "u1").astype(dtype)


def _place(folder: Path) -> Path:
    return folder / str(len(list(folder.iterdir())))


def _memory(random: Random, shape: tuple[int, ...], dtype: str, folder: Path) -> dt.Array:
    return dt.asarray(_cells(random, shape, dtype))


def _stored(random: Random, shape: tuple[int, ...], dtype: str, folder: Path) -> dt.Array:
    chunks = tuple(max(1, n // random.choice([1, 3, 8])) for n in shape)
    path = _place(folder)
    dt.to_zarr(dt.asarray(_cells(random, shape, dtype)), path, chunks=chunks)
    return dt.from_zarr(path)


def _generated(random: Random, shape: tuple[int, ...], dtype: str, folder: Path) -> dt.Array:
    made = [
        lambda: dt.arange(shape[0] * shape[1]).reshape(shape).astype(dtype),
        lambda: dt.random.default_rng(3).random(shape),
        lambda: dt.ones(shape, dtype),
        lambda: dt.indices(shape)[random.randrange(2)] * 1.0,
    ]
    return random.choice(made)()


SOURCES = (_memory, _memory, _stored, _generated)


def _rolled(random: Random, x: dt.Array) -> dt.Array:
    return dt.roll(x, random.randint(1, x.shape[0] - 1), axis=0)


def _stencil(random: Random, x: dt.Array) -> dt.Array:
    return x[2:] + x[:-2] * 2 - x[1:-1]


def _taken(random: Random, x: dt.Array) -> dt.Array:
    return dt.take(x, np.random.default_rng(5).permutation(x.shape[0]), axis=0)


def _few(x: dt.Array) -> dt.Array:
    """A quarter of the rows: for what takes long."""
    return x[: max(1, x.shape[0] // 4)]


def _axis(random: Random) -> int:
    return random.randrange(2)


KEEPING: dict[str, Draw] = {  # values of about the size of what they read
    "formula": lambda random, x: x * 3 + 1,
    "exp": lambda random, x: dt.exp(-x) * x,
    "float": lambda random, x: x.astype("f8") / 3,
    "transpose": lambda random, x: x.T,
    "stride": lambda random, x: x[::2],
    "flip": lambda random, x: dt.flip(x, _axis(random)),
    "roll": _rolled,
    "stencil": _stencil,
    "take": _taken,
    "halves": lambda random, x: dt.concat([x[x.shape[0] // 2 :], x[: x.shape[0] // 2]]),
    "join": lambda random, x: dt.concat([x[: x.shape[0] // 2], x[: x.shape[0] // 2] + 1], axis=1),
    "flat": lambda random, x: x.reshape(-1).reshape(x.shape[1], x.shape[0]),
    "symmetric": lambda random, x: (s := x[: min(x.shape), : min(x.shape)]) + s.T,
    "centre": lambda random, x: x - x.mean(axis=_axis(random), keepdims=True),
    "normalise": lambda random, x: (x - x.mean(axis=0)) / (x.std(axis=0) + 1),
    "softmax": lambda random, x: (e := dt.exp(x / 100)) / e.sum(axis=1, keepdims=True),
    "cumsum": lambda random, x: dt.cumsum(x, axis=_axis(random)),
    "sort": lambda random, x: dt.sort(x, axis=_axis(random)),
    "argsort": lambda random, x: dt.argsort(x, axis=_axis(random)),
    "where": lambda random, x: dt.where(x > 50, x, -x),
    "pad": lambda random, x: dt.pad(x, 3, mode="reflect"),
    "repeat": lambda random, x: dt.repeat(x[: x.shape[0] // 2], 2, axis=0),
    "held": lambda random, x: x.rechunk((max(1, x.shape[0] // 4), -1)),
}
ENDING: dict[str, Draw] = {
    "keep": lambda random, x: x,
    "write": lambda random, x: x,
    "sum": lambda random, x: x.sum(),
    "mean": lambda random, x: x.mean(axis=_axis(random)),
    "var": lambda random, x: x.var(axis=_axis(random)),
    "argmax": lambda random, x: x.argmax(axis=_axis(random)),
    "median": lambda random, x: dt.median(x, axis=_axis(random)),
    "quantile": lambda random, x: dt.quantile(_few(x).astype("f8"), 0.3, axis=_axis(random)),
    "nanquantile": lambda random, x: dt.nanquantile(_few(x).astype("f8"), 0.3, axis=1),
    "median of all": lambda random, x: dt.median(x),
    "product": lambda random, x: x.astype("f8") @ dt.ones((x.shape[1], 64)),
    "gram": lambda random, x: (y := x[:, : min(500, x.shape[1])].astype("f8")).T @ y,
    "histogram": lambda random, x: dt.histogram(x, bins=20, range=(0, 100))[0],
    "topk": lambda random, x: dt.topk(x, 5, axis=1),
    "few rows": lambda random, x: x[:50],
}


def drawn(random: Random, size: int, folder: Path) -> tuple[str, Any]:
    """A random program on about `size` bytes as float64: its text, and the array or the write.

    Parameters
    ----------
    folder
        For stores that it reads and writes.
    """
    dtype = random.choice(DTYPES)
    cells = size // np.dtype("f8").itemsize
    columns = random.choice([50, 1000, 4000, max(2, int(cells**0.5))])
    shape = cells // columns, columns
    source = random.choice(SOURCES)
    x = source(random, shape, dtype, folder)
    text = [f"{source.__name__.strip('_')} {x.dtype}{shape}"]
    for _ in range(random.randint(0, STEPS)):
        name = random.choice(list(KEEPING))
        text.append(name)
        x = KEEPING[name](random, x)
    name = random.choice(list(ENDING))
    text.append(name)
    x = ENDING[name](random, x)
    if name == "write":
        x = dt.to_zarr(x, _place(folder), compute=False)
    return " > ".join(text), x
