import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.images.spline_filter import spline_filter
from tests.operators.windowed import check_cuts

X = np.random.default_rng(0).normal(size=(23, 40)) * 40


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("dtype", "result"), [("f8", "f8"), ("u1", "f4"), ("f4", "i2")])
def test_every_cut_has_one_value(dtype, result, axis, shardings):
    def make(x):
        return spline_filter(x, 3, axis, "reflect", np.dtype(result))

    check_cuts(make, np.abs(X).astype(dtype), shardings)


def test_lanes_are_whole_and_fewer_are_read_for_a_slice():
    made = dt.Array(spline_filter(dt.ones((100, 64)).node, 3, 1, "wrap", np.dtype("f8")))
    plan = made[3:5, 7].plan()
    plan.verify()
    assert "full((2, 64), 1.0)" in str(plan.teg)
    assert "order 3, axis=1, wrap" in str(plan.teg)


def test_it_says_what_it_takes():
    made = spline_filter(dt.ones((100, 64)).node, 5, 1, "mirror", np.dtype("f8"))
    box = dt.ZRange((0, 0), (10, 64))
    assert made.operator.flops(made.input_types, box) == 640 * 12
    assert made.operator.scratch_bytes(made.input_types, box) == 640 * 8
