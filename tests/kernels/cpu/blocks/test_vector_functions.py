import numpy as np

from dask_tapestry_kernels.cpu import KERNELS


def test_a_part_of_what_a_function_writes():
    def function(vector, widths, axis):
        vector[: widths[0]] = axis

    x = np.full((2, 4), 7)
    told = {"function": function, "axis": 1, "widths": (2, 1), "part": slice(1, 3)}
    assert KERNELS["vectors"](None, x, **told).tolist() == [[1, 7], [1, 7]]
    assert (x == 7).all()
