"""What tests of operators with places share: a node checked by blocks and on regions."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dask_tapestry.zspace import ZRange

from .blocks import by_blocks, on_region, picked
from .views.test_view import region_of

SHAPES = st.lists(st.integers(0, 5), min_size=1, max_size=3).map(tuple)


def numbers(shape):
    return np.arange(1.0, 1 + int(np.prod(shape, dtype=int))).reshape(shape)


def places(draw, shape, extent):
    """Places below `extent`, negative ones among them; none where there are none."""
    if not extent:
        return np.zeros((0, *shape[1:]), "i8") if shape else None
    return draw(hnp.arrays("i8", shape, elements=st.integers(-extent, extent - 1)))


def check(node, inputs, data):
    """Blocks and regions of a node hold what its meaning says."""
    whole = node.operator.reference(*inputs)
    assert (whole.shape, whole.dtype) == (node.type.shape, node.type.dtype)
    if node.operator.meets_all_inputs and whole.size:
        last = ZRange(tuple(n - 1 for n in whole.shape), whole.shape)
        assert not any(box.is_empty for box in node.operator.demand(node.input_types, last))
    assert np.array_equal(by_blocks(node, inputs, data.draw(st.integers(1, 3))), whole)
    region = region_of(data.draw, node.type.shape)
    if region.is_empty or node.operator.restrict(node.input_types, region) is None:
        return
    part, yields = on_region(node, inputs, region)
    assert np.array_equal(part, picked(whole, yields))
    assert yields.hull(region) == yields
