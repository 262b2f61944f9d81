import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.images.resample import resample
from dask_tapestry_kernels.parameters.splines import SplineAxis
from tests.operators.windowed import check_cuts

X = np.random.default_rng(0).normal(size=(23, 40)) * 40
MODES = "reflect constant nearest mirror wrap grid-constant grid-wrap".split()


def made(x, mode="mirror", zoom=0.61, shift=-3.2, dtype="f8", order=3):
    lines = [SplineAxis(n, 0, shift, zoom) for n in x.type.shape]
    counts = [n + 9 for n in x.type.shape]
    return resample(x, lines, counts, order, mode, 2.5, np.dtype(dtype))


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("dtype", "result", "zoom"), [("f8", "f8", 0.61), ("u1", "i2", 2.3)])
def test_every_cut_has_one_value(dtype, result, zoom, mode, shardings):
    check_cuts(lambda x: made(x, mode, zoom, dtype=result), np.abs(X).astype(dtype), shardings)


def test_coordinates_may_go_backwards(shardings):
    check_cuts(lambda x: made(x, "reflect", -0.8, -20.5, order=1), X, shardings)


def test_a_slice_reads_the_cells_near_its_own():
    node = made(dt.ones((1000, 900)).node, order=1, shift=0.0, zoom=0.5)
    plan = dt.Array(node)[400:410, ::4][:, :5].plan()
    plan.verify()
    assert "full((6, 10), 1.0)" in str(plan.teg)
    assert "order 1, mirror, 10 x 5" in str(plan.teg)
    part = dt.Array(node)[400:410, ::4][2:5, 3:].node.operator
    assert part.name in ("view", "slice", "resample")


def test_what_lies_beyond_the_ends_reads_nothing():
    plan = dt.Array(made(dt.ones((100, 90)).node, "constant", 1.0, 5000.0))[:3].plan()
    assert "full((0, 0), 1.0)" in str(plan.teg)
    assert (dt.Array(made(dt.ones((9, 9)).node, "constant", 1.0, 50.0)).compute() == 2.5).all()


def test_it_says_what_it_takes():
    node = made(dt.ones((30, 40)).rename("y", "x").node)
    box = dt.ZRange((0, 0), (10, 10))
    assert node.type.dims == ("y", "x")
    assert node.operator.flops(node.input_types, box) == 100 * 16 * 3
    assert node.operator.scratch_bytes(node.input_types, box) == 40 * 4 * 20 + 3200
