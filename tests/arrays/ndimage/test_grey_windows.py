import numpy as np

import dask_tapestry as dt


def test_addends_are_compared_as_doubles():
    x = np.array([0, 5, 250], "u1")
    found = dt.ndimage.grey_erosion(dt.asarray(x), structure=[2, 3], output="f8").compute()
    np.testing.assert_array_equal(found, [-3, -2, 3])


def test_a_structure_is_part_of_the_operator():
    made = dt.ndimage.grey_dilation(dt.ones((50, 50)), structure=np.ones((3, 3)))
    assert [n.operator.name for n in made.plan().core.graph.nodes].count("windowextreme") == 1
