import numpy as np
import pytest

import dask_tapestry as dt

CELLS = [
    np.array([0, 0, 1, 0, 2, 0]), np.zeros(4), np.zeros(0), np.zeros((2, 2)),
    np.array([[0, 0, 0], [0, 1, 0], [0, 0, 2.0]]), np.array([0, np.nan, 0]),
    np.array(["", "a", "", "b", ""]), np.array([b"", b"a"]), np.array([0, 1, 0], "m8[s]"),
    np.array([(0, 0), (0, 3), (0, 0)], [("a", "i4"), ("b", "f8")]),
]  # fmt: skip


@pytest.mark.parametrize("trim", ["fb", "f", "b", "F"])
@pytest.mark.parametrize("cells", CELLS, ids=str)
def test_zeros_at_the_ends_are_cut_off_as_numpys(cells, trim):
    for axis in (None, -1):
        expected = np.trim_zeros(cells, trim, axis)
        found = np.trim_zeros(dt.asarray(cells), trim, axis)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(found.compute(), expected)


def test_errors():
    with pytest.raises(ValueError, match="unexpected"):
        dt.trim_zeros([0, 1], "x")
    with pytest.raises(IndexError):
        dt.trim_zeros([0, 1], axis=3)
