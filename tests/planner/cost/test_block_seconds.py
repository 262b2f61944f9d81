import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.cost import block_seconds as module
from dask_tapestry.planner.cost.block_seconds import block_seconds
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.rates import rates_of
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.zspace import Cuts, ZRange

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


ROWS = rates_of({"memory": 1e15, "row": 1e-6, "operations": {"map float64": 1e15}})
LOCAL = Resources(workers=1, threads=1, local=True)


def of_columns(x, columns, order="C", cuts=()):
    """Seconds of a block of so many columns."""
    (step,) = build_plan([x.node], ONE, "none").steps.values()
    box = ZRange((0, 0), (N, columns))
    return block_seconds(step.program, box, Machine.of(LOCAL, ROWS), cuts, order)


def test_rows_that_do_not_follow_each_other_cost_by_the_row():
    x = array() + 1
    assert of_columns(x, N) == pytest.approx(0, abs=1e-7)
    assert of_columns(x, N // 2) == pytest.approx((N - 1) * 1e-6, rel=1e-4)
    assert of_columns(x, 32) == pytest.approx((N - 1) * 1e-6 / 4, rel=1e-4)
    assert of_columns(x, N // 2, "F") == pytest.approx(0, abs=1e-7)


def test_blocks_that_are_held_as_they_are_read_have_no_rows_apart():
    x = array() + 1
    (step,) = build_plan([x.node], ONE, "none").steps.values()
    box = ZRange((0, 0), (N, N // 2))
    halves = (Cuts.regular(N, N), Cuts.regular(N, N // 2))
    far = Machine.of(ONE, ROWS)
    assert block_seconds(step.program, box, far, (halves,)) == pytest.approx(0, abs=1e-7)


def test_parts_of_several_blocks_are_joined_first():
    x = array() + 1
    (step,) = build_plan([x.node], ONE, "none").steps.values()
    box, machine = ZRange((0, 0), (N, N)), Machine.of(ONE, SLOW)
    halves = ((Cuts.regular(N, N // 2), Cuts.regular(N, N)),)
    assert block_seconds(step.program, box, machine, halves) == read_and_written(4)


def test_a_product_packs_its_factors_besides_its_operations():
    x, quick = array() @ array(), rates_of({"operations": {"matmul float64": 1e15}})
    slow = rates_of({"memory": MEMORY, "operations": {"matmul float64": 1e9}})
    assert seconds(x, slow) == pytest.approx(2 * N**3 / 1e9 + 3 * N * N * 8 / MEMORY)
    assert seconds(x, quick) < seconds(x)


def test_views_of_one_part_are_read_together():
    x = array()
    beside = x[:, 2:] + x[:, :-2] + x[:, 1:-1]
    (step,) = build_plan([beside.node], ONE, "none").steps.values()
    whole = ZRange.of_shape(beside.shape)
    taken = block_seconds(step.program, whole, Machine.of(ONE, SLOW))
    assert taken == pytest.approx(2 * N * N * 8 / MEMORY, rel=0.01)


def test_an_operation_reads_a_cell_of_each_input():
    x = dt.asarray(np.ones((100 * N, N)))
    few = dt.take(x, np.arange(0, 100 * N, 100)[::-1], axis=0)
    assert seconds(few) < 4 * N * N * 8 / MEMORY


def test_blocks_whose_inputs_lie_alike_are_followed_once():
    (step,) = build_plan([(dt.asarray(CELLS) * 2 + 1).node], ONE, "none").steps.values()
    box, machine = ZRange((0, 0), (8, N)), Machine.of(ONE, SLOW)
    held = [((Cuts.regular(N, rows), Cuts.regular(N, N)),) for rows in (64, 128, 4)]
    module._seconds_with.cache_clear()
    own, same, joined = (block_seconds(step.program, box, machine, cuts) for cuts in held)
    assert own == same < joined
    assert module._seconds_with.cache_info().misses == 2
