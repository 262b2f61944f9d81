import pickle

import numpy as np

from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape
from dask_tapestry_kernels.tiled_fold import TiledFold


def test_it_travels_and_says_where_nodes_lie():
    shape = OutputShape("f0", np.dtype("f8"), (OutputAxis(0, 4),))
    fold = TiledFold("reduce", {"monoid": "sum"}, shape, (slice(1, 7),))
    again = pickle.loads(pickle.dumps(fold))
    assert again == fold
    assert np.zeros(again.output.of((2,)))[again.made].shape == (6,)
