import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

F2 = np.dtype("f2")


@given(st.lists(st.integers(0, 5), max_size=3).map(tuple), st.data())
def test_a_clipped_box_lies_in_the_tensor_and_keeps_what_does(shape, data):
    x = TensorType(shape, F2)
    lo = [data.draw(st.integers(0, 9)) for _ in shape]
    box = ZRange(lo, [a + data.draw(st.integers(0, 5)) for a in lo])
    clipped = x.clip(box)
    assert x.box.contains(clipped)
    assert set(clipped.points()) == set(box.points()) & set(x.box.points())


def test_an_empty_box_keeps_its_other_extents():
    assert TensorType((0, 3), F2).clip(ZRange((0, 0), (0, 3))).shape == (0, 3)
    assert TensorType((2, 3), F2).clip(ZRange((2, 0), (4, 3))).shape == (0, 3)


def test_sizes_are_exact_however_large():
    x = TensorType((10**9, 10**9, 10**9), F2)
    assert x.size == 10**27
    assert x.nbytes == 2 * 10**27


def test_a_type_prints_with_the_names_it_has():
    assert str(TensorType((), F2)) == "float16[]"
    assert str(TensorType((2, 3), F2, (None, "x"))) == "float16[2, x=3]"
