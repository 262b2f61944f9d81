"""Programs of xarray as users of climate data write them: each is a function of a Dataset.

They are of the same kinds as `benchmarks/workloads/climate.py` and none of them is there, so that
what is right for those is right for others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pandas as pd
import xarray as xr
from xarray.groupers import SeasonGrouper, SeasonResampler, UniqueGrouper

DAYS, LAT, LON = 730, 9, 12


def weather() -> xr.Dataset:
    """Two years of days of a small map: `t` in single precision, `g` with gaps, `b` positive."""
    random = np.random.default_rng(0)
    shape, dims = (DAYS, LAT, LON), ("time", "lat", "lon")
    t = random.normal(size=shape).astype("f4")
    coords = {
        "time": pd.date_range("2001-01-01", periods=DAYS),
        "lat": np.linspace(-80, 80, LAT),
        "lon": np.linspace(0, 330, LON),
    }
    cells = {
        "t": (dims, t),
        "g": (dims, np.where(random.random(shape) < 0.1, np.nan, t)),
        "b": (dims, random.random(shape)),
        "land": (("lat", "lon"), random.random(shape[1:]) > 0.3),
    }
    return xr.Dataset(cells, coords)


def _counties(strings: bool = False, gaps: bool = False) -> xr.DataArray:
    labels: Any = np.random.default_rng(1).integers(0, 5, (LAT, LON))
    if strings:
        labels = np.array(["north", "south", "sea", "isles", "hills"])[labels]
    if gaps:
        labels = np.where(labels == 2, np.nan, labels)
    return xr.DataArray(labels, dims=("lat", "lon"), name="county")


def _spells(ds: xr.Dataset) -> Any:
    dry = ds.b < 0.5
    days = dry.cumsum("time")
    return (days - days.where(~dry).ffill("time").fillna(0)).max("time")


def _events(ds: xr.Dataset) -> Any:
    hot = ds.t > 1
    return (hot & ~hot.shift(time=1, fill_value=False)).sum("time")


def _precipitation_index(ds: xr.Dataset) -> Any:
    month = ds.b.rolling(time=30).sum().groupby("time.month")
    return (month - month.mean()).groupby("time.month") / month.std()


def _by_year_and_day(ds: xr.Dataset) -> Any:
    parts = {"year": ds.time.dt.year, "day": ds.time.dt.dayofyear}
    few = ds.t.assign_coords(parts).isel(time=slice(0, 500))
    return few.set_index(time=["year", "day"]).unstack("time", fill_value=-1)


def _two_groupers(ds: xr.Dataset) -> Any:
    ds = ds.assign_coords(
        month=ds.time.dt.month, week=("time", np.arange(ds.sizes["time"]) // 7 % 2)
    )
    return ds.t.groupby(month=UniqueGrouper(), week=UniqueGrouper()).mean()


def _pixels(ds: xr.Dataset) -> Any:
    def correlation(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> Any:
        return np.corrcoef(x, y)[0, 1]

    return xr.apply_ufunc(
        correlation, ds.t, ds.b, input_core_dims=[["time"], ["time"]], vectorize=True,
        dask="parallelized", output_dtypes=[float],
    )  # fmt: skip


def _spectra(ds: xr.Dataset) -> Any:
    return xr.apply_ufunc(
        lambda x: abs(np.fft.rfft(x, axis=-1)[..., :5]), ds.t, input_core_dims=[["time"]],
        output_core_dims=[["wave"]], dask="parallelized", output_dtypes=["f4"],
        dask_gufunc_kwargs={"output_sizes": {"wave": 5}},
    )  # fmt: skip


def _window_weights() -> xr.DataArray:
    weights = np.hanning(9)
    return xr.DataArray(weights / weights.sum(), dims="w")


def _aligned(ds: xr.Dataset) -> Any:
    one, other = xr.align(
        ds.t.isel(time=slice(0, 100)), ds.b.isel(time=slice(50, 150)), join="outer"
    )
    return one + other


XARRAY_PROGRAMS: Final[dict[str, Callable[[xr.Dataset], Any]]] = {
    "seasons": lambda ds: ds.g.resample(time="QS-DEC").mean(),
    "weeks": lambda ds: ds.b.resample(time="7D").max(),
    "monthly spread": lambda ds: ds.b.resample(time="MS").std(),
    "first of months": lambda ds: ds.g.resample(time="MS").first(),
    "ranges of months": lambda ds: ds.t.resample(time="MS").map(
        lambda x: x.max("time") - x.min("time")
    ),
    "half days": lambda ds: ds.t.isel(time=slice(0, 60)).resample(time="12h").ffill(),
    "own seasons": lambda ds: ds.t.resample(time=SeasonResampler(["DJFM", "AMJJ", "ASON"])).mean(),
    "some seasons": lambda ds: ds.t.groupby(time=SeasonGrouper(["JJAS", "DJ"])).mean(),
    "two groupers": _two_groupers,
    "bands of latitude": lambda ds: ds.t.groupby_bins("lat", [-90, -30, 0, 30, 90]).mean(),
    "quantiles of months": lambda ds: ds.t.groupby("time.month").quantile([0.1, 0.9]),
    "filled by months": lambda ds: ds.g.groupby("time.month").fillna(
        ds.g.groupby("time.month").mean()
    ),
    "above the month": lambda ds: ds.g.where(
        ds.g.groupby("time.month") > ds.g.groupby("time.month").mean()
    ),
    "degree days": lambda ds: (ds.t - 0.5).clip(min=0).groupby("time.year").sum(),
    "counties": lambda ds: ds[["t", "g"]].groupby(_counties()).mean(),
    "named counties": lambda ds: ds.t.groupby(_counties(strings=True)).max(),
    "counties with gaps": lambda ds: ds.t.groupby(_counties(gaps=True)).std(),
    "rolling spread": lambda ds: ds.g.rolling(time=10, min_periods=3).std(),
    "rolling map": lambda ds: ds.t.rolling(lat=3, lon=5, center=True).mean(),
    "rolling, weighed": lambda ds: (
        ds.t.rolling(time=9, center=True).construct("w").dot(_window_weights())
    ),
    "rolling, strided": lambda ds: ds.t.rolling(time=9).construct("w", stride=5).mean("w"),
    "grid to grid": lambda ds: ds.b.interp(lat=np.linspace(-70, 70, 5), lon=[5, 100, 300]),
    "stations": lambda ds: ds.t.sel(
        lat=xr.DataArray([3, -44, 60.0], dims="s"),
        lon=xr.DataArray([10, 200, 329.0], dims="s"),
        method="nearest",
    ),
    "parabola": lambda ds: ds.b.polyfit("time", 2).polyfit_coefficients,
    "trend of gaps": lambda ds: ds.g.polyfit("time", 1, skipna=True).polyfit_coefficients,
    "ranks": lambda ds: ds.g.rank("time", pct=True),
    "percentiles": lambda ds: ds.g.quantile([0.05, 0.5, 0.95], "time"),
    "filled backward": lambda ds: ds.g.bfill("lat").ffill("time", limit=2),
    "interpolated gaps": lambda ds: ds.g.interpolate_na("time", max_gap="3D"),
    "stacked": lambda ds: (ds.t - ds.t.stack(z=("lat", "lon")).mean("z")).std("time"),
    "years and days": _by_year_and_day,
    "reindexed": lambda ds: ds.t.reindex(
        time=pd.date_range("2000-12-20", periods=300, freq="36h"), method="pad", tolerance="1D"
    ),
    "joined": _aligned,
    "combined": lambda ds: ds.g.isel(time=slice(0, 100)).combine_first(
        ds.t.isel(time=slice(20, 150))
    ),
    "weighed spread": lambda ds: ds.g.weighted(np.cos(np.deg2rad(ds.lat)) * ds.land).std(
        ("lat", "lon")
    ),
    "weighed by cells": lambda ds: ds.t.weighted(ds.b).mean("time"),
    "weighed along the middle": lambda ds: ds.b.weighted(np.cos(np.deg2rad(ds.lat))).mean("lat"),
    "weeks as a dimension": lambda ds: (
        ds.t.isel(time=slice(0, 728)).coarsen(time=7).construct(time=("week", "day")).max("week")
    ),
    "coarse by a function": lambda ds: ds.t.coarsen(lat=3).reduce(np.median),
    "pixel by pixel": _pixels,
    "spectra": _spectra,
    "lagged correlation": lambda ds: xr.corr(ds.t, ds.b.shift(time=3), dim="time"),
    "day of the maximum": lambda ds: ds.t.idxmax("time").astype("i8"),
    "hot events": _events,
    "dry spells": _spells,
    "precipitation index": _precipitation_index,
    "gradients": lambda ds: ds.b.differentiate("lat").integrate("lon"),
    "turned": lambda ds: ds.t.sortby("lat", ascending=False).roll(lon=6, roll_coords=True),
    "median of members": lambda ds: xr.concat([ds.t + k for k in range(3)], "member").median(
        "member"
    ),
    "masked dot": lambda ds: xr.dot(ds.t, ds.b, ds.land.astype("f8"), dim=("lat", "lon")),
}
