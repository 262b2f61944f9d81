import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.generators.full import full
from tests.comparisons import same_bits


def test_the_value_keeps_its_bits():
    for value in (np.float32(-0.0), np.float64(np.nan), np.datetime64("NaT", "s"), np.int8(-1)):
        node = full((2, 3), value)
        assert same_bits(node.operator.scalar, value)
        assert same_bits(dt.Array(node).compute(), np.full((2, 3), value))


def test_a_slice_is_a_smaller_one():
    assert str(dt.plan(dt.full((10, 4), 7)[::3, 0]).teg) == (
        "%0 = full((4,), 7) : int64[4]\nreturn %0"
    )


def test_it_takes_no_memory_until_it_is_computed():
    x = dt.full((10**9, 10**9), 1.5)
    assert float((x[:3, :2] * 2).sum()) == 18.0
