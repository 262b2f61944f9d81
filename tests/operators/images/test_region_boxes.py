import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.images.region_boxes import region_boxes

from .test_labelled_regions import of_tiny_tiles


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("block_bytes", [8, 200, 10**9])
@pytest.mark.parametrize("shape", [(50,), (9, 7), (4, 5, 6)])
def test_every_cut_has_the_same_boxes(shape, block_bytes, monkeypatch):
    of_tiny_tiles(monkeypatch)
    labels = np.random.default_rng(0).integers(0, 9, shape)
    made = dt.Array(region_boxes(dt.asarray(labels).node, 12))
    with dt.config(block_bytes=block_bytes, resources=dt.Resources(2, 1, "1 GiB")):
        plan = made.plan()
        plan.verify()
        found = plan.compute(scheduler="sync")
    for label, (first, last) in enumerate(found, start=1):
        cells = np.argwhere(labels == label)
        if len(cells):
            assert first.tolist() == cells.min(0).tolist()
            assert last.tolist() == cells.max(0).tolist()
        else:
            assert (first == -1).all()
            assert (last == -1).all()
