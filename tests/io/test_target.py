import pickle

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.duck_target import duck_target
from dask_tapestry.io.numpy_target import numpy_target
from dask_tapestry.io.target import ReadBackSource
from dask_tapestry.io.write_region import WriteRegion
from dask_tapestry.zspace import ZRange

CELLS = np.arange(12.0)


def test_a_target_of_no_pieces_meets_itself_where_windows_do():
    class Written:
        shape, dtype = (12,), np.dtype("f8")

        def __setitem__(self, key, value):
            raise AssertionError("nothing is written")

    target = duck_target(Written(), True)
    low, high = (WriteRegion.of((part,), (12,), target.sides) for part in (slice(6), slice(6, 12)))
    assert target.sides == (1,)
    assert (target.meets(low, target, low), target.meets(low, target, high)) == (True, False)
    assert not target.meets(low, duck_target(Written(), True), low)
    assert not target.is_read_by(dt.asarray(CELLS).node.operator)


@pytest.mark.parametrize("cells", [CELLS, CELLS[::-1], CELLS[:5], CELLS.copy()])
def test_a_target_knows_who_reads_it(cells):
    source = dt.asarray(cells).node.operator
    target = numpy_target(CELLS)
    assert target.is_read_by(source) == np.shares_memory(cells, CELLS)
    assert target.has_cells_of(source) == (cells is CELLS)


def test_what_is_stored_is_read_in_tasks_of_its_own(tmp_path):
    array = zarr.create_array(tmp_path / "x", shape=(12,), dtype="f8", chunks=(4,))
    (x,) = dt.store(CELLS, array, compute=False, return_stored=True)
    (source, *_) = [n.operator for n in x.teg.nodes if isinstance(n.operator, ReadBackSource)]
    assert source.chunks == (4,)
    assert source.stored_bytes(ZRange((3,), (5,))) == 8 * 8
    assert source.local_only is None
    assert pickle.loads(pickle.dumps(source)) == source
    assert str(tmp_path) in source.text()
    np.testing.assert_array_equal((x[2:5] + 1).compute(), CELLS[2:5] + 1)
