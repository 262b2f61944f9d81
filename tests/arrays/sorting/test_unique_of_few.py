"""Unique cells of arrays that turn out to have few values, or too many."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core import array
from dask_tapestry.arrays.sorting import unique_of_few
from dask_tapestry.arrays.sorting.unique_by_sorting import UniqueBySorting
from dask_tapestry.arrays.sorting.unique_of_few import UniqueOfFew
from dask_tapestry.operators.sorting.sort import Sort
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(8)
KINDS = {
    "integers": RANDOM.integers(-9, 9, 9000) * 10**9,
    "short ones": RANDOM.integers(-9, 9, 9000).astype("i1"),
    "numbers": np.round(RANDOM.normal(size=9000), 1),
    "float32 in blocks": np.round(RANDOM.normal(size=(90, 100)), 1).astype("f4"),
    "zeros of either sign": np.where(RANDOM.random(9000) < 0.5, -0.0, RANDOM.integers(0, 2, 9000)),
    "dates": RANDOM.integers(0, 9, 9000).astype("M8[D]"),
    "truth": RANDOM.random(9000) < 0.5,
    "many": RANDOM.normal(size=9000),
    "many after few": np.concatenate([np.zeros(4000), RANDOM.normal(size=5000)]),
    "many by spans alone": np.repeat(np.arange(3000), 3),
    "with NaNs": np.where(RANDOM.random(9000) < 0.1, np.nan, RANDOM.integers(0, 5, 9000)),
    "NaNs of either sign": np.where(RANDOM.random(9000) < 0.5, -np.nan, np.nan),
    "with NaTs": np.where(RANDOM.random(9000) < 0.1, "NaT", "2000-01-01").astype("M8[D]"),
}


@pytest.fixture(autouse=True)
def small_spans(monkeypatch):
    for name, value in {"FEWEST_CELLS": 100, "TRIED_CELLS": 2048, "LEAST_SPAN": 1024}.items():
        monkeypatch.setattr(unique_of_few, name, value)


@pytest.mark.few(7)  # as unlike as so many can be
@pytest.mark.parametrize("equal_nan", [True, False])
@pytest.mark.parametrize("name", KINDS)
def test_they_are_those_of_sorted_cells(name, equal_nan):
    x = dt.asarray(KINDS[name])
    few, many = UniqueOfFew.of(x, equal_nan), UniqueBySorting.of(x, equal_nan)
    for result in ("values", "counts", "index", "inverse"):
        ours, theirs = getattr(few, result)(), getattr(many, result)()
        assert same_bits(ours.compute(), theirs.compute()), result
        assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("name", KINDS)
def test_they_are_those_of_numpy(name):
    x = KINDS[name]
    ours = dt.unique(dt.asarray(x), True, True, True)
    theirs = np.unique(x, True, True, True)
    for one, other in zip(ours, theirs, strict=True):
        assert np.array_equal(one.compute(), other, equal_nan=other.dtype.kind in "fmM")


def counted(monkeypatch):
    """The operators of count graphs that are run from now on."""
    runs, run_count = [], array.run_count

    def watched(counts, keep):
        runs.append(counts.operator.name)
        return run_count(counts, keep)

    monkeypatch.setattr(array, "run_count", watched)
    return runs


def test_few_values_are_not_sorted_and_counted_once(monkeypatch):
    runs = counted(monkeypatch)
    values, counts = dt.unique(dt.asarray(KINDS["integers"].copy()), return_counts=True)
    assert values.shape == counts.shape == (18,)
    assert runs == ["fewvalues"] * 2
    assert not any(isinstance(node.operator, Sort) for node in (values.node, counts.node))


def test_of_many_values_a_part_is_tried_alone(monkeypatch):
    runs = counted(monkeypatch)
    values = dt.unique(dt.asarray(KINDS["many"].copy()))
    assert values.shape == (9000,)
    assert runs == ["fewvalues", "countnonzero"]


def test_what_may_differ_when_it_is_computed_again_is_sorted():
    x = dt.asarray(KINDS["float32 in blocks"])
    assert UniqueOfFew.is_for(x)
    assert not UniqueOfFew.is_for(x @ x.T)
    assert not UniqueOfFew.is_for(x[:1, :99])
    assert not UniqueOfFew.is_for(x.astype("c16"))


def test_no_cells_and_one_value():
    for x in (np.zeros(0), np.full(600, 7)):
        few = UniqueOfFew.of(dt.asarray(x), equal_nan=True)
        assert np.array_equal(few.values().compute(), np.unique(x))


def test_arrays_larger_than_their_cluster_are_not_sent():
    x = dt.placeholder((2**32,), "i4", (2**23,))
    few = UniqueOfFew.of(x, equal_nan=True)
    plan = dt.plan(
        dt.Array(unique_of_few.few_values(few.cells, unique_of_few.span_of(x.size))),
        resources=dt.Resources(workers=2, threads=1, memory="500 MB"),
    )
    assert plan.cost["bytes_read"] < 1.1 * x.nbytes
    assert plan.cost["bytes_moved"] < 2**28
