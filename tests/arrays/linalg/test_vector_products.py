import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("name", ["vecdot", "matvec", "vecmat"])
def test_core_dimensions_must_fit(name):
    with pytest.raises(dt.ShapeError, match=f"{name}: .*mismatch in its core dimension"):
        getattr(dt, name)(dt.ones((2, 3)), dt.ones((5, 4)))
    with pytest.raises(dt.ShapeError, match="does not have enough dimensions"):
        getattr(dt, name)(dt.ones(()), dt.ones((5, 4)))
    if name != "vecdot":
        with pytest.raises(dt.ShapeError, match="broadcast"):
            getattr(dt, name)(dt.ones((2, 4, 4)), dt.ones((3, 4, 4)))


def test_dimensions_of_vecdot_broadcast():
    assert dt.vecdot(dt.ones((3, 1, 4)), dt.ones((2, 4))).shape == (3, 2)
    assert dt.vecdot(dt.ones((4, 2, 3)), dt.ones((4, 2, 3)), axis=1).shape == (4, 3)
    with pytest.raises(dt.ShapeError, match="vecdot"):
        dt.vecdot(dt.ones((3, 4)), dt.ones((2, 4)))


def test_the_first_operand_is_conjugated():
    x, w = np.array([1j, 2.0]), np.array([[1j, 3.0], [2.0, 1j]])
    for name in ("vdot", "vecdot", "vecmat"):
        args = (x, x) if name == "vdot" else (x, w)
        if hasattr(np, name):
            expected = getattr(np, name)(*args)
            np.testing.assert_allclose(getattr(dt, name)(*args).compute(), expected)


def test_cells_of_vdot_are_as_many():
    assert float(dt.vdot(dt.ones((2, 3)), dt.ones((3, 2)))) == 6
    with pytest.raises(dt.ShapeError, match="equal size"):
        dt.vdot(dt.ones(3), dt.ones(2))
