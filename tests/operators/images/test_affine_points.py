import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.images.affine_points import affine_points, point_bytes, point_flops
from dask_tapestry_kernels.parameters.splines import Spline
from tests.operators.windowed import check_cuts

X = np.random.default_rng(0).normal(size=(23, 40)) * 40
TURN = ((0.8, -0.6), (0.6, 0.8))
MODES = "reflect constant nearest mirror wrap grid-constant grid-wrap".split()


def made(x, mode="mirror", order=3, dtype="f8", matrix=TURN, counts=(23, 40), offset=(7.3, -6.1)):
    spline = Spline(x.type.shape, 0, order, mode, 2.5)
    return affine_points(x, spline, matrix, offset, (0, 1), (0, 1), counts, np.dtype(dtype))


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("dtype", "result"), [("f8", "f8"), ("u1", "i2")])
def test_every_cut_has_one_value(dtype, result, mode, shardings):
    check_cuts(lambda x: made(x, mode, dtype=result), np.abs(X).astype(dtype), shardings)


def test_axes_beside_the_plane(shardings):
    x = np.random.default_rng(0).normal(size=(9, 3, 11))

    def turned(array):
        spline, shape = Spline((9, 11), 0, 1, "constant", 0.0), (12, 3, 10)
        args = (TURN, (2.0, -1.0), (0, 2), (0, 2), shape, np.dtype("f8"))
        return dt.Array(affine_points(array.node, spline, *args))

    whole = turned(dt.asarray(x)).compute()
    for chunks in ((3, 1, 4), (9, 2, 11), (1, 3, 1)):
        with shardings.tiny(400):
            plan = dt.plan(turned(dt.asarray(x).rechunk(chunks)))
            plan.verify()
            np.testing.assert_array_equal(plan.compute(), whole)
    np.testing.assert_array_equal(turned(dt.asarray(x))[2:9:3, 1].compute(), whole[2:9:3, 1])


def test_a_slice_reads_the_box_around_its_points():
    node = made(dt.ones((1000, 900)).node, order=1, counts=(1000, 900), offset=(200.0, 0.0))
    plan = dt.Array(node)[400:410, 100:200:2].plan()
    plan.verify()
    assert "full((68, 85), 1.0)" in str(plan.teg)
    assert "affinepoints(%0, order 1, mirror, [0.8 -0.6; 0.6 0.8] + [200.0, 0.0])" in str(plan.teg)


def test_it_says_what_it_takes():
    node = made(dt.ones((30, 40)).rename("y", "x").node)
    box = dt.ZRange((0, 0), (10, 10))
    spline = node.operator.spline
    assert node.type.dims == ("y", "x")
    assert node.operator.flops(node.input_types, box) == 100 * point_flops(spline)
    assert node.operator.scratch_bytes(node.input_types, box) == point_bytes(spline, 100)
    assert point_flops(spline) == 16 * 3 + 8 * 2 * 4
