import dask
import numpy as np
import pytest

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


@pytest.mark.parametrize("kind", ["U3", "S4"])
@pytest.mark.parametrize("value", ["", "a", "abc"])
def test_blocks_of_text_are_as_wide_as_their_dtype(value, kind):
    x = dt.full((2, 3), value, dtype=kind)
    masked = dt.ma.masked_equal(dt.arange(4.0), 1)
    wanted = np.full((2, 3), value, kind)
    for made in (
        x.to_dask_array().compute(), x[:0].to_dask_array().compute(), dask.compute(x, masked)[0],
        x.map_blocks(np.copy).to_dask_array().compute(), dt.where(x == x, x, x).compute(),
    ):  # fmt: skip
        assert made.dtype == wanted.dtype
        assert np.array_equal(made, wanted[: len(made)])
