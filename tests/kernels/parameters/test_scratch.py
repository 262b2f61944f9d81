import numpy as np

from dask_tapestry.operators.images.nearest_sites import BYTES_A_CELL, NearestSites
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.scratch import SITES


def test_operators_count_what_kernels_work_on_at_a_time():
    operator = NearestSites(1, (), (1.0, 1.0), "euclidean", False)
    types = (TensorType((4096, 512), np.dtype("i4")),)
    assert operator.scratch_bytes(types, ZRange.of_shape((4096, 512))) == BYTES_A_CELL * SITES
