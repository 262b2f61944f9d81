"""Bits do not depend on where in a block a cell stands, nor on strides, overlap or buffers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu.cells import reproducible_ufuncs
from dask_tapestry_kernels.cpu.cells.reproducible_ufuncs import EXACT, scale
from tests.comparisons import same_bits, values

COMPLEX = st.complex_numbers(max_magnitude=1e100, allow_nan=False)
EACH = pytest.mark.parametrize("name", EXACT)
KINDS = pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])


def operands(name, dtype):
    random = np.random.default_rng(11)
    count = 1 if name == "square" else 2
    cells = [random.normal(size=200) for _ in range(2 * count)]
    if np.dtype(dtype).kind == "c":
        cells = [re + 1j * im for re, im in zip(cells[::2], cells[1::2], strict=True)]
    cells = [np.where(random.random(200) < 0.3, random.choice([0.0, -0.0], 200), x) for x in cells]
    return [x.astype(dtype) for x in cells[:count]]


@EACH
@KINDS
def test_one_cell_has_the_bits_it_has_in_a_block(name, dtype):
    xs = operands(name, dtype)
    whole = EXACT[name](*xs)
    alone = np.array([EXACT[name](*[x[i] for x in xs]) for i in range(200)])
    far = [np.repeat(x, 40)[::40] for x in xs]
    assert same_bits(alone, whole)
    assert same_bits(EXACT[name](*far), whole)


@EACH
@KINDS
def test_buffers_and_overlap_change_nothing(name, dtype):
    xs = operands(name, dtype)
    whole = EXACT[name](*xs)
    out = np.empty(1000, dtype)[::5]
    assert EXACT[name](*xs, out=out) is out
    assert same_bits(out, whole)
    wide = np.zeros(201, dtype)
    wide[1:] = xs[0]
    EXACT[name](wide[1:], *xs[1:], out=wide[:-1])
    assert same_bits(wide[:-1], whole)


@EACH
@pytest.mark.parametrize("dtype", ["i8", "u1", "f2", "f8"])
def test_real_numbers_are_numpys(name, dtype):
    xs = [values((50,), dtype, n) for n in range(1 if name == "square" else 2)]
    if name in ("fmax", "fmin"):  # of zeros of two signs NumPy takes either
        xs = [np.where(x == 0, np.zeros((), dtype), x) for x in xs]
    with np.errstate(all="ignore"):
        assert same_bits(EXACT[name](*xs), getattr(np, name)(*xs))


@given(COMPLEX, COMPLEX)
def test_a_product_is_four_products_a_difference_and_a_sum(x, y):
    real = x.real * y.real - x.imag * y.imag
    imag = x.real * y.imag + x.imag * y.real
    assert same_bits(EXACT["multiply"](x, y), np.complex128(complex(real, imag)))


def test_the_first_of_equals_is_taken_and_a_number_before_a_nan():
    x, y = np.array([0.0, -0.0, np.nan, 1.0, np.nan]), np.array([-0.0, 0.0, 2.0, np.nan, np.nan])
    assert same_bits(EXACT["fmax"](x, y), np.array([0.0, -0.0, 2.0, 1.0, np.nan]))
    assert same_bits(EXACT["fmin"](x, y), np.array([0.0, -0.0, 2.0, 1.0, np.nan]))


def test_a_real_factor_leaves_the_parts_apart():
    x = np.array([complex(np.inf, 1.0), complex(2.0, -0.0)])
    assert same_bits(scale(x, np.array([2.0])), np.array([complex(np.inf, 2), complex(4, -0.0)]))
    assert same_bits(scale(x.real, np.array([2.0])), x.real * 2)


def test_what_is_exact_is_a_formula_for_some_dtypes_alone():
    assert reproducible_ufuncs.is_exact(reproducible_ufuncs.multiply, np.dtype("c8"))
    assert not reproducible_ufuncs.is_exact(reproducible_ufuncs.multiply, np.dtype("f8"))
    assert reproducible_ufuncs.is_exact(reproducible_ufuncs.fmin, np.dtype("f4"))
    assert not reproducible_ufuncs.is_exact(reproducible_ufuncs.fmax, np.dtype("i4"))
    assert not reproducible_ufuncs.is_exact(np.add, np.dtype("c8"))
