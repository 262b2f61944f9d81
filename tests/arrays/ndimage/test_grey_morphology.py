import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import MODES, SHAPES, check, image

NAMES = (
    "grey_erosion grey_dilation grey_opening grey_closing morphological_gradient "
    "morphological_laplace white_tophat black_tophat"
).split()


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_sizes_footprints_and_structures(name, shape):
    rank = len(shape)
    for dtype in ("u1", "i4", "f8"):
        x = image(shape, dtype)
        check(name, x, 3, mode="mirror")
        check(name, x, (2,) * rank, origin=(-1,) * rank)
        footprint = np.arange(3**rank).reshape((3,) * rank) % 4 > 0
        check(name, x, footprint=footprint, mode="constant", cval=3)
        check(name, x, structure=np.arange(3**rank).reshape((3,) * rank) % 5)


@pytest.mark.parametrize("mode", MODES)
def test_structures_of_some_places(mode):
    x = image((6, 7), "f8")
    cells, structure = [[0, 1, 1], [1, 0, 1]], [[9.0, 0.5, -1], [2, 9, 0]]
    for name in NAMES[:4]:
        check(name, x, footprint=cells, structure=structure, mode=mode, cval=2.5, origin=(0, 1))
    check("grey_dilation", image((3, 6, 7), "f4"), structure=structure, axes=(2, 0))


def test_what_is_given_is_checked():
    with pytest.raises(ValueError, match="size, footprint, or structure must be specified"):
        dt.ndimage.grey_erosion(dt.ones(3))
    with pytest.raises(RuntimeError, match=r"structure.ndim \(1\) must match len\(axes\) \(2\)"):
        dt.ndimage.grey_dilation(dt.ones((3, 3)), structure=[1, 2])
    with pytest.raises(RuntimeError, match="is not that of the footprint"):
        dt.ndimage.grey_erosion(dt.ones(3), footprint=[1, 1], structure=[1, 2, 3])
    with pytest.raises(RuntimeError, match="a sequence of modes"):
        dt.ndimage.grey_erosion(dt.ones(3), structure=[1, 2, 3], mode=["wrap"])


def test_of_bools_a_difference_is_what_differs():
    x = image((9, 9), "?")
    check("white_tophat", x, 3)
    check("black_tophat", x, 3)
