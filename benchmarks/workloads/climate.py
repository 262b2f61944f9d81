"""Works of climate and remote sensing, as users of xarray over Zarr write them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workloads.workload import Session, workload

GEOSPATIAL = "coiled/benchmarks tests/geospatial/workloads"
XARRAY = "coiled/benchmarks tests/benchmarks/test_xarray.py"
MANUAL = "xarray's manual"


@workload(f"{GEOSPATIAL}/atmospheric_circulation.py", "hourly levels")
def daily_circulation(s: Session) -> Any:
    ds = s.dataset("hourly levels")
    zonal = ds.mean("lon")
    eddy = ds - zonal
    eddy["uv"], eddy["vt"], eddy["uw"] = eddy.u * eddy.v, eddy.v * eddy.t, eddy.u * eddy.w
    means = zonal.merge(eddy[["uv", "vt", "uw"]].mean("lon"))
    means.resample(time="D").mean().to_zarr(s.target, consolidated=False)
    return _written(s)


def _written(s: Session) -> Any:
    import xarray as xr

    return xr.open_zarr(s.target, consolidated=False, chunks=None).load()


def _window_weights(width: int) -> Any:
    import xarray as xr

    up = np.linspace(0, 1, width // 2 + 1)
    weights = np.concatenate([up, up[::-1][1:]])
    return xr.DataArray(weights / weights.mean(), dims=["window"])


def _smooth(years: Any, width: int) -> Any:
    padded = years.pad(dayofyear=width // 2, mode="wrap")
    windows = padded.rolling(dayofyear=width, center=True).construct("window")
    mean = windows.weighted(_window_weights(width)).mean(dim=("window", "year"))
    return mean.isel(dayofyear=slice(width // 2, -(width // 2)))


def _one_hour(ds: Any, hour: int) -> Any:
    import xarray as xr

    ds = ds.isel(time=ds.time.dt.hour == hour)
    ds = ds.assign_coords(time=ds.time.astype("datetime64[D]"))
    years = [ds.sel(time=str(year)) for year in np.unique(ds.time.dt.year)]
    named = [y.assign_coords(time=y.time.dt.dayofyear).rename(time="dayofyear") for y in years]
    joined = xr.concat(named, dim="year")
    return _smooth(joined.fillna(joined.sel(dayofyear=365)), 61)


def _hourly_climatology(ds: Any) -> Any:
    import xarray as xr

    hours = xr.DataArray(range(0, 24, 6), dims=["hour"])
    return xr.concat([_one_hour(ds, hour) for hour in hours], dim=hours)


@workload(f"{GEOSPATIAL}/climatology.py, rechunk_map_blocks", "six hourly")
def climatology_by_blocks(s: Session) -> Any:
    import xarray as xr

    ds = s.dataset("six hourly")
    maps = ds.chunks
    ds = ds.chunk(time=-1, lat="auto", lon="auto")
    hours = xr.DataArray(range(0, 24, 6), dims=["hour"])
    days = xr.DataArray(range(1, 367), dims=["dayofyear"])
    template = ds.isel(time=0).drop_vars("time").expand_dims(hour=hours, dayofyear=days)
    template = template.assign_coords(hour=hours, dayofyear=days)
    made = ds.map_blocks(_hourly_climatology, template=template)
    made = made.chunk(hour=1, dayofyear=1, lat=maps["lat"], lon=maps["lon"])
    made.drop_encoding().to_zarr(s.target, consolidated=False)
    return _written(s)


@workload(f"{GEOSPATIAL}/climatology.py, highlevel_api", "six hourly")
def climatology_by_index(s: Session) -> Any:
    ds = s.dataset("six hourly")
    for part in ("dayofyear", "hour", "year"):
        ds[part] = getattr(ds.time.dt, part)
    ds = ds.set_index(time=["year", "dayofyear", "hour"]).unstack()
    return _smooth(ds.ffill(dim="dayofyear", limit=1), 61).compute()


@workload(f"{GEOSPATIAL}/rechunking.py", "six hourly")
def maps_to_pencils(s: Session) -> Any:
    ds = s.dataset("six hourly").drop_encoding()
    ds.chunk(time=-1, lat=20, lon=20).to_zarr(s.target, consolidated=False)
    return _written(s)


@workload(f"{GEOSPATIAL}/satellite_filtering.py", "bands")
def monthly_humidity(s: Session) -> Any:
    import xarray as xr

    ds, day = s.dataset("bands"), "2022-01-25"
    old = ds.sel(time=slice(None, day))
    new = ds.sel(time=slice("2022-01-26", None)).clip(0.1) - 0.1
    both = xr.concat([old, new], dim="time")
    humidity = (both.B08 - both.B11) / (both.B08 + both.B11)
    return humidity.groupby("time.month").mean().compute()


@workload(f"{GEOSPATIAL}/zonal_average.py", "daily")
def county_means(s: Session) -> Any:
    import xarray as xr

    t = s.dataset("daily").t
    random = np.random.default_rng(3)
    sides = {dim: t.sizes[dim] for dim in ("lat", "lon")}
    county = xr.DataArray(random.integers(0, 50, tuple(sides.values())), dims=list(sides))
    return t.groupby(county.rename("county")).mean().compute()


@workload(f"{GEOSPATIAL}/regridding.py, as sums of four neighbours", "daily")
def interpolated_grid(s: Session) -> Any:
    t = s.dataset("daily").t.isel(time=slice(0, 365))
    lat, lon = np.linspace(-58, 58, 40), np.linspace(-59, 59, 40)
    return t.interp(lat=lat, lon=lon).compute()


@workload(f"{XARRAY}, test_xarray_groupby_reduction", "daily")
def monthly_means(s: Session) -> Any:
    return s.dataset("daily").groupby("time.month").mean().compute()


@workload(f"{XARRAY}, test_quadratic_mean", "hourly levels")
def quadratic_means(s: Session) -> Any:
    ds = s.dataset("hourly levels")[["u", "v"]]
    squares = ds**2
    squares["uv"] = ds.u * ds.v
    return squares.mean("time").compute()


@workload(f"{XARRAY}, test_anom_mean", "daily")
def mean_anomaly(s: Session) -> Any:
    t = s.dataset("daily").t
    t = t.assign_coords(day=("time", np.arange(t.sizes["time"]) % 29))
    anomaly = t.groupby("day") - t.groupby("day").mean(dim="time")
    return anomaly.mean(dim="time").compute()


@workload(f"{XARRAY}, test_climatic_mean", "hourly levels")
def mean_of_lead_times(s: Session) -> Any:
    t = s.dataset("hourly levels").t
    t = t.assign_coords(start=("time", np.arange(t.sizes["time"]) % 10))
    return t.groupby("start").mean(dim="time").compute()


@workload(f"{MANUAL}, Weather and climate", "daily")
def standardised_anomalies(s: Session) -> Any:
    t = s.dataset("daily").t
    month = t.groupby("time.month")
    z = (month - month.mean()).groupby("time.month") / month.std()
    z.drop_encoding().to_dataset(name="z").to_zarr(s.target, consolidated=False)
    return _written(s).z.isel(time=slice(0, 100))


@workload(f"{MANUAL}, Computation with rolling windows", "daily")
def rolling_mean(s: Session) -> Any:
    return s.dataset("daily").t.rolling(time=30, center=True).mean().mean(("lat", "lon")).compute()


@workload(f"{MANUAL}, Computation with rolling windows", "daily")
def wettest_five_days(s: Session) -> Any:
    rain = s.dataset("daily").rain
    return rain.rolling(time=5).sum().resample(time="YS").max().compute()


@workload(f"{MANUAL}, Weighted array reductions", "daily")
def global_mean(s: Session) -> Any:
    t = s.dataset("daily").t
    return t.weighted(np.cos(np.deg2rad(t.lat))).mean(("lat", "lon")).compute()


@workload(f"{MANUAL}, Fitting polynomials", "daily")
def trend(s: Session) -> Any:
    t = s.dataset("daily").t
    return t.polyfit("time", 1).polyfit_coefficients.compute()


@workload(f"{MANUAL}, Fitting polynomials", "gaps")
def detrended(s: Session) -> Any:
    import xarray as xr

    t = s.dataset("gaps").t
    fit = t.polyfit("time", 1, skipna=False).polyfit_coefficients
    return (t - xr.polyval(t.time, fit)).std("time").compute()


@workload("xeofs' and eofs' manuals", "daily")
def leading_patterns(s: Session) -> Any:
    t = s.dataset("daily").t.coarsen(lat=3, lon=3, boundary="trim").mean()
    flat = (t - t.mean("time")).stack(space=("lat", "lon")).transpose("time", "space")
    _u, d, _v = s.xp.linalg.svd(flat.data.rechunk({0: 200, 1: -1}))
    return d[:5].compute()


@workload(f"{MANUAL}, Missing values", "gaps")
def filled_forward(s: Session) -> Any:
    return s.dataset("gaps").t.ffill("time").mean(("lat", "lon")).compute()


@workload(f"{MANUAL}, Missing values", "gaps")
def interpolated_gaps(s: Session) -> Any:
    return s.dataset("gaps").t.chunk(time=-1).interpolate_na("time").mean("time").compute()


@workload(f"{MANUAL}, Quantiles", "daily")
def hot_days(s: Session) -> Any:
    t = s.dataset("daily").t
    limit = t.chunk(time=-1).quantile(0.9, "time")
    return (t > limit).resample(time="YS").sum().compute()


@workload(f"{MANUAL}, Correlation", "daily")
def correlation_with_an_index(s: Session) -> Any:
    import xarray as xr

    t = s.dataset("daily").t
    index = t.sel(lat=slice(-5, 5)).mean(("lat", "lon"))
    return xr.corr(t, index, dim="time").compute()


@workload(f"{MANUAL}, Coarsen large arrays", "daily")
def coarse_months(s: Session) -> Any:
    t = s.dataset("daily").t
    return t.coarsen(lat=4, lon=4, boundary="trim").mean().resample(time="MS").mean().compute()


@workload(f"{MANUAL}, Computation", "daily")
def rain_since_january(s: Session) -> Any:
    rain = s.dataset("daily").rain
    total = rain.groupby("time.year").cumsum().isel(lat=10)
    return total.transpose("time", "lon").compute()  # with flox, xarray leaves the time last


@workload(f"{MANUAL}, Differences", "hourly levels")
def heating(s: Session) -> Any:
    ds = s.dataset("hourly levels")
    change = ds.t.diff("time") + (ds.u * ds.t.differentiate("lon"))
    return change.mean("time").compute()


@workload(f"{MANUAL}, Time series", "hourly levels")
def day_and_night(s: Session) -> Any:
    ds = s.dataset("hourly levels")
    hour = ds.groupby("time.hour").mean()
    return (hour.max("hour") - hour.min("hour")).compute()


@workload(f"{MANUAL}, Reshaping", "daily")
def year_by_year(s: Session) -> Any:
    t = s.dataset("daily").t
    t = t.sel(time=~((t.time.dt.month == 2) & (t.time.dt.day == 29)))
    t = t.assign_coords(year=t.time.dt.year, day=("time", np.arange(t.sizes["time"]) % 365))
    years = t.set_index(time=["year", "day"]).unstack("time")
    return (years - years.mean("year")).std("year").compute()


@workload(f"{MANUAL}, Computation with rolling windows", "daily")
def spread_so_far(s: Session) -> Any:
    t = s.dataset("daily").t
    return t.isel(time=slice(0, 1000)).cumulative("time").std().mean(("lat", "lon")).compute()


@workload(f"{MANUAL}, Calculating seasonal averages; Fitting polynomials", "daily")
def detrended_by_month(s: Session) -> Any:
    t = s.dataset("daily").t.isel(lon=slice(0, 40))
    return t.groupby("time.month").map(_without_trend).std("time").compute()


def _without_trend(t: Any) -> Any:
    import xarray as xr

    return t - xr.polyval(t.time, t.polyfit("time", 1).polyfit_coefficients)


@workload("xclim's manual, longest spells", "daily")
def longest_dry_spell(s: Session) -> Any:
    dry = s.dataset("daily").rain < 0.1
    days = dry.cumsum("time")
    return (days - days.where(~dry).ffill("time").fillna(0)).max("time").compute()


@workload("Open Data Cube's notebooks, monthly composites of clear pixels", "bands")
def clear_composites(s: Session) -> Any:
    ds = s.dataset("bands")
    clear = ds.B11 < 1
    near, far = ds.B08.where(clear), ds.B11.where(clear)
    return ((near - far) / (near + far)).resample(time="MS").median().max("time").compute()


@workload("climpred's and xskillscore's manuals", "hourly levels")
def skill_of_persistence(s: Session) -> Any:
    t = s.dataset("hourly levels").t
    lags = range(1, 13)
    return [float(((t.shift(time=k) - t) ** 2).mean() ** 0.5) for k in lags]


@workload("xclim's manual, bias adjustment by empirical quantiles", "daily")
def quantile_mapping(s: Session) -> Any:
    import xarray as xr

    t = s.dataset("daily").t.isel(lat=slice(0, 30))
    levels, half = np.linspace(0.05, 0.95, 10), t.sizes["time"] // 2
    old, new = t[:half].chunk(time=-1), t[half:].chunk(time=-1)
    mapped = xr.apply_ufunc(
        _mapped, new, new.quantile(levels, "time"), old.quantile(levels, "time"),
        input_core_dims=[["time"], ["quantile"], ["quantile"]], output_core_dims=[["time"]],
        dask="parallelized", output_dtypes=["f8"], dask_gufunc_kwargs={"allow_rechunk": True},
    )  # fmt: skip
    return mapped.mean("time").compute()


def _mapped(cells: np.ndarray, at: np.ndarray, to: np.ndarray) -> np.ndarray:
    lanes = [x.reshape(-1, x.shape[-1]) for x in (cells, at, to)]
    return np.stack([np.interp(*lane) for lane in zip(*lanes, strict=True)]).reshape(cells.shape)


@workload("climate_indices' manual, standardised precipitation", "daily")
def standardised_rain(s: Session) -> Any:
    months = s.dataset("daily").rain.resample(time="MS").sum().rolling(time=3).mean()
    month = months.groupby("time.month")
    z = (month - month.mean("time")).groupby("time.month") / month.std("time")
    return z.transpose("time", "lat", "lon").compute()


@workload("statsmodels' manual, harmonic regression", "daily")
def without_harmonics(s: Session) -> Any:
    import xarray as xr

    t = s.dataset("daily").t.drop_vars("time")
    day = np.arange(t.sizes["time"])
    turns = [2 * np.pi * day * k / 365.25 for k in (1, 2)]
    waves = [f(turn) for turn in turns for f in (np.cos, np.sin)]
    terms = np.stack([np.ones(len(day)), day / len(day), *waves], axis=1)
    fit = xr.dot(xr.DataArray(np.linalg.pinv(terms), dims=("term", "time")), t, dim="time")
    return (
        (t - xr.dot(xr.DataArray(terms, dims=("time", "term")), fit, dim="term"))
        .std("time")
        .compute()
    )


@workload("rasterstats' manual, zonal statistics", "daily")
def statistics_of_regions(s: Session) -> Any:
    import xarray as xr

    t = s.dataset("daily").t
    sides = {dim: t.sizes[dim] for dim in ("lat", "lon")}
    region = np.random.default_rng(1).integers(0, 20, tuple(sides.values()))
    groups = t.groupby(xr.DataArray(region, dims=list(sides), name="region"))
    return xr.Dataset({"mean": groups.mean(), "std": groups.std(), "max": groups.max()}).compute()
