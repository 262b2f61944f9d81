import numpy as np
import pytest
from scipy import ndimage

import dask_tapestry as dt
from dask_tapestry.operators.images.nearest_sites import nearest_sites
from tests.comparisons import same_bits

SHAPES = [(40,), (7, 9), (4, 5, 6)]


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("block_bytes", [8, 100, 10**6])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_cut_has_one_value(shape, block_bytes):
    x = np.random.default_rng(0).random(shape) < 0.8
    expected = ndimage.distance_transform_edt(x, return_distances=False, return_indices=True)
    made = dt.Array(nearest_sites(dt.asarray(x).node, (1.0,) * x.ndim, "euclidean"))
    with dt.config(block_bytes=block_bytes, resources=dt.Resources(2, 1, "1 GiB")):
        plan = made.plan()
        plan.verify()
        found = plan.compute(scheduler="sync")
    assert same_bits(found, np.ravel_multi_index(tuple(expected), shape).astype("i4"))


def test_blocks_have_whole_lines_and_no_worker_the_array():
    x = dt.placeholder((50_000, 60_000), "?", stored_chunks=(5000, 5000))
    made = dt.Array(nearest_sites(x.node, (1.0, 1.0), "chessboard"))
    assert made.dtype == np.int64  # as there are more than 2**31 places
    plan = made.sum().plan(resources=dt.Resources(16, 2, "8 GiB"))
    plan.verify()
    assert plan.cost["peak_worker_bytes"] < 8 * 2**30
    assert len(str(plan.teg).splitlines()) < 12
