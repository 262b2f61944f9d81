import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.reductions.few_values import FewValues, few_values
from dask_tapestry.teg import apply
from dask_tapestry.zspace import Cuts, ZRange
from tests.operators.blocks import block

DTYPES = ["?", "i1", "u2", "f4", "f8", "i8", "M8[s]", ">i4"]


@given(st.sampled_from(DTYPES), st.integers(0, 40), st.integers(1, 9), st.data())
def test_values_are_told_span_by_span(dtype, cells, span, data):
    x = data.draw(hnp.arrays("u1", cells, elements=st.integers(0, 4))).astype(dtype)
    node = apply(FewValues(span, 4), dt.asarray(x).node)
    whole = node.operator.reference(x)
    assert (whole.shape, whole.dtype) == (node.type.shape, node.type.dtype)
    cuts = Cuts.regular(len(whole), data.draw(st.integers(1, 5)))
    for lo, hi in map(cuts.block, range(cuts.count)):
        box = ZRange((lo, 0), (hi, 4))
        assert np.array_equal(block(node, [x], box), whole[lo:hi])


def test_tables_of_a_cut_vector(shardings):
    x = np.random.default_rng(2).integers(0, 60, 5000) * 0.5
    whole = dt.Array(few_values(dt.asarray(x).node, 512)).compute()
    for side in (100, 512, 4999):
        cut = dt.Array(few_values(dt.asarray(x).rechunk(side).node, 512)).compute()
        assert (cut == whole).all()
    assert whole["count"].sum() == 5000


def test_only_vectors_of_short_cells_are_told():
    for bad in (dt.ones((2, 2)), dt.ones(3, dtype=complex)):
        with pytest.raises(ShapeError, match="vector of cells up to 8 bytes"):
            few_values(bad.node, 8)
