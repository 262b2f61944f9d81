"""Functions of ours that are given as functions of blocks plan nothing in a block."""

import warnings
from functools import partial

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.user_functions.functions_of_ours import (
    along_axis,
    is_ours,
    of_blocks,
    of_whole_arrays,
)

X = np.random.default_rng(3).random((20, 12))


def ours():
    return dt.from_array(X, chunks=(8, 5))


WHOLE = {
    "map_blocks": (lambda x: dt.map_blocks(dt.sqrt, x), np.sqrt(X)),
    "with a dtype": (lambda x: dt.map_blocks(dt.sqrt, x, dtype="f8"), np.sqrt(X)),
    "with a number": (lambda x: dt.map_blocks(dt.add, x, 1.0), X + 1),
    "of two arrays": (lambda x: dt.map_blocks(dt.hypot, x, x), np.hypot(X, X)),
    "blockwise": (lambda x: dt.blockwise(dt.exp, "ij", x, "ij"), np.exp(X)),
    "sums of lanes": (lambda x: dt.apply_along_axis(dt.sum, 1, x), X.sum(1)),
    "of an option": (lambda x: dt.apply_along_axis(dt.std, 0, x, ddof=1), X.std(0, ddof=1)),
    "medians": (lambda x: dt.apply_along_axis(dt.median, 0, x), np.median(X, 0)),
    "places": (lambda x: dt.apply_along_axis(dt.argmax, -1, x), X.argmax(-1)),
    "totals": (lambda x: dt.apply_along_axis(dt.cumsum, 1, x), X.cumsum(1)),
    "sorted": (lambda x: dt.apply_along_axis(dt.sort, 0, x), np.sort(X, 0)),
}


@pytest.mark.parametrize("name", WHOLE)
def test_they_are_called_with_the_array_itself(name):
    call, expected = WHOLE[name]
    made = call(ours())
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    assert "useroperator" not in str(made.teg)
    assert "blockwise" not in str(made.teg)
    with warnings.catch_warnings(action="error"):
        assert np.allclose(made.compute(), expected, rtol=1e-14)


def test_results_of_ufuncs_have_the_blocks_of_the_array():
    assert dt.map_blocks(dt.sqrt, ours()).chunks == ours().chunks


PER_BLOCK = {
    "blocks that are folded": lambda x: dt.map_blocks(dt.sum, x, keepdims=True, chunks=(1, 1)),
    "another dtype": lambda x: dt.map_blocks(dt.sqrt, x, dtype="f4"),
    "turned blocks": lambda x: dt.blockwise(dt.sqrt, "ji", x, "ij", dtype="f8"),
    "other blocks": lambda x: dt.map_blocks(dt.add, x, x.rechunk((20, 12)), dtype="f8"),
    "quantiles first": lambda x: dt.apply_along_axis(dt.quantile, 1, x, [0.1, 0.5]),
    "fewer cells": lambda x: dt.apply_along_axis(dt.diff, 1, x),
}


@pytest.mark.parametrize("name", PER_BLOCK)
def test_others_are_called_with_blocks(name):
    text = str(PER_BLOCK[name](ours()).teg)
    assert "useroperator" in text or "blockwise" in text


def test_quantiles_of_lanes_lie_along_the_axis():
    square = dt.asarray(X[:2, :2])
    expected = np.apply_along_axis(np.quantile, 1, X[:2, :2], [0.1, 0.5])
    with warnings.catch_warnings(action="error"):
        found = dt.apply_along_axis(dt.quantile, 1, square, [0.1, 0.5]).compute()
    assert np.allclose(found, expected)


def median_of_lanes(x, func, **how):
    return dt.apply_gufunc(func, "(i)->()", x, output_dtypes="f8", **how)


NUMPYS = {
    "reduction": (lambda x: dt.reduction(x, dt.sum, dt.sum, axis=0), X.sum(0)),
    "partial results": (lambda x: dt.reduction(x, np.max, dt.max, combine=dt.max), X.max()),
    "map_overlap": (lambda x: dt.map_overlap(dt.square, x, depth=1, boundary="none"), X**2),
    "blocks that are folded": (
        lambda x: dt.map_blocks(dt.flip, x.rechunk(20), dtype="f8"),
        np.flip(X),
    ),
    "gufunc": (lambda x: median_of_lanes(x, dt.median, vectorize=True), np.median(X, 1)),
    "partial": (lambda x: median_of_lanes(x, partial(dt.median, axis=-1)), np.median(X, 1)),
    "vectorized": (
        lambda x: median_of_lanes(x, np.vectorize(dt.median, signature="(i)->()")),
        np.median(X, 1),
    ),
    "vectorize": (lambda x: dt.vectorize(dt.cos, otypes="d")(x), np.cos(X)),
}


@pytest.mark.parametrize("name", NUMPYS)
def test_blocks_are_given_to_numpys(name):
    call, expected = NUMPYS[name]
    with warnings.catch_warnings(action="error"):
        found = np.asarray(call(ours()))
    assert found.shape == expected.shape
    assert np.allclose(found, expected, rtol=1e-13)


def test_numpys_functions():
    assert of_blocks(dt.sum) is np.sum
    assert of_blocks(dt.linalg.det) is np.linalg.det
    assert of_blocks(dt.sqrt) is np.sqrt
    assert of_blocks(dt.groupby_reduce) is dt.groupby_reduce
    assert of_blocks(np.sum) is np.sum


def test_what_is_ours():
    assert is_ours(dt.sqrt)
    assert not is_ours(np.sqrt)
    assert not is_ours(lambda x: x)
    assert of_whole_arrays(np.sqrt, [ours()]) is None
    assert of_whole_arrays(dt.sum, [ours()]) is None
    assert of_whole_arrays(dt.add, [ours(), X]) is None
    assert along_axis(np.sum, ours(), 0, {}) is None
    assert along_axis(dt.sqrt, ours(), 0, {}) is None


def test_functions_of_no_module():
    """Those that `exec` makes without the name of one."""
    made = {}
    exec("def twice(x): return x * 2", made)
    assert made["twice"].__module__ is None
    assert not is_ours(made["twice"])
    for found in (
        dt.vectorize(made["twice"])(X), dt.map_blocks(made["twice"], ours()),
        dt.apply_along_axis(made["twice"], 1, ours()),
    ):  # fmt: skip
        assert np.array_equal(found.compute(), 2 * X)
