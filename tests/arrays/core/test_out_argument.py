import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.out_argument import assigned_to_out

X = np.arange(6.0).reshape(2, 3)


def test_out_takes_the_result_as_its_value():
    out = dt.zeros(3)
    planned = out.chunks
    assert dt.sum(X, 0, None, out) is out
    assert planned == out.chunks
    np.testing.assert_array_equal(out.compute(), X.sum(0))


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "var", "std", "ptp"])
def test_every_reduction_takes_out(name):
    out = dt.zeros(2)
    assert getattr(np, name)(dt.asarray(X), axis=1, out=out) is out
    np.testing.assert_allclose(out.compute(), getattr(np, name)(X, axis=1))


def test_the_result_is_converted_to_its_dtype():
    out = dt.zeros((), "f4")
    assert dt.sum(X, out=(out,)).dtype == np.float32
    assert float(out) == 15


def test_what_was_made_of_out_before_stays():
    out = dt.ones(3)
    before = out + 1
    assigned_to_out(out, dt.zeros(3))
    assert before.compute().tolist() == [2, 2, 2]
    assert (out + 1).compute().tolist() == [1, 1, 1]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="shape"):
        dt.sum(X, axis=0, out=dt.zeros(2))
    with pytest.raises(TypeError, match="cannot cast"):
        dt.mean(X, out=dt.zeros((), "i8"))
    with pytest.raises(TypeError, match="ndarray"):
        dt.sum(X, out=np.zeros(()))


def test_no_out_is_the_result():
    result = dt.ones(2)
    assert assigned_to_out(None, result) is result


@pytest.mark.parametrize(
    "call",
    [
        lambda np_or_dt, x, out: np_or_dt.around(x / 3, 1, out),
        lambda np_or_dt, x, out: np_or_dt.choose(x.astype(int) % 2, [x, -x], out, "wrap"),
        lambda np_or_dt, x, out: np_or_dt.take(x, [3, 1, 0, 9], 0, out, "clip"),
        lambda np_or_dt, x, out: np_or_dt.compress([1, 1, 1, 1], x, 0, out),
        lambda np_or_dt, x, out: np_or_dt.einsum("i,i->i", x, x, out=out),
    ],
)
def test_functions_of_numpys_signatures_fill_out(call):
    expected, given = np.zeros(4), dt.zeros(4)
    assert call(np, np.arange(4.0), expected) is expected
    assert call(dt, dt.arange(4.0), given) is given
    np.testing.assert_array_equal(given.compute(), expected)
