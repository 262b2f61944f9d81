import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.reductions.count_nonzero import CountNonzero, count_nonzero, span_of
from dask_tapestry.operators.tuning import MOST_COUNTED_SPANS
from dask_tapestry.teg import apply
from tests.operators.indexed import check


@given(hnp.arrays(bool, st.integers(0, 40)), st.integers(1, 7), st.data())
def test_true_cells_are_counted_span_by_span(mask, span, data):
    check(apply(CountNonzero(span), dt.asarray(mask).node), [mask], data)


def test_spans_are_few():
    for cells in (0, 1, 10**6, 10**9, 10**12):
        span = span_of(cells)
        assert cells <= span * MOST_COUNTED_SPANS
        assert span & (span - 1) == 0


def test_only_flat_masks_are_counted():
    for bad in (dt.ones(3), dt.ones((2, 2), bool)):
        with pytest.raises(ShapeError, match="one-dimensional mask"):
            count_nonzero(bad.node, 8)


def test_spans_are_shorter_where_a_cell_stands_for_a_long_line():
    assert [span_of(4000, line) for line in (0, 1, 2, 1000, 10**9)] == [1024, 1024, 512, 2, 1]
    assert span_of(10**6, 10**6) == span_of(10**6, 1000)  # they stay few


@pytest.mark.parametrize("span", [1, 8, 1024])
def test_counts_of_a_cut_mask(shardings, span):
    mask = np.arange(5000) % 7 == 0
    for side in (1000, 1024, 4999):
        counts = dt.Array(count_nonzero(dt.asarray(mask).rechunk(side).node, span)).compute()
        assert counts.sum() == mask.sum()
