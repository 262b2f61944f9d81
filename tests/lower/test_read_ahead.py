import threading

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.lower.read_ahead import pieces_with_reads
from dask_tapestry.steps.streaming import block_schedule_of
from dask_tapestry.zspace import ZRange
from tests.pieces import pieces_of

ALONE = dt.Resources(threads=1, memory="4 GiB")


def stores(tmp_path, x):
    zarr.create_array(tmp_path / "x", data=x, chunks=(10, 10))
    return dt.from_zarr(tmp_path / "x")


def loops(x):
    """The loops of the blocks that compute an array."""
    steps = dt.plan(x).core.steps.values()
    blocks = [block_schedule_of(s.program, s.box((0,) * len(s.cuts))) for s in steps]
    return [loop for block in blocks for loop in block.loops.values()]


def test_each_piece_comes_with_what_it_reads(tmp_path):
    x = np.random.default_rng(0).random((90, 40))
    with pieces_of(2**12), dt.config(resources=ALONE):
        y = stores(tmp_path, x)
        loop = next(loop for loop in loops(y.T @ y) if loop.ahead)
        seen = dict(pieces_with_reads(loop))
    assert list(seen) == list(loop.pieces)
    for read in seen.values():
        for (_, box), block in read.items():
            np.testing.assert_array_equal(block, x[box.index(ZRange((0, 0), (90, 40)))])
    assert not [t for t in threading.enumerate() if t.name.startswith("tapestry-ahead")]


def test_other_pieces_come_with_nothing():
    with pieces_of(2**10), dt.config(resources=ALONE):
        (loop,) = loops(dt.asarray(np.ones((40, 50))).T * 2)
        assert [read for _, read in pieces_with_reads(loop)] == [{}] * loop.count


def test_products_of_stores_are_near_those_of_numpy(tmp_path):
    x = np.random.default_rng(0).random((90, 40))
    with pieces_of(2**12), dt.config(resources=ALONE):
        y = stores(tmp_path, x)
        product = y.T @ y
        steps = dt.plan(product).core.steps.values()
        assert any(block_schedule_of(s.program, s.box((0,) * len(s.cuts))).ahead > 2 for s in steps)
        np.testing.assert_allclose(product.compute(), x.T @ x)


def test_an_error_while_reading_ahead_says_where_it_happened(tmp_path):
    with pieces_of(2**12), dt.config(resources=ALONE):
        y = stores(tmp_path, np.ones((90, 40)))
        (tmp_path / "x" / "c" / "5" / "0").write_bytes(b"torn")
        with pytest.raises(dt.StoreError) as caught:
            (y.T @ y).compute(scheduler="sync")
    assert "while computing zarr(), block [" in str(caught.value)
