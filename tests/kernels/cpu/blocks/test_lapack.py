"""Routines work in place on parts of matrices, however these lie, and touch nothing beside them."""

from itertools import product

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import lapack
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product
from dask_tapestry_kernels.cpu.blocks.lu import factor_lu
from dask_tapestry_kernels.cpu.blocks.matrices import cholesky, inverse, qr
from dask_tapestry_kernels.cpu.blocks.reflectors import reflectors
from dask_tapestry_kernels.cpu.blocks.triangles import clear_beside, solve_triangle

DTYPES = ("f4", "f8", "c8", "c16")
LAYOUTS = {
    "rows": lambda x: np.array(x, order="C"),
    "columns": lambda x: np.array(x, order="F"),
    "part of rows": lambda x: _within(x)[1:-1, 1:-1],
    "part of columns": lambda x: _within(x.T)[1:-1, 1:-1].T,
    "backwards": lambda x: np.array(x[::-1])[::-1],
    "every other": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
}


def _within(x):
    wide = np.full((x.shape[0] + 2, x.shape[1] + 2), 77, x.dtype)
    wide[1:-1, 1:-1] = x
    return wide


def cells(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape)
    if dtype[0] == "c":
        x = x + 1j * random.standard_normal(shape)
    return x.astype(dtype)


@pytest.fixture(params=["LAPACK's", "NumPy's"])
def either(request, monkeypatch):
    """Both ways to compute."""
    if request.param == "NumPy's":
        monkeypatch.setattr(lapack, "routines", lambda: None)
    elif lapack.routines() is None:
        pytest.skip("NumPy's library is not OpenBLAS")


def test_this_environment_has_routines():
    found = lapack.routines()
    config = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    assert (found is not None) == ("openblas" in config)


@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("of_x", LAYOUTS)
def test_products_of_all_layouts(of_x, dtype):
    x, a, b = (cells(shape, dtype, n) for n, shape in enumerate([(5, 7), (5, 3), (3, 7)]))
    for of_a, of_b in product(LAYOUTS, LAYOUTS):
        held = LAYOUTS[of_x](x)
        subtract_product(held, LAYOUTS[of_a](a), LAYOUTS[of_b](b))
        np.testing.assert_allclose(held, x - a @ b, atol=20 * np.finfo(dtype).eps)
        beside = held.base
        if of_x.startswith("part"):
            assert (beside[0] == 77).all()
            assert (beside[-1] == 77).all()
            assert (beside[:, [0, -1]] == 77).all()


@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_triangles_of_all_layouts(layout, dtype):
    a, b = cells((6, 6), dtype) / 8, cells((6, 3), dtype, 1)
    np.fill_diagonal(a, 2)
    for lower, unit in product((False, True), repeat=2):
        alone = np.tril(a) if lower else np.triu(a)
        if unit:
            np.fill_diagonal(alone, 1)
        found = solve_triangle(LAYOUTS[layout](a), LAYOUTS[layout](b), lower, unit)
        np.testing.assert_allclose(alone @ found, b, atol=20 * np.finfo(dtype).eps)


@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_factors_of_all_layouts(layout, dtype):
    for shape in ((9, 9), (9, 4), (4, 9), (1, 1), (0, 3)):
        check_factors(cells(shape, dtype), layout)


def check_factors(a, layout):
    shape, dtype = a.shape, a.dtype
    packed, order = factor_lu(LAYOUTS[layout](a))
    side = min(shape)
    made = (np.tril(packed[:, :side], -1) + np.eye(shape[0], side)) @ np.triu(packed[:side])
    bound = {"atol": 40 * np.finfo(dtype).eps}
    np.testing.assert_allclose(made, a[order], **bound)
    for ours, theirs in zip(qr(LAYOUTS[layout](a), mode="reduced"), np.linalg.qr(a), strict=True):
        np.testing.assert_array_equal(ours.astype(dtype), theirs)


@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reflections_of_all_layouts(layout, dtype):
    a = cells((9, 4), dtype)
    packed, _ = reflectors(LAYOUTS[layout](a))
    np.testing.assert_allclose(
        np.triu(packed[:4]), np.linalg.qr(a).R, atol=40 * np.finfo(dtype).eps
    )


@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_half_is_looked_at(upper, dtype, layout):
    for side in (1, 5, 130):
        check_half(cells((side, side), dtype), upper, layout)


def check_half(a, upper, layout):
    side, dtype = len(a), a.dtype
    whole = (a @ a.conj().T + side * np.eye(side)).astype(dtype)
    half = np.triu(whole) if upper else np.tril(whole)
    half = half + 9 * (np.tril(np.ones_like(a), -1) if upper else np.triu(np.ones_like(a), 1))
    found = cholesky(LAYOUTS[layout](half), upper=upper)
    expected = np.linalg.cholesky(whole, upper=upper)
    np.testing.assert_allclose(found, expected, atol=4 * side * np.finfo(dtype).eps)
    assert not found[
        (np.tril_indices if upper else np.triu_indices)(side, -1 if upper else 1)
    ].any()


@pytest.mark.usefixtures("either")
def test_what_has_no_factors_is_told():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        cholesky(-np.eye(3), upper=False)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        solve_triangle(np.diag([1.0, 0.0]), np.ones((2, 1)), lower=True)


@pytest.mark.parametrize("dtype", ["g", ">f8", "i8"])
def test_other_cells_are_numpys(dtype):
    x, a = np.ones((3, 3), dtype), np.ones((3, 3), dtype)
    assert not lapack.subtract_product(x, a, a)
    subtract_product(x, a, a)
    assert (x == -2).all()


@pytest.mark.parametrize("side", [1, 63, 64, 65, 200])
def test_what_is_beside_a_triangle_is_cleared(side):
    for lower, alone in ((True, np.tril), (False, np.triu)):
        x = np.random.default_rng(0).random((side, side))
        expected = alone(x)
        clear_beside(x, lower)
        np.testing.assert_array_equal(x, expected)


def test_the_layout_of_rows():
    x = np.zeros((4, 6))
    assert lapack.rows_apart(x) == 6
    assert lapack.rows_apart(x[:1]) == 6
    assert lapack.rows_apart(x[:0]) == 6
    assert lapack.rows_apart(x[:, :1]) == 6
    assert lapack.rows_apart(x.T) is None
    assert lapack.rows_apart(np.broadcast_to(x[:1], (3, 6))) is None


def received(x):
    """A copy whose cells are not aligned, as of a part of a message."""
    held = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    held[...] = x
    assert not held.flags.aligned
    return held


def test_cells_that_are_not_aligned_are_read_by_blas_too():
    x, a, b = (np.random.default_rng(n).normal(size=(5, 5)) for n in range(3))
    made = x.copy()
    assert lapack.subtract_product(made, received(a), received(b))
    np.testing.assert_allclose(made, x - a @ b)
    for triangle in (np.tril(a) + 9 * np.eye(5), np.triu(a) + 9 * np.eye(5)):
        lower = bool(triangle[0, 1] == 0)
        for right in (b.copy(), b.copy(order="F")):
            assert lapack.solve_triangle(received(triangle), right, lower, False)
            np.testing.assert_allclose(triangle @ right, b)


def test_what_is_not_aligned_is_not_written_by_blas():
    x = received(np.ones((3, 3)))
    assert not lapack.subtract_product(x, np.eye(3), np.eye(3))
    assert not lapack.solve_triangle(np.eye(3), x, True, False)


@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("side", [1, 127, 150])
def test_inverses_of_all_layouts(layout, dtype, side):
    a = cells((side, side), dtype)
    found = inverse(LAYOUTS[layout](a))
    bound = 1e-10 if np.result_type(dtype, "f8") == found.dtype else 1e-3
    np.testing.assert_allclose(found @ a, np.eye(side), atol=bound)
    np.testing.assert_array_equal(found, inverse(a))


@pytest.mark.usefixtures("either")
def test_what_is_singular_has_no_inverse():
    a = cells((150, 150), "f8")
    a[:, 7] = 0
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        inverse(a)
    assert np.isnan(inverse(np.full((150, 150), np.nan))).all()
    assert lapack.invert(np.ones((0, 0))) == (lapack.routines() is not None)
