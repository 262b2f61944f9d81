import numpy as np
import pytest

from dask_tapestry.teg import Operator, TensorType
from dask_tapestry.zspace import ZRange

from .operators import Doubled

F8 = TensorType((4, 6), np.dtype("f8"))
BOX = ZRange((0, 2), (3, 6))


def test_type_and_demand_are_all_that_must_be_said():
    assert Operator.__abstractmethods__ == {"infer", "demand"}
    with pytest.raises(TypeError, match="infer"):
        Operator()
    assert Doubled().infer(F8) == F8


def test_what_is_read_follows_from_the_demand():
    operator = Doubled()
    assert operator.pieces((F8,), BOX) == ((0, BOX),)
    assert operator.demanding((F8,))(BOX) == (BOX,)


def test_of_all_boxes_nothing_is_known():
    operator = Doubled()
    assert operator.regularity((F8,)) is None
    assert operator.cell_map((F8,)) is None
    assert operator.reads_once((F8,)) == (False,)
