import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.random.distributions import (
    integers_below,
    integers_below_cells,
    search,
    standard_normal,
    uniform,
)
from dask_tapestry.operators.random.random_bits import Stream, random_bits

STREAM = Stream((1, 2), 3)


def numbers(shape, part=0):
    return dt.Array(random_bits(shape, STREAM._replace(part=part))).compute().astype(object)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 2**31 + 1, 2**32 - 1, 2**32])
def test_few_integers_are_the_high_part_of_a_product(count):
    found = dt.Array(integers_below((500,), STREAM, count)).compute()
    np.testing.assert_array_equal(found, (numbers((500,)) * count) >> 64)


@pytest.mark.parametrize("count", [2**32 + 1, 10**15, 2**63 + 1, 2**64 - 1])
def test_many_integers_are_the_high_part_of_a_longer_product(count):
    wide = (numbers((500,)) << 64) | numbers((500,), 1)
    found = dt.Array(integers_below((500,), STREAM, count)).compute()
    np.testing.assert_array_equal(found, (wide * count) >> 128)
    counts = dt.asarray(np.full(500, count, np.uint64)).node
    found = dt.Array(integers_below_cells((500,), STREAM, counts)).compute()
    np.testing.assert_array_equal(found, (wide * count) >> 128)


def test_all_integers_are_the_bits():
    np.testing.assert_array_equal(
        dt.Array(integers_below((9,), STREAM, 2**64)).compute(), numbers((9,))
    )
    none = dt.zeros(9, "u8").node
    np.testing.assert_array_equal(
        dt.Array(integers_below_cells((9,), STREAM, none)).compute(), numbers((9,))
    )


def test_a_fraction_has_all_the_bits_it_can():
    x = dt.Array(uniform((1000,), STREAM)).compute()
    np.testing.assert_array_equal(x * 2.0**53, numbers((1000,)) >> 11)
    x = dt.Array(uniform((1000,), STREAM, np.dtype("f4"))).compute()
    np.testing.assert_array_equal(x.astype("f8") * 2.0**24, numbers((1000,)) >> 40)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_formula_is_one_value_in_any_block(dtype):
    x = dt.Array(standard_normal((3, 1001), STREAM, np.dtype(dtype)))
    whole = x.compute()
    for key in (np.s_[:, 1:], np.s_[1, 3:999:2], np.s_[:, 500:501], np.s_[::-1, ::-1]):
        np.testing.assert_array_equal(x[key].compute(), whole[key])


@pytest.mark.parametrize("count", [1, 3, 7, 31])
def test_search_counts_edges(count):
    edges = np.sort(np.random.default_rng(count).random(count)).round(2)
    x = np.linspace(-0.1, 1.1, 121).round(2)
    found = dt.Array(search(dt.asarray(x).node, dt.asarray(edges).node)).compute()
    np.testing.assert_array_equal(found, np.searchsorted(edges, x, side="right"))
