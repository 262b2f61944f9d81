import numpy as np

from dask_tapestry.teg.buckets import BucketsDType, buckets_type, cells_of
from dask_tapestry.teg.token import token


def test_buckets_have_the_bytes_that_are_expected():
    type_ = buckets_type((4, 8), np.dtype("f4"), 2.5, 2.0)
    assert type_.dtype.itemsize == 20
    assert type_.nbytes == 4 * 8 * 20
    assert str(type_) == "bucket of 2.5 float32[4, 8]"
    assert cells_of(type_) == "f4"


def test_they_are_one_type_in_every_process():
    one = BucketsDType(np.dtype("f4"), 2.5)
    assert one == BucketsDType(np.dtype("f4"), 2.5)
    assert token(one) != token(BucketsDType(np.dtype("f4"), 2.5, 1.5))
