from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.plan.footprint import needs_of
from dask_tapestry.plan.grid import Unit, choose_grid, common_unit
from dask_tapestry.zspace import ZRange
from tests.examples import examples

from .graphs import FOUR, MIB, ROOMY, aim_of, counted, last_step, stored


def grid_of(x, **changes):
    """Cuts and reason that the last step of a value gets for an aim."""
    program = last_step(x).program
    return choose_grid(program, [None] * len(program.inputs), aim_of(**changes), "the name")


def work(x, cuts):
    """Working set of a largest block."""
    box = ZRange((0,) * len(cuts), tuple(c.longest for c in cuts))
    return needs_of(last_step(x).program, box, [], local=False).work


def test_small_values_stay_whole():
    cuts, reason = grid_of(counted(100, 100) + 1)
    assert [c.count for c in cuts] == [1, 1]
    assert reason == "one block suffices"


def test_the_first_dimension_is_cut_where_nothing_else_speaks():
    (rows, columns), _ = grid_of(counted(4096, 1024) * 2)
    assert rows.count > 1
    assert columns.count == 1


@pytest.mark.parametrize("side", [4096, 4243, 5003])
def test_pieces_lie_together_in_memory(side):
    """Rounded lengths of blocks make no difference, nor do a few cells that all of them read."""
    x = counted(side, side)
    for y in (x * 2, x - x.mean(axis=0)):
        (rows, columns), _ = grid_of(y, local=True)
        assert (rows.count > 1, columns.count) == (True, 1)


def test_arrays_in_fortrans_order_are_cut_at_the_last_dimension():
    x = np.ones((3000, 2000), order="F")
    assert dt.plan(dt.asarray(x) * 2, resources=FOUR).chunks()[0] == (3000,)
    assert dt.plan(dt.asarray(x.T) * 2, resources=FOUR).chunks()[1] == (3000,)
    assert dt.plan(dt.asarray(x) * dt.ones(x.shape), resources=FOUR).chunks()[0] == (3000,)
    both = dt.asarray(x) * dt.asarray(np.ones(x.shape))
    assert dt.plan(both, resources=FOUR).chunks()[1] == (2000,)


def test_enough_blocks_for_the_workers():
    cuts, reason = grid_of(counted(4096, 4096) + 1)
    assert prod(c.count for c in cuts) >= 32
    assert reason == "workers"


def test_no_more_blocks_than_are_worth_it():
    x = counted(512, 512) + 1
    assert prod(c.count for c in grid_of(x)[0]) > 1
    assert prod(c.count for c in grid_of(x, smallest=8 * MIB)[0]) == 1
    assert prod(c.count for c in grid_of(x, most=2)[0]) == 2


def test_large_blocks_are_cut():
    x = counted(4096, 4096) + 1
    cuts, reason = grid_of(x, count=1, largest=9 * MIB)
    assert work(x, cuts) <= 9 * MIB
    assert reason == "block size"


def test_the_limit_is_kept_whatever_the_number_of_blocks():
    x = counted(4096, 4096) + 1
    cuts, reason = grid_of(x, count=1, largest=999 * MIB, limit=9 * MIB, most=1)
    assert work(x, cuts) <= 9 * MIB
    assert reason == "memory bound"


def test_a_cell_that_needs_too_much_is_refused():
    with pytest.raises(
        dt.MemoryLimitError, match=r"the name: its smallest block, \[0:1\]"
    ) as caught:
        grid_of(counted(10) + 1, limit=7)
    assert "needs 16 bytes; the limit a task is 7" in str(caught.value)


def test_the_operator_that_needs_too_much_is_named(tmp_path):
    """A stored piece is written whole."""
    sink = dt.to_zarr(stored(), tmp_path / "x", chunks=(50_000, 1000), compute=False)
    small = dt.Resources(workers=4, threads=2, memory="100 MB")
    with pytest.raises(dt.MemoryLimitError, match=r"store float64\[100000, 1000\]"):
        dt.plan(sink, resources=small)


@pytest.mark.parametrize("side", [10, 64, 1000])
def test_cuts_fall_between_stored_chunks(side):
    (rows, columns) = last_step(stored((100_000, 100), "f8", (side, 100)) + 1).cuts
    assert rows.count > 1
    assert rows.step % side == 0
    assert columns.count == 1


def test_cuts_of_a_slice_fall_between_stored_chunks():
    cuts, _ = last_step(stored()[100:] + 1).cuts
    assert cuts.count > 1
    assert cuts.lead % 1000 == 900
    assert cuts.step % 1000 == 0


def test_a_permuted_value_is_cut_where_its_source_is():
    (columns, rows) = last_step((stored() + 1).T).cuts
    assert columns.count == 1
    assert rows.count > 1
    assert rows.step % 1000 == 0


@pytest.mark.parametrize("side", [7, 3000, 99_999])
def test_cuts_of_a_sink_fall_between_its_pieces(tmp_path, side):
    sink = dt.to_zarr(stored() + 1, tmp_path / "x", chunks=(side, 1000), compute=False)
    (rows, _) = last_step(sink, resources=ROOMY).cuts
    assert rows.step % side == 0
    assert rows.lead % side == 0


def test_the_pieces_of_a_sink_go_before_the_chunks_of_a_source(tmp_path):
    sink = dt.to_zarr(stored(), tmp_path / "x", chunks=(1500, 1000), compute=False)
    (rows, _) = last_step(sink).cuts
    assert rows.step % 1500 == 0


def test_a_cut_that_saves_nothing_is_not_made():
    """A block that a reader needs whole is read whole by each of its blocks."""
    x = dt.ones((10**5, 100)).rechunk((10**5, 100)) + 1
    plan = dt.plan(x, resources=FOUR)
    assert plan.cost["bytes_moved"] <= 64 * x.nbytes
    assert plan.cost["tasks"] < 200


def test_stored_chunks_are_not_read_for_every_column():
    cost = dt.plan(stored().sum(axis=0), resources=FOUR).cost
    assert cost["bytes_read"] <= 2 * stored().nbytes
    assert cost["tasks"] >= FOUR.slots


@examples(60)
@given(
    st.lists(st.integers(0, 3000), min_size=1, max_size=3),
    st.integers(1, 64),
    st.integers(10, 24),
)
def test_any_shape_is_tiled_once(shape, count, smallest):
    x = counted(*shape) + 1
    cuts, _ = grid_of(x, count=count, smallest=2**smallest)
    for cut, n in zip(cuts, shape, strict=True):
        assert sum(cut.lengths()) == n
        assert all(length > 0 for length in cut.lengths()) or n == 0


@pytest.mark.parametrize("shift", [0, 1, 5])
def test_cuts_fall_between_cells_that_are_computed_together(shift):
    triples = dt.block_operator(
        index={"i": "parallel"},
        inputs={"x": "i"},
        outputs={"z": dt.IndexProjection([[3]], [0], [3])},
        dtype="f8",
    )(lambda x: np.repeat(x, 3))
    x = triples(stored((10**6,), "f8", (1000,)))
    (cuts,) = last_step((x + 1)[shift:]).cuts
    assert cuts.count > 1
    assert cuts.step % 3 == (cuts.lead + shift) % 3 == 0


@given(
    st.integers(1, 30), st.integers(0, 29), st.integers(1, 30), st.integers(0, 29), st.booleans()
)
def test_units_meet_where_both_have_edges(length, lead, other, shift, required):
    one, two = Unit(length, lead % length, True), Unit(other, shift % other, True)
    both = common_unit([(8, one), (9, two), (10, Unit(7, 3, False))])
    edges = [{x for x in range(2000) if (x - u.lead) % u.length == 0} for u in (one, two, both)]
    assert both.required
    assert edges[2] <= edges[0]
    if edges[0] & edges[1]:
        assert edges[2] <= edges[1]
