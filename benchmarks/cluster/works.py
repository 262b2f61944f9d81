"""What users do with stored arrays: the works that `compare.py` times.

Each is written once, in names that dask.array and dask_tapestry share; what it
returns is computed. Stores hold a scale's share of the usual cells: at scale 1 each input has 1.3
to 1.6 GB, uncompressed, and "many images" 10 GB: memory should be what it is for few.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

SIDE, CHUNK = 14_000, 2_000
ROWS, WIDTH = 700_000, 64
YEARS, DAYS, PLACES = 10, 365, (250, 200)
IMAGES, MANY_IMAGES, IMAGE, FEATURES = 6_400, 51_200, (256, 256, 3), 64

Shape = tuple[int, ...]


class Stored(NamedTuple):
    """An input: its cells are drawn anew for each slab of chunks."""

    shape: Shape
    chunks: Shape
    dtype: str


class Library(NamedTuple):
    """A namespace, and where stores are: `load` reads one, `save` is what writes to a new one."""

    namespace: Any
    load: Callable[[str], Any]
    save: Callable[[Any, str, Shape | None], Any]


class Work(NamedTuple):
    """A job: the stores it reads, and the values or writes to compute together."""

    reads: tuple[str, ...]
    make: Callable[[Library], list[Any]]


def stores(scale: float) -> dict[str, Stored]:
    """The inputs at a scale."""
    side = max(2, round(SIDE * scale**0.5 / CHUNK)) * CHUNK if scale >= 0.1 else 800
    chunk = CHUNK if scale >= 0.1 else 200
    square = Stored((side, side), (chunk, chunk), "f8")
    days = Stored((YEARS * DAYS, *(max(4, round(n * scale**0.5)) for n in PLACES)), (0,), "f8")
    images, many = (max(40, round(n * scale)) for n in (IMAGES, MANY_IMAGES))
    return {
        "x": square,
        "y": square,
        "rows": Stored(square.shape, (chunk // 20, side), "f8"),
        "tall": Stored(
            (max(1000, round(ROWS * scale)), WIDTH), (max(100, round(50_000 * scale)), WIDTH), "f4"
        ),
        "days": days._replace(chunks=(50, *days.shape[1:])),
        "images": Stored((images, *IMAGE), (min(100, images), *IMAGE), "u1"),
        "many images": Stored((many, *IMAGE), (min(100, many), *IMAGE), "u1"),
    }


def create(folder: Path, name: str, stored: Stored) -> None:
    """Write an input, unless it is there."""
    import zarr

    path = folder / f"{name}.zarr"
    done = path / "complete"
    if done.exists():
        return
    z = zarr.create_array(
        path, shape=stored.shape, chunks=stored.chunks, dtype=stored.dtype, compressors=None,
        overwrite=True,
    )  # fmt: skip
    random = np.random.default_rng(0)
    slab = stored.chunks[0]
    for start in range(0, stored.shape[0], slab):
        shape = (min(slab, stored.shape[0] - start), *stored.shape[1:])
        if stored.dtype == "u1":
            z[start : start + slab] = random.integers(0, 256, shape, np.uint8)
        else:
            z[start : start + slab] = random.standard_normal(shape, np.float32)
    done.touch()


def total(m: Library) -> list[Any]:
    return [m.load("x").sum()]


def centred_deviation(m: Library) -> list[Any]:
    x = m.load("x")
    return [(x - x.mean(axis=0)).std(axis=0)]


def quadratic_means(m: Library) -> list[Any]:
    x, y = m.load("x"), m.load("y")
    return [(x * x).mean(axis=0), (x * y).mean(axis=0), (y * y).mean(axis=0)]


def sum_with_transpose(m: Library) -> list[Any]:
    return [(m.load("x") + m.load("y").T).sum(axis=0)]


def double_difference(m: Library) -> list[Any]:
    x, np_ = m.load("x"), m.namespace
    return [np_.abs(np_.diff(np_.diff(x, axis=0), axis=1)).max(axis=1)]


def rows_to_columns(m: Library) -> list[Any]:
    x = m.load("rows")
    return [m.save(x, "columns", (x.shape[0], x.shape[1] // 140))]


def climatology(m: Library) -> list[Any]:
    x = m.load("days")
    by_day = x.reshape(YEARS, DAYS, *x.shape[1:])
    usual = by_day.mean(axis=0)
    return [usual, (by_day - usual).std(axis=(0, 1))]


def heat(m: Library) -> list[Any]:
    u, np_ = m.load("x"), m.namespace
    for _ in range(3):
        p = np_.pad(u, 1, mode="edge")
        near = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]
        u = u + 0.1 * (near - 4 * u)
    return [m.save(u, "heat", None)]


def tall_gram(m: Library) -> list[Any]:
    x = m.load("tall")
    return [x.T @ x]


def strided_mean(m: Library) -> list[Any]:
    return [(m.load("x") + m.load("y"))[::7, ::11].mean(axis=0)]


def images(m: Library, store: str = "images") -> list[Any]:
    x, np_ = m.load(store), m.namespace
    w = np.random.default_rng(0).standard_normal((int(np.prod(IMAGE)), FEATURES), np.float32)
    y = x.astype("f2") / np.float16(255)
    flat = y.reshape(x.shape[0], -1).astype("f4")
    return [
        m.save(y, "halves", None),
        m.save(np_.maximum(flat @ w, np.float32(0)), "features", None),
    ]


WORKS: Final[dict[str, Work]] = {
    "sum": Work(("x",), total),
    "centred deviation": Work(("x",), centred_deviation),
    "quadratic means": Work(("x", "y"), quadratic_means),
    "sum with transpose": Work(("x", "y"), sum_with_transpose),
    "double difference": Work(("x",), double_difference),
    "rows to columns": Work(("rows",), rows_to_columns),
    "climatology": Work(("days",), climatology),
    "heat": Work(("x",), heat),
    "tall gram": Work(("tall",), tall_gram),
    "strided mean": Work(("x", "y"), strided_mean),
    "images": Work(("images",), images),
    "many images": Work(("many images",), partial(images, store="many images")),
}
