"""Reductions of one block by one thread, in GB/s of what is read, beside NumPy.

    python benchmarks/reductions.py
    python benchmarks/reductions.py --only sum --megabytes 64 --json reductions.json

The figures are the best of the repeats, in seconds of the thread, after compiling. `cache` is a
block of 1 MiB; the others are taken over all axes, axis 0 and axis 1 of a matrix of 8192 columns,
and over axis 0 of rows of three.
"""

import argparse
import json
import time

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels import compilation
from dask_tapestry_kernels.devices import kernels_of

FUNCTIONS = {"sum": np.sum, "mean": np.mean, "var": np.var, "min": np.min, "argmin": np.argmin,
             "any": np.any}  # fmt: skip
DTYPES = {"sum": "f2 f4 f8 i1 ?", "mean": "f2 f4 f8 i1", "var": "f4 f8 i1", "min": "f4 f8 i1",
          "argmin": "f4 f8 i1", "any": "f8 ?"}  # fmt: skip
COLUMNS = 8192


def ours(monoid, cells, axes):
    dtype, state = MONOIDS[monoid].dtypes(cells.dtype, None)
    tree = Tree(tuple(cells.shape[axis] for axis in axes))
    told = {"monoid": monoid, "axes": axes, "tree": tree, "origin": (0,) * len(axes), "ddof": 0.0}
    told |= {"dtype": dtype, "state": state, "source": None, "target": None}
    return lambda: kernels_of("cpu")["reduce"](None, cells, **told)


def theirs(monoid, cells, axes):
    function = FUNCTIONS[monoid]
    axis = axes if len(axes) < cells.ndim else None
    axis = axis[0] if axis and monoid == "argmin" else axis
    return lambda: function(cells, axis=axis)


def rate(call, size, repeats):
    call()
    seconds = []
    for _ in range(repeats):
        start = time.thread_time()
        call()
        seconds.append(time.thread_time() - start)
    return size / min(seconds) / 1e9


def blocks(dtype, size):
    """Name, cells and axes of each way to reduce."""
    item = np.dtype(dtype).itemsize
    high = 2 if dtype == "?" else 100
    rows = max(1, size // item // COLUMNS)
    flat = np.random.default_rng(0).integers(0, high, rows * COLUMNS, "i1").astype(dtype)
    matrix = flat.reshape(rows, COLUMNS)
    few = flat[: flat.size // 3 * 3].reshape(-1, 3)
    yield "cache", flat[: 2**20 // item], (0,)
    yield "all, 1-D", flat, (0,)
    yield "all, 2-D", matrix, (0, 1)
    yield "axis 0", matrix, (0,)
    yield "axis 1", matrix, (1,)
    yield "axis 0 of 3", few, (0,)


def measured(given):
    """The figures, printed as they come: function, dtype, reduced axes, our rate and NumPy's."""
    rows = []
    print("| function | dtype | over | ours | NumPy |")
    print("|---|---|---|--:|--:|")
    for monoid, dtypes in DTYPES.items():
        for dtype in dtypes.split():
            if given.only and given.only not in monoid:
                continue
            for name, cells, axes in blocks(dtype, given.megabytes * 10**6):
                figures = [
                    rate(way(monoid, cells, axes), cells.nbytes, given.repeats)
                    for way in (ours, theirs)
                ]
                rows.append([monoid, dtype, name, *figures])
                shown = [monoid, dtype, name, *(f"{figure:.1f}" for figure in figures)]
                print("| " + " | ".join(shown) + " |", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="functions whose name contains this")
    parser.add_argument("--megabytes", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", help="write the figures there")
    given = parser.parse_args()
    with compilation.mode("wait"):
        rows = measured(given)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
