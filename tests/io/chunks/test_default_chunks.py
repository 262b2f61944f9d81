import pytest

import dask_tapestry as dt
from dask_tapestry.io.chunks.default_chunks import default_chunk_shape


def test_a_tensor_is_stored_in_its_nominal_chunks():
    x = dt.ones((10, 9), chunks=((3, 5, 2), 4))
    assert default_chunk_shape(x.node) == (5, 4)
    assert default_chunk_shape((x + 1).T.node) == (4, 5)
    assert default_chunk_shape(dt.ones((0, 3)).node) == (1, 3)
    assert default_chunk_shape(dt.ones(()).node) == ()


def test_chunks_too_large_for_a_task_are_made_smaller():
    x = dt.ones((1000, 1000), chunks=-1)
    with pytest.warns(UserWarning, match=r"7\.63 MiB.*too much for the memory of a task"):
        assert default_chunk_shape(x.node, memory=4 * 10**6) == (125, 1000)
    assert default_chunk_shape(x.node, memory=10**9) == (1000, 1000)


def test_a_great_many_tiny_chunks_are_joined():
    x = dt.placeholder((3000, 3000), "f4", stored_chunks=(5, 5))
    assert default_chunk_shape(x.node) == (1395, 3000)
    few = dt.placeholder((500, 500), "f4", stored_chunks=(5, 5))
    assert default_chunk_shape(few.node) == (5, 5)
