import importlib

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt

RANDOM = np.random.default_rng(0)
STACK, TALL = RANDOM.normal(size=(3, 5, 5)), RANDOM.normal(size=(40, 6))
SHAPES = [(40, 6), (6, 40), (3, 5, 5), (2, 3, 4, 2), (1, 1), (0, 3), (3, 0), (0, 0), (2, 0, 3)]


@pytest.fixture
def small_blocks(monkeypatch):
    module = importlib.import_module("dask_tapestry.arrays.linalg.factorizations")
    monkeypatch.setattr(module, "LEAST_BLOCK_CELLS", 64)


def same(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        expected = np.asarray(other)
        assert (one.dtype, one.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(one.compute(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_are_numpys(shape, dtype):
    x = (9 * np.random.default_rng(1).normal(size=shape)).astype(dtype)
    for chunks in (shape, tuple(max(1, n // 2) for n in shape)):
        y = dt.asarray(x).rechunk(chunks) if x.size else dt.asarray(x)
        for mode in ("reduced", "complete", "raw"):
            same(dt.linalg.qr(y, mode), np.linalg.qr(x, mode))
        same([dt.linalg.qr(y, "r")], [np.linalg.qr(x, "r")])
        for full in (False, True):
            same(dt.linalg.svd(y, full), np.linalg.svd(x, full))
        same([dt.linalg.svdvals(y)], [np.linalg.svdvals(x)])
        same([dt.linalg.svd(y, compute_uv=False)], [np.linalg.svd(x, compute_uv=False)])


@pytest.mark.parametrize("signs", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(40, 6), (6, 40), (5, 5)])
def test_signs_are_asked_for_as_of_dask(shape, dtype, signs):
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    factors = dt.linalg.svd(dt.from_array(x, chunks=(5, 5)), coerce_signs=signs)
    u, s, vh = (factor.compute() for factor in factors)
    assert (u.shape, vh.shape) == ((shape[0], min(shape)), (min(shape), shape[1]))
    assert (u.dtype, vh.dtype) == (x.dtype, x.dtype)
    np.testing.assert_allclose((u * s) @ vh, x, atol=1e-4)
    if signs and dtype != "c16":
        theirs = da.linalg.svd(da.from_array(x, chunks=shape))
        np.testing.assert_allclose(vh, theirs[2].compute(), atol=1e-3)
        assert (vh.sum(axis=1) >= 0).all()


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_triangles_are_numpys(dtype, upper):
    x = (STACK @ STACK.transpose(0, 2, 1) + np.eye(5)).astype(dtype)
    same([dt.linalg.cholesky(x, upper=upper)], [np.linalg.cholesky(x, upper=upper)])
    same([np.linalg.cholesky(dt.asarray(x))], [np.linalg.cholesky(x)])


def test_a_matrix_that_is_not_positive_has_no_triangle():
    with pytest.raises(np.linalg.LinAlgError):
        dt.linalg.cholesky(-np.eye(3)).compute()


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("rows", [63, 64, 1003, 1024])
def test_tall_matrices_are_factored_by_blocks_of_rows(rows, dtype):
    x = np.random.default_rng(2).normal(size=(rows, 3)).astype(dtype)
    x = x + 1j * x[::-1] if dtype == "c16" else x
    q, r = (factor.compute() for factor in dt.linalg.qr(x))
    np.testing.assert_allclose(q @ r, x, atol=1e-13)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(3), atol=1e-13)
    assert not np.tril(r, -1).any()
    for y in (x, x.T):
        u, s, vh = (factor.compute() for factor in dt.linalg.svd(y, full_matrices=False))
        np.testing.assert_allclose((u * s) @ vh, y, atol=1e-12)
        np.testing.assert_allclose(s, np.linalg.svdvals(y))
        np.testing.assert_allclose(dt.linalg.svdvals(y).compute(), s)


@pytest.mark.usefixtures("small_blocks")
def test_columns_are_orthonormal_though_rows_depend_on_each_other():
    x = np.ones((100, 3))
    q, r = (factor.compute() for factor in dt.linalg.qr(x))
    np.testing.assert_allclose(q.T @ q, np.eye(3), atol=1e-13)
    np.testing.assert_allclose(q @ r, x, atol=1e-13)


def test_no_worker_needs_a_tall_matrix_whole():
    x = dt.placeholder((10_000_000, 200), "f8", (100_000, 200))  # 15 GiB
    plan = dt.plan(*dt.linalg.qr(x), resources=dt.Resources(16, 1, "4 GiB", "1 GB/s"))
    plan.verify()
    assert plan.cost["bytes_moved"] < 0.1 * x.nbytes


@pytest.mark.parametrize("columns", [100, 2_000])
def test_leading_vectors_ask_for_no_square_of_the_longer_side(columns):
    x = dt.placeholder((columns, 400_000), "f4", (24, 400_000))
    plan = dt.linalg.svd(x).Vh[:5].plan(resources=dt.Resources(16, 4, "16 GiB", "1 GB/s"))
    plan.verify()
    assert plan.cost["peak_worker_bytes"] < 16 * 2**30 < 400_000**2 * 4


@pytest.mark.usefixtures("small_blocks")
def test_blocks_of_many_columns_have_few_rows(monkeypatch):
    module = importlib.import_module("dask_tapestry.arrays.linalg.factorizations")
    x = np.random.default_rng(6).normal(size=(1000, 5))
    heights = {}
    for most in (2**26, 60):
        monkeypatch.setattr(module, "MOST_BLOCK_CELLS", most)
        q, r = dt.linalg.qr(x)
        blocks = [n for n in q.plan().teg if n.operator.name == "rowtriangles"]
        heights[most] = max(n.operator.rows for n in blocks)
        q, r = q.compute(), r.compute()
        np.testing.assert_allclose(q @ r, x, atol=1e-13)
        np.testing.assert_allclose(q.T @ q, np.eye(5), atol=1e-13)
    assert heights[60] < heights[2**26] < 1000


def test_hermitian_matrices():
    x = STACK + STACK.transpose(0, 2, 1)
    same([dt.linalg.svd(x, hermitian=True)[1]], [np.linalg.svd(x, hermitian=True)[1]])
    values = dt.linalg.svd(x, compute_uv=False, hermitian=True)
    same([values], [np.linalg.svd(x, compute_uv=False, hermitian=True)])
    with pytest.raises(dt.LinAlgError, match="square"):
        dt.linalg.svd(TALL, hermitian=True)


def test_other_modes_are_refused():
    with pytest.raises(dt.ArgumentError, match="'full'"):
        dt.linalg.qr(TALL, "full")


@pytest.mark.parametrize("shape", [(48, 3), (3, 48), (2, 40, 2), (5, 0), (0, 5)])
def test_square_rotations_of_a_long_matrix(shape):
    x = np.random.default_rng(4).normal(size=shape)
    u, s, vh = (factor.compute() for factor in dt.linalg.svd(x))
    assert [u.shape, s.shape, vh.shape] == [factor.shape for factor in np.linalg.svd(x)]
    for rotation in (u, vh):
        eye = np.broadcast_to(np.eye(rotation.shape[-1]), rotation.shape)
        np.testing.assert_allclose(rotation @ np.swapaxes(rotation, -1, -2), eye, atol=1e-12)
    k = s.shape[-1]
    np.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x, atol=1e-12)


def test_a_long_matrix_has_short_factors_without_the_square_one():
    x = dt.placeholder((10**7, 100), "f8", (10**5, 100))
    resources = dt.Resources(workers=4, memory="2 GiB")
    assert dt.plan(*dt.linalg.svd(x)[1:], resources=resources).cost["memory_bytes"] < 2**31


@pytest.mark.parametrize("lower", [True, False])
def test_dasks_lower_says_which_triangle(lower):
    cells = np.array([[4.0, 2.0], [2.0, 5.0]])
    wanted = dt.linalg.cholesky(cells, upper=not lower).compute()
    np.testing.assert_array_equal(dt.linalg.cholesky(cells, lower=lower), wanted)
