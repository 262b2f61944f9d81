"""Casts are merged only where no value changes: every chain of three numeric dtypes is tried."""

from itertools import product

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.rules.casts import is_detour, is_exact
from dask_tapestry.rules.formula_identities import FORMULA_RULES

from .graphs import after

DTYPES = [np.dtype(c) for c in "?bBhHiIlLefdgFDG"]
EDGES = [0, 1, -1, 2, 127, 128, 255, 256, -128, -129, 2**15, 2**16, 2**24 + 1, 2**31, 2**32 - 1]
EDGES += [2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**64 - 1]
REALS = [0.5, -0.0, 1.1, 65504, 65520, 1e-8, 3.4e38, 1e39, 2**-149, 1e-310, np.inf, -np.inf, np.nan]


def cells(dtype):
    """Values that a cast may change."""
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return np.array([v for v in EDGES if bounds.min <= v <= bounds.max], dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    with np.errstate(all="ignore"):
        return np.array([float(v) for v in EDGES] + REALS).astype(dtype)


@pytest.mark.parametrize("first", DTYPES, ids=str)
def test_a_detour_changes_no_bit(first):
    merged = 0
    for by, last in product(DTYPES, DTYPES):
        if first == by or by == last or not is_detour(first, by, last):
            continue
        merged += 1
        x = cells(first)
        with np.errstate(all="ignore"):
            straight, around = x.astype(last), x.astype(by).astype(last)
        assert np.array_equal(straight, around, equal_nan=last.kind in "fc"), (first, by, last)
        if last.kind == "f":
            assert np.array_equal(np.signbit(straight), np.signbit(around)), (first, by, last)
    assert merged or first == np.clongdouble


@pytest.mark.parametrize("first", DTYPES, ids=str)
def test_an_exact_cast_comes_back(first):
    for by in DTYPES:
        if is_exact(first, by) and not (by.kind == "b" or first.kind == "c"):
            x = cells(first)
            back = x.astype(by).real.astype(first)
            assert np.array_equal(x, back, equal_nan=first.kind == "f"), (first, by)


def casts(*dtypes):
    x = dt.asarray(np.ones(3, dtypes[0]))
    for dtype in dtypes[1:]:
        x = x.astype(dtype)
    return after(x, *FORMULA_RULES).splitlines()[1:-1]


def test_widening_twice_is_widening_once():
    assert casts("i1", "i4", "i8") == ["%1 = elementwise(%0) : int64[3]  # int64(%0)"]


def test_there_and_back_is_nothing():
    assert casts("f4", "f8", "f4") == []
    assert casts("i4", "f8", "i4") == []
    assert casts("f4", "f8", "c16", "c8") == [
        "%1 = elementwise(%0) : complex64[3]  # complex64(%0)"
    ]


@pytest.mark.parametrize(
    "dtypes",
    [
        ("f8", "f4", "f8"),  # rounds
        ("f8", "f4", "f2"),  # rounds twice
        ("i8", "f8", "i8"),  # 53 bits
        ("i8", "f8", "f4"),
        ("f4", "f8", "i4"),  # out of range, each cast has its own value
        ("i4", "i2", "i4"),  # high bits are lost
        ("i1", "u4", "i8"),  # the sign is lost
        ("i4", "?", "i4"),
        ("f8", "c16", "f8"),  # the imaginary part is seen to be dropped
    ],
)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_what_would_change_a_value_stays(dtypes):
    assert len(casts(*dtypes)) == 2


def test_a_cast_inside_a_formula():
    x = dt.asarray(np.ones(3, "i1"))
    y = dt.asarray(np.ones(3, "i8"))
    assert after(x.astype("i4") + y, *FORMULA_RULES).splitlines()[2] == (
        "%2 = elementwise(%0, %1) : int64[3]  # add(int64(%0), %1)"
    )
