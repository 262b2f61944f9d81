import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError
from tests.comparisons import same_bits


@pytest.mark.parametrize(
    "bounds", [(0.0, 1.0, 0.1), (1.0, 0.0, -0.3), (-5, 5, 3), (2**53, 2**53 + 9, 2), (0.5, 3)]
)
def test_slices_of_a_range_have_the_bits_of_the_whole(bounds):
    whole = np.arange(*bounds)
    for key in (slice(None, None, -1), slice(1, None, 2), slice(2, 3), 0, slice(0, 0)):
        assert same_bits(dt.arange(*bounds)[key].compute(), whole[key])


def test_a_sliced_range_is_a_range():
    plan = dt.plan(dt.arange(10**15)[5 : 10**14 : 7][:3])
    assert str(plan.teg) == (
        "%0 = arange(0, 1000000000000000, 1, places 5:+7x3) : int64[3]\nreturn %0"
    )


def test_what_numpy_refuses_is_refused():
    with pytest.raises(ZeroDivisionError):
        dt.arange(0, 3, 0)
    with pytest.raises(DTypeError, match="no values of dtype bool"):
        dt.arange(3, dtype=bool)
