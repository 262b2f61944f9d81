import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.linspace(0, 1, 7, chunks=3),
        lambda xp: xp.tri(4, 6, chunks=(2, 3)),
        lambda xp: xp.fromfunction(lambda i, j: i + j, shape=(4, 6), chunks=(2, 6)),
    ],
)
def test_chunks_are_nominal(call):
    with_chunks = call(dt)
    expected = call(da)
    assert with_chunks.chunks == expected.chunks
    np.testing.assert_allclose(with_chunks.compute(), expected.compute())


def test_chunks_of_several_arrays():
    rows, columns = dt.tril_indices(4, chunks=5)
    assert rows.chunks == columns.chunks == ((5, 5),)
    points, step = dt.linspace(0, 1, 4, retstep=True, chunks=2)
    assert points.chunks == ((2, 2),)
    assert step.shape == ()
