"""Kernels of a GPU timed beside CuPy: seconds, and bytes read and written a second."""

import argparse
import os
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cuda import KERNELS
from tests.gpu import resumed
from tests.gpu.parts import ENDS

F4, F8 = np.dtype("f4"), np.dtype("f8")
REPEATS = 20
BINS = 1000  # of what is counted
PARTS_OF_MEMORY = 12  # arrays and results that are there at a time, with some room


def _cupy():
    import cupy

    return cupy


def seconds(function):
    """Median seconds on the device of a few runs, after two."""
    cupy = _cupy()
    for _ in range(2):
        function()
    times = []
    for _ in range(REPEATS):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        function()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end) / 1000)
    return median(times)


def formula(dtype, count, build):
    """A cell expression of `count` parameters; `build` takes a caller of functions."""
    builder = CellBuilder((dtype,) * count)

    def call(name, *operands):
        return builder.call(name, operands, dtype)

    return builder.finish(build(call))


PRODUCT = formula(F8, 2, lambda call: call("add", call("multiply", 0, 1), 0))
EXP = formula(F8, 1, lambda call: call("exp", 0))


def folded(name, x, axes, expression=None, *others):
    """A reduction of a block by our kernel."""
    result, state = MONOIDS[name].dtypes(x.dtype, None)
    extents = tuple(x.shape[axis] for axis in axes)
    told = {"monoid": name, "axes": axes, "tree": Tree(extents), "origin": (0,) * len(axes)}
    told |= {"dtype": result, "state": state, "ddof": 0.0, "source": None, "target": None}
    return KERNELS["reduce"](None, x, *others, expression=expression, **told)


def taken(x, rows):
    """Rows by their numbers, by our kernel."""
    told = {"axes": (0,), "at": 0, "extents": x.shape[:1], "origin": (0,)}
    return KERNELS["take"](None, x, rows, **told)


def added(x, numbers):
    """A line of the cells of `x` to which as many are added at places, by our kernel."""
    line = x.reshape(-1)
    steps = ((None, 0, line.size, line.size, 0, 0),)
    told = {"steps": steps, "vector": 1, "window": (), "expressions": (cell_update("add", F8),)}
    return KERNELS["scatter"](None, line, numbers[: line.size], line, **told)


def counted(numbers):
    """How many numbers there are of each, by our kernel."""
    told = {"tree": Tree(numbers.shape), "origin": (0,), "bins": range(BINS), "limit": None}
    return KERNELS["tabulate"](None, numbers, **told, state=np.dtype(np.int64), target=None)


def works(size):
    """By name: bytes that are read and written, ours, CuPy's."""
    cupy = _cupy()
    free, _ = cupy.cuda.runtime.memGetInfo()
    count = max(64, int(np.sqrt(min(size, free // PARTS_OF_MEMORY) / 8)) // 32 * 32)
    x = cupy.asarray(np.random.default_rng(1).random((count, count)))
    y, out, once = x + 1, cupy.empty_like(x), x.nbytes

    def add(name, moved, ours, cupys):
        return name, (moved, ours, cupys)

    def mapped(expression, *blocks):
        return lambda: KERNELS["map"](out, *blocks, expression=expression)

    rng = np.random.default_rng(2)
    rows, numbers = (cupy.asarray(rng.integers(0, n, n)) for n in (count, once // 8))
    few = numbers % BINS
    return dict(
        [
            add("rows by places", 2 * once, lambda: taken(x, rows), lambda: x[rows]),
            add(
                "cells added by places",
                4 * once,
                lambda: added(x, numbers),
                lambda: cupy.add.at(y.reshape(-1), numbers[: x.size], x.reshape(-1)),
            ),
            add("counts", once, lambda: counted(few), lambda: cupy.bincount(few, minlength=BINS)),
            add("copy", 2 * once, lambda: cupy.copyto(out, x), lambda: cupy.copyto(out, x)),
            add("x * y + x", 3 * once, mapped(PRODUCT, x, y), lambda: x * y + x),
            add("x * y.T + x", 3 * once, mapped(PRODUCT, x, y.T), lambda: x * y.T + x),
            add("exp", 2 * once, mapped(EXP, x), lambda: cupy.exp(x)),
            add("sum", once, lambda: folded("sum", x, (0, 1)), lambda: x.sum()),
            add("row sums", once, lambda: folded("sum", x, (1,)), lambda: x.sum(axis=1)),
            add("column sums", once, lambda: folded("sum", x, (0,)), lambda: x.sum(axis=0)),
            add("column variance", once, lambda: folded("var", x, (0,)), lambda: x.var(axis=0)),
            add("row argmin", once, lambda: folded("argmin", x, (1,)), lambda: x.argmin(axis=1)),
            add(
                "sum of x * y + x",
                2 * once,
                lambda: folded("sum", x, (0, 1), PRODUCT, y),
                lambda: (x * y + x).sum(),
            ),
        ]
    )


def row(moved, ours, cupys):
    """What was measured of a work: what fails says so, and CuPy may lack what we have."""
    found = {"bytes": moved}
    for name, function, failed in (("ours", ours, "failed"), ("cupy", cupys, "none")):
        try:
            found[name] = seconds(function)
        except Exception as error:
            found[failed] = f"{type(error).__name__}: {error}"[:600]
    return found


def main(arguments=None):
    """Write what was measured to a file, after each work."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", default=10**9, type=int, help="of the largest operand")
    parser.add_argument("file", type=Path)
    told = parser.parse_args(arguments)
    found = resumed.begun(told.file, {"rates": {}})
    ends = float(os.environ.get(ENDS, "inf"))
    rates = found["rates"]
    if tried := found.get("at"):
        rates[tried] = {"failed": "the process ended in it", "bytes": 0}
    for name, work in works(told.bytes).items():
        if name in rates:
            continue
        resumed.write(told.file, found | {"at": name})
        late = {"failed": "no time was left", "bytes": work[0]}
        rates[name] = row(*work) if time.time() < ends else late
        resumed.write(told.file, found)
        if "failed" in rates[name] and resumed.is_lost():
            return resumed.AGAIN
    found.pop("at", None)
    resumed.write(told.file, found)
    return 1 if any("failed" in one for one in rates.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
