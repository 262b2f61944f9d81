import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ndimage.binary_windows import step_of, until_stable
from tests.arrays.ndimage.against_scipy import check, image


def test_a_structure_of_no_cells():
    x = image((5, 6), "?")
    none = np.zeros((3, 3), bool)
    assert dt.ndimage.binary_erosion(dt.asarray(x), none).compute().all()
    assert not dt.ndimage.binary_dilation(dt.asarray(x), none).compute().any()


def test_long_ways_are_gone_to_their_end():
    spiral = np.ones((40, 40), bool)
    spiral[1::4, :-1] = False
    spiral[3::4, 1:] = False
    start = np.zeros((40, 40), bool)
    start[0, 0] = True
    check("binary_propagation", start, mask=spiral)


def test_nothing_to_change_is_the_value_itself():
    x = dt.zeros((4, 4), bool)
    how = (None, None, 0, 0, None, (4, 4))
    found = until_stable(step_of("f", "maximum", True, *how), x.node)
    assert not dt.Array(found).compute().any()


def test_masks_and_structures_are_checked():
    x = dt.ones((3, 4))
    with pytest.raises(RuntimeError, match="mask and input must have equal shapes"):
        dt.ndimage.binary_erosion(x, mask=dt.ones(4))
    with pytest.raises(RuntimeError, match=r"structure.ndim \(1\) must match len\(axes\) \(2\)"):
        dt.ndimage.binary_erosion(x, [1, 1])
    with pytest.raises(ValueError, match="invalid origin"):
        dt.ndimage.binary_dilation(x, origin=2)
    with pytest.raises(TypeError):
        dt.ndimage.binary_dilation(x, iterations=1.5)
