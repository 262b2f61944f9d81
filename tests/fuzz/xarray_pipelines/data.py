"""Random datasets: some variables over time and place, with gaps, in memory."""

from __future__ import annotations

from random import Random

import numpy as np
import xarray as xr

DTYPES = ("f8", "f8", "f8", "f4", "i4", "i8", "u1", "?")
DIMS = (("time", "y", "x"), ("time", "y", "x"), ("time", "y"), ("time",), ("y", "x"))


def dataset(random: Random) -> xr.Dataset:
    """A dataset of one to three variables, days and two coordinates that are not dimensions."""
    sizes = {"time": random.randint(4, 30), "y": random.randint(1, 7), "x": random.randint(1, 5)}
    seed = np.random.default_rng(random.randrange(2**32))
    days = np.datetime64("2001-01-25", "ns") + np.arange(sizes["time"]) * np.timedelta64(1, "D")
    coords = {
        "time": days,
        "y": np.arange(sizes["y"]) * 2.5,
        "x": np.arange(sizes["x"]),
        "phase": ("time", seed.integers(0, random.randint(1, 5), sizes["time"])),
        "area": (("y", "x"), seed.integers(1, 9, (sizes["y"], sizes["x"])) / 4),
    }
    names = "abc"[: random.randint(1, 3)]
    variables = {}
    for number, name in enumerate(names):
        dims = DIMS[0] if not number else random.choice(DIMS)
        shape = tuple(sizes[dim] for dim in dims)
        cells = _cells(random, seed, shape, random.choice(DTYPES))
        variables[name] = (dims, cells, {"units": name})
    return xr.Dataset(variables, coords, {"title": "weather"})


def _cells(
    random: Random, seed: np.random.Generator, shape: tuple[int, ...], dtype: str
) -> np.ndarray:
    """Cells of quarters, of which sums are exact; now and then of any numbers; some are NaN."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return seed.random(shape) < 0.5
    if kind in "iu":
        return seed.integers(0, 100, shape).astype(dtype)
    cells = seed.integers(-40, 40, shape) / 4 if random.random() < 0.6 else seed.normal(0, 9, shape)
    if random.random() < 0.5:
        cells[seed.random(shape) < random.choice([0.1, 0.1, 0.6])] = np.nan
    return cells.astype(dtype)


def chunked(random: Random, data: xr.Dataset) -> dict[str, int]:
    """Chunks along each dimension."""
    return {str(dim): random.randint(1, max(1, n)) for dim, n in data.sizes.items()}
