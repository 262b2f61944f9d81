import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range


def test_a_block_has_the_cells_of_its_cuts():
    cuts = Cuts.regular(10, 4), Cuts.of_lengths([3, 1, 4])
    assert block_box(cuts, (2, 1)) == ZRange((8, 3), (10, 4))
    assert block_box((), ()) == ZRange((), ())


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.data())
def test_the_blocks_of_a_range_are_those_that_meet_a_box(lengths, data):
    cuts = Cuts.of_lengths(lengths)
    lo = data.draw(st.integers(0, cuts.extent - 1))
    hi = data.draw(st.integers(lo + 1, cuts.extent))
    (found,) = block_range((cuts,), ZRange((lo,), (hi,)))
    edges = np.cumsum([0, *lengths])
    meets = [i for i in range(len(lengths)) if edges[i] < hi and edges[i + 1] > lo]
    assert list(found) == meets


def test_an_empty_box_takes_one_block():
    box = ZRange((3, 0), (3, 4))
    assert block_range((Cuts.regular(6, 2), Cuts.regular(4, 2)), box) == (range(1), range(1))
