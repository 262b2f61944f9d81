"""Kernels of panels applied from both sides: strips make what the whole matrix makes."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import band_panels
from dask_tapestry_kernels.cpu.blocks.reflectors import reflections, reflectors

SIDE, WIDTH = 9, 2


def matrix(dtype):
    random = np.random.default_rng(0)
    a = random.normal(size=(SIDE, SIDE)) + (1j * random.normal(size=(SIDE, SIDE)))
    a = a if dtype == "c16" else a.real
    return a + a.conj().T


def step(a, numbers):
    """The first panel applied to some columns."""
    packed, t = reflectors(a[WIDTH:, :WIDTH])
    whole = np.arange(SIDE)
    w = band_panels.two_sided(packed, t, band_panels.reflected_product(packed, whole, a))
    return packed, t, band_panels.band_strip(packed, w, numbers, a[:, numbers])


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_reflections_are_applied_from_both_sides(dtype):
    a = matrix(dtype)
    packed, t, made = step(a, np.arange(SIDE))
    v = reflections(packed)
    q = np.eye(SIDE - WIDTH) - v @ t @ v.conj().T
    expected = q.conj().T @ a[WIDTH:, WIDTH:] @ q
    np.testing.assert_allclose(made[WIDTH:, WIDTH:], expected, atol=1e-13)
    np.testing.assert_array_equal(made[WIDTH:, :WIDTH], packed)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_strips_are_what_is_made_of_all_columns(dtype):
    a = matrix(dtype)
    packed, _, whole = step(a, np.arange(SIDE))
    product = band_panels.reflected_product(packed, np.arange(SIDE), a)
    for columns in (slice(0, 3), slice(1, 2), slice(2, 5), slice(7, 9)):
        numbers = np.arange(SIDE)[columns]
        np.testing.assert_allclose(step(a, numbers)[2], whole[:, columns], atol=1e-13)
        part = band_panels.reflected_product(packed, numbers, a[:, columns])
        np.testing.assert_allclose(part, product[columns], atol=1e-13)


def test_a_strip_before_the_panel_is_returned_as_it_is():
    a = matrix("f8")
    packed, _ = reflectors(a[4:, 2:4])
    before = a[:, :2]
    assert band_panels.band_strip(packed, packed, np.arange(2), before) is before


def test_columns_of_the_band_begin_at_the_diagonal():
    a = np.arange(16.0).reshape(4, 4)
    made = band_panels.band_columns(np.arange(3), np.arange(2, 4), a[:, 2:])
    np.testing.assert_array_equal(made, [[10, 15], [14, 0], [0, 0]])
