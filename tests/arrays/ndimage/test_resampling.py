import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import MODES, REAL, SHAPES, check, image
from tests.comparisons import same_bits
from tests.examples import examples

EXACT = 0.01  # of a rounding: none
FILLED = [shape for shape in SHAPES if 0 not in shape]
ZOOMS, SHIFTS = (0.7, 2.3, 1.0), (-3.6, 0.5, 7.25)


@pytest.mark.parametrize("dtype", [*REAL, "c8", "c16"])
@pytest.mark.parametrize("shape", FILLED)
def test_values_are_scipys_to_the_bit(dtype, shape):
    x, rank = image(shape, dtype), len(shape)
    for order in (0, 1, 3):
        check("zoom", x, ZOOMS[:rank], order=order, bound=EXACT)
        check("shift", x, SHIFTS[:rank], order=order, cval=2.6, bound=EXACT)
    check("zoom", x, 1.3, output="c16" if dtype[0] == "c" else "i2", order=2, bound=EXACT)


@pytest.mark.filterwarnings("ignore:It is recommended")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
def test_modes(mode, order):
    for dtype in ("u1", "f8"):
        x = image((6, 11), dtype)
        for options in ({}, {"prefilter": False}):
            how = {"order": order, "mode": mode, "cval": 3.7, "bound": EXACT} | options
            check("zoom", x, (1.9, 0.6), **how)
            check("zoom", x, (0.4, 2.5), grid_mode=True, **how)
            check("shift", x, (4.3, -17.5), **how)
            check("shift", x, 100.25, **how)


@pytest.mark.few(2)  # modes are met in the tests of kernels
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("dtype", ["u1", "f4", "c8"])
@pytest.mark.parametrize("mode", ["constant", "nearest", "grid-wrap"])
def test_every_sharding_has_one_value(dtype, mode, shardings):
    x = image((37, 41), dtype)

    def made(array):
        larger = dt.ndimage.zoom(array, (0.7, 2.2), mode=mode, order=1)
        return dt.ndimage.shift(larger, (1.5, -3.25), mode=mode, cval=2.0)

    whole = made(dt.asarray(x)).compute()
    for chunks in ((5, 41), (37, 4), (9, 13), (1, 1)):
        with shardings.tiny(2000, 2, 2):
            plan = dt.plan(made(dt.asarray(x).rechunk(chunks)))
            plan.verify()
            assert same_bits(plan.compute(), whole)
    assert same_bits(made(dt.asarray(x))[5:9, ::7].compute(), whole[5:9, ::7].copy())


def test_a_slice_of_an_enlarged_array_reads_few_cells():
    plan = dt.ndimage.zoom(dt.ones((1000, 900)), 2, order=1)[:10].plan()
    assert "full((6, 900), 1.0)" in str(plan.teg)


def test_nothing_is_done_for_a_zoom_of_1():
    made = dt.ndimage.zoom(dt.ones((1000, 900), "f4"), 1)
    assert "resample" not in str(made.teg)
    check("zoom", image((3, 4), "f8"), 1, output="i4")


def test_factors_that_do_not_fit_are_refused():
    for call, words in (
        (lambda x: dt.ndimage.zoom(x, (1, 2, 3)), "zoom has 3 for 2"),
        (lambda x: dt.ndimage.zoom(x, -2), "zoom: factors must not be negative, here -2"),
        (lambda x: dt.ndimage.zoom(x, np.nan), "zoom: zoom must be finite, not nan"),
        (lambda x: dt.ndimage.shift(x, (1, np.inf)), "shift: shift must be finite"),
        (lambda x: dt.ndimage.shift(x, (1, 2, 3)), "shift has 3 for 2"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call(dt.ones((3, 4)))
    with pytest.warns(UserWarning, match="recommended to use mode = grid-wrap instead of wrap"):
        dt.ndimage.zoom(dt.ones((3, 4)), 2, mode="wrap", grid_mode=True)


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=3),
    st.sampled_from([*REAL, "c8", "c16"]),
    st.integers(0, 5),
    st.sampled_from(MODES),
    st.booleans(),
    st.integers(0, 2**32),
)
@examples(20)
def test_anything(shape, dtype, order, mode, prefilter, seed):
    random = np.random.default_rng(seed)
    x = image(tuple(shape), dtype, seed)
    how = {"order": order, "mode": mode, "prefilter": prefilter, "cval": 1.5, "bound": EXACT}
    by, along = random.uniform(0.3, 2.5, x.ndim).tolist(), random.normal(0, 9, x.ndim).tolist()
    chunks = tuple(int(random.integers(1, n + 1)) for n in shape)
    with dt.config(block_bytes=int(random.integers(50, 2000))):
        check("zoom", x, by, chunks=chunks, **how)
        check("shift", x, along, chunks=chunks, **how)
        check("affine_transform", x, by, along, chunks=chunks, **how)
