import pytest

import dask_tapestry as dt
from dask_tapestry import basic_errors, errors
from dask_tapestry.zspace import IndexProjection


def test_they_are_those_of_the_library():
    for name in ("TapestryError", "ArgumentError", "ArgumentTypeError"):
        assert getattr(basic_errors, name) is getattr(errors, name) is getattr(dt, name)


def test_integers_raise_them():
    with pytest.raises(dt.ArgumentTypeError, match="must be an integer"):
        IndexProjection(((1.5,),), (0,), (1,))
    with pytest.raises(dt.ArgumentError, match="must not be negative"):
        IndexProjection(((1,),), (0,), (-1,))
