import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits
from tests.comparisons.layers import pooled

RANDOM = np.random.default_rng(9)
X = RANDOM.normal(size=(2, 3, 11, 9))


@pytest.mark.covering
@pytest.mark.parametrize("name", ["max", "sum", "avg"])
@pytest.mark.parametrize("window", [2, (3, 1), (11, 9)])
@pytest.mark.parametrize("strides", [None, 1, (2, 4)])
@pytest.mark.parametrize("dtype", ["i1", "f4", "f8"])
def test_windows_are_folded(name, window, strides, dtype, shardings):
    x = (X * 9).astype(dtype)
    fold = {"max": np.max, "sum": np.sum, "avg": np.mean}[name]
    function = getattr(dt.nn, f"{name}_pool")
    expected = pooled(x, fold, window, strides)
    made = function(x, window, strides=strides)
    assert (made.dtype, made.shape) == (expected.dtype, expected.shape)
    whole = made.compute()
    np.testing.assert_allclose(whole, expected, rtol=1e-5, atol=1e-5)
    for chunks in ((1, 3, 4, 9), (2, 2, 11, 3)):
        with shardings.tiny(500):
            cut = function(dt.asarray(x).rechunk(chunks), window, strides=strides)
            assert same_bits(cut.compute(), whole)


def test_a_nan_is_the_greatest():
    x = X.copy()
    x[0, 0, 3, 4] = np.nan
    made = dt.nn.max_pool(x, 3, strides=1).compute()
    assert np.isnan(made).sum() == 9
    np.testing.assert_array_equal(made, pooled(x, np.max, 3, 1))


@pytest.mark.parametrize("dtype", ["?", "i2", "u1", "f2", "f4", "c8"])
def test_padding_is_never_the_greatest(dtype):
    x = -np.abs(X * 9) if dtype[0] in "ifc" else np.zeros_like(X)
    made = dt.nn.max_pool(x.astype(dtype), 3, strides=2, padding=((1, 2), (0, 1)))
    least = np.iinfo(dtype).min if dtype[0] in "iu" else 0 if dtype == "?" else -np.inf
    widths = [(0, 0), (0, 0), (1, 2), (0, 1)]
    wide = np.pad(x.astype(dtype), widths, constant_values=least)
    np.testing.assert_array_equal(made.compute(), pooled(wide, np.max, 3, 2))


def test_zeros_that_pad_count_in_means():
    made = dt.nn.avg_pool(np.ones((1, 1, 4)), 3, strides=1, padding="same").compute()
    np.testing.assert_allclose(made, [[[2 / 3, 1, 1, 2 / 3]]])


def test_a_slice_reads_its_windows_and_none_is_in_memory():
    x = dt.placeholder((64, 32, 256, 256), "f4")
    plan = dt.plan(dt.nn.max_pool(x, 3, strides=2)[:2, :, 4:6])
    assert plan.cost["bytes_read"] == 4 * 2 * 32 * 5 * 255
    whole = dt.plan(dt.nn.sum_pool(x, 7, strides=1), resources=dt.Resources(workers=2))
    whole.verify()
    assert whole.cost["peak_worker_bytes"] < 3 * x.nbytes  # of 49 times as much in windows


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: dt.nn.max_pool(np.ones((2, 3)), 2), dt.ShapeError, "max_pool takes x"),
        (lambda: dt.nn.sum_pool(X, 12), dt.ShapeError, "no window"),
        (lambda: dt.nn.sum_pool(X, 0), dt.ArgumentError, "window"),
        (lambda: dt.nn.sum_pool(X, 2, strides=0), dt.ArgumentError, "strides"),
        (lambda: dt.nn.sum_pool(X, (2, 2, 2)), dt.ShapeError, "2 dimensions"),
        (lambda: dt.nn.max_pool(X, 2, padding=2), dt.ShapeError, "may lie in the padding"),
        (lambda: dt.nn.avg_pool(X.astype("M8[s]"), 2), dt.DTypeError, "takes numbers"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()
