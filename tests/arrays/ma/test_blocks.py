"""Functions of masked blocks."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ma.blocks import PackedMaskedFunction

from .masked_samples import agree, ours, sample


def _hide_threes(block):
    return np.ma.masked_equal(block * 2, 6)


@pytest.mark.parametrize("kind", ["i4", "f4"])
@pytest.mark.parametrize("hidden", [None, 0.3])
def test_a_function_sees_masked_blocks(kind, hidden):
    x = sample(kind, mask=hidden)
    made = ours(x).map_blocks(_hide_threes)
    assert made.cells.chunks == ours(x).chunks
    agree(made, _hide_threes(x))


def test_what_it_returns_may_have_no_mask_and_other_cells():
    x = sample("i4")
    made = ours(x).map_blocks(lambda block, add: block.filled(7) + add, 0.5, dtype="f8")
    agree(made, np.ma.masked_array(x.filled(7) + 0.5))
    assert ours(x).map_blocks(_hide_threes).cells.name


def test_a_second_masked_array_is_refused():
    x = ours(sample("i4"))
    with pytest.raises(dt.ArgumentError, match="one masked array"):
        x.map_blocks(np.add, x)


def test_cells_and_mask_travel_in_one_block():
    kind = np.dtype([("cells", "i8"), ("hidden", "?")])
    block = PackedMaskedFunction(np.negative, kind)(np.arange(3), np.arange(3) == 1)
    assert block["hidden"].tolist() == [False, True, False]
    assert block["cells"][[0, 2]].tolist() == [0, -2]
