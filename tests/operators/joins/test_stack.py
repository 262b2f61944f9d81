import pytest

import dask_tapestry as dt
from dask_tapestry.operators.joins.stack import interleave, stack


def test_shapes():
    tensors = [dt.ones((2, 3)).node] * 4
    assert stack(tensors, 1).type.shape == (2, 4, 3)
    assert stack(tensors, -1).type.shape == (2, 3, 4)
    assert interleave(tensors, 1).type.shape == (2, 12)


def test_dtypes_are_promoted():
    tensors = [dt.ones(2, "i1").node, dt.ones(2, "f4").node]
    assert stack(tensors).type.dtype == interleave(tensors).type.dtype == "f4"


@pytest.mark.parametrize("join", [stack, interleave])
def test_one_shape_is_needed(join):
    with pytest.raises(dt.ShapeError):
        join([])
    with pytest.raises(dt.ShapeError, match=r"\(2,\), \(3,\)"):
        join([dt.ones(2).node, dt.ones(3).node])
