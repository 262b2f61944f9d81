import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dask_tapestry.cells.selected import places_of, selected_by

MASKS = hnp.arrays(bool, st.integers(1, 40))


@given(MASKS, st.data())
def test_cells_are_counted_and_found(mask, data):
    chosen = selected_by(mask, 1)
    assert (chosen.axis, chosen.extent, chosen.cells) == (1, len(mask), mask.sum())
    assert places_of(chosen).tolist() == np.flatnonzero(mask).tolist()
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(mask))] * 2)))
    first, last = chosen.between(low, high)
    assert (first, last) == (mask[:low].sum(), mask[:high].sum())
    assert chosen.places(low, high).tolist() == (low + np.flatnonzero(mask[low:high])).tolist()


@given(MASKS)
def test_equal_masks_select_the_same(mask):
    assert selected_by(mask, 0) == selected_by(mask.copy(), 0)
    assert selected_by(mask, 0) != selected_by(~mask, 0)
