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
RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", [*REAL, "c8", "c16"])
@pytest.mark.parametrize("shape", FILLED)
def test_values_are_scipys_to_the_bit(dtype, shape):
    x, rank = image(shape, dtype), len(shape)
    matrix, offset = RANDOM.normal(size=(rank, rank)), RANDOM.uniform(-5, 5, rank)
    for order in (0, 1, 3):
        check("affine_transform", x, matrix, offset, order=order, bound=EXACT)
        check("affine_transform", x, matrix[0], offset, (4,) * rank, order=order, bound=EXACT)
        if rank > 1:
            check("rotate", x, 33.7, order=order, cval=2, bound=EXACT)
            check("rotate", x, -120, (0, -1), False, order=order, mode="wrap", bound=EXACT)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
def test_modes(mode, order):
    for dtype in ("u1", "f8"):
        x = image((6, 11), dtype)
        how = {"order": order, "mode": mode, "cval": 3.7, "bound": EXACT}
        check("affine_transform", x, [[0.8, -1.6], [0.6, 0.8]], (3, -4), (20, 9), **how)
        check("affine_transform", x, (-0.8, 1.6), (13, -4), **how)
        check("affine_transform", x, [[0.8], [0.6]], prefilter=False, output_shape=(5,), **how)
        check("rotate", x, 200, **how)


def test_homogeneous_matrices_and_arrays_that_take_the_value():
    x = image((5, 6), "f8")
    wide = [[0.5, 0.1, 1], [0.2, 0.7, -1]]
    check("affine_transform", x, wide, bound=EXACT)
    check("affine_transform", x, [*wide, [0, 0, 1]], 99, bound=EXACT)
    taken = dt.zeros((3, 4), "f4")
    dt.ndimage.affine_transform(x, [0.5, 2], output=taken, order=1)
    expected = dt.ndimage.affine_transform(x, [0.5, 2], output_shape=(3, 4), order=1).compute()
    np.testing.assert_array_equal(taken.compute(), expected.astype("f4"))


@pytest.mark.parametrize("angle", [0, 90, 180, 270, -90, 360])
def test_right_angles_move_cells(angle):
    x = np.arange(12).reshape(3, 4)
    found = dt.ndimage.rotate(x, angle, order=1).compute()
    np.testing.assert_array_equal(found, np.rot90(x, angle // 90))


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("dtype", ["u1", "f4", "c8"])
@pytest.mark.parametrize("mode", ["constant", "nearest", "grid-wrap"])
def test_every_sharding_has_one_value(dtype, mode, shardings):
    x = image((3, 37, 41), dtype)

    def made(array):
        turned = dt.ndimage.rotate(array, 25, axes=(1, 2), mode=mode, order=3)
        return dt.ndimage.affine_transform(turned, np.eye(3) * 0.9 - 0.1, 2.0, order=1, mode=mode)

    whole = made(dt.asarray(x)).compute()
    for chunks in ((1, 5, 41), (3, 37, 4), (2, 9, 13)):
        with shardings.tiny(4000, 2, 2):
            plan = dt.plan(made(dt.asarray(x).rechunk(chunks)))
            plan.verify()
            assert same_bits(plan.compute(), whole)
    assert same_bits(made(dt.asarray(x))[1, 5:9, ::7].compute(), whole[1, 5:9, ::7].copy())


def test_coordinates_that_are_no_numbers_have_the_constant():
    found = dt.ndimage.affine_transform(np.ones(3), [0.0], order=1, mode="mirror", cval=7)
    assert found.compute().tolist() == [7, 7, 7]


@pytest.mark.parametrize(
    ("matrix", "options", "words"),
    [
        (3.0, {}, "no proper affine matrix provided"),
        ([[1j, 0], [0, 1]], {}, "no proper affine matrix provided"),
        ([1, 2, 3], {}, "affine matrix has wrong number of rows: 3 for 2"),
        ([[1, 2], [3, 4]], {"output_shape": (3,)}, "wrong number of columns: 2 for 1"),
        ([1, 2], {"output_shape": (3,)}, "wrong number of columns: 2 for 1"),
        ([1, 2], {"offset": (1, 2, 3)}, "no proper offset provided: .* of shape"),
        ([1, 2], {"output_shape": ()}, "input and output rank must be > 0"),
        ([1, 2], {"output_shape": (3, -1)}, "sides must not be negative"),
        (np.ones((3, 3)), {}, "bottom row was not equal to"),
    ],
)
def test_maps_that_do_not_fit_are_refused(matrix, options, words):
    with pytest.raises(ValueError, match=f"affine_transform: .*{words}"):
        dt.ndimage.affine_transform(dt.ones((3, 4)), matrix, **options)


def test_planes_that_are_none_are_refused():
    for axes, words in (
        ((0, 1, 2), "axes should contain exactly two values"),
        ((0, 0.5), "axes should contain only integer values"),
        ((0, 3), "invalid rotation plane specified"),
        ((0, -2), "invalid rotation plane specified"),
    ):
        with pytest.raises(ValueError, match=f"rotate: {words}"):
            dt.ndimage.rotate(dt.ones((3, 4)), 30, axes)
    with pytest.raises(ValueError, match="rotate: input array should be at least 2D"):
        dt.ndimage.rotate(dt.ones(3), 30)
    with pytest.raises(RuntimeError, match="rotate: angle must be finite"):
        dt.ndimage.rotate(dt.ones((3, 4)), np.nan)


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
    chunks = tuple(int(random.integers(1, n + 1)) for n in shape)
    matrix, moved = random.normal(0, 0.7, (x.ndim, x.ndim)), random.normal(0, 5, x.ndim)
    with dt.config(block_bytes=int(random.integers(50, 2000))):
        check("affine_transform", x, matrix, moved, chunks=chunks, **how)
        if x.ndim > 1:
            check("rotate", x, float(random.uniform(-400, 400)), chunks=chunks, **how)
