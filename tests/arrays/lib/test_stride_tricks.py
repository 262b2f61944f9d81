import numpy as np

import dask_tapestry as dt


def test_the_names_are_numpy_s():
    served = dt.lib.stride_tricks.__all__
    assert set(served) <= set(dir(np.lib.stride_tricks))
    for name in served:
        assert getattr(dt.lib.stride_tricks, name).__name__ == name


def test_windows_by_the_namespace_of_an_array():
    x = dt.arange(5)
    windows = x.__array_namespace__().lib.stride_tricks.sliding_window_view(x, 3)
    assert windows.compute().tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
