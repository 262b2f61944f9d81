import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting.compress import compress
from dask_tapestry.operators.sorting.picked_spans import joined_spans, picked_spans
from dask_tapestry.teg import Graph
from dask_tapestry.teg.buckets import cells_of
from dask_tapestry.teg.check import check
from dask_tapestry.teg.nominal import nominal_chunks
from dask_tapestry.teg.stored_grid import stored_cuts
from dask_tapestry.zspace import ZRange
from tests.operators.blocks import block, by_blocks

X = np.arange(60.0).reshape(20, 3)
MASK = np.arange(20) % 3 == 1
COUNTS = np.array([MASK[a : a + 8].sum() for a in (0, 8, 16)])
PICKED = picked_spans(dt.asarray(X).node, dt.asarray(MASK).node, 8)
STORED = dt.placeholder((20, 3), "f8", stored_chunks=(8, 3)).node
WHOLE = compress(STORED, dt.asarray(MASK).node, 0, COUNTS, 8)
JOINED = joined_spans(PICKED, COUNTS, WHOLE).inputs[0]


def test_the_graph_is_legal():
    check(Graph([JOINED]))


def test_a_bucket_is_of_a_span():
    assert PICKED.type.shape == (3,)
    assert cells_of(PICKED.type) == "f8"
    assert PICKED.type.nbytes == X.nbytes  # if all is picked
    x, mask = PICKED.operator.demand(PICKED.input_types, ZRange((1,), (3,)))
    assert (str(x), str(mask)) == ("[8:20, 0:3]", "[8:20]")
    buckets = block(PICKED, [X, MASK], ZRange((1,), (3,)))
    assert [len(bucket) for bucket in buckets.cells] == COUNTS[1:].tolist()


def test_a_block_reads_the_buckets_that_hold_its_slices():
    (spans,) = JOINED.operator.demand(JOINED.input_types, ZRange((3, 0), (5, 2)))
    assert str(spans) == "[1:2]"
    (spans,) = JOINED.operator.demand(JOINED.input_types, ZRange((2, 0), (2, 2)))
    assert spans.is_empty


@pytest.mark.parametrize("step", [1, 2, 4, 20])
def test_slices_come_in_order(step):
    buckets = block(PICKED, [X, MASK], PICKED.type.box)
    assert np.array_equal(by_blocks(JOINED, [buckets], step), X[MASK])


def test_it_has_the_type_and_the_chunks_of_what_it_is():
    made = joined_spans(PICKED, COUNTS, WHOLE)
    assert made.type == WHOLE.type
    assert nominal_chunks(made) == nominal_chunks(WHOLE)
    assert stored_cuts(made) == stored_cuts(WHOLE) != (None, None)
