import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.ndimage.each_derivative import along_each


def test_it_is_called_with_the_dtype_of_the_result_and_the_mode_of_the_axis():
    seen = []

    def derivative(x, axis, output, mode, cval):
        seen.append((axis, output, mode, cval))
        return x.astype(output)

    x = dt.ones((2, 3), "f4")
    along_each("f", x, derivative, "f8", ["wrap", "mirror"], 2.0, (), {}, (1, 0))
    assert seen == [(1, np.dtype("f8"), "wrap", 2.0), (0, np.dtype("f8"), "mirror", 2.0)]
