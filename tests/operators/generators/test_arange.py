import datetime

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
    with pytest.raises(DTypeError, match="does not support dtype"):
        dt.arange(3, dtype="S2")


D, T = np.datetime64, np.timedelta64


@pytest.mark.parametrize(
    "call",
    [
        lambda np: np.arange(),
        lambda np: np.arange(None),
        lambda np: np.arange(step=2),
        lambda np: np.arange(3, dtype=bool),
        lambda np: np.arange(0, np.inf),
        lambda np: np.arange(0, -np.inf),
        lambda np: np.arange(0, np.nan),
        lambda np: np.arange(1e30),
        lambda np: np.arange(0.0, 3, 0.0),
        lambda np: np.arange(0, 0, 0),
        lambda np: np.arange(-3, 3, dtype="u1"),
        lambda np: np.arange("a"),
        lambda np: np.arange("2020", "2021"),
        lambda np: np.arange([1, 2]),
        lambda np: np.arange(3, device="gpu"),
        lambda np: np.arange(5, dtype="M8[D]"),
        lambda np: np.arange(D("2020-01-01"), D("2020-01-05"), 0),
        lambda np: np.arange(D("NaT"), D("2020-01-05")),
        lambda np: np.arange(D("2020-01-01"), D("2020-01-05"), D("2020-01-05")),
        lambda np: np.arange(D("2020-01-01"), D("2020-01-05"), 1.5),
        lambda np: np.arange(D("2020-01-01"), T(1, "Y")),
        lambda np: np.arange(1, D("2020-01-01")),
        lambda np: np.arange(T(5, "D"), D("2020-01-01")),
    ],
)
def test_errors_are_those_of_numpy(call):
    with pytest.raises(Exception) as theirs, np.errstate(all="ignore"):  # noqa: PT011
        call(np)
    with pytest.raises(theirs.type):
        call(dt)


def test_one_bound_by_name_is_the_end():
    assert dt.arange(stop=3).compute().tolist() == [0, 1, 2]
    assert dt.arange(3, None, 2).compute().tolist() == np.arange(3, None, 2).tolist()


def test_long_doubles():
    np.testing.assert_array_equal(
        dt.arange(np.longdouble(4)).compute(), np.arange(np.longdouble(4))
    )
    assert dt.arange(np.longdouble(4)).dtype == np.longdouble


def test_days_are_dates():
    dates = datetime.date(2020, 1, 1), datetime.date(2020, 1, 5)
    assert same_bits(dt.arange(*dates)[1:].compute(), np.arange(*dates)[1:])
