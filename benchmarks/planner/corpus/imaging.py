"""Images and stacks of them."""

from __future__ import annotations

from typing import Any

import dask_tapestry as dt
from benchmarks.planner.corpus.job import (
    USUAL,
    Cluster,
    Jobs,
    exchanged,
    merged,
    nbytes,
    sent,
    stored,
)

IMAGING_JOBS = Jobs()
job = IMAGING_JOBS.job

SIDE = 204_800
SLIDE = nbytes(SIDE, SIDE, itemsize=2)
TILE = nbytes(4096, 4096, itemsize=2)
LAB = Cluster(32, 4, 8)


def slide() -> Any:
    return dt.placeholder((SIDE, SIDE), "u2", (4096, 4096))


@job("pyramid of 5 levels", LAB, LAB.bound(SLIDE, 0, SLIDE / 3, tasks=2000))
def pyramid() -> Any:
    x, levels = slide(), []
    for _ in range(5):
        n, m = x.shape
        x = x.reshape(n // 2, 2, m // 2, 2).mean(axis=(1, 3)).astype("u2")
        levels.append(x)
    return levels


@job("blur of a slide to Zarr", LAB, LAB.stencil((SIDE, SIDE), (4096, 4096), 2, itemsize=2))
def blur() -> Any:
    taps = [(number, 1.0 / (1 + abs(number))) for number in range(-2, 3)]
    x = dt.pad(slide().astype("f4"), 2, mode="edge")
    rows = sum(w * x[2 + n : SIDE + 2 + n] for n, w in taps)
    return stored(
        sum(w * rows[:, 2 + n : SIDE + 2 + n] for n, w in taps).astype("u2"), (4096, 4096)
    )


@job("edges of a slide", LAB, LAB.stencil((SIDE, SIDE), (4096, 4096), 1, itemsize=2))
def edges() -> Any:
    x = slide().astype("f4")
    dy, dx = x[2:, 1:-1] - x[:-2, 1:-1], x[1:-1, 2:] - x[1:-1, :-2]
    return (dt.sqrt(dx * dx + dy * dy) > 100).sum()


@job("slide turned to Zarr", LAB, LAB.bound(SLIDE, 0, block=TILE))
def turned() -> Any:
    return stored(dt.rot90(slide()), (4096, 4096))


@job("histogram of a slide", LAB, LAB.bound(SLIDE, 0, block=TILE))
def histogram() -> Any:
    return dt.histogram(slide(), bins=256, range=(0, 65536))[0]


@job("stretched between extremes", LAB, LAB.bound(2 * SLIDE, 0, block=TILE, passes=2, again=SLIDE))
def stretched() -> Any:
    x = slide()
    lo, hi = x.min(), x.max()
    return stored(((x - lo) * 255.0 / (hi - lo)).astype("u1"), (4096, 4096))


FRAMES = 2000
FRAME = nbytes(4096, 4096, itemsize=2)
MOVIE = FRAMES * FRAME  # 67 GB


def movie() -> Any:
    return dt.placeholder((FRAMES, 4096, 4096), "u2", (1, 4096, 4096))


@job("largest of a stack", LAB, LAB.bound(MOVIE, merged(LAB, FRAME), block=FRAME))
def projection() -> Any:
    return movie().max(axis=0)


@job(
    "stack without its median",
    LAB,
    LAB.bound(MOVIE, 2 * exchanged(LAB, MOVIE), MOVIE, block=FRAME, passes=2),
)
def background() -> Any:
    x = movie()
    return stored(x - dt.median(x, axis=0).astype("u2"), (1, 4096, 4096))


@job("flat field to Zarr", LAB, LAB.bound(MOVIE, 2 * sent(LAB, 2 * FRAME), block=FRAME))
def flat_field() -> Any:
    dark, flat = (dt.placeholder((4096, 4096), "f4", (4096, 4096)) for _ in range(2))
    return stored((movie() - dark) / (flat - dark), (1, 4096, 4096))


@job("bright cells of each frame", LAB, LAB.bound(MOVIE, block=FRAME))
def bright() -> Any:
    return (movie() > 4000).sum(axis=(1, 2))


@job("differences of frames", LAB, LAB.bound(MOVIE * (1 + 1 / 8), block=FRAME))
def motion() -> Any:
    x = movie().astype("i4")
    return dt.abs(x[1:] - x[:-1]).mean(axis=(1, 2))


IMAGES = 10_000_000
SET = nbytes(IMAGES, 256, 256, 3, itemsize=1)
MANY = Cluster(64, 8, 64)


def images() -> Any:
    return dt.placeholder((IMAGES, 256, 256, 3), "u1", (64, 256, 256, 3))


@job("images over their deviation to Zarr", MANY, MANY.bound(2 * SET, passes=2, again=SET))
def normalised() -> Any:
    x = images()
    return stored(((x - x.mean(axis=0)) / x.std(axis=0)).astype("f4"), (64, 256, 256, 3))


@job("images to floats", USUAL, USUAL.bound(SET))
def scaled() -> Any:
    return stored(images().astype("f4") / 255, (64, 256, 256, 3))


@job("means of channels", USUAL, USUAL.bound(SET))
def channels() -> Any:
    x = images()
    return [x.mean(axis=(0, 1, 2)), x.std(axis=(0, 1, 2))]
