import pytest

import dask_tapestry as dt
from tests.array.parity import refused


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.eye(-1),
        lambda np, a: np.eye(2.5),
        lambda np, a: np.eye(2, order="x"),
        lambda np, a: np.eye(2, device="gpu"),
        lambda np, a: np.vander(a([[1]])),
        lambda np, a: np.vander(a([1, 2]), -1),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_chunks_of_eye():
    assert dt.eye(4, chunks=2).chunks == ((2, 2), (2, 2))
