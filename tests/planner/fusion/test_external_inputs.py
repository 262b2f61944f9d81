import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.io.sources.numpy_source import table
from dask_tapestry.planner.fusion.external_inputs import given_cuts, is_embedded, scatter_cuts
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.tuning import SENT_BYTES
from tests.planner.graphs import FOUR, last_step, stored

SHAPES = st.lists(st.integers(0, 40_000), max_size=3).map(tuple)
FAR = Machine.of(FOUR)
HERE = Machine.of(dt.Resources(workers=1, threads=2, local=True))
LARGE = dt.asarray(np.ones((4000, 1000)))


@given(SHAPES, st.sampled_from([1, 8, 16]))
def test_blocks_are_about_as_large_as_wanted(shape, itemsize):
    cuts = scatter_cuts(shape, itemsize)
    assert tuple(c.extent for c in cuts) == shape
    block = itemsize * int(np.prod([c.longest for c in cuts], dtype=object))
    assert block <= 2 * SENT_BYTES


def test_small_arrays_stay_whole():
    assert [c.count for c in scatter_cuts((100, 100), 8)] == [1, 1]


def test_arrays_in_memory_are_sent_in_blocks_but_for_small_ones():
    assert [c.count for c in given_cuts(LARGE.node, FAR)] == [4, 1]
    assert given_cuts(dt.asarray(np.ones(1000)).node, FAR) is None
    assert given_cuts(LARGE.node, HERE) is None


def test_tables_are_sent_unless_they_are_tiny():
    cells = np.ones((100, 100))
    assert is_embedded(dt.asarray(cells).node)
    assert given_cuts(dt.asarray(cells).node, FAR) is None
    assert not is_embedded(table(cells))
    assert [c.count for c in given_cuts(table(cells), FAR)] == [1, 1]
    assert is_embedded(table(cells[:10]))


def test_blocks_that_are_there_lie_as_they_are():
    kept = dt.asarray(np.ones((40, 10))).rechunk((10, 10)).persist()
    assert [c.count for c in given_cuts(kept.node, HERE)] == [4, 1]


def test_what_a_block_reads_all_of_is_sent_as_one():
    step = last_step(stored((96_000, 4000), chunks=(1000, 4000)) @ LARGE)
    assert step.count > FOUR.workers
    assert [c.count for c in step.held[0]] == [1, 1]
    block, chunk = 8 * step.cuts[0].longest * 1000, 8 * 1000 * 4000
    assert step.needs.work <= block + chunk  # the array itself is on the worker already


def test_what_blocks_read_in_part_is_sent_in_blocks():
    step = last_step((LARGE + 1).rechunk((500, -1)))
    assert [c.count for c in step.held[0]] == [4, 1]


def test_what_is_sent_is_counted_where_it_is_read_in_other_blocks():
    turned = dt.plan(LARGE.T.rechunk((250, 4000)), resources=FOUR).cost
    assert turned["bytes_moved"] >= LARGE.nbytes / 2
    assert dt.plan(LARGE + 1, resources=dt.Resources(1, 2, local=True)).cost["bytes_moved"] == 0
