import numpy as np
import pytest

from dask_tapestry.operators.lanes import lane_bytes, sort_bytes, sort_flops
from dask_tapestry.operators.sorting.order_statistics import OrderStatistics
from dask_tapestry.operators.sorting.sort import ArgSort, Sort
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


@pytest.mark.parametrize("operator", [Sort(0), ArgSort(0)])
def test_long_lanes_are_cut_by_rank_and_read_whole(operator):
    long = TensorType((10**6, 3), np.dtype("f8"))
    box = ZRange((10, 1), (500_000, 2))
    assert operator.demand((long,), box) == (ZRange((0, 1), (10**6, 2)),)
    assert operator.granularity((long,)) == (1, 1)
    assert operator.reads_once((long,)) == (False,)
    whole = ZRange((0, 1), (10**6, 2))
    assert operator.flops((long,), box) < operator.flops((long,), whole) < 4 * 10**6 * 5 * 20
    assert operator.granularity((TensorType((10**6, 3), np.dtype("c16")),)) == (0, 1)


def test_longer_lanes_take_longer():
    assert sort_flops(100, 50) > sort_flops(100, 5)


def test_a_few_lanes_at_a_time_take_memory():
    assert sort_bytes(800, 8, X.dtype) == sort_bytes(8, 8, X.dtype) > 0
    pairs = np.dtype([("key", "f8"), ("place", "i8")])
    assert sort_bytes(800, 8, pairs) > 800 * pairs.itemsize


def test_a_sort_that_need_not_be_stable_takes_a_byte_for_each_sign():
    wide = np.dtype("c16")
    assert sort_bytes(10**8, 10**8, X.dtype, stable=False) == 10**8
    assert sort_bytes(1000, 10, X.dtype, stable=False) == 1000
    assert sort_bytes(1000, 10, wide, stable=False) == sort_bytes(1000, 10, wide)


def test_copies_of_two_lanes_are_in_hand():
    assert lane_bytes(10**8, 10**8, X.dtype) == 8 * 10**8
    assert lane_bytes(10**8, 10**7, X.dtype) == 16 * 10**7
    assert lane_bytes(10**8, 10, X.dtype) == 2**23
