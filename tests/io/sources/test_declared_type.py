import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.sources.declared_type import checked_block, declared_type


def test_a_type_has_native_cells():
    assert str(declared_type((2, 3), np.dtype(">f4"), ("y", "x"))) == "float32[y=2, x=3]"
    assert declared_type((), np.dtype("i8"), None).shape == ()


def test_what_cannot_be_held_is_refused():
    with pytest.raises(dt.DTypeError, match="Python objects"):
        declared_type((2,), np.dtype([("a", object)]), None)
    with pytest.raises(dt.ShapeError, match="1 dimension names"):
        declared_type((2, 3), np.dtype("f4"), ("y",))


def test_what_is_given_must_be_what_was_declared():
    cells = checked_block([1.0, 2.0], (2,), np.dtype("f8"), "giver")
    assert (cells.shape, cells.dtype) == ((2,), "f8")
    with pytest.raises(ValueError, match="str returned shape"):
        checked_block([1.0], (2,), np.dtype("f8"), "giver")
    with pytest.raises(TypeError, match="str returned dtype int64"):
        checked_block([1, 2], (2,), np.dtype("f8"), "giver")
    with pytest.raises(ValueError, match="masked"):
        checked_block(np.ma.masked_equal([1, 2], 1), (2,), np.dtype("i8"), "giver")
