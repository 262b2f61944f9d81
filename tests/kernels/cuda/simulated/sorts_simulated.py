"""Sorts in the simulator have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.comparisons import same_bits, values
from tests.kernels.cpu.cells.expressions import special
from tests.kernels.cuda.simulated.run_kernel import run

KINDS = "?bBhHiIlLefd"
SHAPES = {
    "line": ((60,), 0),
    "lines": ((3, 40), 1),
    "columns": ((30, 2, 3), 0),
    "between": ((2, 20, 3), 1),
    "one cell": ((1, 3), 0),
    "no cells": ((0, 3), 0),
    "no lines": ((4, 0), 0),
}


def sample(shape, kind):
    """Cells with ties, zeros of two signs and NaN of several bits."""
    cells = values(shape, kind)
    if cells.dtype.kind == "f" and cells.size > 8:
        flat = cells.reshape(-1)
        flat[1::7] = np.copysign(np.nan, np.array([1, -1] * cells.size)[: flat[1::7].size])
        flat[2::7], flat[3::7] = -0.0, 0.0
    return cells


def bits(x):
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")


def check(name, block, **told):
    expected = CPU[name](None, block.copy(), **told)
    made = run(CUDA[name], None, block, **told)
    assert made.dtype == expected.dtype
    np.testing.assert_array_equal(bits(made), bits(expected))
    assert same_bits(np.ascontiguousarray(made), np.ascontiguousarray(expected))


@pytest.mark.parametrize("kind", KINDS)
def test_cells_of_every_dtype(gpu, kind):
    x = sample((60,), kind)
    check("sort", x, axis=0, part=slice(0, 60), in_runs=False)
    check("argsort", x, axis=0, part=slice(0, 60))
    check("ranks", x, axis=0, ranks=(0, 30, 31, 59), part=slice(0, 4))


@pytest.mark.parametrize("kind", "efd")
def test_special_cells(gpu, kind):
    x = np.random.default_rng(3).permutation(special(np.dtype(kind)))
    check("sort", x, axis=0, part=slice(0, x.size), in_runs=False)
    check("argsort", x, axis=0, part=slice(0, x.size))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("part", [slice(0, 100), slice(1, 3)])
def test_shapes_and_parts(gpu, shape, part):
    extents, axis = SHAPES[shape]
    x, part = sample(extents, "d"), slice(part.start, min(part.stop, extents[axis]))
    check("sort", x, axis=axis, part=part, in_runs=False)
    check("argsort", x, axis=axis, part=part)
    if extents[axis] > 3:
        check("ranks", x, axis=axis, ranks=(3, 0), part=slice(0, 2))
        check("ranks", x, axis=axis, ranks=(3, 0), part=slice(1, 2))


@pytest.mark.covering
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("cells", [4, 19, 20, 23])
@pytest.mark.parametrize("kind", "dlb")
def test_best_cells_of_runs(gpu, last, cells, kind):
    keep = 3
    told = {"keep": keep, "length": 10, "last": last, "part": slice(0, keep)}
    if cells % 10 in (0, 4) or cells > 20:
        check("top", sample((2, cells), kind), **told)
    check("top", sample((2, 20), kind), **(told | {"part": slice(1, 2)}))


def test_cells_lie_anyhow(gpu):
    x = sample((20, 12), "f")[::-1, ::3]
    check("sort", x, axis=0, part=slice(0, 20), in_runs=False)
    check("argsort", x.T, axis=0, part=slice(0, 4))


def test_complex_cells_are_refused(gpu):
    with pytest.raises(KernelDeviceError, match="kernel sort: complex128 is sorted on the host"):
        CUDA["sort"](None, np.ones(3, "D"), axis=0, part=slice(0, 3), in_runs=False)


def check_partition(x, axis, kth):
    for places in (False, True):
        for part in (slice(0, x.shape[axis]), slice(1, 3)):
            check("partition", x, axis=axis, part=part, kth=kth, places=places)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kth", [(0,), (30,), (59,), (7, 8, 40), (40, 7, 40)])
def test_partitions_of_every_dtype(gpu, kind, kth):
    check_partition(sample((60,), kind), 0, kth)


@pytest.mark.parametrize("kind", "efd")
def test_partitions_of_special_cells(gpu, kind):
    x = np.random.default_rng(3).permutation(special(np.dtype(kind)))
    for at in range(0, x.size, 5):
        check_partition(x, 0, (at,))
    check_partition(np.full(9, np.nan, kind), 0, (0, 4))


@pytest.mark.parametrize("shape", [name for name in SHAPES if name != "no cells"])
def test_partitions_of_shapes(gpu, shape):
    extents, axis = SHAPES[shape]
    kth = tuple(range(0, extents[axis], 7)[:2])
    check_partition(sample(extents, "d"), axis, kth)
    check_partition(sample(extents, "h"), axis, kth)


def test_partitions_of_cells_that_lie_anyhow(gpu):
    x = sample((20, 12), "f")[::-1, ::3]
    check_partition(x, 0, (5,))
    check_partition(x.T, 0, (2,))
