import numpy as np
import pytest

from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

from .operators import Doubled

F8 = TensorType((4, 6), np.dtype("f8"))
BOX = ZRange((0, 2), (3, 6))


def test_a_kernel_takes_blocks_alone():
    operator = Doubled()
    assert not operator.arguments((F8,), BOX, (BOX,))
    assert not any([operator.fills, operator.in_place, operator.hands_over])


def test_blocks_are_numpys():
    assert Doubled().format_of((F8,), (None,)) is None


def test_a_meaning_that_is_not_said_is_refused_by_name():
    with pytest.raises(NotImplementedError, match="doubled has no NumPy equivalent"):
        Doubled().reference(np.ones(3))
