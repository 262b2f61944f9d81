import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import dask_tapestry as dt
from dask_tapestry.operators.cells.order_key import cell_of_key, has_order_key, order_key

pytestmark = pytest.mark.usefixtures("sync")
KINDS = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u8", "?", "M8[s]", "m8[D]")


@given(st.data())
def test_keys_lie_as_cells_sort_and_tell_the_cells(data):
    kind = data.draw(st.sampled_from(KINDS))
    bits = data.draw(arrays(f"u{np.dtype(kind).itemsize}", st.integers(0, 9)))
    cells = bits.view(kind) if kind != "?" else bits > 100
    keys = order_key(dt.from_array(cells).node)
    found, back = dt.compute(dt.Array(keys), dt.Array(cell_of_key(keys, cells.dtype)))
    assert found.dtype == f"u{cells.dtype.itemsize}"
    np.testing.assert_array_equal(cells[np.argsort(found, kind="stable")], np.sort(cells))
    np.testing.assert_array_equal(back, cells)


def test_zeros_keep_their_signs_and_all_nan_are_the_last():
    cells = np.array([np.nan, 0.0, -np.nan, -0.0, np.inf])
    keys = order_key(dt.from_array(cells).node)
    zero, minus = (dt.Array(keys).compute()[n] for n in (1, 3))
    assert minus < zero
    back = dt.Array(cell_of_key(keys, cells.dtype)).compute()
    np.testing.assert_array_equal(np.signbit(back), [False, False, False, True, False])
    assert dt.Array(keys).compute().argmax() == 0


@pytest.mark.parametrize("kind", ["c8", "c16", "g", "S3", "U2", "O"])
def test_others_have_none(kind):
    assert not has_order_key(np.dtype(kind))
