import numpy as np

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import check


def test_integers_are_compared_as_scipy_does():
    for dtype in ("u1", "i2"):
        x = np.array([0, 5, 250, 1, 0, 90]).astype(dtype)
        check("grey_erosion", x, structure=[2, 3], output="f8")
        check("white_tophat", x, structure=[1, 1, 1])
        check("grey_dilation", x, structure=[0.5, -9, 300])


def test_a_structure_is_part_of_the_operator():
    made = dt.ndimage.grey_dilation(dt.ones((50, 50)), structure=np.ones((3, 3)))
    assert [n.operator.name for n in made.plan().core.graph.nodes].count("windowextreme") == 1
