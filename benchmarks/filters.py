"""Filters of images beside SciPy's: in memory, and from a store beside dask.array's map_overlap.

SciPy computes in one thread; its column has two threads, each of half of the image. Each cell is
the best of some computes, seconds by the clock and seconds of processors.

python benchmarks/filters.py
python benchmarks/filters.py --side 8000 --stored
python benchmarks/filters.py --interpolate
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from scipy import ndimage

FILTERS: Final[dict[str, tuple[Callable[[Any, Any], Any], int]]] = {  # with its halo
    "gaussian 2": (lambda lib, x: lib.gaussian_filter(x, 2), 8),
    "gaussian 10": (lambda lib, x: lib.gaussian_filter(x, 10), 40),
    "uniform 5": (lambda lib, x: lib.uniform_filter(x, 5), 2),
    "uniform 31": (lambda lib, x: lib.uniform_filter(x, 31), 15),
    "sobel": (lambda lib, x: lib.sobel(x), 1),
    "minimum 9": (lambda lib, x: lib.minimum_filter(x, 9), 4),
    "median 3": (lambda lib, x: lib.median_filter(x, 3), 1),
    "median 5": (lambda lib, x: lib.median_filter(x, 5), 2),
}
INTERPOLATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "zoom 2, order 1": lambda lib, x: lib.zoom(x, 2, order=1),
    "zoom 2, order 3": lambda lib, x: lib.zoom(x, 2, order=3),
    "shift .5, order 3": lambda lib, x: lib.shift(x, 0.5, order=3),
    "rotate 30, order 1": lambda lib, x: lib.rotate(x, 30, order=1),
    "rotate 30, order 3": lambda lib, x: lib.rotate(x, 30, order=3),
    "spline_filter, order 3": lambda lib, x: lib.spline_filter(x),
}
MEMORY = """
import resource, sys
import numpy as np
{setup}
result.{store}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
OURS = """
import dask_tapestry as dt
x = dt.from_zarr({source!r})
result = dt.ndimage.gaussian_filter(x, 2)
"""
DASK = """
import dask.array as da
from scipy import ndimage
x = da.from_zarr({source!r})
result = x.map_overlap(ndimage.gaussian_filter, depth=8, boundary="reflect", sigma=2)
"""


def image(side: int, dtype: str) -> np.ndarray:
    return (np.random.default_rng(0).random((side, side)) * 255).astype(dtype)


def best(work: Callable[[], Any], times: int) -> tuple[float, float]:
    """Seconds of the fastest run, by the clock and of processors."""
    found = []
    for _ in range(times):
        began, worked = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - began, time.process_time() - worked))
    return min(found)


def halves(function: Callable[[Any, Any], Any], halo: int, x: np.ndarray) -> Callable[[], Any]:
    """SciPy in two threads: each has half of the rows and the halo, and writes its own."""
    middle, out = len(x) // 2, np.empty_like(x)

    def upper() -> None:
        out[:middle] = function(ndimage, x[: middle + halo])[:middle]

    def lower() -> None:
        out[middle:] = function(ndimage, x[middle - halo :])[halo:]

    def both() -> np.ndarray:
        with ThreadPoolExecutor(2) as pool:
            for done in (pool.submit(upper), pool.submit(lower)):
                done.result()
        return out

    return both


def in_memory(side: int, times: int, dtypes: list[str]) -> None:
    import dask_tapestry as dt
    from dask_tapestry_kernels import compilation

    print("| filter | dtype | ours, s (of processors) | SciPy in 2 threads | times faster |")
    print("|---|---|---|---|---|")
    for dtype in dtypes:
        x = image(side, dtype)
        array = dt.asarray(x)
        for name, (function, halo) in FILTERS.items():
            function(dt.ndimage, array).compute()
            compilation.wait()
            ours = best(lambda f=function, a=array: f(dt.ndimage, a).compute(), times)
            theirs = best(halves(function, halo, x), times)
            row = [f"{a:.3f} ({b:.3f})" for a, b in (ours, theirs)]
            print(
                f"| {name} | {dtype} | {' | '.join(row)} | {theirs[0] / ours[0]:.1f} |", flush=True
            )


def interpolated(side: int, times: int, dtypes: list[str]) -> None:
    """Interpolation beside SciPy's in one thread."""
    import dask_tapestry as dt
    from dask_tapestry_kernels import compilation

    print("| | dtype | ours, s (of processors) | SciPy, s (of processors) | processors: less |")
    print("|---|---|---|---|---|")
    for dtype in dtypes:
        x = image(side, dtype)
        array = dt.asarray(x)
        for name, function in INTERPOLATIONS.items():
            function(dt.ndimage, array).compute()
            compilation.wait()
            ours = best(lambda f=function, a=array: f(dt.ndimage, a).compute(), times)
            theirs = best(lambda f=function, x=x: f(ndimage, x), times)
            row = [f"{a:.2f} ({b:.2f})" for a, b in (ours, theirs)]
            times_less = theirs[1] / ours[1]
            print(f"| {name} | {dtype} | {' | '.join(row)} | {times_less:.1f} |", flush=True)


def stored(side: int) -> None:
    """Peak memory and seconds of a Gaussian from store to store, each in a process of its own."""
    import zarr

    with tempfile.TemporaryDirectory() as folder:
        source, target = f"{folder}/x.zarr", f"{folder}/y.zarr"
        x = zarr.create_array(source, shape=(side, side), chunks=(1000, 1000), dtype="f4")
        for row in range(0, side, 1000):
            x[row : row + 1000] = np.random.default_rng(row).random((min(1000, side - row), side))
        print("| Gaussian from Zarr to Zarr | seconds | MiB at most |\n|---|---|---|")
        for name, setup in (("ours", OURS), ("dask.array", DASK)):
            store = f"to_zarr({target + name!r})"
            text = MEMORY.format(setup=setup.format(source=source), store=store)
            began = time.perf_counter()
            made = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
            seconds = time.perf_counter() - began
            print(f"| {name} | {seconds:.1f} | {(made.stdout or made.stderr[-500:]).strip()} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=4000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--dtypes", nargs="*", default=["f4", "f8"])
    parser.add_argument("--stored", action="store_true")
    parser.add_argument("--interpolate", action="store_true")
    given = parser.parse_args()
    if given.stored:
        stored(given.side)
    elif given.interpolate:
        interpolated(given.side, given.times, given.dtypes)
    else:
        in_memory(given.side, given.times, given.dtypes)


if __name__ == "__main__":
    main()
