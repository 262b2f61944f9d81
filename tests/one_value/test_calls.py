"""The functions tried are all that fold, their folds are really cut, and their order shows."""

import importlib

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry.teg import Graph
from tests.comparisons import COMPARISONS, same_bits
from tests.one_value.calls import (
    ALL_TO_ALL,
    LEAVES,
    calls_of,
    few_calls,
    fewest_leaves,
    folding_methods,
    monoids,
    other_calls,
)
from tests.one_value.shardings import MORE, SHARDINGS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # as of NaN and of overflow
MODULES = """
linalg.norms statistics.averages statistics.bincount statistics.cumulative statistics.extremes
statistics.histograms statistics.moments statistics.nan_averages statistics.nan_reductions
statistics.reductions statistics.scans
"""
BLAS = {"matmul", "linear", "svdvals", "useroperator"}  # they end in BLAS, or in a function


def names():
    return {call.public for call in few_calls()}


def test_there_are_enough_of_each():
    assert len(SHARDINGS) >= 20
    assert len({s.name for s in (*SHARDINGS, *MORE)}) == len((*SHARDINGS, *MORE))
    for name in names():
        either = {name, f"{name}.reduce"}  # a method is tried on more dtypes if need be
        assert len({call.kind for call in few_calls() if call.public in either}) >= 2, name


@pytest.mark.parametrize("module", MODULES.split())
def test_every_function_of_the_modules_that_fold_is_tried(module):
    public = importlib.import_module(f"dask_tapestry.arrays.{module}").__all__
    assert set(public) <= {name.rpartition(".")[2] for name in names()}


def test_every_method_of_a_ufunc_is_tried():
    tried = names()
    missing = [
        m
        for m in folding_methods()
        if ".".join(m) not in tried and not (m[1] == "reduce" and m[0] in tried)
    ]
    assert not missing


def test_every_monoid_is_folded():
    assert not set(MONOIDS) - {monoid for call in few_calls() for monoid in monoids(call)}


def test_whatever_folds_is_tried_or_ends_in_blas():
    """By what operators declare: a function that is added is tried, or fails here."""
    tried = names() | {call.public for call in other_calls()} | ALL_TO_ALL
    for comparison in COMPARISONS:
        if comparison.public not in tried:
            one = comparison._replace(one_value=True)
            for call in calls_of(one, ("f8",)):
                results = call.on([dt.asarray(x) for x in call.inputs])
                found = {n.operator.name for n in Graph([r.bound for r in results])}
                assert not comparison.one_value, comparison.name
                assert found & BLAS or comparison.public in PRODUCTS, comparison.name


PRODUCTS = {"vdot", "vecdot", "einsum", "linalg.tensordot", "linalg.trace", "linalg.vecdot"}
PRODUCTS |= {"linalg.multi_dot", "trace", "tensordot"}  # of which some ways end in BLAS


def test_all_folds_are_cut():
    uncut = [str(call) for call in few_calls() if fewest_leaves(call) < LEAVES]
    assert not uncut


def test_their_order_shows():
    """NumPy combines the same cells in another order and gets other bits: the tests can fail."""
    rounding = [c for c in few_calls() if c.rounds and c.inputs[0].dtype.kind == "f"]
    assert len(rounding) > 40
    same = []
    for call in rounding:
        with np.errstate(all="ignore"):
            numpys = call.on(call.inputs, np)
        ours = dt.compute(*call.on([dt.asarray(x) for x in call.inputs]), scheduler="sync")
        if all(same_bits(a, b) for a, b in zip(ours, numpys, strict=True)):
            same.append(str(call))
    assert len(same) < len(rounding) / 2, same  # a few agree by chance


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_sums_of_blocks_have_many_values(kind):
    """What adding each block and then the blocks' sums would give."""
    (x,) = next(c.inputs for c in few_calls() if (c.public, c.kind) == ("sum", kind))
    x = x.ravel()
    values = {sum(part.sum() for part in np.array_split(x, n)) for n in range(1, 20)}
    assert len(values) > 2
