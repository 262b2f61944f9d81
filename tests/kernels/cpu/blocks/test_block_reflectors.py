"""Block reflectors make the triangle and the columns that LAPACK makes one reflection at a time."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import block_reflectors, lapack, matrices
from dask_tapestry_kernels.cpu.blocks.block_reflectors import WIDTH, are_worth

DTYPES = ("f4", "f8", "c8", "c16")
SHAPES = [(2100, 32), (1300, WIDTH), (700, WIDTH + 1), (400, 300), (2 * WIDTH, 2 * WIDTH)]


def cells(shape, dtype, rank=None):
    random = np.random.default_rng(shape[0])
    a = random.normal(size=shape) + (1j * random.normal(size=shape) if dtype[0] == "c" else 0)
    if rank is not None:
        a = a[:, :rank] @ random.normal(size=(rank, shape[1]))
    return a.astype(dtype)


@pytest.fixture(autouse=True)
def _needs_lapack():
    if lapack.routines() is None:
        pytest.skip("NumPy's library is not OpenBLAS")


@pytest.mark.few(6)  # each dtype, shape and rank
@pytest.mark.covering
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rank", [None, 3])
def test_the_factors_are_a_rotation_and_a_triangle(shape, dtype, rank):
    assert are_worth(*shape)
    a = cells(shape, dtype, rank)
    q, r = matrices.qr(a, mode="reduced")
    bound = {"atol": 1e-13 * abs(a).max() * len(a) ** 0.5}
    np.testing.assert_allclose(q @ r, a, **bound)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(shape[1]), atol=1e-13)
    np.testing.assert_array_equal(r, np.triu(r))
    np.testing.assert_array_equal(matrices.triangle(a), r)
    if rank is None:  # else some reflections are of rounding errors
        np.testing.assert_allclose(r, np.linalg.qr(a.astype(r.dtype))[1], **bound)


@pytest.mark.covering
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_columns_are_turned(shape, dtype, order):
    a, turn = cells(shape, dtype), cells((shape[1], shape[1]), dtype)
    made = np.empty((shape[0] + 2, shape[1]), dtype, order=order)
    made[...] = 77
    matrices.put_turned_columns(a, turn, made[1:-1])
    q, _ = matrices.qr(a, mode="reduced")
    np.testing.assert_allclose(made[1:-1], q @ turn, atol=200 * np.finfo(dtype).eps)
    assert (made[[0, -1]] == 77).all()


def test_cells_of_a_layout_do_not_change_bits():
    a = cells((700, 200), "f8")
    expected = matrices.qr(a, mode="reduced")
    for held in (a.copy("F"), np.repeat(a, 2, axis=1)[:, ::2], a[::-1].copy()[::-1]):
        for made, factor in zip(matrices.qr(held, mode="reduced"), expected, strict=True):
            np.testing.assert_array_equal(made, factor)


def test_where_it_is_not_openblas_numpy_factors(monkeypatch):
    monkeypatch.setattr(lapack, "routines", lambda: None)
    a = cells((2100, 32), "f8")
    assert block_reflectors.factor_blocks(a.copy("F")) is None
    for made, factor in zip(matrices.qr(a, mode="reduced"), np.linalg.qr(a), strict=True):
        np.testing.assert_array_equal(made, factor)
