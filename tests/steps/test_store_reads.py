import numpy as np
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.store_reads import bytes_from_stores, more_at_ends, read_from_stores
from dask_tapestry.zspace import ZRange

PIECE = ZRange((0, 0), (3, 8))


def program(y):
    return group_of(y.node, {y.node}).program


def test_sources_in_stores_are_read_and_no_others():
    stored = dt.placeholder((6, 8), "f8", stored_chunks=(2, 8))
    both = program(stored + dt.ones((6, 8)) * dt.arange(8.0))
    (work,) = read_from_stores(both, PIECE)
    assert work.box == PIECE
    assert bytes_from_stores(both, PIECE) >= PIECE.size * 8


def test_what_is_in_memory_is_not_read():
    x = program(dt.arange(48.0).reshape(6, 8) + 1)
    assert not read_from_stores(x, PIECE)
    assert bytes_from_stores(x, PIECE) == 0


def test_pieces_at_ends_may_not_be_decoded_in_place(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.zeros((40, 8)), chunks=(10, 8))
    x, chunk = dt.from_zarr(tmp_path / "x"), 10 * 8 * 8
    usual = ZRange((10, 0), (20, 8))
    for edges, more in (((0, 10, 20, 30), 0), ((5, 10, 20, 30), chunk), ((0, 10, 20, 21), chunk)):
        assert more_at_ends(program(x + 1), (edges, (0, 8)), usual) == more
    kept = dt.placeholder((40, 8), "f8")
    assert more_at_ends(program(kept + 1), ((5, 10, 20), (0, 8)), usual) == 0
