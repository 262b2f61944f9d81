import numpy as np
import zarr

import dask_tapestry as dt
from dask_tapestry.lower.compiling import compile_ahead
from dask_tapestry_kernels import compilation


def test_nothing_is_read_or_written(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.arange(600.0).reshape(20, 30), chunks=(5, 10))
    x = dt.from_zarr(tmp_path / "x")
    plan = dt.plan(dt.to_zarr((x * 2 + 1).cumsum(axis=0), tmp_path / "y", compute=False))
    for chunk in (tmp_path / "x" / "c").rglob("*"):
        if chunk.is_file():
            chunk.write_bytes(b"torn")
    found = compile_ahead(plan.core)
    assert found == (len(plan.core.steps), ())
    assert not (tmp_path / "y").exists()
    assert compilation.wait()


def test_what_cannot_be_tried_is_left_out():
    def own(block):
        raise AssertionError("it is not called")

    x = dt.map_blocks(own, dt.ones((4, 4)), dtype="f8")
    singular = dt.linalg.cholesky(dt.asarray(np.eye(4)))
    found = compile_ahead(dt.plan(x, singular).core)
    assert any("a function of yours" in why for why in found.left)
    assert found.steps + len(found.left) == len(dt.plan(x, singular).core.steps)
