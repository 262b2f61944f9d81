import importlib

import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused

RANDOM = np.random.default_rng(0)
STACK, TALL = RANDOM.normal(size=(3, 5, 5)), RANDOM.normal(size=(40, 6))
LOW = TALL[:, [0, 1, 0]]


@pytest.mark.parametrize("x", [STACK, TALL, TALL.T, LOW, np.zeros((3, 3)), np.zeros((0, 3))])
def test_ranks_and_pseudo_inverses_are_numpys(x):
    np.testing.assert_array_equal(dt.linalg.matrix_rank(x).compute(), np.linalg.matrix_rank(x))
    np.testing.assert_allclose(dt.linalg.pinv(x).compute(), np.linalg.pinv(x), atol=1e-12)
    for options in ({"rtol": 0.4}, {"tol": 0.9}):
        expected = np.linalg.matrix_rank(x, **options)
        np.testing.assert_array_equal(dt.linalg.matrix_rank(x, **options).compute(), expected)
    expected = np.linalg.pinv(x, rcond=0.4)
    np.testing.assert_allclose(dt.linalg.pinv(x, 0.4).compute(), expected, atol=1e-12)


def test_hermitian_matrices():
    x = STACK + STACK.transpose(0, 2, 1)
    x[0] = np.outer(x[0, 0], x[0, 0])
    found = dt.linalg.matrix_rank(x, hermitian=True)
    np.testing.assert_array_equal(found.compute(), np.linalg.matrix_rank(x, hermitian=True))
    found = dt.linalg.pinv(x, hermitian=True).compute()
    np.testing.assert_allclose(found, np.linalg.pinv(x, hermitian=True), atol=1e-10)


@pytest.mark.parametrize("x", [np.zeros(3), np.ones(3), np.array(2.0)])
def test_a_vector_has_rank_zero_or_one(x):
    assert int(dt.linalg.matrix_rank(x)) == np.linalg.matrix_rank(x)


@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc"])
def test_conditions_are_numpys(p):
    found = np.linalg.cond(dt.asarray(STACK), p).compute()
    np.testing.assert_allclose(found, np.linalg.cond(STACK, p))


def test_a_singular_matrix_has_no_bound():
    singular = np.zeros((2, 2))
    assert float(dt.linalg.cond(singular)) == np.linalg.cond(singular) == np.inf


@pytest.mark.parametrize("right", [(40,), (40, 2)])
@pytest.mark.parametrize("x", [TALL, LOW, TALL + 1j * TALL[::-1]])
def test_least_squares_are_numpys(x, right):
    b = RANDOM.normal(size=right)
    found, expected = dt.linalg.lstsq(x, b), np.linalg.lstsq(x, b)
    np.testing.assert_allclose(found.x.compute(), expected[0], atol=1e-10)
    assert int(found.rank) == expected[2]
    np.testing.assert_allclose(found.singular_values.compute(), expected[3], atol=1e-10)
    if expected[2] == x.shape[1]:
        np.testing.assert_allclose(found.residuals.compute(), expected[1])
    wide, none, *_ = np.linalg.lstsq(dt.asarray(x.T), b[: x.shape[1]])
    assert none.shape == (0,)
    np.testing.assert_allclose(wide.compute(), np.linalg.lstsq(x.T, b[: x.shape[1]])[0], atol=1e-10)


def test_a_long_table_is_read_by_blocks_of_rows(monkeypatch):
    module = importlib.import_module("dask_tapestry.arrays.linalg.factorizations")
    monkeypatch.setattr(module, "LEAST_BLOCK_CELLS", 64)
    x, b = RANDOM.normal(size=(1000, 3)), RANDOM.normal(size=1000)
    found = dt.linalg.lstsq(dt.asarray(x).rechunk((100, 3)), b)
    np.testing.assert_allclose(found.x.compute(), np.linalg.lstsq(x, b)[0])
    np.testing.assert_allclose(found.residuals.compute(), np.linalg.lstsq(x, b)[1])


@pytest.mark.parametrize("right", [(400,), (400, 2), (400, 9)])
@pytest.mark.parametrize("rank", [3, 2])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_few_right_sides_of_a_tall_matrix(right, rank, dtype):
    x = (RANDOM.normal(size=(400, rank)) @ RANDOM.normal(size=(rank, 3))).astype(dtype)
    b = (x @ np.ones((3, *right[1:])) + RANDOM.normal(size=right)).astype(dtype)
    rcond = 1e-4
    found, expected = dt.linalg.lstsq(x, b, rcond), np.linalg.lstsq(x, b, rcond)
    close = 1e-3 if dtype == "f4" else 1e-9
    assert (found.x.dtype, found.residuals.dtype) == (expected[0].dtype, expected[1].dtype)
    np.testing.assert_allclose(found.x.compute(), expected[0], atol=close)
    assert int(found.rank) == expected[2] == rank
    apart = (abs(b - x @ expected[0]) ** 2).sum(0)
    np.testing.assert_allclose(found.residuals.compute(), np.atleast_1d(apart), rtol=close)


def test_a_tall_matrix_and_its_right_side_are_read_once():
    x = dt.placeholder((100_000_000, 50), "float64", stored_chunks=(1_000_000, 50))
    y = dt.placeholder((100_000_000,), "float64", stored_chunks=(1_000_000,))
    p = dt.plan(*dt.linalg.lstsq(x, y), resources=dt.Resources(8, 2, "8 GiB"))
    assert p.cost["bytes_read"] <= 1.2 * (x.nbytes + y.nbytes)  # blocks end within chunks


@pytest.mark.parametrize("shape", [(40, 3), (3, 40), (6, 6)])
@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_many_right_sides(shape, dtype):
    x = RANDOM.normal(size=shape).astype(dtype)
    x[:, -1] = x[:, 0]
    b = RANDOM.normal(size=(shape[0], 200)).astype(dtype)
    found, expected = dt.linalg.lstsq(x, b, 1e-4), np.linalg.lstsq(x, b, 1e-4)
    close = 1e-3 if dtype == "c8" else 1e-10
    for ours, numpys in zip(found, expected, strict=True):
        assert ours.dtype == numpys.dtype
    np.testing.assert_allclose(found.x.compute(), expected[0], atol=close)
    np.testing.assert_allclose(found.singular_values.compute(), expected[3], atol=close)
    assert int(found.rank) == expected[2] == min(shape) - (shape[0] >= shape[1])


def test_many_right_sides_are_solved_for_by_blocks():
    """A fit for each of many pixels: no task holds them all, and they are read once."""
    y = dt.placeholder((48, 100_000_000), "float64", stored_chunks=(48, 40_000))
    fits = dt.polyfit(np.arange(48.0), y, 2)
    p = dt.plan(fits.mean(axis=1), resources=dt.Resources(50, 4, "16 GiB"))
    assert p.cost["bytes_read"] <= 1.01 * y.nbytes


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: xp.linalg.lstsq(x(TALL), x(np.ones(3))),
        lambda xp, x: xp.linalg.pinv(x(np.ones(3))),
        lambda xp, x: xp.linalg.pinv(x(TALL), 0.1, rtol=0.1),
        lambda xp, x: xp.linalg.matrix_rank(x(TALL), 0.1, rtol=0.1),
        lambda xp, x: xp.linalg.cond(x(TALL), 1),
    ],
)
def test_what_numpy_refuses_is_refused(call):
    refused(call)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("iterator", ["power", "QR"])
@pytest.mark.parametrize("iterations", [0, 2])
def test_random_projections_find_the_largest(iterator, iterations):
    x = RANDOM.normal(size=(200, 5)) @ RANDOM.normal(size=(5, 90))
    u, s, vh = dt.linalg.svd_compressed(x, 3, iterator, iterations, seed=1)
    assert (u.shape, s.shape, vh.shape) == ((200, 3), (3,), (3, 90))
    np.testing.assert_allclose(s.compute(), np.linalg.svdvals(x)[:3])
    left, sizes, right = np.linalg.svd(x, full_matrices=False)
    best = (left[:, :3] * sizes[:3]) @ right[:3]
    np.testing.assert_allclose(((u * s) @ vh).compute(), best, atol=1e-9)
    assert (vh[:, 0].compute() > 0).all()


def test_the_same_seed_gives_the_same_values():
    x = RANDOM.normal(size=(100, 50))
    first, again = (dt.linalg.svd_compressed(x, 4, seed=3)[1].compute() for _ in range(2))
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(
    ("options", "error"),
    [({"k": 0}, dt.ArgumentError), ({"k": 2, "iterator": "none"}, dt.ArgumentError)],
)
def test_what_random_projections_do_not_take_is_refused(options, error):
    with pytest.raises(error):
        dt.linalg.svd_compressed(TALL, **options)
    with pytest.raises(dt.ShapeError):
        dt.linalg.svd_compressed(STACK, 2)


@pytest.mark.parametrize("shape", [(0, 0), (2, 0), (2, 3, 0)])
@pytest.mark.parametrize("order", [None, -2, 1])
def test_nothing_has_no_condition(shape, order):
    with pytest.raises(dt.LinAlgError, match="empty"):
        dt.linalg.cond(np.zeros(shape), order)


@pytest.mark.parametrize("order", [1, -1, np.inf, "fro"])
def test_singular_matrices_among_others_have_infinite_conditions(order):
    x = np.stack([np.eye(3), np.ones((3, 3)), 2 * np.eye(3)])
    np.testing.assert_array_equal(dt.linalg.cond(x, order).compute(), np.linalg.cond(x, order))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (0, 3), (3, 0)])
def test_the_rank_that_least_squares_tell_has_numpys_dtype(shape):
    a, b = np.ones(shape), np.ones(shape[0])
    ours, expected = dt.linalg.lstsq(a, b).rank.compute(), np.linalg.lstsq(a, b)[2]
    assert (ours, ours.dtype) == (expected, np.asarray(expected).dtype)


@pytest.mark.parametrize("right", [(3,), (3, 2), ()])
def test_right_sides_of_other_rows_are_numpys_error(right):
    a = np.ones((5, 3))
    for linalg in (np.linalg, dt.linalg):
        with pytest.raises(np.linalg.LinAlgError):
            linalg.lstsq(a, np.ones(right))
