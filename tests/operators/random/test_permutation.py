import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.random.permutation import permutation
from dask_tapestry.operators.random.random_bits import Stream
from dask_tapestry.operators.tuning import LONGEST_TABLE
from dask_tapestry.teg import Progression, Region
from tests.operators.blocks import by_blocks, on_region, picked

STREAM = Stream((5, 6), 2)
SHORT = [2, 5, 6, 1, 7, 3, 0, 4]
LONG = [315346084315, 618958670863, 191086125138, 819454588222]


@pytest.mark.parametrize("extent", [0, 1, 2, 50])
@pytest.mark.parametrize("step", [1, 7, 100])
def test_blocks_have_the_order_of_random_numbers(extent, step):
    node = permutation(extent, STREAM)
    np.testing.assert_array_equal(by_blocks(node, (), step), node.operator.reference())
    assert sorted(node.operator.reference()) == list(range(extent))


def test_a_region_of_it():
    node = permutation(50, STREAM)
    region = Region([Progression(3, 4, 9)])
    value, yields = on_region(node, (), region)
    assert yields == region
    np.testing.assert_array_equal(value, picked(node.operator.reference(), region))


def test_a_long_one_costs_what_its_slice_costs():
    x = dt.Array(permutation(10**17, STREAM))
    part = x[10**16 : 10**17 : 10**13][:500]
    assert str(part.plan().teg).splitlines()[0] == (
        "%0 = permutation(100000000000000000, draw=2.0, "
        "places 10000000000000000:+10000000000000x500) : int64[500]"
    )
    found = part.compute()
    assert len(set(found.tolist())) == 500
    assert found.min() >= 0
    assert found.max() < 10**17
    assert abs(found.mean() / 1e17 - 0.5) < 5 * 12**-0.5 / 500**0.5


@pytest.mark.parametrize("extent", [LONGEST_TABLE, LONGEST_TABLE + 1])
def test_blocks_fit_together_on_both_sides_of_the_longest_table(extent):
    x = dt.Array(permutation(extent, STREAM))
    whole = x.compute()
    np.testing.assert_array_equal(np.sort(whole), np.arange(extent))
    np.testing.assert_array_equal(x.rechunk(300_001).compute(), whole)
    np.testing.assert_array_equal(x[::-1001].compute(), whole[::-1001])


def test_only_short_ones_have_a_numpy_meaning():
    with pytest.raises(NotImplementedError):
        permutation(LONGEST_TABLE + 1, STREAM).operator.reference()


def test_more_than_int64_counts_is_refused():
    assert permutation(2**63 - 1, STREAM).type.shape == (2**63 - 1,)
    with pytest.raises(dt.ShapeError, match="int64"):
        permutation(2**63, STREAM)


def test_its_values_never_change():
    """A seed's arrays are part of what users store: another formula is another function."""
    short, long = (dt.Array(permutation(n, Stream((1, 2), 3))) for n in (8, 10**12))
    assert (short.compute().tolist(), long[:4].compute().tolist()) == (SHORT, LONG)
