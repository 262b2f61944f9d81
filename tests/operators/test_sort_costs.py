import numpy as np

from dask_tapestry.operators.sort_costs import sort_bytes, sort_flops


def test_longer_lanes_take_more_operations():
    assert sort_flops(1000, 1000) == 1000 * 5 * 10
    assert sort_flops(1000, 10) < sort_flops(1000, 1000)
    assert sort_flops(0, 0) == 0


def test_plain_lanes_are_sorted_one_after_the_other_and_structured_ones_together():
    assert sort_bytes(1000, 10, np.dtype("f8")) == 60
    assert sort_bytes(10, 1000, np.dtype("f8")) == 60
    pair = np.dtype([("key", "f8"), ("place", "i8")])
    assert sort_bytes(1000, 10, pair) == 1000 * (16 + 32)
