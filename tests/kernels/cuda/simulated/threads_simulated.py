"""Threads of a user in the simulator: one launch, with the bits of the CPU's."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.teg.node import topological
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

P = dt.patterns
GENERATOR = np.random.default_rng(17)
X = GENERATOR.normal(size=(12, 10))
Y = GENERATOR.normal(size=(12, 10))


def tiles(i, j):
    """Tiles of two arrays, one of them turned around, times a number of the thread."""
    x, y = (P.extract_slice(dt.asarray(a), [3 * i, 5 * j], [3, 5]) for a in (X, Y))
    made = np.exp(x) * (i + 1) + y[::-1] * j - x
    return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros(X.shape), [3 * i, 5 * j]))


def overlapping(i):
    """Sums of neighbours, of windows that overlap, and of a row that all threads read."""
    rows = P.extract_slice(dt.asarray(X), [i, 0], [3, 10])
    made = rows[0] + rows[1] * rows[2] + dt.asarray(Y[4])
    return P.perform_concurrently(P.parallel_insert_slice(made[None], dt.zeros((10, 10)), [i, 0]))


def strided(i):
    """Every other cell of a row, backwards rows first, as float32."""
    row = P.extract_slice(dt.asarray(X), [11 - i, 0], [1, 5], [1, 2])
    made = (row * row).astype("f4")
    return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros((12, 5), "f4"), [i, 0]))


def numbers(i, j):
    """Of ids alone."""
    cell = (i * 10 + j) * dt.ones((1, 1), "i8")
    return P.perform_concurrently(P.parallel_insert_slice(cell, dt.zeros((4, 7), "i8"), [i, j]))


BODIES = {
    "tiles": (tiles, (4, 2)),
    "overlapping": (overlapping, 10),
    "strided": (strided, 12),
    "numbers": (numbers, (4, 7)),
    "one thread": (tiles, (1, 1)),
}


def operator_of(made, kernel="threads"):
    """The node that computes all threads."""
    (node,) = [n for n in topological([made.node]) if n.operator.kernel == kernel]
    return node


@pytest.mark.parametrize("name", BODIES)
def test_threads_are_one_launch_with_the_bits_of_the_cpu(gpu, name):
    body, count = BODIES[name]
    node = operator_of(P.foreach_thread(body, count))
    whole = node.type.box
    half = ZRange(whole.lo, tuple((n + 1) // 2 if d == 0 else n for d, n in enumerate(whole.hi)))
    for box in (whole, half):
        boxes = node.operator.demand(node.input_types, box)
        told = node.operator.arguments(node.input_types, box, boxes)
        blocks = [
            np.asarray(dt.Array(x).compute())[part.slices()]
            for x, part in zip(node.inputs, boxes, strict=True)
        ]
        before = len(gpu.launches)
        expected = CPU["threads"](None, *blocks, **told)
        assert same_bits(run(CUDA["threads"], None, *blocks, **told), expected)
        assert len(gpu.launches) == before + 1


def test_bodies_that_are_no_formula_stay_with_the_host(gpu):
    def body(i):
        row = P.extract_slice(dt.asarray(X), [i, 0], [1, 10])
        made = np.cumsum(row, axis=1)
        return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros(X.shape), [i, 0]))

    assert operator_of(P.foreach_thread(body, 12), "call")


def test_windows_that_lie_apart_stay_with_the_host(gpu):
    told = {"shape": (3,), "keep": (slice(3),), "dtype": np.dtype("f8"), "calls": []}
    with pytest.raises(KernelDeviceError, match="kernel threads: threads that lie apart"):
        CUDA["threads"](None, function=None, **told)
