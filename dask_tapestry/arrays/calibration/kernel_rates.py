"""Rates of kernels: small programs, each of which one kernel dominates, timed on one thread.

A rate is what a program's operators declare as operations, divided by its seconds: so whatever a
kernel does beside them is in its rate, and the cost model's seconds are those measured here.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from statistics import median
from time import perf_counter, thread_time
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.fft.one_axis import fft
from dask_tapestry.arrays.grouping import groupby_reduce
from dask_tapestry.arrays.indexing import take, take_along_axis
from dask_tapestry.arrays.linalg import sparse_matmul
from dask_tapestry.arrays.ndimage import (
    gaussian_filter,
    map_coordinates,
    median_filter,
    minimum_filter,
    rotate,
    shift,
    spline_filter,
)
from dask_tapestry.arrays.nn.convolutions import conv
from dask_tapestry.arrays.patterns.gathering import gather
from dask_tapestry.arrays.planning import plan
from dask_tapestry.arrays.random import default_rng
from dask_tapestry.arrays.sorting import argsort, searchsorted, sort
from dask_tapestry.arrays.statistics import bincount, cumsum, histogram2d
from dask_tapestry.arrays.statistics import median as middle
from dask_tapestry.arrays.tuning import (
    CONVOLVED_CHANNELS,
    HANDLING_CELLS,
    KERNEL_REPEATS,
    MATRIX_SIDE,
    POLYNOMIAL_TERMS,
    PROBE_CELLS,
    ROW_CELLS,
    STENCIL_STEPS,
    WEIGHTED_LANES,
    WEIGHTS_A_ROW,
)
from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.windows.stencil_steps import End, StencilProgram, stencil_after
from dask_tapestry.planner.cost.block_seconds import ACROSS
from dask_tapestry.planner.machine.rates import shipped_rates
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.blas_threads import threads_each
from dask_tapestry_kernels.compilation import mode

ONE: Final = Resources(workers=1, threads=1)
CROSS: Final = ((0, 1, 0), (1, 1, 1), (0, 1, 0))
Program = Callable[[int], Array]


class RateProbe(NamedTuple):
    """The rate that it gives, ``"kernel dtype"`` or ``"kernel"``, and a program of n cells."""

    rate: str
    make: Program
    cells: int = PROBE_CELLS


def kernel_rates(budget: float = inf) -> dict[str, float]:
    """Measure the rates of kernels, in operations a second of one thread.

    What `budget` seconds do not suffice for, as kernels must be compiled first, is as shipped, but
    for the factor by which the others differ from what ships.
    """
    end = perf_counter() + budget
    rates: dict[str, float] = {}
    with mode("wait"), threads_each(1):
        for probe in PROBES:
            if perf_counter() > end:
                break
            rates[probe.rate] = rate_of(probe)
    shipped = dict(shipped_rates().operations)
    factor = median([rate / shipped[name] for name, rate in rates.items()] or [1.0])
    rates |= {p.rate: shipped[p.rate] * factor for p in PROBES if p.rate not in rates}
    return rates | {name: rates[like] for name, like in ALIKE.items()}


def rate_of(probe: RateProbe) -> float:
    """Operations a second of the kernel of a probe."""
    kernel, _, _ = probe.rate.partition(" ")
    if kernel == ACROSS:
        return _cells_across(probe)
    program, small = probe.make(probe.cells), probe.make(HANDLING_CELLS)
    done = operations(program, kernel) - operations(small, kernel)
    return done / _positive(seconds(program) - seconds(small))


def operations(x: Array, kernel: str) -> int:
    """Operations of `kernel` that the plan of an array counts."""
    flops = 0
    for step in plan(x, resources=ONE, method="none").core.steps.values():
        for work in step.program.schedule(ZRange.of_shape(step.node.type.shape)).works:
            operator, _, types, *_ = step.program.instructions[
                work.value - len(step.program.inputs)
            ]
            if operator.kernel == kernel:
                flops += operator.flops(types, work.box)
    return flops


def seconds(x: Array) -> float:
    """Least seconds of several computes of `x` by this thread, while it has the processor."""
    planned = plan(x, resources=ONE, method="none")
    planned.compute(scheduler="sync")  # loads its kernels
    times = []
    for _ in range(KERNEL_REPEATS):
        start = thread_time()
        planned.compute(scheduler="sync")
        times.append(thread_time() - start)
    return min(times)


def _positive(time: float) -> float:
    return max(time, 1e-6)  # a clock's noise: what takes less is as fast as can be


def _cells_across(probe: RateProbe) -> float:
    """Cells a second that are read across the rows they lie in, beyond those read along them."""
    x = probe.make(probe.cells)
    return probe.cells / _positive(seconds(x.T + 1) - seconds(x + 1))


def _of_points(n: int) -> Array:
    """Points counted in bins of two dimensions, which are numbered before."""
    x = asarray(_cells(n, "f8"))
    return histogram2d(x, x, bins=50, range=((0, 1), (0, 1)))[0]


def _cells(n: int, dtype: str) -> np.ndarray[Any, Any]:
    """Cells in no order: floats of [0, 1), integers of all sizes."""
    made = np.random.default_rng(n).random(n)
    return (made * 2**30).astype(dtype) if np.dtype(dtype).kind in "iu" else made.astype(dtype)


def _polynomial(dtype: str) -> Program:
    def make(n: int) -> Array:
        x = asarray(_cells(n, dtype))
        y = x
        for _ in range(POLYNOMIAL_TERMS):
            y = y * x + x
        return y

    return make


def _sum_of_polynomial(dtype: str) -> Program:
    made = _polynomial(dtype)
    return lambda n: made(n).sum()


def _of_cells(function: Callable[[Array], Array], dtype: str = "f8") -> Program:
    return lambda n: function(asarray(_cells(n, dtype)))


def _product(dtype: str) -> Program:
    def make(n: int) -> Array:
        side = round(n**0.5)
        x = asarray(_cells(side * side, dtype).reshape(side, side))
        return x @ x

    return make


def _taken(n: int) -> Array:
    return take(asarray(_cells(n, "f8")), asarray(np.random.default_rng(0).permutation(n)))


def _gathered(n: int) -> Array:
    places = np.random.default_rng(0).permutation(n)[:, None]
    return gather(asarray(_cells(n, "f8")), asarray(places), [0], [1])


def _taken_along(n: int) -> Array:
    places = np.random.default_rng(0).integers(0, 1024, (n // 1024, 1024))
    return take_along_axis(asarray(_cells(n, "f8").reshape(-1, 1024)), asarray(places), axis=1)


def _searched(n: int) -> Array:
    return searchsorted(asarray(np.arange(1000) / 1000), asarray(_cells(n, "f8")))


def _put(n: int) -> Array:
    x = asarray(_cells(n, "f8"))
    x[np.random.default_rng(0).permutation(n)] = asarray(_cells(n, "f8"))
    return x


def _by_group(n: int) -> Array:
    labels = np.random.default_rng(0).integers(0, 12, n // ROW_CELLS)
    labels[:4] = 0, 1, 1, 0  # however few, they come neither in runs nor in rounds
    cells = _cells(n // ROW_CELLS * ROW_CELLS, "f8").reshape(-1, ROW_CELLS)
    return groupby_reduce(asarray(cells), labels, func="sum", axis=0)[0]  # type: ignore[no-any-return]


def _weighed(n: int) -> Array:
    """Means of four neighbours, as of a grid of twice as many cells along both axes."""
    side = round((n // WEIGHTS_A_ROW) ** 0.5)
    row, column = np.divmod(np.arange(side * side), side)
    corners = [(2 * row + i) * 2 * side + 2 * column + j for i in (0, 1) for j in (0, 1)]
    rows = np.repeat(np.arange(side * side), WEIGHTS_A_ROW)
    values = np.full(rows.size, 1 / WEIGHTS_A_ROW, np.float32)
    weights = (values, rows, np.stack(corners, -1).ravel(), (side * side, 4 * side * side))
    x = asarray(_cells(WEIGHTED_LANES * 4 * side * side, "f4").reshape(WEIGHTED_LANES, -1))
    return sparse_matmul(weights, x)


def _convolved(channels: int, dtype: str) -> Program:
    """Windows of 3 x 3 cells of images, of so many channels, or of each by itself for none."""

    def make(n: int) -> Array:
        count = channels or CONVOLVED_CHANNELS
        side = round((n // count) ** 0.5)
        x = asarray(_cells(count * side * side, dtype).reshape(1, count, side, side))
        k = asarray(_cells(count * (channels or 1) * 9, dtype).reshape(count, channels or 1, 3, 3))
        return conv(x, k, groups=1 if channels else count)

    return make


def _of_image(filtered: Callable[[Array], Array]) -> Callable[[int], Array]:
    def make(n: int) -> Array:
        return filtered(asarray(_cells(n // 1024 * 1024, "f8").reshape(-1, 1024)))

    return make


def _at_points(n: int) -> Array:
    """A spline at points that are known."""
    cells = asarray(_cells(n // 1024 * 1024, "f8").reshape(-1, 1024))
    return map_coordinates(cells, np.indices(cells.shape) + 0.25, order=1)


def _stepped(n: int) -> Array:
    """Steps of a cell and its neighbour."""
    f8 = np.dtype("f8")
    b = CellBuilder((f8, f8))
    total = b.call("add", (0, b.call("multiply", (1, b.constant(np.float64(0.5))), f8)), f8)
    ends = ((End("edge", 0), End("edge", 0)), (End("edge", 1), End("edge", 0)))
    taps = ((0, (0, 0)), (0, (0, -1)))
    program = StencilProgram(((b.finish(total), (0, 1)),), taps, (), ends, (0, 1))
    cells, time = asarray(_cells(n, "f8").reshape(-1, 1024)), asarray(np.int64(0))
    return Array(stencil_after(time.node, [cells.node], STENCIL_STEPS, program)[0])


PROBES: Final = (  # those first that need no compiling, then those that most programs use
    RateProbe("matmul float64", _product("f8"), MATRIX_SIDE * MATRIX_SIDE),
    RateProbe("matmul float32", _product("f4"), MATRIX_SIDE * MATRIX_SIDE),
    RateProbe("matmul", _product("i8"), MATRIX_SIDE * MATRIX_SIDE // 4),
    RateProbe("convolution float64", _convolved(32, "f8")),
    RateProbe("convolution float32", _convolved(32, "f4")),
    RateProbe("convolution", _convolved(32, "c16"), PROBE_CELLS // 8),
    RateProbe("directconvolution float64", _convolved(0, "f8")),
    RateProbe("directconvolution float32", _convolved(0, "f4")),
    RateProbe("directconvolution", _convolved(0, "i8")),
    RateProbe("sort float64", _of_cells(sort)),
    RateProbe("sort float32", _of_cells(sort, "f4")),
    RateProbe("sort", _of_cells(sort, "i8")),
    RateProbe("argsort float64", _of_cells(argsort), PROBE_CELLS // 2),
    RateProbe("argsort", _of_cells(argsort, "i8"), PROBE_CELLS // 2),
    RateProbe("take", _taken),
    RateProbe("takealong", _taken_along),
    RateProbe("gather", _gathered),
    RateProbe("scatter", _put),
    RateProbe("ranks", _of_cells(middle)),
    RateProbe("search", _searched, PROBE_CELLS // 2),
    RateProbe("groupfold", _by_group),
    RateProbe("sparsematmul", _weighed, PROBE_CELLS // 8),
    RateProbe("windowsum", _of_image(lambda x: gaussian_filter(x, 1))),
    RateProbe("windowfold", _of_image(lambda x: minimum_filter(x, 5))),
    RateProbe("windowextreme", _of_image(lambda x: minimum_filter(x, footprint=CROSS))),
    RateProbe("windowrank", _of_image(lambda x: median_filter(x, 3)), PROBE_CELLS // 4),
    RateProbe("affinepoints", _of_image(lambda x: rotate(x, 30, order=1)), PROBE_CELLS // 4),
    RateProbe("points", _at_points, PROBE_CELLS // 4),
    RateProbe("resample", _of_image(lambda x: shift(x, 0.5, prefilter=False)), PROBE_CELLS // 4),
    RateProbe("splinefilter", _of_image(spline_filter)),
    RateProbe("stencilsteps", _stepped),
    RateProbe("fourier", lambda n: fft(asarray(_cells(n, "c16").reshape(-1, 1024)))),
    RateProbe("fourier complex64", lambda n: fft(asarray(_cells(n, "c8").reshape(-1, 1024)))),
    RateProbe("map float64", _polynomial("f8")),
    RateProbe("reduce float64", _sum_of_polynomial("f8")),
    RateProbe(
        ACROSS, lambda n: asarray(_cells(n // ROW_CELLS * ROW_CELLS, "f8").reshape(-1, ROW_CELLS))
    ),
    RateProbe("map float32", _polynomial("f4")),
    RateProbe("reduce float32", _sum_of_polynomial("f4")),
    RateProbe("map int64", _polynomial("i8")),
    RateProbe("reduce", _sum_of_polynomial("i8")),
    RateProbe("map", _polynomial("i4")),
    RateProbe("map complex128", _polynomial("c16")),
    RateProbe("randomfraction", lambda n: default_rng(0).random(n)),
    RateProbe("randombits", lambda n: default_rng(0).integers(0, 2**32, n, dtype=np.uint32)),
    RateProbe(
        "permutation", lambda n: default_rng(0).permutation(8 * PROBE_CELLS)[:n], PROBE_CELLS // 2
    ),
    RateProbe("scan float64", _of_cells(cumsum)),
    RateProbe("scan", _of_cells(cumsum, "i8")),
    RateProbe("tabulate", lambda n: bincount(asarray(_cells(n, "i8") % 1000), minlength=1000)),
    RateProbe("bin", _of_points),
)
ALIKE: Final = {  # kernels that end in another one's code
    "cellsatextreme": "reduce",
    "cellsatextreme float32": "reduce float32",
    "cellsatextreme float64": "reduce float64",
    "groupedlines": "reduce",
    "groupedlines float32": "reduce float32",
    "groupedlines float64": "reduce float64",
    "groupfolds": "groupfold",
    "groupmerge": "reduce",
    "groupmerges": "reduce",
    "linear": "matmul",
    "linear float32": "matmul float32",
    "linear float64": "matmul float64",
    "reductions": "reduce",
    "reductions float32": "reduce float32",
    "reductions float64": "reduce float64",
    "selectedfolds": "reduce",
    "selectedfolds float32": "reduce float32",
    "selectedfolds float64": "reduce float64",
    "tabulates": "tabulate",
    "tiledreductions": "reduce",
    "tiledreductions float32": "reduce float32",
    "tiledreductions float64": "reduce float64",
}
