import numpy as np
import pytest

import dask_tapestry as dt


def test_it_has_a_type_and_chunks():
    x = dt.placeholder((10**7, 256, 256, 3), "uint8", (64, 256, 256, 3), dims="n h w c".split())
    assert x.nbytes == 1_966_080_000_000
    assert x.dims == ("n", "h", "w", "c")
    assert x.node.operator.chunks == (64, 256, 256, 3)


def test_it_counts_whole_chunks():
    source = dt.placeholder((100, 10), "f8", (30, 10)).node.operator
    assert source.stored_bytes(dt.ZRange((29, 0), (31, 1))) == 60 * 10 * 8


def test_two_of_one_type_are_two_values():
    assert dt.placeholder((3,), "f8").node is not dt.placeholder((3,), "f8").node


def test_it_cannot_be_computed():
    with pytest.raises(dt.PlanError, match="no cells"):
        (dt.placeholder((3,), "f8") + 1).compute()


@pytest.mark.parametrize("chunks", [(2,), (2, 2, 2), (0, 2), (2, -1)])
def test_chunks_must_fit(chunks):
    with pytest.raises(dt.ShapeError, match="stored_chunks"):
        dt.placeholder((3, 3), "f8", chunks)


def test_other_arguments_must_fit():
    with pytest.raises(dt.ShapeError, match="negative"):
        dt.placeholder((3, -1), "f8")
    with pytest.raises(dt.ShapeError, match="dimension names"):
        dt.placeholder((3, 3), "f8", dims=("a",))
    with pytest.raises(dt.DTypeError, match="unknown dtype"):
        dt.placeholder((3,), "float65")
    assert dt.placeholder((), np.int8).shape == ()
