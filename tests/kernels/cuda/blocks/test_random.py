import pytest

from dask_tapestry_kernels.cuda.blocks import random


@pytest.mark.parametrize(
    ("frame", "places", "expected"),
    [
        ((7, 5), [range(7), range(5)], (0, 35, (), ())),
        ((7, 5), [range(2, 4), range(5)], (10, 10, (), ())),
        ((7, 5), [range(2, 4), range(1, 3)], (11, 2, (2,), (5,))),
        ((7, 5), [range(0, 7, 2), range(5)], (0, 5, (4,), (10,))),
        ((7, 5), [range(6, -1, -1), range(0, 5, 2)], (30, 1, (7, 3), (-5, 2))),
        ((), [], (0, 1, (), ())),
    ],
)
def test_cells_lie_in_runs(frame, places, expected):
    assert random._runs(frame, places) == expected
