from itertools import chain, pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dask_tapestry.cells import Spaced
from dask_tapestry.operators.indexing import index_ranges as bounds_module
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.teg import Progression, Region
from dask_tapestry.zspace import ZRange

PLACES = hnp.arrays(
    "i8", st.tuples(st.integers(1, 30), st.integers(1, 2)), elements=st.integers(0, 99)
)


@given(PLACES, st.data())
def test_a_hull_holds_the_places(places, data):
    few = bounds_module.MOST_INDEX_SPANS
    bounds_module.MOST_INDEX_SPANS = 4
    try:
        bounds = IndexRanges.of([places, places[:1]])
    finally:
        bounds_module.MOST_INDEX_SPANS = few
    lo = data.draw(st.integers(0, len(places) - 1))
    hi = data.draw(st.integers(lo + 1, len(places)))
    for number, own in ((0, places[lo:hi]), (1, places[:1])):
        low, end = bounds.hull(number, ZRange((lo, 0), (hi, 1)))
        assert low <= own.min()
        assert own.max() < end
    step = data.draw(st.integers(1, 3))
    part = Progression.of(lo, step, len(range(lo, hi, step)))
    cut = bounds.restrict(Region([part, Progression(0, 1, 1)]))
    for place in range(part.count):
        low, end = cut.hull(0, ZRange((place, 0), (place + 1, 1)))
        assert low <= places[lo + place * step].min()
        assert places[lo + place * step].max() < end


def test_spans_that_are_short_enough_are_exact():
    bounds = IndexRanges.of([np.array([5, 9, 2])])
    assert [bounds.hull(0, ZRange((i,), (i + 1,))) for i in range(3)] == [(5, 6), (9, 10), (2, 3)]


def test_no_places_have_no_bounds():
    assert IndexRanges.of([np.zeros((0, 2), int)]) is None
    assert IndexRanges.of([np.array(3)]) is None
    bounds = IndexRanges.of([np.array([1])])
    assert bounds.restrict(Region([Progression(0, 1, 0)])) is None


def test_places_at_random_have_one_span_and_sorted_ones_many():
    places = np.random.default_rng(0).integers(0, 10**6, 10**5)
    assert IndexRanges.of([places]).table.shape == (1, 1, 2)
    assert IndexRanges.of([np.sort(places)]).table.shape[1] > 1000
    assert IndexRanges.of([places, np.sort(places)]).table.shape[1] > 1000


def test_equal_bounds_are_equal():
    one, other = (IndexRanges.of([np.array([5, 9, 2])]) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != IndexRanges.of([np.array([5, 9, 3])])


@given(PLACES, st.integers(1, 12), st.integers(1, 5), st.data())
def test_ranges_apart_hold_the_places_and_no_chunk_twice(places, side, few, data):
    offset = data.draw(st.integers(1 - side, 0))
    with patch.object(bounds_module, "MOST_INDEX_SPANS", few * 6):
        bounds = IndexRanges.of([places])
    lo = data.draw(st.integers(0, len(places) - 1))
    hi = data.draw(st.integers(lo + 1, len(places)))
    width, stored = places.shape[1], Spaced(side, offset)
    found = bounds.apart(0, ZRange((lo, 0), (hi, width)), stored)
    within = set(chain.from_iterable(range(*one) for one in found))
    assert set(places[lo:hi].ravel().tolist()) <= within
    for (_, end), (begin, _) in pairwise(found):
        assert (end - 1 - offset) // side < (begin - offset) // side
    low, high = bounds.hull(0, ZRange((lo, 0), (hi, width)))
    assert (found[0][0], found[-1][1]) == (low, high)
    every = bounds.apart(0, ZRange((0, 0), places.shape), stored)
    assert within <= set(chain.from_iterable(range(*one) for one in every))


@given(st.sets(st.integers(0, 99), min_size=1), st.integers(1, 3), st.data())
def test_ascending_places_are_known(places, step, data):
    ascending = np.sort([*places])
    bounds = IndexRanges.of([ascending])
    assert bounds.ascending.tolist() == ascending.tolist()
    lo = data.draw(st.integers(0, len(ascending) - 1))
    part = ascending[lo::step]
    cut = bounds.restrict(Region([Progression.of(lo, step, len(part))]))
    assert cut.ascending.tolist() == part.tolist()


def test_other_places_are_not():
    few, far = np.array([1, 5, 9]), np.array([0, bounds_module.MOST_KNOWN_CELLS])
    others = ([few[::-1]], [few[[0, 0, 1]]], [few[:, None]], [few, few], [far])
    assert all(IndexRanges.of(list(one)).ascending is None for one in others)


@pytest.mark.parametrize("indices", [[-1], [-3], [-5, 3], [-2, -1], [3, 2], [1, 1]])
def test_places_are_known_of_ascending_indices_that_count_from_the_start(indices):
    ranges = IndexRanges.of([np.array(indices)])
    assert ranges is None or ranges.ascending is None


@pytest.mark.parametrize("indices", [[0], [4], [0, 3, 9], [7, 8]])
def test_places_that_are_known_are_the_indices(indices):
    ranges = IndexRanges.of([np.array(indices)])
    assert ranges is None or ranges.ascending.tolist() == indices


@given(PLACES, st.integers(1, 12), st.integers(1, 5), st.data())
def test_ranges_of_ascending_spans_are_those_of_any(places, side, few, data):
    stored = Spaced(side, data.draw(st.integers(1 - side, 0)))
    with patch.object(bounds_module, "MOST_INDEX_SPANS", few * 6):
        bounds = IndexRanges.of([np.sort(places, axis=0)])
    first = data.draw(st.integers(0, bounds.table.shape[1] - 1))
    end = data.draw(st.integers(first + 1, bounds.table.shape[1] + 1))
    rows = bounds_module._ascending_rows(bounds, 0, stored)
    assert rows.apart(first, end) == bounds_module._ranges_apart(bounds, 0, first, end, stored)


def test_spans_that_do_not_ascend_are_compared():
    bounds = IndexRanges.of([np.array([3, 25, 8])])
    assert bounds_module._ascending_rows(bounds, 0, Spaced(5)) is None


def test_spans_of_a_length_that_is_said():
    near = np.array([0, 1, 1, 2, 3, 4, 5, 5, 5])  # files of 2, 3 and 1 cells, from every third on
    bounds = IndexRanges.of([near], span=3)
    hulls = [bounds.hull(0, ZRange((a,), (a + 3,))) for a in (0, 3, 6)]
    assert hulls == [(0, 2), (2, 5), (5, 6)]
