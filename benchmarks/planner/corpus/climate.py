"""Fields over time: means, anomalies, spectra, trends."""

from __future__ import annotations

from typing import Any

import numpy as np

import dask_tapestry as dt
from benchmarks.planner.corpus.job import (
    CLIMATE,
    GB,
    GIB,
    Cluster,
    Jobs,
    exchanged,
    merged,
    nbytes,
    sent,
    stored,
)

CLIMATE_JOBS = Jobs()
job = CLIMATE_JOBS.job

DAYS, LAT, LON = 14610, 721, 1440
FIELD = nbytes(LAT, LON, itemsize=4)
SERIES = DAYS * FIELD  # 60.7 GB
CHUNK = 24 * FIELD
MONTH = np.arange(DAYS) // 30 % 12


def series(chunk: int = 24, days: int = DAYS) -> Any:
    return dt.placeholder((days, LAT, LON), "f4", (chunk, LAT, LON))


@job("mean over time", CLIMATE, CLIMATE.bound(SERIES, merged(CLIMATE, FIELD), block=CHUNK))
def mean() -> Any:
    return series().mean(axis=0)


@job("means of months", CLIMATE, CLIMATE.bound(SERIES, merged(CLIMATE, 12 * FIELD), block=CHUNK))
def month_means() -> Any:
    x = series()
    return dt.stack([x[month == MONTH].mean(0) for month in range(12)])


@job(
    "groupby month",
    CLIMATE,
    CLIMATE.bound(SERIES, merged(CLIMATE, 24 * FIELD), block=CHUNK),  # sums of 8 bytes a cell
)
def by_month() -> Any:
    return dt.groupby_reduce(series(), MONTH, func="mean", axis=0)[0]


TWICE = 2 * SERIES


@job(
    "anomalies of months to Zarr",
    CLIMATE,
    CLIMATE.bound(TWICE, 10 * GB, peak=3 * GIB, work=TWICE, block=CHUNK, passes=2, again=SERIES),
)
def month_anomalies() -> Any:
    x = series()
    means = dt.stack([x[month == MONTH].mean(0) for month in range(12)])
    return stored(x - dt.take(means, MONTH, axis=0))


@job(
    "groupby anomalies to Zarr",
    CLIMATE,
    CLIMATE.bound(TWICE, 10 * GB, peak=4 * GIB, work=TWICE, block=CHUNK, passes=2, again=SERIES),
)
def group_anomalies() -> Any:
    x = series()
    means, _ = dt.groupby_reduce(x, MONTH, func="mean", axis=0)
    return stored(x - dt.moveaxis(dt.take(means, MONTH, axis=-1), -1, 0))


@job(
    "climatology by reshape",
    CLIMATE,
    CLIMATE.bound(140 * GB, 3 * GB, SERIES, block=CHUNK / 3, passes=2),
)
def reshaped() -> Any:
    x = series(8, 14600).reshape(40, 365, LAT, LON)
    return [x - x.mean(axis=0), x.std(axis=(0, 1))]


@job(
    "standardised to Zarr",
    CLIMATE,
    CLIMATE.bound(
        TWICE,
        merged(CLIMATE, 4 * FIELD) + sent(CLIMATE, 2 * FIELD),
        block=CHUNK,
        passes=2,
        again=SERIES,
    ),
)
def standardised() -> Any:
    x = series()
    return stored((x - x.mean(axis=0)) / x.std(axis=0))


@job(
    "anomaly and its variance",
    CLIMATE,
    CLIMATE.bound(
        TWICE,
        merged(CLIMATE, 2 * FIELD) + sent(CLIMATE, FIELD),
        block=CHUNK,
        passes=2,
        again=SERIES,
    ),
)
def squared_anomaly() -> Any:
    x = series()
    return ((x - x.mean(axis=0)) ** 2).mean(axis=0)


@job("daily maximum", CLIMATE, CLIMATE.bound(SERIES, block=CHUNK))
def daily() -> Any:
    x = series(24, 14592)
    return stored(x.reshape(608, 24, LAT, LON).max(axis=1))


@job(
    "mean of a week, rolling",
    CLIMATE,
    CLIMATE.bound(SERIES * (1 + 6 / 96), block=CHUNK),  # four chunks a block at least
)
def rolling() -> Any:
    x = series()
    windows = dt.lib.stride_tricks.sliding_window_view(x, 7, axis=0)
    return stored(windows.mean(axis=-1))


SPECTRUM = (DAYS // 2 + 1) * FIELD


def spectra(chunks: tuple[int, int, int]) -> Any:
    return stored(dt.abs(dt.fft.rfft(series(), axis=0)) ** 2, chunks)


@job(
    "spectra along time to Zarr, 50 workers",
    CLIMATE,
    CLIMATE.bound(SERIES, exchanged(CLIMATE, SERIES), SERIES, block=CHUNK, passes=2),
)
def spectra_on_many() -> Any:
    return spectra((DAYS // 2 + 1, 24, 24))


FEW = Cluster(8, 2, 4)


@job(
    "spectra along time to Zarr, 8 workers",
    FEW,
    FEW.bound(
        SERIES * 2, SERIES, peak=2.5 * GIB, block=CHUNK, passes=2
    ),  # in turns: some chunks again
)
def spectra_on_few() -> Any:
    return spectra((DAYS // 2 + 1, 24, 24))


@job(
    "trend at each place",
    CLIMATE,
    CLIMATE.bound(
        TWICE,
        merged(CLIMATE, 2 * FIELD) + sent(CLIMATE, FIELD),
        block=CHUNK,
        passes=2,
        again=SERIES,
    ),
)
def trend() -> Any:
    x = series()
    t = np.arange(DAYS, dtype="f4") - (DAYS - 1) / 2
    t = t.astype("f4")[:, None, None]
    return ((x - x.mean(axis=0)) * t).sum(axis=0) / float((t**2).sum())


@job("zonal mean", CLIMATE, CLIMATE.bound(SERIES, block=CHUNK))
def zonal() -> Any:
    return series().mean(axis=-1)


@job("global mean by area", CLIMATE, CLIMATE.bound(SERIES, block=CHUNK))
def by_area() -> Any:
    w = np.cos(np.linspace(-1.5, 1.5, LAT)).astype("f4")[:, None]
    return (series() * w).sum(axis=(1, 2)) / float(w.sum() * LON)


MONTHS = nbytes(480, LAT, LON, itemsize=4)


@job("EOFs of 480 months", CLIMATE, CLIMATE.bound(MONTHS, merged(CLIMATE, nbytes(480, 480))))
def eofs() -> Any:
    x = dt.placeholder((480, 720, 1440), "f4", (480, 90, 90))
    flat = (x - x.mean(axis=0)).reshape(480, 720 * 1440)
    return dt.linalg.eigh(flat @ flat.T)


@job(
    "90th percentile over time",
    CLIMATE,
    CLIMATE.bound(SERIES, exchanged(CLIMATE, SERIES), SERIES, block=CHUNK, passes=2),
)
def ninetieth() -> Any:
    return dt.percentile(series(), 90, axis=0)


@job(
    "correlation with an index",
    CLIMATE,
    CLIMATE.bound(
        TWICE,
        merged(CLIMATE, 4 * FIELD) + sent(CLIMATE, FIELD),
        block=CHUNK,
        passes=2,
        again=SERIES,
    ),
)
def teleconnection() -> Any:
    x = series()
    index = dt.placeholder((DAYS,), "f4")
    a = x - x.mean(axis=0)
    b = (index - index.mean())[:, None, None]
    return (a * b).mean(axis=0) / (x.std(axis=0) * index.std())


MEMBERS = nbytes(50, 360, LAT, LON, itemsize=4)


# A chunk has 30 times, so all members of a time are 12 blocks: four workers share each of them, and
# three of these send sums and squares
@job(
    "ensemble mean and spread",
    CLIMATE,
    CLIMATE.bound(MEMBERS, 3 * 2 * 360 * FIELD, 4 * 2 * 360 * FIELD, block=CHUNK),
)
def ensemble() -> Any:
    x = dt.placeholder((50, 360, LAT, LON), "f4", (1, 30, LAT, LON))
    return [stored(x.mean(axis=0), name="mean"), stored(x.std(axis=0), name="spread")]


LAGS = Cluster(8, 4, 8)


@job(
    "24 lag products",
    LAGS,
    LAGS.bound(TWICE, merged(LAGS, 24 * 2 * FIELD), block=CHUNK, passes=2),
)
def lags() -> Any:
    x = series()
    return [(x[k:] * x[: DAYS - k]).mean(axis=0) for k in range(24)]


@job(
    "wind speed, mean and maximum",
    CLIMATE,
    CLIMATE.bound(TWICE, merged(CLIMATE, 3 * FIELD), block=CHUNK),
)
def wind() -> Any:
    u, v = series(), series()
    speed = dt.sqrt(u * u + v * v)
    return [speed.mean(axis=0), speed.max(axis=0)]


@job(
    "days above two deviations",
    CLIMATE,
    CLIMATE.bound(
        TWICE,
        merged(CLIMATE, 5 * FIELD) + sent(CLIMATE, 2 * FIELD),
        block=CHUNK,
        passes=2,
        again=SERIES,
    ),
)
def extremes() -> Any:
    x = series()
    return (x > x.mean(axis=0) + 2 * x.std(axis=0)).sum(axis=0)


@job(
    "running total to Zarr",
    CLIMATE,
    CLIMATE.bound(TWICE, merged(CLIMATE, FIELD), block=CHUNK, passes=2, again=SERIES),
)
def accumulated() -> Any:
    return stored(dt.cumsum(series(), axis=0))


@job("regridded by two matrices", CLIMATE, CLIMATE.bound(SERIES, block=CHUNK))
def regridded() -> Any:
    rows = dt.placeholder((360, LAT), "f4")
    columns = dt.placeholder((LON, 720), "f4")
    return stored(rows @ series() @ columns)
