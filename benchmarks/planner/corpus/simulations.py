"""Fields that change step by step, particles, and samples."""

from __future__ import annotations

from typing import Any

import dask_tapestry as dt
from benchmarks.planner.corpus.job import (
    GB,
    USUAL,
    Cluster,
    Jobs,
    exchanged,
    halo,
    nbytes,
    sent,
    stored,
)

SIMULATION_JOBS = Jobs()
job = SIMULATION_JOBS.job

MANY = Cluster(1000, 4, 16)


PLATE = (1_000_000, 700_000)


@job(
    "heat x 10 by roll",
    MANY,
    MANY.stencil(PLATE, (5000, 5000), 10, itemsize=4, held=nbytes(*PLATE, itemsize=4)),
)
def heat() -> Any:
    u = dt.placeholder(PLATE, "f4", (5000, 5000))
    for _ in range(10):
        around = dt.roll(u, 1, 0) + dt.roll(u, -1, 0) + dt.roll(u, 1, 1) + dt.roll(u, -1, 1)
        u = u + 0.1 * (around - 4 * u)
    return u


PLANE = nbytes(200_000, 200_000, itemsize=4)


def plane() -> Any:
    return dt.placeholder((200_000, 200_000), "f4", (2000, 2000))


@job(
    "ten sweeps of an inner plane to Zarr",
    USUAL,
    USUAL.stencil((200_000, 200_000), (2000, 2000), 10, itemsize=4),
)
def sweeps() -> Any:
    u = plane()
    for _ in range(10):
        inner = u[1:-1, 1:-1]
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        u = inner + 0.1 * (around - 4 * inner)
    return stored(u, (2000, 2000))


@job(
    "Laplacian and its norm", USUAL, USUAL.stencil((200_000, 200_000), (2000, 2000), 1, itemsize=4)
)
def residual() -> Any:
    u = plane()
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    return ((around - 4 * u[1:-1, 1:-1]) ** 2).sum()


@job("game of life x 4", USUAL, USUAL.stencil((100_000, 100_000), (4000, 4000), 4, itemsize=1))
def life() -> Any:
    u = dt.placeholder((100_000, 100_000), "u1", (4000, 4000))
    for _ in range(4):
        p = dt.pad(u, 1, mode="wrap")
        rows = p[:-2] + p[1:-1] + p[2:]
        near = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - u
        u = ((near == 3) | ((near == 2) & (u == 1))).astype("u1")
    return stored(u, (4000, 4000))


CUBE = (4000, 4000, 4000)


@job(
    "gradient of a cube, its length",
    USUAL,
    USUAL.stencil(CUBE, (400, 400, 400), 1, itemsize=4, sides=1),
)
def length() -> Any:
    x = dt.placeholder(CUBE, "f4", (400, 400, 400))
    a, b, c = (dt.diff(x, axis=axis) for axis in range(3))
    return dt.sqrt(a[:, 1:, 1:] ** 2 + b[1:, :, 1:] ** 2 + c[1:, 1:, :] ** 2).max()


@job("Poisson's equation by FFT", USUAL, USUAL.bound(20 * GB, 4 * 40 * GB, 80 * GB, passes=5))
def poisson() -> Any:
    f = dt.placeholder((50_000, 50_000), "f8", (2500, 2500))
    k = dt.fft.fftfreq(50_000) ** 2
    return dt.fft.ifft2(dt.fft.fft2(f) / (k[:, None] + k + 1e-12)).real


DENSITY = nbytes(4096, 4096, 4096, itemsize=4)  # and as much its transform takes, of half as many


@job(
    "power spectrum of a cube",
    USUAL,
    USUAL.bound(DENSITY, exchanged(USUAL, DENSITY), DENSITY, passes=2),
)
def power_spectrum() -> Any:
    density = dt.placeholder((4096, 4096, 4096), "f4", (64, 4096, 4096))
    power = abs(dt.fft.rfftn(density)) ** 2
    k, last = dt.fft.fftfreq(4096), dt.fft.rfftfreq(4096)
    radius = dt.sqrt(k[:, None, None] ** 2 + k[:, None] ** 2 + last**2)
    return dt.histogram(radius, bins=200, range=(0, 0.9), weights=power)[0]


BODIES = nbytes(200_000, 3)


@job("forces of 200,000 bodies", USUAL, USUAL.bound(BODIES, 2 * sent(USUAL, BODIES), work=0))
def forces() -> Any:
    x = dt.placeholder((200_000, 3), "f8")
    apart = x[None, :, :] - x[:, None, :]
    inverse = ((apart**2).sum(axis=-1) + 1e-3) ** -1.5
    return (apart * inverse[:, :, None]).sum(axis=1)


OPTIONS = nbytes(2 * 10**9)


@job("prices of options to Zarr", USUAL, USUAL.bound(3 * OPTIONS))
def options() -> Any:
    spot, strike, time = (dt.placeholder((2 * 10**9,), "f8", (10**7,)) for _ in range(3))
    root = 0.2 * dt.sqrt(time)
    d = (dt.log(spot / strike) + 0.03 * time) / root
    return stored(
        spot / (1 + dt.exp(-1.7 * d)) - strike / (1 + dt.exp(-1.7 * (d - root))), (10**7,)
    )


@job("paths of a random walk", USUAL, USUAL.bound(0, 0, work=nbytes(10**7, 1000)))
def walks() -> Any:
    steps = dt.random.default_rng(0).normal(size=(10**7, 1000))
    return dt.maximum(dt.exp(0.01 * dt.cumsum(steps, axis=1)) - 1, 0).mean(axis=0)


@job(
    "two fields, ten steps",
    USUAL,
    USUAL.bound(2 * PLANE * halo((200_000, 200_000), 8000, 5)),  # along one axis alone
)
def two_fields() -> Any:
    e, h = plane(), plane()
    for _ in range(10):
        h = h[:, :-1] + 0.5 * (e[:, 1:] - e[:, :-1])
        e = e[:, 1:-1] + 0.5 * (h[:, 1:] - h[:, :-1])
        h = h[:, 1:]
    return stored(e, (2000, 2000))
