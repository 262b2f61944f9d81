import pytest

from dask_tapestry.diagnostics.chunk_picture import chunk_picture
from dask_tapestry.errors import ShapeError


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_chunks_of_any_rank_are_drawn(rank):
    assert chunk_picture(((2, 1),) * rank).count("<svg") >= 1


@pytest.mark.parametrize("chunks", [(), ((0,), (2,))])
def test_nothing_is_not_drawn(chunks):
    with pytest.raises(ShapeError):
        chunk_picture(chunks)
