"""Arrays whose blocks are sparse, beside dask.array's: the best of some computes, in ms.

python benchmarks/sparse_blocks.py
python benchmarks/sparse_blocks.py --side 20000 --density 1e-4
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, Final

import dask.array as da
import sparse

import dask_tapestry as dt

WORKS: Final[dict[str, Callable[[Any], Any]]] = {
    "functions": lambda y: y.map_blocks(lambda b: b * 2).map_blocks(lambda b: b + b),
    "formula": lambda y: y * 2,
    "transpose": lambda y: y.T,
    "slice": lambda y: y[::2, : y.shape[1] // 2],
    "sum": lambda y: y.sum(),
    "column sums": lambda y: y.sum(axis=0),
}


def kept(library: Any, side: int, density: float) -> Any:
    """An array of 16 sparse blocks in memory."""
    x = library.random.random((side, side), chunks=(side // 4, side // 4))
    blocks = library.where(x < 1 - density, 0, x).map_blocks(sparse.COO.from_numpy)
    return blocks.persist(scheduler="threads")


def best(work: Callable[[Any], Any], array: Any, times: int) -> float:
    """Seconds of the fastest compute."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        work(array).compute(scheduler="threads")
        found.append(time.perf_counter() - began)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=8000)
    parser.add_argument("--density", type=float, default=1e-3)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    ours, dasks = (kept(library, given.side, given.density) for library in (dt, da))
    print("| work | ours | dask.array |\n|---|---|---|")
    for name, work in WORKS.items():
        times = [1e3 * best(work, array, given.times) for array in (ours, dasks)]
        print(f"| {name} | {times[0]:.0f} | {times[1]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
