import sys

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.composite_blocks import Collected
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputBlocks, OutputShape


def test_their_bytes_are_those_of_their_arrays():
    sums = OutputShape("sums", np.dtype("f8"), (OutputAxis(0, 1),))
    buckets = BucketBlocks.empty((1, 1))
    buckets.cells[0, 0] = np.zeros(1000)
    for blocks in (OutputBlocks((1000,), (sums,), (np.zeros(1000),)), buckets):
        assert isinstance(blocks, Collected)
        assert 8000 <= sys.getsizeof(blocks) < 8100
        assert blocks.like((0,) * len(blocks.shape)).nbytes == 0


def test_what_keeps_other_cells_alive_is_copied():
    sums = OutputShape("sums", np.dtype("f8"), (OutputAxis(0, 1),))
    part = OutputBlocks((2,), (sums,), (np.arange(9.0)[:2],))
    assert part.keeping(np.array)["sums"].base is None
    run = np.arange(9.0)
    buckets = BucketBlocks.empty((1, 2))
    buckets.cells[0, 0], buckets.cells[0, 1] = run[:4], run[4:]
    assert buckets.keeping(np.array) is buckets
