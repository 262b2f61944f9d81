"""Bits and values that must not depend on how cells lie in memory."""

import numpy as np
import pytest

import dask_tapestry as dt

RANDOM = np.random.default_rng(0)
COMPLEX = RANDOM.standard_normal(1000) + 1j * RANDOM.standard_normal(1000)
CELLS = {"f4": RANDOM.random(1000, "f4"), "f8": RANDOM.random(1000), "c16": COMPLEX}


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "name", ["exp", "exp2", "expm1", "log2", "log10", "log1p", "sinh", "cosh", "tan", "cbrt"]
)
def test_a_reversed_operand_gives_the_same_bits(name, dtype):
    x = dt.asarray(CELLS[dtype])
    function = getattr(dt, name)
    forward, backward = dt.compute(function(x), function(x[::-1]))
    np.testing.assert_array_equal(forward[::-1], backward)
    np.testing.assert_array_equal(function(dt.rechunk(x[::-1], 100)).compute(), backward)


def test_the_absolute_of_reversed_complex_cells():
    x = dt.asarray(CELLS["c16"])
    np.testing.assert_array_equal(abs(x[::-1]).compute(), abs(x).compute()[::-1])


@pytest.mark.parametrize("name", ["isfinite", "isnan", "isinf", "signbit"])
def test_a_column_of_the_result_is_filled(name):
    cells = RANDOM.standard_normal((3000, 3))
    cells[::7, 1], cells[::5, 2] = np.nan, -np.inf
    x = dt.asarray(cells)
    with dt.config(block_bytes=3000, resources=dt.Resources(workers=2, threads=8, memory="1 GiB")):
        y = (getattr(dt, name)(x * 2)).rechunk((-1, 1))
        np.testing.assert_array_equal(y.compute(), getattr(np, name)(cells * 2))


def test_a_cast_to_uint32_has_one_value():
    x = dt.asarray(np.full((67, 3), np.nan)).astype("u4")
    assert len({x.compute().tobytes(), x.rechunk((5, 2)).compute().tobytes()}) == 1


def test_an_integer_power_of_small_numbers_needs_no_table():
    small = (np.arange(5000) % 5).astype("i1")
    np.testing.assert_array_equal((2 ** dt.asarray(small)).compute(), 2**small)
