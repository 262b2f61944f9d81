import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.operators.layouts.nominal_chunks import with_chunks_kept, with_nominal_chunks
from dask_tapestry.teg.chunking import AxisChunks
from dask_tapestry.teg.nominal import nominal_chunks
from dask_tapestry.zspace import Cuts


def test_it_changes_what_blocks_are_seen_and_no_value():
    x = dt.asarray(np.arange(6.0))
    cuts = (Cuts.of_lengths([1, 3, 2]),)
    seen = Array(with_nominal_chunks(x.node, cuts))
    assert seen.chunks == ((1, 3, 2),)
    assert seen.compute().tolist() == [0, 1, 2, 3, 4, 5]


def test_chunks_that_nobody_said_stay_so():
    x = dt.asarray(np.zeros((4, 9)), chunks=(2, 9))
    chunks = (nominal_chunks(x.node)[0], AxisChunks(Cuts.regular(9, 3), False))
    kept = nominal_chunks(with_chunks_kept(x.node, chunks))
    assert [one.said for one in kept] == [True, False]
    assert [str(one.cuts) for one in kept] == ["2x2", "3x3"]


def test_a_plan_does_not_see_it():
    x = dt.ones((4, 6), chunks=(1, 2)) * 2
    assert [node.operator.name for node in dt.plan(x).core.graph] == ["full"]


def test_its_chunks_are_in_the_graphs_text():
    assert "nominalchunks(%0, 2x2, 3)" in str(dt.ones((4, 3), chunks=(2, 3)).teg)


def test_a_sum_does_not_depend_on_it():
    cells = np.random.default_rng(0).normal(size=(300, 70)).astype("f4")
    sums = {float(dt.from_array(cells, chunks=c).sum()) for c in (None, 7, (300, 1), (1, 70))}
    assert len(sums) == 1
