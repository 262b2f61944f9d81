"""Kernels of panels: strips before, of and behind a panel; tests of operators compose them."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import panels

A = np.random.default_rng(0).normal(size=(6, 6))


def test_a_strip_before_the_panel_is_returned_as_it_is():
    factors, before = panels.factor_qr_panel(A[2:, 2:4]), A[:, :2]
    assert panels.qr_strip(*factors, np.arange(2), before) is before


def test_strips_are_what_is_made_of_all_columns():
    factors = panels.factor_qr_panel(A[2:, 2:4])
    whole = panels.qr_strip(*factors, np.arange(6), A)
    for columns in (slice(0, 3), slice(3, 4), slice(3, 6), slice(5, 6)):
        part = panels.qr_strip(*factors, np.arange(6)[columns], A[:, columns])
        np.testing.assert_allclose(part, whole[:, columns], atol=1e-14)
    np.testing.assert_array_equal(whole[2:, 2:4], factors[0])


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_a_panel_of_lu_is_applied_to_the_rows_from_its_own_on(dtype):
    """Rows above it are left, those below have its order, and it makes its own columns zero."""
    x = A.astype(dtype) + (1j * A.T if dtype[0] == "c" else 0)
    panel = x[2:, :2]
    packed, order = panels.factor_lu_panel(panel)
    near = {"atol": 1e-5 if dtype in ("f4", "c8") else 1e-14}
    lower = np.tril(packed, -1) + np.eye(4, 2)
    np.testing.assert_allclose(lower @ np.triu(packed[:2]), panel[order], **near)
    before = x[:, 2:].copy()
    made = panels.lu_strip(packed, order, before)
    np.testing.assert_array_equal(before, x[:, 2:])
    np.testing.assert_array_equal(made[:2], x[:2, 2:])
    whole = np.concatenate([lower, np.eye(4, 2, -2)], axis=1)  # rows below are not solved
    np.testing.assert_allclose(whole @ made[2:], x[2:, 2:][order], **near)
    own = panels.lu_strip(packed, order, x[:, :2])
    np.testing.assert_allclose(own[4:], 0, **near)


def test_reflections_applied_from_the_last_to_the_first_make_the_columns():
    packed, t = panels.factor_qr_panel(A[:, :2])
    q = panels.reflected_columns(packed, t, np.arange(2), packed)
    np.testing.assert_allclose(q @ np.triu(packed[:2]), A[:, :2], atol=1e-14)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_tiles_of_cholesky_are_those_of_the_whole(dtype):
    x = A.astype(dtype) + (1j * A.T if dtype[0] == "c" else 0)
    whole = x @ x.conj().T + np.eye(6, dtype=dtype)
    made = np.linalg.cholesky(whole)
    near = {"rtol": 1e-4 if dtype in ("f4", "c8") else 1e-12, "atol": 1e-5}
    known = made[2:4, :2], made[4:, :2]
    hidden = np.tril(whole[2:4, 2:4])  # the other half is not looked at
    corner = panels.cholesky_corner(hidden, known[0])
    np.testing.assert_allclose(corner, made[2:4, 2:4], **near)
    left = panels.less_products(whole[4:, 2:4], known[1], known[0])
    np.testing.assert_allclose(panels.cholesky_below(corner, left), made[4:, 2:4], **near)
    at_once = panels.cholesky_below(corner, whole[4:, 2:4], known[1], known[0])
    np.testing.assert_array_equal(at_once, panels.cholesky_below(corner, left))


def test_tiles_are_made_beside_what_they_are_made_of():
    block, rows = A[:, :2].copy(), A[:2, 3:].copy()
    before = block.copy()
    made = panels.less_products(block, A[:, 3:], rows)
    np.testing.assert_allclose(made, before - A[:, 3:] @ rows.T)
    panels.cholesky_below(np.eye(2), block)
    np.testing.assert_array_equal(block, before)


def test_what_is_solved_is_taken_out_of_others():
    solved, beside, rows = A[:2, :3], A[2:, 4:], A[2:, :3].copy()
    made = panels.less_solved(solved, beside, rows)
    np.testing.assert_allclose(made, A[2:, :3] - beside @ solved)
    np.testing.assert_array_equal(rows, A[2:, :3])


def test_orders_of_rows_compose():
    orders = np.array([2, 0, 1, 3]), np.array([1, 0])
    assert panels.composed_order(*orders).tolist() == [2, 0, 3, 1]
    assert panels.sign_of_orders(*orders) == -1
    block = np.arange(8.0).reshape(4, 2)
    made = panels.in_last_order(block, *orders[1:])
    assert made[:, 0].tolist() == [0, 2, 6, 4]
    assert block[:, 0].tolist() == [0, 2, 4, 6]


def test_blocks_of_rows():
    triangles = panels.row_triangles(A[:, :2], rows=3)
    np.testing.assert_array_equal(
        triangles, np.linalg.qr(A[:, :2].reshape(2, 3, 2), "r").reshape(4, 2)
    )
    turned = panels.turned_columns(A[:, :2], triangles, rows=3)
    np.testing.assert_allclose(turned, A[:, :2], atol=1e-14)


def test_a_copy_is_new():
    assert panels.copied(A) is not A


@pytest.mark.parametrize(
    ("numbers", "own", "behind"),
    [
        (range(4), (4, 4), (4, 4)),
        (range(3, 9), (1, 3), (3, 6)),
        (range(5, 6), (0, 1), (1, 1)),
        (range(20, 22), (0, 0), (0, 2)),
    ],
)
def test_where_a_panel_lies(numbers, own, behind):
    """A panel of two columns from row 4 on."""
    numbers = np.array(numbers)
    found = panels.place_of(np.empty((6, 2)), numbers, np.empty((10, len(numbers))))
    assert found[0] == 4
    assert [part.indices(len(numbers))[:2] for part in found[1:]] == [own, behind]


def test_what_panels_make_lies_in_the_memory_that_is_given():
    """Cells and bits are those of new memory."""
    x = A @ A.T + np.eye(6)
    packed, t = panels.factor_qr_panel(A[2:, 2:4])
    lu, order = panels.factor_lu_panel(A[2:, :2])
    numbers = np.arange(6)
    calls = [
        (panels.copied, (A,)),
        (panels.less_squares, (x, A)),
        (panels.cholesky_corner, (x + 6 * np.eye(6), A[:, :1])),
        (panels.less_products, (A, A, A)),
        (panels.cholesky_below, (np.linalg.cholesky(x), A, A, A)),
        (panels.less_solved, (A, A, A)),
        (panels.lu_strip, (lu, order, A)),
        (panels.in_last_order, (A, np.array([2, 0, 1]))),
        (panels.qr_strip, (packed, t, numbers, A)),
        (panels.reflected_columns, (packed, t, numbers, A)),
    ]
    for function, blocks in calls:
        given, before = np.full((6, 6), np.nan), [one.copy() for one in blocks]
        made = function(*blocks, out=given)
        assert made is given, function.__name__
        np.testing.assert_array_equal(made, function(*blocks))
        for one, was in zip(blocks, before, strict=True):
            np.testing.assert_array_equal(one, was)


def test_half_of_a_square_is_made_less_squares():
    made = panels.less_squares(A, A[:, :2], A[:, 2:5])
    whole = A - A[:, :5] @ A[:, :5].T
    np.testing.assert_allclose(np.tril(made), np.tril(whole), atol=1e-14)
