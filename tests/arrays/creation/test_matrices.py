import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused


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


@pytest.mark.parametrize("dtype", ["S3", "U3", "S1", "U", "m8[s]", "M8[s]", "c8", "?"])
def test_ones_of_any_dtype(dtype):
    agreed(lambda np, a: np.eye(3, 2, -1, dtype))
    agreed(lambda np, a: np.identity(2, dtype))
