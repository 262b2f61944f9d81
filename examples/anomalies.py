"""Daily temperatures of a grid: anomalies, hot spells and a smoothed map, with dask.array or ours.

    python examples/anomalies.py                  # both, with timings
    python examples/anomalies.py --days 3650      # ten years: 1.2 GB

`analyse` is written for dask.array; `main` calls it with each library in turn and compares.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask.array  # noqa: E402
import numpy as np  # noqa: E402

import dask_tapestry  # noqa: E402

Values = dict[str, Any]
ROUNDS = 3  # of both libraries by turns; the least seconds count
YEAR = 365


def smoothed(block: np.ndarray) -> np.ndarray:
    """Means of a cell and its four neighbours in the plane."""
    total = block.copy()
    for axis in (1, 2):
        total += np.roll(block, 1, axis) + np.roll(block, -1, axis)
    return total / 5


def analyse(da: ModuleType, cells: np.ndarray) -> Values:
    """What is wanted of daily temperatures (day, latitude, longitude)."""
    t = da.from_array(cells, chunks=(YEAR, 45, 45))
    years = t.reshape(-1, YEAR, *t.shape[1:])
    anomaly = (years - years.mean(axis=0)) / years.std(axis=0)
    hot = (anomaly > 1.5).sum(axis=1)
    means = t.rechunk((YEAR, -1, -1)).map_overlap(
        smoothed, depth=(0, 1, 1), boundary="nearest", dtype=cells.dtype
    )
    months = da.coarsen(np.mean, t[: len(cells) // 30 * 30], {0: 30})
    top = da.topk(t.mean(axis=(1, 2)), 5)
    names = ("most hot days", "warmest month", "smoothest", "top days", "share")
    values = da.compute(
        hot.max(axis=0), months.max(axis=0), means.mean(axis=0), top, da.isclose(t, 15, 0.1).mean()
    )
    return dict(zip(names, values, strict=True))


def made(days: int) -> np.ndarray:
    """Temperatures with seasons, latitudes and noise."""
    random = np.random.default_rng(0)
    day, latitude = np.arange(days)[:, None, None], np.linspace(-1, 1, 90)[None, :, None]
    season = 10 * np.sin(2 * np.pi * day / YEAR) * latitude
    return 15 + season - 20 * latitude**2 + random.normal(0, 3, (days, 90, 180))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=2 * YEAR)
    cells = made(parser.parse_args().days // YEAR * YEAR)
    libraries = (dask.array, dask_tapestry)
    least: dict[str, float] = {}
    found: dict[str, Values] = {}
    for _ in range(ROUNDS):
        for library in libraries:
            begun = time.perf_counter()
            found[library.__name__] = analyse(library, cells)
            seconds = time.perf_counter() - begun
            least[library.__name__] = min(seconds, least.get(library.__name__, seconds))
    for name, expected in found["dask.array"].items():
        np.testing.assert_allclose(found["dask_tapestry"][name], expected, err_msg=name)
        print(f"{name}: equal, {np.asarray(expected).shape}")
    for name, seconds in least.items():
        print(f"{name}: {seconds:.2f} s")


if __name__ == "__main__":
    main()
