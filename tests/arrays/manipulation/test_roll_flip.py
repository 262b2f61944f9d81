import numpy as np
import pytest

from tests.arrays.parity import refused

CELLS = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.roll(a(CELLS), 1, 3),
        lambda np, a: np.roll(a(CELLS), (1, 2), (0, 1, 2)),
        lambda np, a: np.roll(a(CELLS), ((1, 2), (3, 4)), (0, 1)),
        lambda np, a: np.rot90(a(CELLS), 1, (0, 0)),
        lambda np, a: np.rot90(a(CELLS), 1, (0, 3)),
        lambda np, a: np.rot90(a(CELLS), 1, (0, -3)),
        lambda np, a: np.rot90(a(CELLS), 1, (0,)),
        lambda np, a: np.fliplr(a([1])),
        lambda np, a: np.flipud(a(1)),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)
