import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.files.memmap_file import mapped_file


def test_what_is_in_no_file_is_in_memory(mapped, tmp_path):
    assert dt.asarray(mapped[5:5]).compute().shape == (0, 30)
    assert mapped_file(mapped + 1) is None
    assert mapped_file(np.asarray(mapped)) is None
    assert mapped_file(mapped[[1, 2]]) is None
    changed = np.memmap(tmp_path / "x", "f8", "c", offset=14_000, shape=mapped.shape)
    changed[0, 0] = 77
    x = dt.asarray(changed)
    assert x.node.operator.name == "memory"
    assert x[0, 0].compute() == 77


def test_a_file_that_is_gone_or_too_short_is_named(mapped, tmp_path):
    far = pickle.loads(pickle.dumps(mapped_file(mapped)))
    (tmp_path / "x").write_bytes(b"short")
    with pytest.raises(dt.StoreError, match=str(tmp_path)):
        _ = far.array
    (tmp_path / "x").unlink()
    with pytest.raises(dt.StoreNotFoundError, match=str(tmp_path)):
        _ = far.array
