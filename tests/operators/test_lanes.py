import numpy as np
import pytest

from dask_tapestry.operators.lanes import sort_bytes, sort_flops
from dask_tapestry.operators.order_statistics import OrderStatistics
from dask_tapestry.operators.sort import ArgSort, Sort
from dask_tapestry.teg import Region, TensorType
from dask_tapestry.zspace import ZRange

X = TensorType((6, 8), np.dtype("f8"))
LANES = [Sort(0), ArgSort(0), OrderStatistics(0, (1, 3))]


@pytest.mark.parametrize("operator", LANES)
def test_a_block_reads_whole_lanes(operator):
    assert operator.demand((X,), ZRange((1, 3), (2, 5))) == (ZRange((0, 3), (6, 5)),)
    assert operator.granularity((X,)) == (0, 1)
    assert operator.reads_once((X,)) == (True,)


@pytest.mark.parametrize("operator", LANES)
def test_fewer_lanes_stay_whole(operator):
    restricted = operator.restrict((X,), Region.box(ZRange((1, 3), (2, 5))))
    assert restricted.operator == operator
    assert restricted.inputs == (Region.box(ZRange((0, 3), (6, 5))),)
    assert restricted.yields.shape == (operator.infer(X).shape[0], 2)


def test_longer_lanes_take_longer():
    assert sort_flops(100, 50) > sort_flops(100, 5)


def test_a_few_lanes_at_a_time_take_memory():
    assert sort_bytes(800, 8, X.dtype) == sort_bytes(8, 8, X.dtype) > 0
    pairs = np.dtype([("key", "f8"), ("place", "i8")])
    assert sort_bytes(800, 8, pairs) > 800 * pairs.itemsize
