import numpy as np

from dask_tapestry.operators.sorting.grouped_lines import line_group
from dask_tapestry_kernels.cpu import KERNELS

X = np.random.default_rng(8).normal(size=(5, 40))
LINES = [np.array([12, 14, 16]), np.array([20, 11, 30]), np.array([15, 14, 13])]


def test_groups_lie_along_the_last_axis_and_blocks_begin_anywhere():
    value = KERNELS["groupedlines"](
        None,
        X[:, 10:],
        axis=1,
        origin=10,
        fold="ranks",
        groups=[line_group(0, lines) for lines in LINES],
        options={0: {"ranks": (0, 2), "axis": 1, "part": slice(0, 2)}},
    )
    wanted = [np.sort(X[:, lines], 1)[:, [0, 2]] for lines in LINES]
    np.testing.assert_array_equal(value, np.stack(wanted, -1))


def test_lines_that_go_back_to_the_first_one():
    value = KERNELS["groupedlines"](
        None,
        X,
        axis=1,
        origin=0,
        fold="ranks",
        groups=[line_group(0, np.array([4, 2, 0]))],
        options={0: {"ranks": (1,), "axis": 1, "part": slice(0, 1)}},
    )
    np.testing.assert_array_equal(value[..., 0], np.median(X[:, [0, 2, 4]], 1, keepdims=True))
