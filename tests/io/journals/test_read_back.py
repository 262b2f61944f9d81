import pickle

import numpy as np
import zarr

import dask_tapestry as dt
from dask_tapestry.io.journals.read_back import ReadBackSource
from dask_tapestry.zspace import ZRange

CELLS = np.arange(12.0)


def test_what_is_stored_is_read_in_tasks_of_its_own(tmp_path):
    array = zarr.create_array(tmp_path / "x", shape=(12,), dtype="f8", chunks=(4,))
    x = dt.store(CELLS, array, compute=False, return_stored=True)
    (source, *_) = [n.operator for n in x.teg.nodes if isinstance(n.operator, ReadBackSource)]
    assert source.chunks == (4,)
    assert source.stored_bytes(ZRange((3,), (5,))) == 8 * 8
    assert source.local_only is None
    assert pickle.loads(pickle.dumps(source)) == source
    assert str(tmp_path) in source.text()
    np.testing.assert_array_equal((x[2:5] + 1).compute(), CELLS[2:5] + 1)
