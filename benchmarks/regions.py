"""Labels of regions and distances to the nearest zero beside SciPy's, in memory.

SciPy computes in one thread. Each cell is the best of some computes, seconds by the clock and
seconds of processors.

python benchmarks/regions.py
python benchmarks/regions.py --side 8000
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy import ndimage

import dask_tapestry as dt
from dask_tapestry_kernels import compilation

CALLS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "label": lambda lib, x: lib.label(x)[0],
    "label, corners too": lambda lib, x: lib.label(x, np.ones((3, 3)))[0],
    "distance_transform_edt": lambda lib, x: lib.distance_transform_edt(x),
    "distance_transform_cdt": lambda lib, x: lib.distance_transform_cdt(x),
    "distance_transform_cdt, taxicab": lambda lib, x: lib.distance_transform_cdt(x, "taxicab"),
}


def images(side: int) -> dict[str, np.ndarray]:
    """Noise, and the blobs that are left where it is smoothed."""
    noise = np.random.default_rng(0).random((side, side))
    smooth = ndimage.gaussian_filter(noise, 4)
    return {"noise, half": noise < 0.5, "noise, most": noise < 0.99, "blobs": smooth > 0.5}


def best(work: Callable[[], Any], times: int) -> tuple[float, float]:
    """Seconds of the fastest run, by the clock and of processors."""
    found = []
    for _ in range(times):
        began, worked = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - began, time.process_time() - worked))
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=4000)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    print("| function | image | ours, s (of processors) | SciPy | times faster |")
    print("|---|---|---|---|---|")
    cells = images(given.side)
    for name, call in CALLS.items():
        for what, x in cells.items():
            array = dt.asarray(x)
            call(dt.ndimage, array).compute()
            compilation.wait()
            ours = best(lambda c=call, a=array: c(dt.ndimage, a).compute(), given.times)
            theirs = best(lambda c=call, x=x: c(ndimage, x), given.times)
            row = [f"{a:.3f} ({b:.3f})" for a, b in (ours, theirs)]
            rate = theirs[0] / ours[0]
            print(f"| {name} | {what} | {' | '.join(row)} | {rate:.1f} |", flush=True)


if __name__ == "__main__":
    main()
