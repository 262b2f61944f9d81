"""Threads of a user in the simulator: one launch, with the bits of the CPU's."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.threads import thread_body
from dask_tapestry.teg.node import topological
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.cuda.jit import runtime
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


def folds(i):
    """Folds of formulas of rows, of one leaf and of several."""
    row = P.extract_slice(dt.asarray(LONG), [i, 0], [1, 2100])
    made = dt.stack([(row * row).sum(axis=1), row.max(axis=1) - i, (row + i).std(axis=1)], axis=1)
    return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros((4, 3)), [i, 0]))


def short_folds(i):
    """Folds of formulas of a row, and a formula of them."""
    row = P.extract_slice(dt.asarray(X), [i, 0], [1, 10])
    made = [(row * row).sum(axis=1), row.std(axis=1, ddof=1), dt.nanvar(row + i, axis=1)]
    made += [(row * row).sum(axis=1) / np.exp(row).mean(axis=1), dt.ptp(row, axis=1)]
    made = dt.stack([made[0] - made[2], made[1] * i, made[3], made[4]], axis=1)[:, ::-1] * 2
    return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros((12, 4)), [i, 0]))


def places_in_rows(i, j):
    """Places of extremes over both axes, and means of complex cells."""
    part = P.extract_slice(dt.asarray(X), [6 * i, 5 * j], [6, 5])
    place = part.argmax().astype("f8") + (part * 1j).mean().imag
    into = dt.zeros((2, 2))
    return P.perform_concurrently(P.parallel_insert_slice(place.reshape(1, 1), into, [i, j]))


def scans(i):
    """Running totals of a formula, and what was greatest, downwards."""
    rows = P.extract_slice(dt.asarray(X), [3 * i, 0], [3, 10])
    made = dt.cumsum(np.sin(rows) + i, axis=1) + dt.cumulative_prod(rows, axis=0)
    return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros(X.shape), [3 * i, 0]))


def products(i, j):
    """Products of tiles of integers, which are exact."""
    a = P.extract_slice(dt.asarray(WHOLE), [3 * i, 0], [3, 10])
    b = P.extract_slice(dt.asarray(WHOLE.T), [0, 4 * j], [10, 4])
    made = a @ b + i
    into = dt.zeros((12, 12), "i8")
    return P.perform_concurrently(P.parallel_insert_slice(made, into, [3 * i, 4 * j]))


def computed_places(i):
    """Slices at places that cells tell, of a shared array and of a thread's own."""
    at = P.extract_slice(dt.asarray(STARTS), [i], [1]).reshape(())
    rows = P.extract_slice(dt.asarray(X), [at, 2], [3, 4], [2, 2])
    own = P.extract_slice(rows * i, [0, at % 3], [3, 2])
    made = dt.concatenate([rows, own], axis=1)
    return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros((15, 6)), [3 * i, 0]))


def sorted_rows(i):
    """Sorted rows in another shape."""
    rows = P.extract_slice(dt.asarray(X), [2 * i, 0], [2, 10])
    made = dt.sort(rows, axis=1).reshape(4, 5)
    return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros((24, 5)), [4 * i, 0]))


def nested(i):
    """Threads within threads: tiles of rows, times a mean of the rows."""
    rows = P.extract_slice(dt.asarray(X), [3 * i, 0], [3, 10])

    def inner(j):
        part = P.extract_slice(rows, [0, 5 * j], [3, 5])
        made = part * (rows.mean() + j)
        return P.perform_concurrently(P.parallel_insert_slice(made, rows, [0, 5 * j]))

    halves = P.foreach_thread(inner, 2)
    return P.perform_concurrently(P.parallel_insert_slice(halves, dt.zeros(X.shape), [3 * i, 0]))


def no_cells(i):
    """A sum of no cells for each thread."""
    part = P.extract_slice(dt.asarray(X), [i, 0], [1, 0])
    made = part.sum(axis=1) + i
    return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros(12), [i]))


LONG = GENERATOR.normal(size=(4, 2100))
WHOLE = GENERATOR.integers(-9, 9, (12, 10))
STARTS = np.array([3, 0, 7, 2, 5])
BODIES = {
    "tiles": (tiles, (4, 2)),
    "overlapping": (overlapping, 10),
    "strided": (strided, 12),
    "numbers": (numbers, (4, 7)),
    "one thread": (tiles, (1, 1)),
}
STEPS = {  # with the launches that they take; None of those that CuPy has a part in
    "folds of one leaf": (short_folds, 12, 1),
    "folds": (folds, 4, 13),
    "places in rows": (places_in_rows, (2, 2), 1),
    "scans": (scans, 4, 1),
    "products": (products, (4, 3), None),
    "computed places": (computed_places, 5, None),
    "sorted rows": (sorted_rows, 6, None),
    "nested": (nested, 4, 2),
    "no cells": (no_cells, 12, None),
    "one": (short_folds, 1, 1),
}


def operator_of(made, kernel="threads"):
    """The node that computes all threads."""
    (node,) = [n for n in topological([made.node]) if n.operator.kernel == kernel]
    return node


def check(node, box):
    """Compute a box on both; return how many launches it took."""
    gpu, kernel = runtime.runtime(), node.operator.kernel
    boxes = node.operator.demand(node.input_types, box)
    told = node.operator.arguments(node.input_types, box, boxes)
    blocks = [
        np.asarray(dt.Array(x).compute())[part.slices()]
        for x, part in zip(node.inputs, boxes, strict=True)
    ]
    before = len(gpu.launches)
    expected = CPU[kernel](None, *blocks, **told)
    made = run(CUDA[kernel], None, *blocks, **told)
    if kernel == "threads":
        assert same_bits(made, expected)
    else:
        assert made.shape == expected.shape
        for one, other in zip(made.arrays, expected.arrays, strict=True):
            assert same_bits(one, other)
    return len(gpu.launches) - before


def whole_and_half(node):
    whole = node.type.box
    half = tuple([(n + 1) // 2 if d == 0 else n for d, n in enumerate(whole.hi)])
    return whole, ZRange(whole.lo, half)


@pytest.mark.parametrize("name", BODIES)
def test_threads_are_one_launch_with_the_bits_of_the_cpu(gpu, name):
    body, count = BODIES[name]
    node = operator_of(P.foreach_thread(body, count))
    for box in whole_and_half(node):
        assert check(node, box) == 1


@pytest.mark.parametrize("name", STEPS)
def test_steps_of_bodies_have_the_bits_of_the_cpu(gpu, name):
    body, count, launches = STEPS[name]
    node = operator_of(P.foreach_thread(body, count))
    assert node.operator.lacking_on("cuda") is None
    for box in whole_and_half(node):
        assert check(node, box) == launches or launches is None


@pytest.mark.parametrize("few", [1, 100_000])
def test_threads_are_computed_some_at_a_time(gpu, few, monkeypatch):
    monkeypatch.setattr(thread_body, "THREAD_VALUES_BYTES", few)
    node = operator_of(P.foreach_thread(scans, 4))
    launches = check(node, node.type.box)
    monkeypatch.setattr(thread_body, "THREAD_VALUES_BYTES", 2**30)
    once = check(node, node.type.box)
    assert launches == (4 * once if few == 1 else once)


def test_several_results(gpu):
    def body(i):
        rows = P.extract_slice(dt.asarray(X), [3 * i, 0], [3, 10])
        total, flipped = rows.sum(axis=1), rows[::-1] * 2
        return P.perform_concurrently(
            P.parallel_insert_slice(flipped, dt.zeros(X.shape), [3 * i, 0]),
            P.parallel_insert_slice(total, dt.zeros(12), [3 * i]),
            P.parallel_insert_slice(dt.cumsum(rows, axis=0), dt.zeros(X.shape), [3 * i, 0]),
        )

    first, *_ = P.foreach_thread(body, 4)
    node = operator_of(first, "threadoutputs")
    assert node.operator.lacking_on("cuda") is None
    for box in whole_and_half(node):
        check(node, box)


def test_a_thread_that_reads_what_is_not_there_is_told_as_on_the_host(gpu):
    node = operator_of(P.foreach_thread(computed_places, 5))
    boxes = node.operator.demand(node.input_types, node.type.box)
    told = node.operator.arguments(node.input_types, node.type.box, boxes)
    blocks = [np.asarray(dt.Array(x).compute()) for x in node.inputs]
    (at,) = [n for n, block in enumerate(blocks) if block.tolist() == STARTS.tolist()]
    for wrong in (8, -1):
        blocks[at] = np.array([3, 0, wrong, 2, 5])
        with pytest.raises(IndexError, match=f"3 cells from {wrong}, step 2, along axis 0"):
            run(CUDA["threads"], None, *blocks, **told)


def test_bodies_that_a_gpu_cannot_compute_say_why(gpu):
    def body(i):
        row = P.extract_slice(dt.asarray(X), [i, 0], [1, 10])
        made = dt.median(row, axis=1, keepdims=True) + row
        return P.perform_concurrently(P.parallel_insert_slice(made, dt.zeros(X.shape), [i, 0]))

    node = operator_of(P.foreach_thread(body, 12))
    assert "for many threads" in node.operator.lacking_on("cuda")


def test_windows_that_lie_apart_stay_with_the_host(gpu):
    told = {"shape": (3,), "keep": (slice(3),), "dtype": np.dtype("f8"), "calls": []}
    with pytest.raises(KernelDeviceError, match="kernel threads: threads that lie apart"):
        CUDA["threads"](None, function=None, **told)
