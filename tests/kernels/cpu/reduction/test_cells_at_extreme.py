import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from tests.comparisons import same_bits
from tests.examples import examples

DTYPES = ("?", "i1", "u8", "f2", "f4", "f8", "c8", "c16", "M8[s]", "U3", "i4,f8")


def cells(dtype, shape, seed):
    """Cells of which many are equal."""
    few = np.random.default_rng(seed).integers(0, 9, shape)
    if np.dtype(dtype).names:
        made = np.zeros(shape, dtype)
        made["f0"], made["f1"] = few, -few
        return made
    return few.astype("i8").astype(dtype)


def folded(score, monoid, axis, arity, origin=0, **levels):
    result, state = MONOIDS[monoid].dtypes(score.dtype, None)
    fold = {"monoid": monoid, "axes": (axis,), "tree": Tree((score.shape[axis],), arity)}
    fold |= {"ddof": 0.0, "dtype": result, "state": state, "origin": (origin,)}
    return {**fold, "source": None, "target": None, **levels}


@examples(60)
@given(
    score=st.sampled_from(("i2", "f4", "f8")),
    dtype=st.sampled_from(DTYPES),
    shape=st.tuples(st.integers(1, 40), st.integers(0, 3), st.integers(1, 5)),
    axis=st.sampled_from((0, 2)),
    monoid=st.sampled_from(("argmax", "argmin")),
    arity=st.sampled_from((2, 8)),
    turned=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_cells_lie_where_numpy_finds_them(
    score, dtype, shape, axis, monoid, arity, turned, seed
):
    """As a whole, and by way of the nodes of every level."""
    scores, band = cells(score, shape, seed), cells(dtype, shape, seed + 1)
    if turned:
        scores, band = (np.asfortranarray(x) for x in (scores, band))
    place = getattr(np, monoid)(scores, axis)
    there = np.take_along_axis(band, np.expand_dims(place, axis), axis).squeeze(axis)
    kernel, told = KERNELS["cellsatextreme"], {"carried": (((1,), None),), "count": 1}
    fold = folded(scores, monoid, axis, arity)
    values = [kernel(None, scores, band, score=((0,), fold), **told)]
    for level in range(fold["tree"].depth):
        nodes = kernel(None, scores, band, score=((0,), {**fold, "target": level}), **told)
        last = {"score": ((0,), {**fold, "source": level}), "carried": (), "count": 1}
        values.append(kernel(None, nodes, **last))
    for value in values:
        assert same_bits(value["at"], place)
        assert same_bits(value["f0"], there)


@pytest.mark.parametrize("monoid", ["nanargmax", "nanargmin"])
def test_cells_that_are_no_numbers_are_passed_over(monoid):
    score = np.array([[np.nan, 2.0, 2.0, np.nan, 1.0]])
    fold = folded(score, monoid, 1, 2)
    made = KERNELS["cellsatextreme"](
        None, score, score * 10, score=((0,), fold), carried=(((1,), None),), count=1
    )
    assert made.tolist() == [(1, 20.0)] if monoid == "nanargmax" else [(4, 10.0)]
