import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.plan.block_seconds import block_seconds
from dask_tapestry.plan.build import build_plan
from dask_tapestry.plan.machine import Machine
from dask_tapestry.plan.rates import rates_of
from dask_tapestry.plan.resources import Resources
from dask_tapestry.zspace import ZRange

ONE = Resources(workers=1, threads=1, memory="8 GiB")
N = 1024
CELLS = np.ones((N, N))
MEMORY = 1e9
SLOW = rates_of({"memory": MEMORY})  # so that memory decides
BUSY = rates_of({"memory": 1e15, "operations": {"map float64": 1e6, "across": 1e5}})


def seconds(x, rates=SLOW, rows=N):
    (step,) = build_plan([x.node], ONE, "none").steps.values()
    box = ZRange((0, 0), (rows, N))
    return block_seconds(step.program, box, Machine.of(ONE, rates))


def read_and_written(values, cells=N * N):
    return pytest.approx(values * cells * 8 / MEMORY)


def array(side=N):
    return dt.asarray(np.ones((side, N)))


def test_a_formula_reads_its_operands_and_writes_its_result():
    assert seconds(array() + array()) == read_and_written(3)
    assert seconds(array() + array(), rows=10) == read_and_written(3, 10 * N)


def test_operations_count_where_they_take_longer():
    assert seconds(dt.exp(array()), BUSY) == pytest.approx(32 * N * N / 1e6)


def test_what_is_broadcast_is_read_once():
    assert seconds(array() + array(1)) == pytest.approx((2 * N * N + N) * 8 / MEMORY)


def test_what_formulas_hand_each_other_stays_in_cache():
    x = array()
    y = dt.exp(x * 2)
    stencil = y[:, :-1] + y[:, 1:]
    (step,) = build_plan([stencil.node], ONE, "none").steps.values()
    whole = ZRange.of_shape(stencil.shape)
    assert block_seconds(step.program, whole, Machine.of(ONE, SLOW)) < 2.1 * N * N * 8 / MEMORY


def test_a_view_is_copied_to_the_result():
    assert seconds(array()[::-1]) == read_and_written(2)


def test_reading_across_rows_costs_by_the_cell():
    x = array()
    along, across = seconds(x + 1, BUSY), seconds(x.T + 1, BUSY)
    assert across - along == pytest.approx(N * N / 1e5)
    assert seconds((x.T + 1).T, BUSY) == along
    assert seconds(x.T, BUSY) == pytest.approx(N * N / 1e5, rel=0.01)


def test_an_empty_block_takes_nothing():
    assert seconds(array()[::-1], rows=0) == 0
