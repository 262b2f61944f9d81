import numpy as np

from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

from .operators import Doubled

F8 = TensorType((4, 6), np.dtype("f8"))
BOX = ZRange((0, 2), (3, 6))


def test_a_block_takes_the_memory_of_its_cells():
    assert Doubled().block_bytes(F8, BOX) == 12 * 8


def test_a_view_takes_none():
    class Shown(Doubled):
        copies = False

    assert Shown().block_bytes(F8, BOX) == 0


def test_all_else_is_free():
    operator = Doubled()
    assert operator.flops((F8,), BOX) == operator.scratch_bytes((F8,), BOX) == 0
    assert operator.stored_bytes(BOX) == 0
    assert operator.own_costs((F8,), BOX) == {}
