import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.weak_numbers import weakly_typed


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([np.float32(1), 1.0], "float32"),
        ([np.int8(1), 2], "int8"),
        ([np.int8(1), 2.5], "float64"),
        ([np.complex64(1), 1j, 2], "complex64"),
        ([1, 2.0], None),
        ([True, np.float32(1)], None),
    ],
)
def test_numbers_take_the_dtype_of_their_neighbours(values, expected):
    found = [x.dtype for x in weakly_typed(values)]
    if expected is None:
        assert found == [np.asarray(x).dtype for x in values]
    else:
        assert np.result_type(*found) == expected
    joined = dt.concatenate(values, axis=None)
    assert joined.dtype == np.concatenate(values, axis=None).dtype
    np.testing.assert_array_equal(joined.compute(), np.concatenate(values, axis=None))


def test_choices_too():
    assert dt.choose(1, [np.float32(1), 1.0]).dtype == np.float32


def test_integers_without_a_place_are_refused():
    with pytest.raises(OverflowError):
        dt.concatenate([np.int8(1), 300], axis=None)


def test_texts_beside_numbers_are_as_they_were():
    assert [x.dtype.kind for x in weakly_typed(["a", 1])] == ["U", "i"]
