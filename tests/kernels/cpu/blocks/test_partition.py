import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks.partition import groups

X = np.array([[3.0, np.nan, 1.0, 2.0, 1.0], [0.0, 5.0, -0.0, 4.0, 0.0]])


@pytest.mark.parametrize("out", [False, True])
def test_lanes_are_partitioned_stably(out):
    told = {"axis": 1, "part": slice(0, 5), "kth": (2,)}
    room = np.empty(X.shape) if out else None
    made = KERNELS["partition"](room, X, places=False, **told)
    assert made is room or not out
    np.testing.assert_array_equal(made, [[1, 1, 2, 3, np.nan], [0, 0, 0, 5, 4]])
    assert np.signbit(made[1]).tolist() == [False, True, False, False, False]
    places = KERNELS["partition"](None, X, places=True, **told)
    assert places.tolist() == [[2, 4, 3, 0, 1], [0, 2, 4, 1, 3]]


def test_a_part_of_each_lane():
    told = {"axis": 0, "kth": (0, 3), "places": False}
    whole = KERNELS["partition"](None, X.T, part=slice(0, 5), **told)
    for start, stop in ((0, 1), (1, 4), (4, 5), (2, 2)):
        part = KERNELS["partition"](None, X.T, part=slice(start, stop), **told)
        np.testing.assert_array_equal(part, whole[start:stop])


def test_a_pivot_that_is_nan():
    line = np.array([np.nan, 1.0, np.nan])
    found = [mask.tolist() for mask in groups(line, np.array([np.nan]))]
    assert found == [[False, True, False], [True, False, True]]
    found = [mask.tolist() for mask in groups(line, np.array([0.0, np.nan]))]
    assert found[2:] == [[False, True, False], [True, False, True]]
