import numpy as np
import pytest
import scipy.sparse

import dask_tapestry as dt
from dask_tapestry.operators.layouts.held_value import HeldValue
from dask_tapestry.operators.layouts.in_format import in_format
from dask_tapestry.operators.layouts.placement import hold, place
from dask_tapestry.operators.layouts.rechunk import rechunk
from dask_tapestry.zspace import Cuts, ZRange
from dask_tapestry_kernels.block_format import BlockFormat

CSR = BlockFormat.of(scipy.sparse.csr_array(np.eye(2)))
WAYS = [
    lambda x: hold(x),
    lambda x: place(x, ("alice",)),
    lambda x: rechunk(x, (Cuts.regular(6, 4), Cuts.regular(4, 1))),
    lambda x: in_format(x, CSR),
]


@pytest.mark.parametrize("way", WAYS)
def test_a_held_value_is_its_input(way):
    x = dt.asarray(np.arange(24.0).reshape(6, 4)).node
    made = way(x)
    assert isinstance(made.operator, HeldValue)
    assert made.type == x.type
    box = ZRange((1, 0), (3, 4))
    assert made.operator.demand((x.type,), box) == (box,)
    cells = np.arange(24.0).reshape(6, 4)
    assert made.operator.reference(cells) is cells


@pytest.mark.parametrize("way", [WAYS[0], *WAYS[2:]])
def test_a_part_of_a_held_value_is_held_as_it_is(way):
    made = dt.Array(way(dt.asarray(np.arange(24.0).reshape(6, 4)).node))
    part = (made + 1)[1:5:2, 2:].compute()
    shown = part.toarray() if hasattr(part, "toarray") else part
    np.testing.assert_array_equal(shown, np.arange(24.0).reshape(6, 4)[1:5:2, 2:] + 1)
