import numpy as np

from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

from .operators import Doubled

F8 = TensorType((4, 6), np.dtype("f8"))
BOX = ZRange((0, 2), (3, 6))


def test_a_kernel_sees_the_block_that_it_is_asked_for():
    assert Doubled().turns((F8,)) is None
    assert Doubled().granularity((F8,)) == ()
    assert Doubled().runs_along is None


def test_what_costs_little_is_computed_cell_by_cell():
    class Cheap(Doubled):
        transparent = True

    assert Cheap().turns((F8,)).split is None
    assert Cheap().turns((F8,)).carry is None
