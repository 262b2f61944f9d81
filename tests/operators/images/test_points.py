import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.images.points import bounds_of, points
from dask_tapestry_kernels.parameters.splines import Spline
from tests.comparisons import same_bits

X = np.random.default_rng(0).normal(size=(23, 40)) * 40
PLACES = np.random.default_rng(1).uniform(-5, 45, (2, 17, 12))
MODES = "reflect constant nearest mirror wrap grid-constant grid-wrap".split()


def made(x, places, known, mode="mirror", order=1, pad=0):
    lines = [dt.asarray(line).node for line in places]
    spline = Spline(x.type.shape, pad, order, mode, 2.5)
    return points(x, lines, spline, bounds_of(places) if known else None, np.dtype("f8"))


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_every_cut_has_one_value(mode, known, shardings):
    places = np.sort(PLACES, axis=1)
    node = made(dt.asarray(X).node, places, known, mode, 3)
    whole = dt.Array(node).compute()
    assert same_bits(whole, node.operator.reference(X, *places))
    for chunks in ((7, 9), (1, 40), (23, 5)):
        with shardings.tiny(900):
            cut = dt.Array(made(dt.asarray(X).rechunk(chunks).node, places, known, mode, 3))
            dt.plan(cut).verify()
            assert same_bits(cut.compute(), whole)
    for key in (np.s_[3:9], np.s_[::2, 1::3], np.s_[7, 4], np.s_[:, 5:1:-1], np.s_[2:2]):
        assert same_bits(dt.Array(node)[key].compute(), np.array(whole[key], order="C"))


def test_known_coordinates_read_the_box_around_them():
    places = np.stack([np.linspace(0, 990, 1000), np.full(1000, 7.5)])
    x = dt.ones((1000, 900)).node
    text = str(dt.Array(made(x, places, True))[300:310].plan().teg)
    assert "full((12, 3), 1.0)" in text
    assert "order 1, mirror, coordinates known" in text
    assert "full((1000, 900), 1.0)" in str(dt.Array(made(x, places, False))[300:310].plan().teg)


def test_bounds_of_what_is_no_number():
    bounds = bounds_of(np.array([[np.nan, np.inf, -np.inf, -0.5]]))
    assert bounds.hull(0, dt.ZRange((0,), (4,))) == (-(2**40), 2**40 + 1)
    assert bounds_of(np.zeros((2, 0))) is None


def test_it_says_what_it_takes():
    node = made(dt.asarray(X).node, PLACES, False)
    box = dt.ZRange((0, 0), (10, 10))
    assert node.operator.flops(node.input_types, box) == 100 * (4 * 3 + 8 * 2 * 2)
    assert node.operator.scratch_bytes(node.input_types, box) > 0
