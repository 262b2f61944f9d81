"""Unordered cells: percentiles of all cells of an array read its chunks as they lie."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting.order_statistics import by_digits, ranks
from dask_tapestry.operators.sorting.unordered_cells import unordered

A, B = (np.random.default_rng(key).normal(size=(60, 70)) for key in (0, 1))
SMALL = dt.Resources(4, 2, "1 GiB")


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda xp, a, b: a.reshape(-1), (60, 70)),
        (lambda xp, a, b: xp.abs(a.reshape(-1)) * 2, (60, 70)),
        (lambda xp, a, b: a.reshape(-1) - b.reshape(-1), (60, 70)),
        (lambda xp, a, b: a.T.reshape(-1) + 1, (70, 60)),
        (lambda xp, a, b: a.reshape(-1) - b.T.reshape(-1), (4200,)),  # in different orders
        (lambda xp, a, b: a.reshape(-1)[::2], (2100,)),
        (lambda xp, a, b: xp.where(a.reshape(-1) > 0, xp.arange(4200.0), 1), (4200,)),
    ],
)
def test_reshapes_of_one_shape_are_left_out(make, shape, sync):
    arrays = [dt.from_array(a) for a in (A, B)]
    y, expected = make(dt, *arrays), make(np, A, B)
    found = dt.Array(unordered(y.node))
    assert found.shape == shape
    np.testing.assert_array_equal(np.sort(found.compute().ravel()), np.sort(expected))
    chosen = [0, len(expected) // 3, len(expected) - 1]
    cells = dt.Array(by_digits(ranks(y.node, chosen, 0), 4)).compute()
    np.testing.assert_array_equal(cells, np.sort(expected)[chosen])


@pytest.mark.parametrize(
    ("make", "passes"),
    [
        (lambda x: dt.percentile(x, [1, 99]), 2),
        (lambda x: dt.median(dt.abs(x)), 2),
        (lambda x: dt.median(x.T.astype("f2")), 1),
    ],
)
def test_chunks_in_tiles_are_read_once_in_each_pass(make, passes):
    x = dt.placeholder((40_000, 40_000), "f4", (2000, 2000))
    plan = dt.plan(make(x), resources=SMALL)
    plan.verify()
    assert plan.cost["bytes_read"] <= 1.05 * passes * x.nbytes
