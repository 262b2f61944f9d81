"""Loops that compute or keep an array in every step: NumPy, dask and dask_tapestry side by side.

    python benchmarks/workloads/iterations.py
    python benchmarks/workloads/iterations.py --cells 1e5 --only "heat,k means"

Each loop is one function of the three libraries, and yields what it knows after a step. Shown are
the milliseconds of a step in the middle, of the first, and of what planning takes of a later one;
a library that takes longer than `--latest` seconds is stopped, and the mean of what it did counts.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask  # noqa: E402
import dask.array as da  # noqa: E402

import dask_tapestry as dt  # noqa: E402
from dask_tapestry.planner import cache  # noqa: E402

COLUMNS: Final = 16
CENTERS: Final = 8

State = Iterator[np.ndarray[Any, Any]]


class Library(NamedTuple):
    """What the loops ask of a library: `keep` makes an array of it, or runs one."""

    xp: Any
    make: Callable[[Any], Any]
    keep: Callable[[Any], Any]
    compute: Callable[..., tuple[Any, ...]]


LIBRARIES: Final = {
    "NumPy": Library(np, np.asarray, lambda x: x, lambda *x: x),
    "dask": Library(da, lambda x: da.from_array(x).persist(), lambda x: x.persist(), dask.compute),
    "ours": Library(dt, lambda x: dt.asarray(x).persist(), lambda x: x.persist(), dt.compute),
}


def gradient_descent(lib: Library, cells: int) -> State:
    rows = cells // COLUMNS
    x, y = lib.make(_random(rows, COLUMNS)), lib.make(_random(rows))
    weights = np.zeros(COLUMNS)
    while True:
        (slope,) = lib.compute(x.T @ (x @ weights - y))
        weights = weights - 0.1 / rows * slope
        yield weights


def logistic_regression(lib: Library, cells: int) -> State:
    rows = cells // COLUMNS
    x, y = lib.make(_random(rows, COLUMNS)), lib.make(1.0 * (_random(rows) > 0))
    weights = np.zeros(COLUMNS)
    while True:
        off = 1 / (1 + lib.xp.exp(-(x @ weights))) - y
        (slope,) = lib.compute(x.T @ off)
        weights = weights - 0.1 / rows * slope
        yield weights


def page_rank(lib: Library, cells: int) -> State:
    pages = int(cells**0.5)
    links = lib.make(np.abs(_random(pages, pages)) / pages)
    rank = np.full(pages, 1 / pages)
    while True:
        (rank,) = lib.compute(0.85 * (links @ rank) + 0.15 / pages)
        rank = rank / rank.sum()
        yield rank


def power_iteration(lib: Library, cells: int) -> State:
    rows = int(cells**0.5)
    x, vector = lib.make(_random(rows, rows)), np.ones(rows)
    while True:
        (vector,) = lib.compute(x @ vector)
        vector = vector / np.linalg.norm(vector)
        yield vector


def k_means(lib: Library, cells: int) -> State:
    x = lib.make(_random(cells // COLUMNS, COLUMNS).astype("f4"))
    centers = _random(CENTERS, COLUMNS).astype("f4")
    while True:
        label = ((x[:, None, :] - centers) ** 2).sum(axis=-1).argmin(axis=1)
        one = (label[:, None] == np.arange(CENTERS)).astype("f4")
        sums, counts = lib.compute(one.T @ x, one.sum(axis=0))
        centers = sums / np.maximum(counts, 1)[:, None]
        yield centers


def heat(lib: Library, cells: int) -> State:
    rows = int(cells**0.5)
    x = lib.make(_random(rows, rows))
    while True:
        around = sum(lib.xp.roll(x, step, axis) for step in (-1, 1) for axis in (0, 1))
        x = lib.keep(x + 0.1 * (around - 4 * x))
        yield x


def factors(lib: Library, cells: int) -> State:
    rows = int(cells**0.5)
    x = lib.make(np.abs(_random(rows, rows)))
    left, right = np.abs(_random(rows, CENTERS)), np.abs(_random(CENTERS, rows))
    while True:
        (seen,) = lib.compute(x.T @ left)
        right = right * seen.T / (left.T @ left @ right + 1e-9)
        (seen,) = lib.compute(x @ right.T)
        left = left * seen / (left @ (right @ right.T) + 1e-9)
        yield left


LOOPS: Final[dict[str, Callable[[Library, int], State]]] = {
    one.__name__.replace("_", " "): one
    for one in (
        gradient_descent, logistic_regression, page_rank, power_iteration, k_means, heat, factors
    )
}  # fmt: skip


def _random(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).standard_normal(shape)


class Measured(NamedTuple):
    """Seconds of the steps, of planning in the last ones, and what came out."""

    steps: list[float]
    planning: float
    value: np.ndarray[Any, Any]

    @property
    def usual(self) -> float:
        """Seconds of a step in the middle, the first two aside: there kernels are compiled."""
        return median(self.steps[2:] or self.steps)


def measure(library: str, loop: str, cells: int, steps: int, latest: float) -> Measured:
    """Run steps of a loop."""
    seconds: list[float] = []
    planning: list[float] = []
    plan_of = cache.plan_of

    def timed(*graph: Any) -> Any:
        begin = time.perf_counter()
        plan = plan_of(*graph)
        planning.append(time.perf_counter() - begin)
        return plan

    state = LOOPS[loop](LIBRARIES[library], cells)
    with patch.object(cache, "plan_of", timed):
        while not seconds or (len(seconds) < steps and sum(seconds) < latest):
            begin = time.perf_counter()
            value = next(state)
            seconds.append(time.perf_counter() - begin)
    return Measured(seconds, median(planning) if planning else 0.0, np.asarray(value))


def line(loop: str, measured: dict[str, Measured]) -> str:
    """A row of the table."""
    ours = measured["ours"]
    told = [f"{1e3 * one.usual:9.2f}" for one in measured.values()]
    ratios = [f"{ours.usual / measured[name].usual:6.2f}" for name in ("NumPy", "dask")]
    ended = [one for one in measured.values() if len(one.steps) == len(ours.steps)]
    near = 1e-5 * np.abs(ours.value).max()  # sums in single precision, step after step
    alike = all(np.allclose(one.value, ours.value, rtol=1e-3, atol=near) for one in ended)
    first = f"{1e3 * ours.steps[0]:9.1f} {1e3 * ours.planning:7.2f}"
    return f"{loop:20}" + " ".join([*told, *ratios, first]) + ("" if alike else "  OTHER VALUES")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cells", type=float, default=1e7)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--only", help="names of loops, with commas")
    parser.add_argument("--latest", type=float, default=60.0, help="seconds of one library")
    options = parser.parse_args()
    print(f"{'ms a step':20}    NumPy      dask      ours  /NumPy  /dask     first planning")
    for loop in options.only.split(",") if options.only else LOOPS:
        told = loop.replace("-", " ")
        measured = {
            library: measure(library, told, int(options.cells), options.steps, options.latest)
            for library in LIBRARIES
        }
        print(line(told, measured), flush=True)


if __name__ == "__main__":
    main()
