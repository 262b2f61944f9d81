import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.bincount import bincount
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.operators.tree_reduction import TreeReduction
from dask_tapestry.rules.split_reduction import split_reduction

NUMBERS = dt.asarray(np.arange(300_000) % 7).node
WHOLES = {"reduce": reduce(NUMBERS, "sum"), "bincount": bincount(NUMBERS, 7)}


@pytest.mark.parametrize("name", WHOLES)
def test_what_is_whole_has_parts_and_parts_have_none(name):
    whole = WHOLES[name]
    assert isinstance(whole.operator, TreeReduction)
    assert whole.operator.is_whole
    assert whole.operator.tree.extents == (300_000,)
    first = whole.operator.part(None, 0)
    assert not first.is_whole
    assert first.infer(*whole.input_types).shape[0] == whole.operator.tree.counts(0)[0]
    last = whole.operator.part(0, None)
    assert last.infer(first.infer(*whole.input_types)) == whole.type


@pytest.mark.parametrize("name", WHOLES)
@pytest.mark.parametrize("levels", [(0,), (1,), (0, 2)])
def test_its_parts_have_its_value(name, levels):
    whole = WHOLES[name]
    cut = split_reduction(whole, levels)
    assert cut is not whole
    ours, expected = dt.compute(dt.Array(cut), dt.Array(whole))
    np.testing.assert_array_equal(ours, expected)
