import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.patterns import zipmapreduce
from dask_tapestry.arrays.patterns.cell_values import Attributes, imm, iteridx, select


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("dtype", ["i8", "i4", "f8", "u2"])
def test_places_are_those_in_the_broadcast_shape(dim, dtype, shardings):
    x, y = dt.ones((2, 1, 4), "i1"), dt.ones((3, 1), "i1")
    places = zipmapreduce(lambda attrs, x, y: iteridx(dim, attrs, dtype), [x, y])
    with shardings.tiny(16):
        made = places.compute()
    assert made.dtype == dtype
    np.testing.assert_array_equal(made, np.indices((2, 3, 4))[dim])


@pytest.mark.parametrize("dim", [2, -3])
def test_a_dimension_that_is_not_there(dim):
    with pytest.raises(dt.AxisError, match="dim"):
        zipmapreduce(lambda attrs, x: iteridx(dim, attrs), [dt.ones((2, 3))])


def test_places_need_the_functions_first_argument():
    with pytest.raises(dt.ArgumentError, match="attrs"):
        iteridx(0, None)
    assert (Attributes((2, 3)).shape, Attributes([4]).ndim) == ((2, 3), 1)


def test_a_cell_does_not_outlive_its_function():
    kept = []
    zipmapreduce(lambda attrs, x: kept.append(x) or x, [dt.ones(3)])
    with pytest.raises(dt.TraceError, match="another function"):
        zipmapreduce(lambda attrs, x: x + kept[0], [dt.ones(3)])
    with pytest.raises(dt.TraceError, match="no value yet"):
        kept[0].compute()


def test_constants_promote_by_their_dtype():
    x = dt.ones(3, "f4")
    assert zipmapreduce(lambda attrs, x: x * 2.0, [x]).dtype == "f4"
    assert zipmapreduce(lambda attrs, x: x * imm(2, "f8"), [x]).dtype == "f8"
    assert (imm(3, "i2"), imm(3, "i2").dtype) == (3, np.int16)
    with pytest.raises(dt.ValueRangeError):
        imm(300, "u1")
    with pytest.raises(dt.TraceError, match="astype"):
        imm(x[0], "f8")


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "c8"])
def test_select_takes_the_first_where_the_condition_is_not_zero(dtype):
    cond = np.array([0, 1, 2, 0]).astype(dtype)
    made = zipmapreduce(lambda attrs, c, a: select(c, a, -a), [cond, np.arange(4.0)])
    np.testing.assert_array_equal(made.compute(), [0, 1, 2, -3])
