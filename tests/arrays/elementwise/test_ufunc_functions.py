import inspect
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.cells import UFUNCS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_named_documented_and_has_its_operands(name):
    function = FUNCTIONS[name]
    assert (function.__name__, function.__qualname__) == (name, name)
    assert f"dt.{name}(" in function.__doc__
    *operands, out, where, casting, dtype, signature = inspect.signature(
        function
    ).parameters.values()
    assert [out.name, where.name, casting.name] == ["out", "where", "casting"]
    assert {p.kind for p in operands} == {inspect.Parameter.POSITIONAL_ONLY}
    assert [p.name for p in operands] == (["x"] if UFUNCS[name].nin == 1 else ["x1", "x2"])
    assert [dtype.name, signature.name] == ["dtype", "signature"]
    assert {dtype.kind, signature.kind} == {inspect.Parameter.KEYWORD_ONLY}
    results = inspect.signature(function).return_annotation
    assert results == ("Array" if UFUNCS[name].nout == 1 else "tuple[Array, Array]")


def test_several_results():
    for ours, theirs in zip(dt.frexp([1.0, 2.5]), np.frexp([1.0, 2.5]), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.compute(), theirs)


@pytest.mark.parametrize("number", [0, 1, 4])
def test_the_number_of_operands_must_fit(number):
    with pytest.raises(TypeError, match=r"add\(\)"):
        dt.add(*[dt.ones(2)] * number)


def test_scalars_alone_make_an_array_without_dimensions():
    assert dt.add(2, 3).shape == ()
    assert [int(part) for part in dt.divmod(7, 2)] == [3, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.add(1.0, np.float32(1)),
        lambda xp: xp.add(np.float32(1), 1.0),
        lambda xp: xp.multiply(2, np.int8(3)),
        lambda xp: xp.multiply(2, True),
        lambda xp: xp.add(1, 2.5),
        lambda xp: xp.subtract(2.5, 1j),
        lambda xp: xp.add(np.int8(1), np.float16(2)),
        lambda xp: xp.equal(300, np.uint8(3)),
    ],
)
def test_scalars_promote_as_numpy_s(call):
    expected = call(np)
    found = call(dt)
    assert (found.shape, found.dtype) == ((), expected.dtype)
    assert found.compute() == expected


@pytest.mark.parametrize("large", [2**63, 2**100])
def test_large_integers_alone_are_taken_as_numpy_takes_them(large):
    for name in ("add", "gcd", "lcm", "multiply", "left_shift", "maximum"):
        for operands in ((large, 3), (3, large), (large, True)):
            with pytest.raises(OverflowError):
                getattr(np, name)(*operands)
            with pytest.raises(OverflowError):
                getattr(dt, name)(*operands)
    for name in ("less", "equal", "true_divide", "arctan2", "hypot"):
        found = getattr(dt, name)(large, 3).compute()
        assert found == getattr(np, name)(large, 3)
        assert type(found) is type(getattr(np, name)(large, 3))
    with pytest.raises(TypeError):
        dt.gcd(large, 1.5)
    objects = dt.asarray([large])
    assert dt.gcd(objects, objects).compute()[0] == large
    assert int(dt.negative(2**100).compute()) == -(2**100)


TIMES = np.array(["2020-01-01T00", "2020-01-02T00"], "M8[h]")


@pytest.mark.parametrize(
    "moment",
    [datetime(2020, 1, 1, 3), date(2020, 1, 2), pd.Timestamp("2020-01-01T02"), pd.NaT],
    ids=repr,
)
def test_dates_and_times_are_operands(moment):
    x, known = dt.asarray(TIMES), np.datetime64("NaT" if moment is pd.NaT else moment)
    for compared in ("__eq__", "__ne__", "__lt__", "__ge__"):
        expected = getattr(TIMES, compared)(known)
        np.testing.assert_array_equal(getattr(x, compared)(moment).compute(), expected)
    np.testing.assert_array_equal((moment < x).compute(), known < TIMES)
    np.testing.assert_array_equal((x - moment).compute(), TIMES - known)


@pytest.mark.parametrize("length", [timedelta(minutes=1), pd.Timedelta("1h")], ids=repr)
def test_lengths_of_time_are_operands(length):
    x, known = dt.asarray(TIMES), np.timedelta64(length)
    np.testing.assert_array_equal((x + length).compute(), TIMES + known)
    np.testing.assert_array_equal(((x - x[0]) / length).compute(), (TIMES - TIMES[0]) / known)


def test_a_time_with_a_zone_is_refused():
    with pytest.raises(dt.DTypeError, match="time zone"):
        dt.less(dt.asarray(TIMES), datetime(2020, 1, 1, tzinfo=UTC))


def test_methods_that_are_missing_are_named():
    with pytest.raises(TypeError, match=r"no numpy\.subtract\.reduce; compute"):
        np.subtract.reduce(dt.ones(3))
    with pytest.raises(dt.DTypeError, match=r"numpy\.add\.at writes"):
        np.add.at(np.zeros(3), [0], dt.ones(1))
