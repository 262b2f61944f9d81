"""Kernels of panels applied from the right: strips and rows make what the whole matrix makes."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import upper_band_panels as panels
from dask_tapestry_kernels.cpu.blocks.reflectors import reflections, reflectors

ROWS, COLUMNS, WIDTH = 11, 9, 2


def matrix(dtype):
    random = np.random.default_rng(0)
    a = random.normal(size=(ROWS, COLUMNS)) + 1j * random.normal(size=(ROWS, COLUMNS))
    return a if dtype == "c16" else a.real


def step(a, numbers, first=WIDTH):
    """Reflections of the adjoint of two rows, behind the first columns, applied to some columns."""
    packed, t = reflectors(a[WIDTH : 2 * WIDTH, first:].conj().T)
    product = panels.row_product(packed, t, a[WIDTH:, first:])
    return packed, t, panels.row_strip(packed, product, numbers - first, a[:, numbers])


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("first", [WIDTH, 5, COLUMNS - 1])
def test_reflections_are_applied_from_the_right(first, dtype):
    a = matrix(dtype)
    packed, t, made = step(a, np.arange(COLUMNS), first)
    v = reflections(packed)
    expected = a.copy()
    expected[WIDTH:, first:] = a[WIDTH:, first:] @ (np.eye(COLUMNS - first) - v @ t @ v.conj().T)
    np.testing.assert_allclose(made, expected, atol=1e-13)
    assert not np.triu(made[WIDTH : 2 * WIDTH, first:], 1).any()


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_strips_and_rows_are_what_is_made_of_all(dtype):
    a = matrix(dtype)
    packed, t, whole = step(a, np.arange(COLUMNS))
    for columns in (slice(0, 3), slice(1, 4), slice(3, 5), slice(7, 9)):
        made = step(a, np.arange(COLUMNS)[columns])[2]
        np.testing.assert_allclose(made, whole[:, columns], atol=1e-13)
    product = panels.row_product(packed, t, a[:, WIDTH:])
    part = panels.row_product(packed, t, a[3:5, WIDTH:])
    np.testing.assert_allclose(part, product[3:5], atol=1e-13)


def test_a_strip_before_the_reflections_is_returned_as_it_is():
    a = matrix("f8")
    packed, _ = reflectors(a[2:4, 4:].T)
    before = a[:, :4]
    assert panels.row_strip(packed, a[2:, :2], np.arange(4) - 4, before) is before


def test_columns_of_the_band_end_at_the_diagonal():
    a = np.arange(16.0).reshape(4, 4)
    made = panels.upper_columns(np.arange(3), np.arange(1, 3), a[:, 1:3])
    np.testing.assert_array_equal(made, [[5, 10], [1, 6], [0, 2]])
