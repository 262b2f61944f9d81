import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.folding import check, outcome
from tests.comparisons import same_bits


@pytest.mark.parametrize("dtype", ["i4", "i8"])
@pytest.mark.parametrize("name", ["nanmean", "nanvar"])
def test_inexact_cells_take_inexact_dtypes(name, dtype):
    for x in (np.arange(4.0), np.arange(4)):
        _, error = outcome(lambda x=x: getattr(np, name)(x, dtype=dtype))
        if error is None:
            check(
                lambda x=x: getattr(dt, name)(x, dtype=dtype),
                lambda x=x: getattr(np, name)(x, dtype=dtype),
            )
            continue
        with pytest.raises(TypeError, match="inexact"):
            getattr(dt, name)(x, dtype=dtype)


def pieces(dtype):
    """Cells of all magnitudes, most of them NaN: whole leaves, lines and boxes without a number."""
    random = np.random.default_rng(5)
    x = random.normal(size=(70, 53)) * 10.0 ** random.integers(-3, 3, (70, 53))
    x[random.random(x.shape) < 0.3] = np.nan
    x[:40, :40] = x[:, 50] = x[61] = np.nan
    return (x + 1j * x[::-1]).astype(dtype) if dtype[0] == "c" else x.astype(dtype)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "ptp"])
def test_in_one_pass_they_have_one_value_for_all_shardings(name, dtype, shardings):
    x = pieces(dtype)
    for axis in (None, 0, 1):
        whole = getattr(dt, name)(x, axis=axis).compute(scheduler="sync")
        for chunks in ((1, 53), (70, 1), (7, 5), (33, 31), (64, 2)):
            made = getattr(dt, name)(dt.asarray(x).rechunk(chunks), axis=axis)
            assert same_bits(made.compute(scheduler="sync"), whole), chunks
        with shardings.tiny(100, 2, 1):
            assert same_bits(getattr(dt, name)(x, axis=axis).compute(scheduler="sync"), whole)
        check(
            lambda axis=axis: getattr(dt, name)(x, axis=axis),
            lambda axis=axis: in_single(getattr(np, name), x, axis),
            1e-5,
        )


def in_single(function, x, axis):
    """NumPy's value; of float16, what it would be without overflow of squares of deviations."""
    if x.dtype == np.float16:
        return np.asarray(function(x.astype("f4"), axis=axis)).astype("f2")
    return function(x, axis=axis)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "ptp"])
def test_the_cells_are_read_once(name):
    for x in (np.ones((4, 5)), np.ones((4, 5), "f2")):
        node = getattr(dt, name)(x, axis=1).node
        assert node.operator.monoid == name
        assert not node.inputs[0].inputs


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_dtypes_that_are_asked_for_are_numpys(name, dtype):
    for given_dtype in ("f2", "f4", "c16"):
        x = np.array([[1, np.nan, 4], [np.nan, np.nan, np.nan], [2, 3, 5]], given_dtype)
        check(
            lambda x=x: getattr(dt, name)(x, axis=1, dtype=dtype),
            lambda x=x: getattr(np, name)(x, axis=1, dtype=dtype),
            1e-3 if given_dtype == "f2" else 1e-5,  # NumPy's deviations are of that dtype
        )
