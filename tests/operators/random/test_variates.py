import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.random.random_bits import Stream
from dask_tapestry.operators.random.variates import variate_rows, variates
from dask_tapestry.teg import Progression, Region
from tests.operators.blocks import picked

STREAM = Stream((7, 2**63), 4, 1)


def values(node):
    return dt.Array(node).compute()


@pytest.mark.parametrize("shape", [(), (0,), (37,), (5, 0), (6, 7), (3, 4, 5)])
def test_slices_have_the_values_of_the_whole(shape):
    node = variates("poisson", shape, STREAM, (30.0,))
    whole = values(node)
    assert whole.shape == shape
    key = tuple(slice(n // 3, n, 2) for n in shape)
    np.testing.assert_array_equal(dt.Array(node)[key].compute(), whole[key])


def test_a_region_of_a_region_is_a_region():
    shapes = dt.asarray(np.arange(600.0).reshape(20, 30) / 50).node
    node = variates("gamma", (20, 30), STREAM, (shapes,))
    outer = Region([Progression(1, 3, 6), Progression(0, 1, 30)])
    inner = Region([Progression(1, 2, 2), Progression(4, 5, 5)])
    types = (shapes.type,)
    first = node.operator.restrict(types, outer)
    assert first.inputs == (outer,)
    second = first.operator.restrict(types, inner)
    x = dt.Array(node)[1:19:3][1:5:2, 4:29:5]
    np.testing.assert_array_equal(x.compute(), picked(picked(values(node), outer), inner))
    assert second.operator.infer().shape == (2, 5)
    assert "Region[4:11:6, 4:25:5] of (20, 30)" in second.operator.text()


def test_slices_reach_the_values_themselves():
    x = dt.Array(variates("gamma", (10**9, 10**6), STREAM, (2.5,)))
    assert str(x[7:10, ::250_000].plan().teg).splitlines()[0] == (
        "%0 = variates(gamma(2.5), (3, 4), draw=4.1, Region[7:10:1, 0:750001:250000] of "
        "(1000000000, 1000000)) : float64[3, 4]"
    )


def test_rows_are_whole_and_their_slices_are_those_of_the_whole(shardings):
    weights = dt.asarray(np.array([0.2, 0.3, 0.5])).node
    totals = dt.arange(40).reshape(8, 5).node
    for total in (9, totals):
        node = variate_rows("multinomial", (8, 5), STREAM, total, weights)
        whole = values(node)
        assert (whole.sum(axis=2) == (total if total == 9 else values(totals))).all()
        with shardings.tiny(64):
            np.testing.assert_array_equal(values(node), whole)
            found = dt.Array(node)[::-3, 1:, 1:].compute()
        np.testing.assert_array_equal(found, whole[::-3, 1:, 1:])
    assert node.operator.text() == "multinomial(...), (8, 5), draw=4.1"


def test_more_cells_than_numbers_are_refused():
    assert variates("gamma", (2**64, 2**64), STREAM, (1.0,)).type.size == 2**128
    for make in (
        lambda shape: variates("gamma", shape, STREAM, (1.0,)),
        lambda shape: variate_rows("multinomial", shape, STREAM, 3, dt.ones(1).node),
    ):
        with pytest.raises(dt.ShapeError, match="repeat"):
            make((2**64, 2**64, 2))


def test_sums_need_no_more_than_a_piece_of_the_cells():
    x = dt.Array(variates("gamma", (10**9,), STREAM, (2.5,)))
    one = dt.Resources(workers=1, threads=1, memory=2**28)
    assert dt.plan(x.sum(), resources=one).cost["peak_worker_bytes"] < 2**27
