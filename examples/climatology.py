"""A climatology in xarray: monthly means and anomalies of daily temperatures, Zarr to Zarr.

    python examples/climatology.py                    # both chunk managers, 130 MB of input
    python examples/climatology.py --years 20 --manager tapestry

The computation is `climatology`, written for xarray alone; the only line that knows who computes
is ``dt.xarray.use()``.
"""

import argparse
import contextlib
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

import dask_tapestry as dt

LATITUDES, LONGITUDES = 90, 180
DAYS_A_CHUNK = 50


def write_temperatures(store: Path, years: int) -> None:
    """Daily temperatures on a grid, a season and weather; missing over a part of the grid."""
    days = pd.date_range("2000-01-01", periods=365 * years, freq="D")
    rng = np.random.default_rng(0)
    season = 15 * np.sin(2 * np.pi * (days.dayofyear.to_numpy() - 100) / 365)
    weather = rng.normal(size=(len(days), LATITUDES, LONGITUDES)).astype("float32")
    cells = weather + season.astype("float32")[:, None, None]
    cells[:, :10, :20] = np.nan
    data = xr.Dataset(
        {"t": (("time", "lat", "lon"), cells)},
        {"time": days, "lat": np.linspace(-89, 89, LATITUDES), "lon": np.arange(LONGITUDES) * 2.0},
    )
    chunks = {"t": {"chunks": (DAYS_A_CHUNK, LATITUDES, LONGITUDES)}}
    data.to_zarr(store, mode="w", consolidated=False, encoding=chunks)


def climatology(data: xr.Dataset) -> xr.Dataset:
    """Mean and spread of each month, and what days differ from it, averaged over the globe."""
    months = data.t.groupby("time.month")
    anomaly = months - months.mean()
    area = np.cos(np.deg2rad(data.lat))
    return xr.Dataset(
        {
            "normal": months.mean(),
            "spread": months.std(),
            "globe": anomaly.weighted(area).mean(("lat", "lon")),
            "smooth": anomaly.mean(("lat", "lon")).rolling(time=30, center=True).mean(),
            "hottest": anomaly.resample(time="YS").max(),
        }
    )


def run(manager: str, store: Path, target: Path) -> tuple[float, float]:
    """Seconds, and seconds of all cores, that one chunk manager takes from opening to written."""
    shutil.rmtree(target, ignore_errors=True)
    using = dt.xarray.use() if manager == "tapestry" else contextlib.nullcontext()
    with using:
        start, cores = time.perf_counter(), sum(os.times()[:2])
        result = climatology(xr.open_zarr(store, consolidated=False))
        result.to_zarr(target, consolidated=False)
        return time.perf_counter() - start, sum(os.times()[:2]) - cores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--years", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("demo-output"))
    parser.add_argument("--manager", choices=["dask", "tapestry", "both"], default="both")
    parser.add_argument("--runs", type=int, default=3, help="of which the fastest counts")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    store = arguments.out / "temperatures.zarr"
    write_temperatures(store, arguments.years)
    chosen = ["dask", "tapestry"] if arguments.manager == "both" else [arguments.manager]
    for manager in chosen:
        target = arguments.out / f"climatology-{manager}.zarr"
        runs = [run(manager, store, target) for _ in range(arguments.runs)]
        wall, cores = (min(one) for one in zip(*runs, strict=True))
        print(f"{manager:9} {wall:6.2f} s, {cores:6.2f} s of all cores")
    if arguments.manager == "both":
        options = {"chunks": None, "consolidated": False}
        left, right = (
            xr.open_zarr(arguments.out / f"climatology-{name}.zarr", **options) for name in chosen
        )
        xr.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-4)
        print("equal results")


if __name__ == "__main__":
    main()
