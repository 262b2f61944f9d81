"""The stores that works read: random fields with a season and a trend, made slab by slab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

Maker = Callable[[Path, float], None]
STORES: Final[dict[str, Maker]] = {}


def store(make: Maker) -> Maker:
    """Let a function make the store of its name."""
    STORES[make.__name__.replace("_", " ")] = make
    return make


def create(folder: Path, name: str, scale: float) -> Path:
    """Make a store, unless it is there."""
    path = folder / f"{name} {scale}.zarr"
    done = folder / f"{name} {scale}.done"
    if not done.exists():
        STORES[name](path, scale)
        done.touch()
    return path


def _side(n: int, scale: float) -> int:
    """A length in space: the cells of a map grow with the scale."""
    return max(4, round(n * scale**0.5))


def _fields(
    path: Path, names: str, times: Any, chunk: int, shape: dict[str, int], missing: float = 0.0
) -> None:
    """Write a Dataset of single precision fields, `chunk` times in each stored chunk."""
    import xarray as xr
    import zarr

    random = np.random.default_rng(0)
    dims, sides = ("time", *shape), (len(times), *shape.values())
    season = np.sin(np.arange(len(times)) * 2 * np.pi / 365.25)
    coords = {"time": times} | {
        dim: np.linspace(-60, 60, n) if dim != "level" else np.arange(n) for dim, n in shape.items()
    }
    xr.Dataset(coords=coords).to_zarr(path, mode="w", consolidated=False)
    group = zarr.open_group(path)
    for name in names.split():
        array = group.create_array(
            name, shape=sides, chunks=(chunk, *sides[1:]), dtype="f4", dimension_names=dims,
            fill_value=np.nan,
        )  # fmt: skip
        for start in range(0, sides[0], chunk):
            part = slice(start, min(start + chunk, sides[0]))
            cells = random.normal(size=(part.stop - start, *sides[1:])).astype("f4")
            cells += season[part].reshape(-1, *[1] * len(shape)).astype("f4")
            if missing:
                cells[random.random(cells.shape, "f4") < missing] = np.nan
            array[part] = cells


def _array(path: Path, shape: tuple[int, ...], chunks: tuple[int, ...], dtype: str) -> None:
    import zarr

    random = np.random.default_rng(1)
    array = zarr.create_array(path, shape=shape, chunks=chunks, dtype=dtype, overwrite=True)
    for start in range(0, shape[0], chunks[0]):
        sides = (min(chunks[0], shape[0] - start), *shape[1:])
        if np.dtype(dtype).kind in "iu":
            part = random.integers(0, 256, sides, dtype)
        else:
            part = random.random(sides).astype(dtype)
        array[start : start + chunks[0]] = part


def _days(first: str, count: int, step: str = "D") -> Any:
    import pandas as pd

    return pd.date_range(first, periods=count, freq=step)


@store
def daily(path: Path, scale: float) -> None:
    """Eight years of days of a temperature and rain."""
    sides = {"lat": _side(90, scale), "lon": _side(180, scale)}
    _fields(path, "t rain", _days("2001-01-01", 2922), 100, sides)


@store
def gaps(path: Path, scale: float) -> None:
    """Four years of days, of which a tenth of the cells is missing."""
    sides = {"lat": _side(90, scale), "lon": _side(180, scale)}
    _fields(path, "t", _days("2001-01-01", 1461), 100, sides, missing=0.1)


@store
def six_hourly(path: Path, scale: float) -> None:
    """Three years of maps each six hours, one in a chunk or few."""
    sides = {"lat": _side(60, scale), "lon": _side(120, scale)}
    _fields(path, "sst", _days("2020-01-01", 4384, "6h"), 16, sides)


@store
def hourly_levels(path: Path, scale: float) -> None:
    """Twenty days of hours on levels, one hour in a chunk."""
    sides = {"level": 6, "lat": _side(60, scale), "lon": _side(120, scale)}
    _fields(path, "u v t w", _days("2020-01-01", 480, "h"), 4, sides)


@store
def bands(path: Path, scale: float) -> None:
    """Two bands of scenes over two years, in tiles."""
    sides = {"y": _side(300, scale), "x": _side(300, scale)}
    _fields(path, "B08 B11", _days("2021-01-01", 240, "3D"), 1, sides)


@store
def square(path: Path, scale: float) -> None:
    """A matrix in square chunks."""
    side = _side(5000, scale)
    _array(path, (side, side), (side // 5, side // 5), "f8")


@store
def thin(path: Path, scale: float) -> None:
    """A matrix of which each chunk is a few columns."""
    side = _side(5000, scale)
    _array(path, (side, side), (side, max(1, side // 50)), "f8")


@store
def rows(path: Path, scale: float) -> None:
    """Records of 32 features."""
    count = max(1000, round(800_000 * scale))
    _array(path, (count, 32), (count // 20, 32), "f4")


@store
def cube(path: Path, scale: float) -> None:
    """Small integers in three dimensions."""
    side = max(20, round(400 * scale ** (1 / 3)))
    _array(path, (side, side, side), (side // 5,) * 3, "u1")


@store
def scans(path: Path, scale: float) -> None:
    """Images of two bytes a pixel, one in a chunk."""
    side = _side(1000, scale)
    _array(path, (60, side, side), (1, side, side), "u2")
