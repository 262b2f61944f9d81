import tracemalloc

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS

X = np.arange(40.0).reshape(2, 4, 5)
W = np.arange(30.0).reshape(2, 5, 3)


@pytest.mark.parametrize("buffered", [False, True])
@pytest.mark.parametrize("part", [None, 1, 2, 5, 7])
def test_matmul(part, buffered):
    parts = 1 if part is None else -(-5 // part)
    shape = (2, 4, 3) if part is None else (parts, 2, 4, 3)
    out = np.full(shape, np.nan) if buffered else None
    made = KERNELS["matmul"](out, X, W, dtype=X.dtype, part=part)
    assert made.shape == shape
    assert np.array_equal(made.reshape(parts, 2, 4, 3).sum(axis=0), X @ W)
    if buffered:
        assert np.array_equal(out, made)


@pytest.mark.parametrize("shapes", [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0))])
def test_products_of_nothing(shapes):
    x, w = map(np.ones, shapes)
    assert np.array_equal(KERNELS["matmul"](None, x, w, dtype=x.dtype, part=None), x @ w)


@pytest.mark.covering
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("buffered", [False, True])
def test_linear(dtype, bias, buffered):
    x, w, b = X[0].astype(dtype), W[0].astype(dtype), np.arange(3).astype(dtype)
    blocks = (x, w, b) if bias else (x, w)
    out = np.empty((4, 3), dtype) if buffered else None
    made = KERNELS["linear"](out, *blocks, dtype=np.dtype(dtype))
    assert made.dtype == dtype
    assert np.array_equal(made, (x @ w + b) if bias else x @ w)  # small integers: exact


@pytest.mark.parametrize("part", [None, 300])
@pytest.mark.parametrize("buffered", [False, True])
def test_cells_that_are_not_aligned_are_copied_in_strips(part, buffered):
    """As those that came over a network: NumPy would copy all of them."""
    rng = np.random.default_rng(1)
    x, w = rng.integers(0, 9, (5, 1000)).astype(float), rng.integers(0, 9, (1000, 3000)) * 1.0
    apart = np.zeros(w.nbytes + 8, "u1")[4:-4].view("f8").reshape(w.shape)
    apart[...] = w
    assert not apart.flags.aligned
    options = {"dtype": x.dtype, "part": part}
    expected = KERNELS["matmul"](None, x, w, **options)
    out = np.empty_like(expected) if buffered else None
    tracemalloc.start()
    made = KERNELS["matmul"](out, x, apart, **options)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.array_equal(made, expected)
    assert peak < 0.6 * w.nbytes
    added = np.zeros((5, 3000))
    KERNELS["add_product"](added, x, apart, dtype=x.dtype, rows=2)
    assert np.array_equal(added, x @ w)
