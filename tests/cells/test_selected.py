from itertools import pairwise
from pickle import dumps, loads

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dask_tapestry.cells.selected import selected_by

MASKS = hnp.arrays(bool, st.integers(1, 40))


@given(MASKS, st.data())
def test_cells_are_counted_and_found(mask, data):
    chosen = selected_by(mask, 1)
    assert (chosen.axis, chosen.extent, chosen.cells) == (1, len(mask), mask.sum())
    assert chosen.places(0, len(mask)).tolist() == np.flatnonzero(mask).tolist()
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(mask))] * 2)))
    first, last = chosen.between(low, high)
    assert (first, last) == (mask[:low].sum(), mask[:high].sum())
    there = (low + np.flatnonzero(mask[low:high])).tolist()
    assert chosen.places(low, high).tolist() == there
    begin, end = chosen.hull(low, high)
    assert (begin, end) == ((there[0], there[-1] + 1) if there else (low, low))


@given(MASKS, st.integers(-9, 0), st.integers(1, 50), st.integers(0, 9))
def test_cells_are_counted_span_by_span(mask, start, side, number):
    chosen, edges = selected_by(mask, 0), [max(0, start + n * side) for n in range(number + 1)]
    own = [int(mask[low:high].sum()) for low, high in pairwise(edges)]
    assert chosen.counts(start, side, number).tolist() == own
    assert chosen.counts(start, side, number) is chosen.counts(start, side, number)


def test_what_was_counted_does_not_travel():
    chosen = selected_by(np.arange(4000) % 3 == 0, 0)
    before = len(dumps(chosen))
    assert chosen.counts(0, 8, 500).sum() == chosen.cells
    assert len(dumps(chosen)) == before
    assert loads(dumps(chosen)) == chosen


@given(MASKS)
def test_equal_masks_select_the_same(mask):
    assert selected_by(mask, 0) == selected_by(mask.copy(), 0)
    assert selected_by(mask, 0) != selected_by(~mask, 0)
